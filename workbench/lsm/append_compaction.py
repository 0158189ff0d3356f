"""Pickers of the files of an append table to compact: pure functions with the arithmetic of Java Paimon 2.0
(``AppendCompactCoordinator`` for tables without buckets, ``BucketedAppendCompactManager`` for those with buckets)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.table_kind import TableKind

_MEBIBYTE = 1 << 20
_MIN_FOR_FULL = 3


class AppendCompactionReason(StrEnum):
    """The rule that triggered a compaction."""

    FULL_BIN = "full-bin"
    FILE_COUNT = "file-count"
    DELETION_VECTORS = "deletion-vectors"
    FULL = "full"


@dataclass(frozen=True)
class AppendCompactionOptions:
    """The options of an append table for compaction; sizes in bytes. Files below ``small_file_size`` are small.

    ``has_vectors``: the table has deletion vectors, which compactions remove.
    """

    target_file_size: int = 256 * _MEBIBYTE
    small_file_size: int = 179 * _MEBIBYTE
    min_file_num: int = 5
    open_file_cost: int = 4 * _MEBIBYTE
    delete_ratio_threshold: float = 0.2
    force_rewrite_all_files: bool = False
    has_vectors: bool = False

    @staticmethod
    def of(kind: TableKind) -> AppendCompactionOptions:
        """Return the options of a table."""
        core = kind.core
        return AppendCompactionOptions(
            kind.target_file_size,
            kind.small_file_size,
            core.compaction_min_file_num,
            core.source_split_open_file_cost,
            core.compaction_delete_ratio_threshold,
            core.compaction_force_rewrite_all_files,
            core.deletion_vectors_enabled,
        )


@dataclass(frozen=True)
class FileVector:
    """The deletion vector of a data file: the index file that contains it, and the number of deleted rows, if known."""

    index_file: str
    deleted: int | None


@dataclass(frozen=True)
class AppendCompactionUnit:
    """Files to rewrite together, in this order, and the reason."""

    files: tuple[DataFileMeta, ...]
    reason: AppendCompactionReason
    numbers: Mapping[str, int | float]
    explanation: str

    def to_properties(self) -> dict[str, int | float | str]:
        """Return the reason and its numbers as one flat JSON object, to be recorded in the snapshot."""
        return {
            "reason": self.reason.value,
            "files": len(self.files),
            "bytes": sum(file.file_size for file in self.files),
            **self.numbers,
            "why": self.explanation,
        }


@dataclass(frozen=True)
class AppendCompactionChoice:
    """The result of a picker: units, each to be run separately, and an explanation of the choice in one English
    sentence."""

    units: tuple[AppendCompactionUnit, ...]
    explanation: str


def pick_unaware(
    files: Iterable[DataFileMeta],
    vectors: Mapping[str, FileVector],
    options: AppendCompactionOptions,
    *,
    full: bool = False,
) -> AppendCompactionChoice:
    """Pick the files to compact in a partition without buckets. ``vectors``: the deletion vectors by name of data file.

    Small files are packed, the smallest first, into bins of twice the target size; the remaining files are compacted if
    there are enough of them. Files with deletion vectors are packed separately, even if there are few; files whose
    vectors are in the same index file stay together. With ``full`` the remaining files are also compacted, as Java does
    once files have waited for a long time, and so is every file with a vector.
    """
    eligible = [file for file in files if _is_due(file, vectors.get(file.file_name), options, full=full)]
    marked = [file for file in eligible if options.has_vectors and file.file_name in vectors]
    plain = sorted((file for file in eligible if not (options.has_vectors and file.file_name in vectors)), key=_size_of)
    units = [_vectors_unit(files, vectors) for files in _vector_bins(marked, vectors, options)]
    bins, rest = _pack([[file] for file in plain], options)
    units.extend(_bin_unit(files, options) for files in bins)
    if len(rest) > 1 and len(rest) >= options.min_file_num:
        units.append(_count_unit(rest, options))
    elif full and len(rest) > 1:
        units.append(_full_unit(rest, options))
    if units:
        return AppendCompactionChoice(tuple(units), " ".join(unit.explanation for unit in units))
    small = f"{_files(len(plain))} below {options.small_file_size:,} bytes"
    return AppendCompactionChoice((), f"There {'is' if len(plain) == 1 else 'are'} {small}, too few to compact.")


def pick_bucketed(
    files: Iterable[DataFileMeta], vectors: Collection[str], options: AppendCompactionOptions, *, full: bool = False
) -> AppendCompactionChoice:
    """Pick the files to compact in a bucket, whose rows keep their order. ``vectors``: the names of the data files that
    have a deletion vector.

    Picks the oldest consecutive files that reach the minimum number before they reach twice the target size. With
    ``full`` all files except the oldest large ones are picked if most of them are small, or if the table has deletion
    vectors.
    """
    ordered = sorted(files, key=lambda file: file.min_sequence_number)
    picked = _pick_full(ordered, vectors, options) if full else _pick_neighbors(ordered, options)
    if not picked:
        return AppendCompactionChoice((), f"{_files(len(ordered))} in the bucket, none due for compaction.")
    unit = _full_unit(picked, options) if full else _count_unit(picked, options)
    return AppendCompactionChoice((unit,), unit.explanation)


def _is_due(file: DataFileMeta, vector: FileVector | None, options: AppendCompactionOptions, *, full: bool) -> bool:
    if file.file_size < options.small_file_size:
        return True
    if vector is None or not options.has_vectors:
        return False
    return full or vector.deleted is None or vector.deleted > file.row_count * options.delete_ratio_threshold


def _vector_bins(
    marked: Sequence[DataFileMeta], vectors: Mapping[str, FileVector], options: AppendCompactionOptions
) -> list[list[DataFileMeta]]:
    """Return bins of files with vectors; data files whose vectors are in the same index file stay together, as only one
    compaction may rewrite that file."""
    groups: dict[str, list[DataFileMeta]] = {}
    for file in marked:
        groups.setdefault(vectors[file.file_name].index_file, []).append(file)
    bins, rest = _pack(sorted(groups.values(), key=lambda group: sum(map(_size_of, group))), options)
    return [*bins, rest] if rest else bins


@dataclass
class _Bin:
    options: AppendCompactionOptions
    files: list[DataFileMeta] = field(default_factory=list)
    size: int = 0

    def add(self, files: Iterable[DataFileMeta]) -> None:
        for file in files:
            self.files.append(file)
            self.size += file.file_size + self.options.open_file_cost

    @property
    def is_full(self) -> bool:
        return len(self.files) > 1 and self.size >= 2 * self.options.target_file_size


def _pack(
    groups: Iterable[Sequence[DataFileMeta]], options: AppendCompactionOptions
) -> tuple[list[list[DataFileMeta]], list[DataFileMeta]]:
    """Return full bins, and the remaining files."""
    full: list[list[DataFileMeta]] = []
    current = _Bin(options)
    for group in groups:
        current.add(group)
        if current.is_full:
            full.append(current.files)
            current = _Bin(options)
    return full, current.files


def _pick_neighbors(ordered: Sequence[DataFileMeta], options: AppendCompactionOptions) -> list[DataFileMeta]:
    window: deque[DataFileMeta] = deque()
    size = 0
    for file in ordered:
        window.append(file)
        size += file.file_size
        if len(window) >= options.min_file_num:
            return list(window)
        if size >= 2 * options.target_file_size:
            size -= window.popleft().file_size
    return []


def _pick_full(
    ordered: Sequence[DataFileMeta], vectors: Collection[str], options: AppendCompactionOptions
) -> list[DataFileMeta]:
    if options.force_rewrite_all_files:
        return list(ordered)
    if not options.has_vectors and len(ordered) < _MIN_FOR_FULL:
        return []
    large_and_whole = (file.file_size >= options.small_file_size and file.file_name not in vectors for file in ordered)
    first = next((position for position, passed in enumerate(large_and_whole) if not passed), len(ordered))
    picked = list(ordered[first:])
    small = sum(file.file_size < options.small_file_size for file in picked)
    mostly_small = small > len(picked) - small and len(picked) >= _MIN_FOR_FULL
    return picked if options.has_vectors or mostly_small else []


def _bin_unit(files: Sequence[DataFileMeta], options: AppendCompactionOptions) -> AppendCompactionUnit:
    sentence = f"{_files(len(files))} fill twice the target size of {options.target_file_size:,} bytes."
    numbers = {"target_file_size": options.target_file_size}
    return AppendCompactionUnit(tuple(files), AppendCompactionReason.FULL_BIN, numbers, sentence)


def _count_unit(files: Sequence[DataFileMeta], options: AppendCompactionOptions) -> AppendCompactionUnit:
    sentence = f"{_files(len(files))} reach the minimum of {options.min_file_num} for a compaction."
    numbers = {"min_file_num": options.min_file_num}
    return AppendCompactionUnit(tuple(files), AppendCompactionReason.FILE_COUNT, numbers, sentence)


def _vectors_unit(files: Sequence[DataFileMeta], vectors: Mapping[str, FileVector]) -> AppendCompactionUnit:
    counts = [vectors[file.file_name].deleted for file in files]
    if None in counts:
        # The numbers are not known if the version before the compaction has expired.
        sentence, numbers = f"{_files(len(files))} with deleted rows.", {}
    else:
        deleted = sum(filter(None, counts))
        sentence = f"{_files(len(files))} with {deleted:,} deleted row{'' if deleted == 1 else 's'}."
        numbers = {"deleted_rows": deleted}
    return AppendCompactionUnit(tuple(files), AppendCompactionReason.DELETION_VECTORS, numbers, sentence)


def _full_unit(files: Sequence[DataFileMeta], options: AppendCompactionOptions) -> AppendCompactionUnit:
    small = sum(file.file_size < options.small_file_size for file in files)
    sentence = f"A full compaction was requested; {_files(len(files))}, {small} of them small."
    numbers = {"small_files": small}
    return AppendCompactionUnit(tuple(files), AppendCompactionReason.FULL, numbers, sentence)


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _size_of(file: DataFileMeta) -> int:
    return file.file_size
