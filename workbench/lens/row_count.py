"""The number of rows as a read returns them: exact where metadata determines it, otherwise estimated or counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.base.progress import Progress
from workbench.lens.wire import Int64
from workbench.scan.counts import count_by_metadata
from workbench.scan.scan import Scan
from workbench.scan.split import Split
from workbench.table.readable_table import ReadableTable

_SAMPLES = 4
_SAMPLE_ROWS = 200_000


@dataclass(frozen=True)
class RowCountValue:
    """The number of ``rows`` of a version, which are ``stored`` rows before any merge.

    Unless ``exact``, it is an estimate of two significant digits.
    """

    rows: Int64
    exact: bool
    stored: Int64

    @property
    def rows_text(self) -> str:
        """``328,521``; an estimate is preceded by ``about``."""
        return f"{self.rows:,}" if self.exact else f"about {self.rows:,}"

    @property
    def stored_text(self) -> str:
        """``845,910 stored, 2.6 ×``, or ``all stored once``."""
        if self.rows == self.stored:
            return "all stored once"
        stored = f"{self.stored:,} stored"
        return f"{stored}, {self.stored / self.rows:,.1f} ×" if self.rows else stored


def collect_row_count(
    table: ReadableTable, *, exact: bool, progress: Progress | None = None, most_files: int | None = None
) -> RowCountValue:
    """Return the number of rows of a table's version.

    An estimate merges the keys of a few sections of files and extends their share of surviving rows to the others; it
    reads nothing if metadata determines the number. If all sections are too large to be sampled, each counts as the
    mean of the rows of its largest sorted run and all of its rows.

    Args:
        table: The table, at its version.
        exact: Count the rows that metadata does not determine, instead of estimating them.
        progress: Where progress is reported.
        most_files: The most files that an estimate reads; by default all of the sampled sections.

    Raises:
        Unsupported: An estimate is requested of a table that is read from two branches.
    """
    scan = table.scan(progress=progress)
    if exact and table.schema.core.other_branches:
        rows = scan.count()
        return RowCountValue(rows, True, rows)
    stored = sum(split.row_count for split in scan.plan())
    certain, uncertain = count_by_metadata(scan.store, scan.plan(), every_row_matches=True)
    if not uncertain:
        return RowCountValue(certain, True, stored)
    if exact:
        return RowCountValue(scan.count(), True, stored)
    sampled = _samples(uncertain, most_files)
    read = _merged_rows(scan, sampled)
    rest = [split for split in uncertain if split not in sampled]
    rows = certain + read + _estimated(rest, sampled, read)
    return RowCountValue(_rounded(rows), False, stored)


def _rounded(rows: int) -> int:
    unit: int = 10 ** max(0, len(str(rows)) - 2)
    return (rows + unit // 2) // unit * unit


def _samples(uncertain: Sequence[Split], most_files: int | None) -> list[Split]:
    """Return sections small enough to be read, taken evenly from the smallest to the largest."""
    if most_files is not None:
        uncertain = [split for split in uncertain if len(split.files) <= most_files // _SAMPLES]
    small = sorted((split for split in uncertain if split.row_count <= _SAMPLE_ROWS // _SAMPLES), key=_rows)
    step = max(1, -(-len(small) // _SAMPLES))
    return small[step // 2 :: step]


def _rows(split: Split) -> int:
    return split.row_count


def _merged_rows(scan: Scan, splits: Sequence[Split]) -> int:
    reader = replace(scan.reader, columns=scan.schema.trimmed_primary_keys[:1])
    return sum(rows.num_rows for rows in reader.stream(splits))


def _estimated(splits: Sequence[Split], sampled: Sequence[Split], read: int) -> int:
    stored = sum(map(_rows, sampled))
    if stored:
        return sum(map(_rows, splits)) * read // stored
    return sum((_largest_run(split) + split.row_count) // 2 for split in splits)


def _largest_run(split: Split) -> int:
    return max(sum(file.row_count for file in run) for section in split.sections for run in section)
