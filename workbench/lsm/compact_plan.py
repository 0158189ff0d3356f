"""A compaction unit -> what to do with each of its files: lift it as it is, or merge and rewrite it (format §18.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from workbench.format.data_file import DataFileMeta
from workbench.lsm.compaction import CompactionUnit
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import Levels, SortedRun

Section = tuple[SortedRun, ...]


@dataclass(frozen=True)
class Upgrade:
    """Move a file to another level by its metadata alone. A commit lists it both before and after."""

    file: DataFileMeta
    to_level: int

    @property
    def upgraded(self) -> DataFileMeta:
        """The file as it is afterwards."""
        return self.file.upgrade(self.to_level)


@dataclass(frozen=True)
class Rewrite:
    """Merge each section, write the result as rolling files of ``to_level``. Sections are in key order.

    ``drop_delete``: rows that are retracts after the merge are not written.
    """

    sections: tuple[Section, ...]
    to_level: int
    drop_delete: bool

    @property
    def files(self) -> tuple[DataFileMeta, ...]:
        """All files that are read, and gone afterwards."""
        return tuple(file for section in self.sections for run in section for file in run.files)


@dataclass(frozen=True)
class CompactPlan:
    """The steps of one compaction in key order. ``kept`` files are on the output level and stay as they are."""

    steps: tuple[Upgrade | Rewrite, ...]
    kept: tuple[DataFileMeta, ...]
    output_level: int
    drop_delete: bool

    @property
    def upgrades(self) -> tuple[Upgrade, ...]:
        """The steps that cost only metadata."""
        return tuple(step for step in self.steps if isinstance(step, Upgrade))

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The steps that read and write data."""
        return tuple(step for step in self.steps if isinstance(step, Rewrite))

    @property
    def numbers(self) -> dict[str, int]:
        """Files, bytes and rows that are rewritten, upgraded and kept."""
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
        """Why and how much, as one flat JSON object to be recorded in the snapshot."""
        return {**unit.to_properties(), **{name: number for name, number in self.numbers.items() if number}}


def drops_deletes(output_level: int, levels: Levels, deletion_vectors: bool = False) -> bool:
    """Whether rows deleted by a compaction to ``output_level`` can be forgotten: no older level brings them back."""
    return output_level != 0 and (output_level >= levels.highest_non_empty_level or deletion_vectors)


def plan_compaction(
    unit: CompactionUnit,
    levels: Levels,
    min_file_size: int,
    *,
    needs_rewrite: Callable[[DataFileMeta], bool] | None = None,
    deletion_vectors: bool = False,
    keep_deletes: bool = False,
) -> CompactPlan:
    """What Java's ``MergeTreeCompactTask`` does with a unit picked from ``levels``.

    ``min_file_size`` in bytes (``CoreOptions.small_file_size``): smaller files are merged with their neighbours rather
    than upgraded. ``needs_rewrite``: files that may not be upgraded, for a forced rewrite or expired records.
    ``deletion_vectors``: the bucket has them, so deletes need not wait for the last level. ``keep_deletes``: never
    drop them.
    """
    drop_delete = not keep_deletes and drops_deletes(unit.output_level, levels, deletion_vectors)
    if unit.rewrite_each:
        each = (Rewrite(((SortedRun((file,)),),), unit.output_level, drop_delete) for file in unit.files)
        return CompactPlan(tuple(each), (), unit.output_level, drop_delete)
    no_deletes = unit.output_level == levels.max_level
    steps: list[Upgrade | Rewrite] = []
    kept: list[DataFileMeta] = []
    for group in _groups(partition_into_sections(unit.files, levels.key_of), min_file_size):
        file = _only_file(group)
        if file is None or (no_deletes and _may_have_deletes(file)) or (needs_rewrite and needs_rewrite(file)):
            steps.append(Rewrite(group, unit.output_level, drop_delete))
        elif file.level != unit.output_level:
            steps.append(Upgrade(file, unit.output_level))
        else:
            kept.append(file)
    return CompactPlan(tuple(steps), tuple(kept), unit.output_level, drop_delete)


def _groups(sections: Iterable[list[SortedRun]], min_file_size: int) -> Iterator[tuple[Section, ...]]:
    """Neighbouring sections that are rewritten together: each big file that overlaps no other stands alone."""
    group: list[Section] = []
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


def _only_file(group: tuple[Section, ...]) -> DataFileMeta | None:
    """The file of a group that is one section of one run; such a section never has two files, they would overlap."""
    return group[0][0].files[0] if len(group) == 1 and len(group[0]) == 1 else None


def _may_have_deletes(file: DataFileMeta) -> bool:
    """Files of old writers do not know how many deletes they hold."""
    return file.delete_row_count is None or file.delete_row_count > 0
