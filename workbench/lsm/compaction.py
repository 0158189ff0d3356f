"""Pure pickers of the files of a bucket to compact next, with the arithmetic of Java Paimon 2.0 (format §18.2).

A picker evaluates the levels and returns a ``CompactionChoice``: a unit of work or none, and every rule it considered
with the numbers that decided. Compaction runs it, the panel explains it, the simulator replays it, and snapshots record
it. Times are milliseconds of the local wall clock (``Clock.local_wall_millis``), as file creation times are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.levels import Levels, LevelSortedRun

Numbers = Mapping[str, int | float]

_HOUR_MILLIS = 3_600_000


class CompactionReason(StrEnum):
    """The rule that triggered a compaction."""

    EARLY_FULL_INTERVAL = "early-full-interval"
    EARLY_FULL_TOTAL_SIZE = "early-full-total-size"
    EARLY_FULL_INCREMENTAL_SIZE = "early-full-incremental-size"
    SIZE_AMPLIFICATION = "size-amplification"
    SIZE_RATIO = "size-ratio"
    RUN_COUNT = "run-count"
    FORCE_UP_LEVEL0 = "force-up-level-0"
    FULL = "full"


@dataclass(frozen=True)
class CompactionOptions:
    """The options of a table for compaction. Sizes are bytes, the interval is milliseconds, percents are integers.

    ``num_levels`` includes level 0. Off-peak hours are from start (inclusive) to end (exclusive), across midnight if
    start is later; -1, or two equal hours, means never.
    """

    num_sorted_run_compaction_trigger: int = 5
    max_size_amplification_percent: int = 200
    size_ratio: int = 1
    num_levels: int = 6
    optimization_interval: int | None = None
    total_size_threshold: int | None = None
    incremental_size_threshold: int | None = None
    offpeak_start_hour: int = -1
    offpeak_end_hour: int = -1
    offpeak_ratio: int = 0

    @staticmethod
    def of(core: CoreOptions) -> CompactionOptions:
        """Return the options of a table."""
        return CompactionOptions(
            core.num_sorted_run_compaction_trigger,
            core.max_size_amplification_percent,
            core.size_ratio,
            core.num_levels,
            core.compaction_optimization_interval,
            core.compaction_total_size_threshold,
            core.compaction_incremental_size_threshold,
            core.offpeak_start_hour,
            core.offpeak_end_hour,
            core.offpeak_ratio,
        )

    def extra_size_ratio(self, now_millis: int) -> int:
        """Return the percentage points added to the size ratio at this time of day (Java's ``OffPeakHours``)."""
        start, end = self.offpeak_start_hour, self.offpeak_end_hour
        if -1 in (start, end) or start == end:
            return 0
        hour = now_millis // _HOUR_MILLIS % 24
        off_peak = start <= hour < end if start < end else hour < end or start <= hour
        return self.offpeak_ratio if off_peak else 0


@dataclass(frozen=True)
class RuleOutcome:
    """The outcome of one rule: whether it fired, the numbers it used, and both in one English sentence."""

    rule: CompactionReason
    fired: bool
    numbers: Numbers
    explanation: str


@dataclass(frozen=True)
class CompactionUnit:
    """Files to compact into ``output_level`` together, and the reason.

    ``rewrite_each``: the files already are on the highest level, and each is rewritten separately (Java's
    ``FileRewriteCompactTask``).
    """

    output_level: int
    files: tuple[DataFileMeta, ...]
    reason: CompactionReason
    numbers: Numbers
    explanation: str
    rewrite_each: bool = False

    @property
    def total_size(self) -> int:
        """The size of all files in bytes."""
        return sum(file.file_size for file in self.files)

    def to_properties(self) -> dict[str, int | float | str]:
        """Return the reason and its numbers as one flat JSON object, to be recorded in the snapshot."""
        return {
            "reason": self.reason.value,
            "output_level": self.output_level,
            "files": len(self.files),
            "bytes": self.total_size,
            **self.numbers,
        }


@dataclass(frozen=True)
class CompactionChoice:
    """The result of a picker: the unit, or None; the rules in the order they were considered; and an explanation.

    ``is_full``: every run was picked, so the interval of early full compactions starts again. That holds even if the
    unit was dropped because its only file already was on the output level.
    """

    unit: CompactionUnit | None
    considered: tuple[RuleOutcome, ...]
    explanation: str
    is_full: bool = False


_Verdict = tuple[RuleOutcome, int | None]
"""A rule's outcome, and how many of the newest runs it compacts if it fired."""


@dataclass(frozen=True)
class UniversalCompaction:
    """Java's ``UniversalCompaction``: rules in a fixed order, of which the first that fires decides."""

    options: CompactionOptions = field(default_factory=CompactionOptions)

    def pick(self, levels: Levels, now_millis: int, last_full_millis: int | None = None) -> CompactionChoice:
        """Pick the files to compact now. ``last_full_millis``: when all runs were last compacted, None if unknown."""
        considered: list[RuleOutcome] = []
        for outcome, count in self._verdicts(levels, now_millis, last_full_millis):
            considered.append(outcome)
            if count is not None:
                return _chosen(levels, count, considered)
        sentences = dict.fromkeys(outcome.explanation for outcome in considered)
        return CompactionChoice(None, tuple(considered), " ".join(sentences))

    def _verdicts(self, levels: Levels, now_millis: int, last_full_millis: int | None) -> Iterator[_Verdict]:
        runs, options = levels.runs(), self.options
        extra_ratio = options.extra_size_ratio(now_millis)
        yield from _early_full(levels, options, now_millis, last_full_millis)
        yield _size_amplification(runs, options)
        yield _size_ratio(runs, options, extra_ratio)
        yield _run_count(runs, options, extra_ratio)


@dataclass(frozen=True)
class ForceUpLevel0Compaction:
    """Universal compaction that also moves level 0 up when no rule fires (Java's class of the same name).

    ``max_interval`` None moves it up at every trigger (radical), otherwise at every ``max_interval``-th trigger for
    which universal compaction has picked nothing (gentle).
    """

    universal: UniversalCompaction = field(default_factory=UniversalCompaction)
    max_interval: int | None = None

    def pick(
        self, levels: Levels, now_millis: int, last_full_millis: int | None = None, skipped: int = 0
    ) -> CompactionChoice:
        """Pick the files to compact now. ``skipped``: how often this rule has waited since its interval last ended."""
        choice = self.universal.pick(levels, now_millis, last_full_millis)
        if choice.considered[-1].fired:
            return choice
        outcome, count = self._verdict(levels, now_millis, skipped)
        considered = [*choice.considered, outcome]
        if count is not None:
            return _chosen(levels, count, considered)
        return CompactionChoice(None, tuple(considered), f"{choice.explanation} {outcome.explanation}")

    def _verdict(self, levels: Levels, now_millis: int, skipped: int) -> _Verdict:
        rule, runs = CompactionReason.FORCE_UP_LEVEL0, levels.runs()
        if self.max_interval is not None and skipped + 1 != self.max_interval:
            waiting = {"skipped": skipped, "max_interval": self.max_interval}
            sentence = f"Level 0 is moved up at trigger {self.max_interval}, and this is trigger {skipped + 1}."
            return RuleOutcome(rule, False, waiting, sentence), None
        forced = sum(run.level == 0 for run in runs)
        numbers = {"level_0_runs": forced}
        if not forced:
            return RuleOutcome(rule, False, numbers, "Level 0 is empty."), None
        if forced < len(runs) and runs[forced].level == 1:
            forced += 1
        options = self.universal.options
        count = _extend(runs, forced, options.size_ratio + options.extra_size_ratio(now_millis))
        sentence = f"Level 0 holds {counted(numbers['level_0_runs'], 'runs')} and has to be moved up."
        return RuleOutcome(rule, True, numbers, sentence), count


def pick_full(levels: Levels, needs_rewrite: Callable[[DataFileMeta], bool] | None = None) -> CompactionChoice:
    """Pick all files to be compacted into the highest level, on demand (Java's ``CompactStrategy.pickFullCompaction``).

    If all files are already there, only files that ``needs_rewrite`` selects (expired records, deletion vectors, a
    forced rewrite) are picked, each to be rewritten separately.
    """
    runs, rule, last = levels.runs(), CompactionReason.FULL, levels.max_level
    numbers = {"runs": len(runs), "files": len(levels.files)}
    if runs and not (len(runs) == 1 and runs[0].level == last):
        return _chosen(levels, len(runs), [RuleOutcome(rule, True, numbers, "A full compaction was requested.")])
    files = tuple(filter(needs_rewrite, levels.files)) if needs_rewrite else ()
    if files:
        sentence = f"A full compaction was requested; level {last} has {counted(len(files), 'files')} to rewrite."
    else:
        sentence = f"All files are on level {last} already." if runs else "There are no files."
    unit = CompactionUnit(last, files, rule, numbers, sentence, rewrite_each=True) if files else None
    return CompactionChoice(unit, (RuleOutcome(rule, bool(files), numbers, sentence),), sentence)


def estimate_last_full(files: Sequence[DataFileMeta], options: CompactionOptions) -> int | None:
    """Return when a bucket was last compacted in full: the newest creation time on the last level.

    None if that level is empty, or if no option limits the interval.

    In milliseconds of the local wall clock. Java's ``MergeTreeCompactManagerFactory`` starts its interval at this time.
    """
    if options.optimization_interval is None:
        return None
    last_level = options.num_levels - 1
    times = [file.creation_time for file in files if file.level == last_level and file.creation_time is not None]
    return max(times, default=None)


def _early_full(
    levels: Levels, options: CompactionOptions, now_millis: int, last_full_millis: int | None
) -> Iterator[_Verdict]:
    """Yield the rules of Java's ``EarlyFullCompaction`` that the options set."""
    runs = levels.runs()
    verdicts: list[_Verdict] = []
    if options.optimization_interval is not None:
        verdicts.append(_interval(len(runs), options.optimization_interval, now_millis, last_full_millis))
    if options.total_size_threshold is not None:
        verdicts.append(_total_size(runs, options.total_size_threshold))
    if options.incremental_size_threshold is not None:
        verdicts.append(_incremental_size(runs, options.incremental_size_threshold, levels.max_level))
    for outcome, count in verdicts:
        if len(runs) == 1:
            yield RuleOutcome(outcome.rule, False, {"runs": 1}, "A single sorted run is not compacted early."), None
        else:
            yield outcome, count


def _interval(runs: int, interval: int, now_millis: int, last_full_millis: int | None) -> _Verdict:
    rule, every = CompactionReason.EARLY_FULL_INTERVAL, f"the interval of {_minutes(interval)}"
    if last_full_millis is None:
        sentence = f"No earlier full compaction is known, so {every} is treated as elapsed."
        return RuleOutcome(rule, True, {"interval_millis": interval}, sentence), runs
    elapsed = now_millis - last_full_millis
    due = elapsed > interval
    sentence = f"The last full compaction was {_minutes(elapsed)} ago, {'longer than' if due else 'within'} {every}."
    numbers = {"elapsed_millis": elapsed, "interval_millis": interval}
    return RuleOutcome(rule, due, numbers, sentence), runs if due else None


def _total_size(runs: Sequence[LevelSortedRun], threshold: int) -> _Verdict:
    total = _sum(runs)
    small = total < threshold
    compared = f"{'less' if small else 'not less'} than the threshold of {size_text(threshold)}"
    sentence = f"All runs hold {size_text(total)}, {compared}."
    numbers = {"total_bytes": total, "threshold_bytes": threshold}
    outcome = RuleOutcome(CompactionReason.EARLY_FULL_TOTAL_SIZE, small, numbers, sentence)
    return outcome, len(runs) if small else None


def _incremental_size(runs: Sequence[LevelSortedRun], threshold: int, max_level: int) -> _Verdict:
    size = _sum([run for run in runs if run.level != max_level])
    large = size > threshold
    compared = f"{'more' if large else 'not more'} than the threshold of {size_text(threshold)}"
    sentence = f"The runs below level {max_level} hold {size_text(size)}, {compared}."
    numbers = {"incremental_bytes": size, "threshold_bytes": threshold}
    outcome = RuleOutcome(CompactionReason.EARLY_FULL_INCREMENTAL_SIZE, large, numbers, sentence)
    return outcome, len(runs) if large else None


def _size_amplification(runs: Sequence[LevelSortedRun], options: CompactionOptions) -> _Verdict:
    rule, percent = CompactionReason.SIZE_AMPLIFICATION, options.max_size_amplification_percent
    if len(runs) < options.num_sorted_run_compaction_trigger:
        return _too_few(rule, runs, options)
    newer, oldest = _sum(runs[:-1]), _sum(runs[-1:])
    wasteful = newer * 100 > percent * oldest
    compared = "exceed" if wasteful else "are within"
    sentence = (
        f"Size amplification: newer runs ({size_text(newer)}) {compared} {percent}% of the oldest run "
        f"({size_text(oldest)})."
    )
    numbers = {"runs": len(runs), "newer_bytes": newer, "oldest_bytes": oldest, "max_percent": percent}
    return RuleOutcome(rule, wasteful, numbers, sentence), len(runs) if wasteful else None


def _size_ratio(runs: Sequence[LevelSortedRun], options: CompactionOptions, extra_ratio: int) -> _Verdict:
    rule, ratio = CompactionReason.SIZE_RATIO, options.size_ratio + extra_ratio
    if len(runs) < options.num_sorted_run_compaction_trigger:
        return _too_few(rule, runs, options)
    count = _extend(runs, 1, ratio)
    similar, size = count > 1, _sum(runs[:count])
    numbers = {"runs": len(runs), "candidate_runs": count, "candidate_bytes": size, "ratio_percent": ratio}
    if similar:
        sentence = f"Size ratio: the {count} newest runs are of similar size (threshold {100 + ratio}%)."
    elif len(runs) == 1:
        sentence = "There is no older run to compare the only one with."
    else:
        numbers["next_run_bytes"] = runs[1].total_size
        compared = f"exceeds {100 + ratio}% of the newest run ({size_text(size)})"
        sentence = f"Size ratio: the second newest run ({size_text(runs[1].total_size)}) {compared}."
    return RuleOutcome(rule, similar, numbers, sentence), count if similar else None


def _run_count(runs: Sequence[LevelSortedRun], options: CompactionOptions, extra_ratio: int) -> _Verdict:
    rule, trigger = CompactionReason.RUN_COUNT, options.num_sorted_run_compaction_trigger
    numbers = {"runs": len(runs), "trigger": trigger}
    if len(runs) < trigger:
        return _too_few(rule, runs, options)
    if len(runs) == trigger:
        sentence = f"The number of sorted runs is {len(runs)}, not over the trigger of {trigger}."
        return RuleOutcome(rule, False, numbers, sentence), None
    min_runs = len(runs) - trigger + 1
    sentence = (
        f"The number of sorted runs is {len(runs)}, over the trigger of {trigger}: "
        f"at least {min_runs} have to be merged."
    )
    return RuleOutcome(rule, True, numbers, sentence), _extend(runs, min_runs, options.size_ratio + extra_ratio)


def _too_few(rule: CompactionReason, runs: Sequence[LevelSortedRun], options: CompactionOptions) -> _Verdict:
    trigger = options.num_sorted_run_compaction_trigger
    sentence = f"The number of sorted runs is {len(runs)}, below the trigger of {trigger}."
    return RuleOutcome(rule, False, {"runs": len(runs), "trigger": trigger}, sentence), None


def _extend(runs: Sequence[LevelSortedRun], count: int, ratio: int) -> int:
    """Return how many of the newest runs are of similar size, at least ``count``, up to the first run that is too
    large.

    The comparison uses doubles because Java's does: sizes beyond 2**53 round the same way.
    """
    size = _sum(runs[:count])
    for run in runs[count:]:
        if size * (100.0 + ratio) / 100.0 < float(run.total_size):
            break
        size += run.total_size
        count += 1
    return count


def _chosen(levels: Levels, count: int, considered: Sequence[RuleOutcome]) -> CompactionChoice:
    """Choose the newest ``count`` runs as a unit, or no unit if their only file is already on the output level."""
    count, output_level = _output_level(levels, count)
    files = tuple(file for run in levels.runs()[:count] for file in run.files)
    is_full = count == levels.num_sorted_runs
    decided = considered[-1]
    reason = decided.explanation.removesuffix(".")
    if not files or (len(files) == 1 and files[0].level == output_level):
        sentence = f"{reason}, but there is nothing to move to level {output_level}."
        return CompactionChoice(None, tuple(considered), sentence, is_full)
    sentence = f"{reason}. Merges {counted(count, 'runs')} ({counted(len(files), 'files')}) into L{output_level}."
    numbers = {**decided.numbers, "picked_runs": count}
    unit = CompactionUnit(output_level, files, decided.rule, numbers, sentence)
    return CompactionChoice(unit, tuple(considered), sentence, is_full)


def _output_level(levels: Levels, count: int) -> tuple[int, int]:
    """Return how many runs to compact if ``count`` are requested, and their output level (Java's ``createUnit``).

    The output level is just below the first remaining run, and never level 0: if necessary, older runs are added until
    one of them is on a level above 0, which is then the output level.
    """
    runs = levels.runs()
    output_level = levels.max_level if count == len(runs) else max(0, runs[count].level - 1)
    while output_level == 0 and count < len(runs):
        output_level = runs[count].level
        count += 1
    return count, levels.max_level if count == len(runs) else output_level


def _sum(runs: Sequence[LevelSortedRun]) -> int:
    return sum(run.total_size for run in runs)


def _minutes(millis: int) -> str:
    return f"{millis / 60_000:.1f} min"
