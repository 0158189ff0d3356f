"""The plan of a compaction unit: each of its files is either upgraded unchanged, or merged and rewritten (format
§18.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.compaction import CompactionUnit
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import Levels, SortedRun

RunSection = tuple[SortedRun, ...]


class Before(Enum):
    """Where a step finds the previous rows of its keys (format §19): nowhere; on the newest level above 0 that has the
    key, including levels above the output level; or on the last level."""

    NOT_NEEDED = "not needed"
    LOOKED_UP = "looked up"
    LAST_LEVEL = "last level"


@dataclass(frozen=True)
class LookupRules:
    """The rules that decide whether a file of level 0 can be upgraded unchanged when older rows are looked up
    (`LookupMergeTreeCompactRewriter.upgradeStrategy`). ``keeps_newest``: the newest row of a key is the result
    regardless of the levels above; ``format_of`` returns the file format of a level.
    """

    keeps_newest: bool
    deletion_vectors: bool
    format_of: Callable[[int], str]

    def rewrites(self, file: DataFileMeta, to_level: int, max_level: int) -> bool:
        """Return whether the rows of the file have to be rewritten."""
        if self.format_of(0) != self.format_of(to_level) or (self.deletion_vectors and _may_have_deletes(file)):
            return True
        return to_level != max_level and not self.keeps_newest


@dataclass(frozen=True)
class Upgrade:
    """The move of a file to another level by a change of its metadata alone. The commit lists the file among both the
    files before and the files after the compaction. Its rows are read only to determine their changes, if ``before``
    requires it."""

    file: DataFileMeta
    to_level: int
    before: Before = Before.NOT_NEEDED

    @property
    def upgraded(self) -> DataFileMeta:
        """Return the file after the upgrade."""
        return self.file.upgrade(self.to_level)


@dataclass(frozen=True)
class Rewrite:
    """The merge of each section into rolling files of ``to_level``. Sections are in key order.

    ``drop_delete``: rows that are retracts after the merge are not written.
    """

    sections: tuple[RunSection, ...]
    to_level: int
    drop_delete: bool
    before: Before = Before.NOT_NEEDED

    @property
    def files(self) -> tuple[DataFileMeta, ...]:
        """All files that are read, and removed afterwards."""
        return tuple(file for section in self.sections for run in section for file in run.files)


@dataclass(frozen=True)
class CompactPlan:
    """The steps of one compaction in key order. ``kept`` files are on the output level and stay unchanged."""

    steps: tuple[Upgrade | Rewrite, ...]
    kept: tuple[DataFileMeta, ...]
    output_level: int
    drop_delete: bool

    @property
    def upgrades(self) -> tuple[Upgrade, ...]:
        """The steps that only change metadata."""
        return tuple(step for step in self.steps if isinstance(step, Upgrade))

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The steps that read and write data."""
        return tuple(step for step in self.steps if isinstance(step, Rewrite))

    @property
    def numbers(self) -> dict[str, int]:
        """Return the files, bytes and rows that are rewritten, upgraded and kept."""
        groups = {
            "rewritten": [file for step in self.rewrites for file in step.files],
            "upgraded": [step.file for step in self.upgrades],
            "kept": list(self.kept),
        }
        numbers: dict[str, int] = {}
        for name, files in groups.items():
            numbers[f"files_{name}"] = len(files)
            numbers[f"bytes_{name}"] = sum(file.file_size for file in files)
            numbers[f"rows_{name}"] = sum(file.row_count for file in files)
        return numbers

    def to_properties(self, unit: CompactionUnit) -> dict[str, int | float | str]:
        """Return the reason and the numbers as one flat JSON object to be recorded in the snapshot."""
        return {**unit.to_properties(), **{name: number for name, number in self.numbers.items() if number}}


def drops_deletes(output_level: int, levels: Levels, deletion_vectors: bool = False) -> bool:
    """Return whether a compaction to ``output_level`` can drop deletes, because no older level contains their keys, or
    ``deletion_vectors`` mark the older rows."""
    return output_level != 0 and (output_level >= levels.highest_non_empty_level or deletion_vectors)


