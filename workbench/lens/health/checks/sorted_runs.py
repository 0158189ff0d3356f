"""Too many sorted runs in the buckets of a primary-key table."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, of_buckets, ranked, worst
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import compact


def _judge(facts: HealthFacts) -> Judgment:
    due, stop = facts.limits.compaction_runs, facts.limits.stop_runs
    if due is None or stop is None or not facts.settled:
        return NOT_APPLICABLE
    most = max(each.runs for each in facts.settled)
    over = [each for each in facts.settled if each.runs > due]
    if not over:
        text = f"At most {counted(most, 'sorted runs')} in a bucket; more than {due} trigger a compaction."
        return Judgment(text)
    places = ranked([_place(each, stop) for each in over])
    stopped = sum(each.runs > stop for each in over)
    worst_bucket = max(over, key=lambda each: (each.runs, each.size))
    size, files = sum(each.size for each in over), sum(each.files for each in over)
    after = sum(each.full_files for each in over)
    has = "has" if len(over) == 1 or len(facts.settled) == 1 else "have"
    finding = Finding(
        severity=worst([place.severity for place in places]),
        title=f"{of_buckets(len(over), len(facts.settled))} {has} more than {due} sorted runs in a bucket",
        amount=most,
        amount_text=counted(most, "sorted runs"),
        limit=due,
        limit_text=f"compaction trigger {due}, stop trigger {stop}",
        why="Sorted runs hold versions of the same keys: a read opens all of a bucket, and merges those that overlap.",
        read=_read_text(facts, worst_bucket),
        write=_write_text(facts, stopped, stop),
        gain=f"One sorted run per bucket: {counted(files, 'files')} become about {after:,}, and "
        f"{size_text(size)} are rewritten.",
        steps=compact(facts, over),
        advice="Run a dedicated compaction regularly, because the writers do not compact (write-only)."
        if facts.schema.core.write_only
        else "",
        places=places,
    )
    return Judgment(f"{of_buckets(len(over), len(facts.settled))} {has} too many sorted runs.", (finding,))


def _place(bucket: BucketFacts, stop: int) -> Place:
    severity = "poor" if bucket.runs > stop else "attention"
    text = f"{counted(bucket.runs, 'sorted runs')}, {counted(bucket.files, 'files')}, {size_text(bucket.size)}"
    return Place(bucket.label, bucket.runs, text, severity, bucket.id)  # type: ignore[arg-type]


def _read_text(facts: HealthFacts, bucket: BucketFacts) -> str:
    if not facts.merges_on_read:
        return f"Rows on level 0 of {bucket.label} are not read before they are compacted."
    return (
        f"Each read of {bucket.label} reads {counted(bucket.runs, 'sorted runs')}: "
        f"{bucket.read_amplification:.1f} times the bytes of the largest one."
    )


def _write_text(facts: HealthFacts, stopped: int, stop: int) -> str:
    if not stopped:
        return "The next write to such a bucket has to compact it." if not facts.schema.core.write_only else ""
    return f"Writers that compact wait in {counted(stopped, 'buckets')} with more than {stop} sorted runs."


SORTED_RUNS = Check("sorted-runs", "Sorted runs", "files", _judge, of_files=True)
