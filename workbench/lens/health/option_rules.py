"""The known conflicts of options: with each other, and with how the table is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from workbench.base.counting import counted
from workbench.base.errors import WorkbenchError, did_you_mean
from workbench.format.options.catalog import OPTIONS, find_option, may_be_custom_option, similar_names
from workbench.format.spec.snapshot import CommitKind
from workbench.lens.health.check import Severity
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Alter, Call, Step
from workbench.metadata.definition.schema_rules import check_schema_rules

_COMMITS_WITHOUT_COMPACTION = 10
_MANY_RETAINED = 1000


@dataclass(frozen=True)
class Conflict:
    """A conflict that was found. ``setting`` is the option with its value."""

    severity: Severity
    title: str
    setting: str
    why: str
    read: str = ""
    write: str = ""
    gain: str = ""
    steps: tuple[Step, ...] = ()
    advice: str = ""
    key: str = ""


@dataclass(frozen=True)
class OptionRule:
    """A known conflict."""

    name: str
    find: Callable[[HealthFacts], Iterable[Conflict]]


def _setting(facts: HealthFacts, name: str) -> str:
    return f"{name} = {facts.schema.core.value(name)}"


def _refused(facts: HealthFacts) -> Iterator[Conflict]:
    """Find options that Paimon refuses for a new table, in a table that was created or altered without this check."""
    core = facts.schema.core
    if core.snapshot_num_retained_min > core.snapshot_num_retained_max:
        return
    try:
        check_schema_rules(facts.schema)
    except WorkbenchError as error:
        yield Conflict(
            severity="attention",
            title=error.message.rstrip("."),
            setting="refused for a new table",
            why="Paimon refuses these options together when a table is created, because they contradict each other.",
            write="Engines that check the options refuse to open or to alter the table.",
            advice=error.hint or "",
        )


def _retained_min_above_max(facts: HealthFacts) -> Iterator[Conflict]:
    core = facts.schema.core
    least, most = core.snapshot_num_retained_min, core.snapshot_num_retained_max
    if least > most:
        yield Conflict(
            severity="attention",
            title="More snapshots must be kept than may be kept",
            setting=f"snapshot.num-retained.min = {least}, snapshot.num-retained.max = {most}",
            why="Expiry refuses a minimum above the maximum, so no snapshot ever expires.",
            write="Storage grows with every commit.",
            gain="Snapshots expire again.",
            steps=(Alter({"snapshot.num-retained.min": str(most)}),),
        )
    elif least > _MANY_RETAINED:
        yield Conflict(
            severity="notice",
            title=f"At least {least:,} snapshots are kept, regardless of their age",
            setting=f"snapshot.num-retained.min = {least}",
            why="The minimum is kept even after 'snapshot.time-retained'. It protects tables with few commits; to keep "
            "a long history, set the retention time or the maximum instead.",
            write="Storage holds the files of all these versions.",
            gain="Snapshots expire by their age.",
            steps=(Alter({"snapshot.num-retained.min": None}),),
        )


def _never_compacted(facts: HealthFacts) -> Iterator[Conflict]:
    recent = facts.history.recent
    appends = sum(each.commit_kind == CommitKind.APPEND for each in recent)
    compacted = any(each.commit_kind == CommitKind.COMPACT for each in recent)
    if facts.schema.core.write_only and appends >= _COMMITS_WITHOUT_COMPACTION and not compacted:
        yield Conflict(
            severity="attention",
            title=f"Writers do not compact, and none of the newest {len(recent):,} commits is a compaction",
            setting="write-only = true",
            why="With 'write-only', writers neither compact nor expire snapshots: a dedicated job has to do both.",
            read="Reads merge or open more files with every commit.",
            write="Snapshots do not expire either.",
            gain="The table is compacted now; schedule the same statement, or let writers compact again.",
            steps=(Call("compact", {"full": True}),),
            advice="Remove option 'write-only' if no job compacts the table.",
        )


def _lookup_with_level_0(facts: HealthFacts) -> Iterator[Conflict]:
    core, limit = facts.schema.core, facts.limits.stop_runs
    over = [each for each in facts.settled if limit is not None and each.runs > limit]
    if facts.is_keyed and core.changelog_producer == "lookup" and over:
        most = max(each.runs for each in over)
        yield Conflict(
            severity="attention",
            title=f"The changelog lags: {counted(len(over), 'buckets')} wait for their lookup compaction",
            setting="changelog-producer = lookup",
            why="The changelog of a row is written when its file leaves level 0, and "
            f"{counted(most, 'sorted runs')} wait in one bucket.",
            read="Streams do not see these changes yet.",
            gain="The changelog of all rows on level 0 is written.",
            steps=(Call("compact", {"full": True}),),
        )


def _delta_commits_with_vectors(facts: HealthFacts) -> Iterator[Conflict]:
    core = facts.schema.core
    if facts.is_keyed and core.deletion_vectors_enabled and core.full_compaction_delta_commits is not None:
        yield Conflict(
            severity="notice",
            title="Full compactions run regularly although deletion vectors make them unnecessary",
            setting=_setting(facts, "full-compaction.delta-commits"),
            why="With deletion vectors, reads merge nothing; a full compaction rewrites the whole bucket for little.",
            write=f"Every {core.full_compaction_delta_commits:,} commits, all files of each bucket are rewritten.",
            gain="Compactions rewrite only what the sizes of the sorted runs require.",
            steps=(Alter({"full-compaction.delta-commits": None}),),
        )


def _full_changelog_without_interval(facts: HealthFacts) -> Iterator[Conflict]:
    core = facts.schema.core
    waits = core.full_compaction_delta_commits is None and core.compaction_optimization_interval is None
    if facts.is_keyed and core.changelog_producer == "full-compaction" and waits:
        yield Conflict(
            severity="notice",
            title="Nothing determines how soon the changelog is written",
            setting="changelog-producer = full-compaction",
            why="The changelog is written by full compactions only, and no option says how often they run.",
            read="Streams see changes only when a full compaction happens to run.",
            gain="A full compaction, and with it the changelog, follows every ten commits.",
            steps=(Alter({"full-compaction.delta-commits": "10"}),),
        )


def _changelog_without_readers(facts: HealthFacts) -> Iterator[Conflict]:
    rows = sum(each.changelog_record_count or 0 for each in facts.history.recent)
    if facts.schema.core.changelog_producer != "none" and rows and not facts.consumers:
        yield Conflict(
            severity="notice",
            title=f"The newest commits wrote {counted(rows, 'changelog rows')}, and no consumer is registered",
            setting=_setting(facts, "changelog-producer"),
            why="A changelog is needed by streams only. Streams without option 'consumer-id' leave no trace, so they "
            "may exist nevertheless.",
            write="Each change is written a second time, and producing it may need lookups or full compactions.",
            gain="Commits write no changelog.",
            steps=(Alter({"changelog-producer": None}),),
            advice="Keep the option if streams read the table, and set 'consumer-id' in them.",
        )


def _dynamic_buckets_with_many_writers(facts: HealthFacts) -> Iterator[Conflict]:
    if not facts.is_keyed or facts.schema.core.bucket != -1:
        return
    users = [each.commit_user for each in reversed(facts.history.recent) if each.commit_kind == CommitKind.APPEND]
    runs = [user for index, user in enumerate(users) if index == 0 or users[index - 1] != user]
    returning = {user for user in runs if runs.count(user) > 1}
    if returning:
        yield Conflict(
            severity="attention",
            title=f"{counted(len(set(runs)), 'writers')} take turns committing to dynamic buckets",
            setting="bucket = -1",
            why="Each writer has its own index of the buckets of keys, so two of them may put a key into two buckets.",
            read="Such a key is returned twice.",
            advice="Run a single writing job, or create the table with a fixed number of buckets and copy the rows.",
        )


def _stop_trigger_below_compaction(facts: HealthFacts) -> Iterator[Conflict]:
    core = facts.schema.core
    stop, due = core.value("num-sorted-run.stop-trigger"), core.num_sorted_run_compaction_trigger
    if facts.is_keyed and stop is not None and stop < due:
        yield Conflict(
            severity="notice",
            title="Writers would wait before a compaction is due",
            setting=f"num-sorted-run.stop-trigger = {stop}, num-sorted-run.compaction-trigger = {due}",
            why="A stop trigger below the compaction trigger is raised to it, so writers wait as soon as one is due.",
            write="Writers wait for every compaction.",
            gain=f"Writers wait only with more than {due + 3} sorted runs.",
            steps=(Alter({"num-sorted-run.stop-trigger": None}),),
        )


def _no_statistics_of_columns(facts: HealthFacts) -> Iterator[Conflict]:
    if facts.schema.core.metadata_stats_mode == "none":
        yield Conflict(
            severity="notice",
            title="New files have no statistics of their columns",
            setting="metadata.stats-mode = none",
            why="Scans skip files by the minimum and maximum values of their columns.",
            read="A query with a condition opens every file of the partitions that it reads.",
            gain="Files that are written from now on can be skipped.",
            steps=(Alter({"metadata.stats-mode": None}),),
        )


def _endless_tags(facts: HealthFacts) -> Iterator[Conflict]:
    core = facts.schema.core
    limits = ("tag.num-retained-max", "tag.default-time-retained")
    if core.value("tag.automatic-creation") != "none" and all(core.value(name) is None for name in limits):
        yield Conflict(
            severity="notice",
            title="Tags are created automatically and never removed",
            setting=_setting(facts, "tag.automatic-creation"),
            why=f"The table has {counted(facts.tags, 'tags')}; each keeps the files of its version.",
            write="Storage grows with every period.",
            gain="The newest 90 automatic tags are kept.",
            steps=(Alter({"tag.num-retained-max": "90"}),),
        )


def _endless_consumers(facts: HealthFacts) -> Iterator[Conflict]:
    if facts.consumers and facts.history.blocked and facts.schema.core.consumer_expiration_time is None:
        yield Conflict(
            severity="notice",
            title=f"{counted(len(facts.consumers), 'consumers')} never expire, and "
            f"{counted(facts.history.blocked, 'snapshots')} wait for them",
            setting="consumer.expiration-time is not set",
            why="A stream that was stopped for good keeps all snapshots that it has not read.",
            write="Storage keeps the files of these snapshots.",
            gain="A consumer without progress for 7 days is removed.",
            steps=(Alter({"consumer.expiration-time": "7 d"}),),
        )


def _older_names(facts: HealthFacts) -> Iterator[Conflict]:
    for name, value in facts.schema.options.items():
        option = find_option(name)
        if option is None or option.name == name or name not in OPTIONS.get(option.name, option).fallback_names:
            continue
        yield Conflict(
            severity="notice",
            title=f"Option '{name}' has a newer name",
            setting=f"{name} = {value}",
            why=f"The option is now called '{option.name}'. If both are set, the newer name wins.",
            write="Setting the newer name overrides this one without a warning.",
            gain="The option is found under the name that documents use.",
            steps=(Alter({option.name: facts.schema.options.get(option.name, value), name: None}),),
            key=name,
        )


def _unknown_names(facts: HealthFacts) -> Iterator[Conflict]:
    for name, value in facts.schema.options.items():
        if find_option(name) is None and not may_be_custom_option(name):
            yield Conflict(
                severity="notice",
                title=f"There is no option '{name}'",
                setting=f"{name} = {value}",
                why="Paimon ignores options that it does not know, so this one has no effect.",
                write="The table behaves as if the option were not set.",
                gain="The options show what applies.",
                steps=(Alter({name: None}),),
                advice=did_you_mean(name, similar_names(name)) or "",
                key=name,
            )


OPTION_RULES = (
    OptionRule("refused", _refused),
    OptionRule("retained-min", _retained_min_above_max),
    OptionRule("write-only", _never_compacted),
    OptionRule("lookup-lag", _lookup_with_level_0),
    OptionRule("vectors-full-compaction", _delta_commits_with_vectors),
    OptionRule("full-compaction-interval", _full_changelog_without_interval),
    OptionRule("changelog-readers", _changelog_without_readers),
    OptionRule("dynamic-bucket-writers", _dynamic_buckets_with_many_writers),
    OptionRule("stop-trigger", _stop_trigger_below_compaction),
    OptionRule("stats-mode", _no_statistics_of_columns),
    OptionRule("tag-retention", _endless_tags),
    OptionRule("consumer-expiration", _endless_consumers),
    OptionRule("older-name", _older_names),
    OptionRule("unknown-name", _unknown_names),
)
