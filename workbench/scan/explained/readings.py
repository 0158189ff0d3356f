"""What a read takes from each file that its plan keeps: row groups, columns and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.parallel import parallel_map
from workbench.datafile.formats.registry import find_file_format
from workbench.datafile.protocol import StoredFile
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.expired_versions import reporting_expiry
from workbench.metadata.index_files import DeletionFile
from workbench.scan.scan import Scan
from workbench.scan.split import Section, Split, is_merged

_WORKERS = 8
_MOST_CHUNKS = 50_000


@dataclass(frozen=True)
class FileReading:
    """What is read from one file.

    ``column_bytes`` has the size of every column in the chosen row groups, None for formats whose footers do not record
    it; ``columns`` are the columns that are read. ``marked_rows`` is the number of chosen rows that a deletion vector
    marks. ``merged`` is whether the rows are merged: values are then read only from files with remaining rows.
    """

    file: DataFileMeta
    columns: Sequence[str]
    merged: bool
    row_groups: int
    chosen: int
    rows: int
    marked_rows: int
    skipped_bytes: int
    column_bytes: Mapping[str, int] | None

    @property
    def unread_bytes(self) -> int:
        """The bytes of the columns that are not read, in the chosen row groups."""
        stored = self.column_bytes or {}
        return sum(stored.values()) - sum(stored.get(name, 0) for name in self.columns)


@dataclass(frozen=True)
class Readings:
    """What is read from a sample of the kept files, or from all of them if there are few; ``kept`` is the number of all
    kept files."""

    files: tuple[FileReading, ...]
    kept: int

    @property
    def is_complete(self) -> bool:
        """Whether every kept file is described."""
        return len(self.files) == self.kept


def read_footers(scan: Scan, limit: int | None) -> Readings:
    """Return what is read from at most ``limit`` of the files that the plan of a scan keeps, evenly spread over them.

    Args:
        scan: The scan, which has a plan.
        limit: The number of files whose footers are read; None for all.
    """
    sections = [(split, section) for split in scan.plan() for section in split.sections]
    sizes = [sum(map(len, section)) for _, section in sections]
    kept = sum(sizes)
    chosen = _evenly(sections, sizes, kept, _most_files(scan, limit))
    with reporting_expiry(scan.store, scan.snapshot):
        found = parallel_map(lambda each: _of_section(scan, *each), chosen, workers=_WORKERS)
    return Readings(tuple(each for readings in found for each in readings), kept)


def _most_files(scan: Scan, limit: int | None) -> int | None:
    return None if limit is None else min(limit, max(1, _MOST_CHUNKS // max(1, len(scan.schema.fields))))


def _evenly(
    sections: Sequence[tuple[Split, Section]], sizes: Sequence[int], kept: int, limit: int | None
) -> list[tuple[Split, Section]]:
    """Return sections at regular intervals that together have about ``limit`` files."""
    if limit is None or kept <= limit:
        return list(sections)
    chosen, seen, taken = [], 0, 0
    for section, size in zip(sections, sizes, strict=True):
        if taken * kept <= seen * limit:
            chosen.append(section)
            taken += size
        seen += size
    return chosen


def _of_section(scan: Scan, split: Split, section: Section) -> list[FileReading]:
    merged = is_merged(scan.schema, section)
    return [
        _of_file(scan, opened, columns, merged, split.deletions.get(opened.file.file_name))
        for opened, columns in scan.reader.stored_files(split, section)
    ]


def _of_file(
    scan: Scan, opened: StoredFile, columns: Sequence[str], merged: bool, deletion: DeletionFile | None
) -> FileReading:
    file = opened.file
    file_format = find_file_format(opened.path.rpartition(".")[2], f"Data file {opened.path}")
    if file_format.measure is None:
        marked = 0 if deletion is None else _marked(scan, file, deletion, [range(file.row_count)])
        return FileReading(file, columns, merged, 1, 1, file.row_count, marked, 0, None)
    parts = file_format.measure(opened)
    marked = 0 if deletion is None else _marked(scan, file, deletion, parts.ranges)
    return FileReading(
        file,
        columns,
        merged,
        parts.row_groups,
        parts.chosen,
        parts.rows,
        marked,
        parts.skipped_bytes,
        parts.column_bytes,
    )


def _marked(scan: Scan, file: DataFileMeta, deletion: DeletionFile, ranges: Sequence[range]) -> int:
    """Return how many rows of the given ranges a deletion vector marks."""
    if sum(map(len, ranges)) == file.row_count and deletion.cardinality is not None:
        return deletion.cardinality
    vector = deletion.read(scan.store, file)
    return sum(len(rows) - int(vector.kept(rows.start, len(rows)).sum()) for rows in ranges)