def plan_compaction(
    unit: CompactionUnit,
    levels: Levels,
    min_file_size: int,
    *,
    needs_rewrite: Callable[[DataFileMeta], bool] = lambda _: False,
    deletion_vectors: bool = False,
    keep_deletes: bool = False,
    lookup: LookupRules | None = None,
    compares_last_level: bool = False,
) -> CompactPlan:
    """Plan a unit picked from ``levels``, as Java's ``MergeTreeCompactTask`` does.

    ``min_file_size`` in bytes (``CoreOptions.small_file_size``): smaller files are merged with their neighbors rather
    than upgraded. ``needs_rewrite``: files that must not be upgraded, for a forced rewrite or expired records.
    ``deletion_vectors``: the bucket has them, so deletes need not be kept up to the last level. ``keep_deletes``: never
    drop them. ``lookup``: older rows are looked up for the rows of level 0; ``compares_last_level``: instead, rows that
    reach the last level are compared with its rows (changelog producer full-compaction).
    """
    output_level, max_level = unit.output_level, levels.max_level
    drop_delete = not keep_deletes and drops_deletes(output_level, levels, deletion_vectors)

    def rewrite(sections: tuple[RunSection, ...], *, drops: bool = drop_delete) -> Rewrite:
        step = Rewrite(sections, output_level, drops)
        if compares_last_level and output_level == max_level:
            return replace(step, before=Before.LAST_LEVEL)
        looks_up = lookup is not None and output_level > 0 and any(file.level == 0 for file in step.files)
        return replace(step, before=Before.LOOKED_UP) if looks_up else step

    def lift(group: tuple[RunSection, ...], file: DataFileMeta) -> Upgrade | Rewrite:
        if compares_last_level and output_level == max_level:
            return Upgrade(file, output_level, Before.LAST_LEVEL)
        if lookup is None or file.level != 0:
            return Upgrade(file, output_level)
        if lookup.rewrites(file, output_level, max_level):
            return rewrite(group, drops=lookup.deletion_vectors)
        return Upgrade(file, output_level, Before.LOOKED_UP)

    if unit.rewrite_each:
        each = (rewrite(((SortedRun((file,)),),)) for file in unit.files)
        return CompactPlan(tuple(each), (), output_level, drop_delete)
    steps: list[Upgrade | Rewrite] = []
    kept: list[DataFileMeta] = []
    for group in _groups(partition_into_sections(unit.files, levels.key_of), min_file_size):
        file = _only_file(group)
        if file is None or needs_rewrite(file) or (output_level == max_level and _may_have_deletes(file)):
            steps.append(rewrite(group))
        elif file.level != output_level:
            steps.append(lift(group, file))
        else:
            kept.append(file)
    return CompactPlan(tuple(steps), tuple(kept), output_level, drop_delete)


def _groups(sections: Iterable[list[SortedRun]], min_file_size: int) -> Iterator[tuple[RunSection, ...]]:
    """Yield neighboring sections that are rewritten together: each big file that overlaps no other is a separate
    group."""
    group: list[RunSection] = []
    for section in sections:
        if len(section) > 1 or section[0].total_size < min_file_size:
            group.append(tuple(section))
            continue
        if group:
            yield tuple(group)
        yield (tuple(section),)
        group = []
    if group:
        yield tuple(group)


def _only_file(group: tuple[RunSection, ...]) -> DataFileMeta | None:
    """Return the file of a group that is one section of one run, else None. Such a section has only one file, as files
    that do not overlap are in different sections."""
    return group[0][0].files[0] if len(group) == 1 and len(group[0]) == 1 else None


def _may_have_deletes(file: DataFileMeta) -> bool:
    """Return whether a file may hold deletes. Files of old writers do not record how many they hold."""
    return file.delete_row_count is None or file.delete_row_count > 0
