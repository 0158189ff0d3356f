"""The line below a result: engine, time, snapshot, files read, rows, bytes, and why this engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.texts import size_text
from workbench.sql.grid import count_text
from workbench.sql.reads import TableRead, table_read

if TYPE_CHECKING:
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable


@dataclass(frozen=True)
class Reading:
    """What a query reads from one table; without a scan, the rows are in memory."""

    scan: Scan | None = None
    table: ReadableTable | None = None

    @property
    def files(self) -> tuple[int, int, int] | None:
        """The numbers of files read, of all files, and of bytes read; None if the rows are not in data files."""
        if self.scan is None or not self.scan.has_plan:
            return None
        report = self.scan.explain()
        size = sum(file.file_size for split in report.splits for file in split.files)
        return report.files_read, report.files, size


def explainable(readings: Sequence[Reading]) -> tuple[TableRead, ...]:
    """Return the table reads of those readings that read data files."""
    return tuple(
        table_read(each.table, each.scan)
        for each in readings
        if each.scan is not None and each.table is not None and each.scan.has_plan
    )


def footer(
    engine: str, seconds: float, snapshot: int | None, readings: Sequence[Reading], rows: pa.Table, choice: str
) -> str:
    """Return the line, such as ``DuckDB · 0.12 s · snapshot 3 · 2 of 5 files, 1.4 MiB · 10 rows · auto``.

    ``choice`` says why the engine ran the query.
    """
    parts = [engine, f"{seconds:,.2f} s"]
    if snapshot is not None:
        parts.append(f"snapshot {snapshot}")
    files = [each.files for each in readings]
    known = [each for each in files if each is not None]
    if known:
        read, everything, size = (sum(each[index] for each in known) for index in range(3))
        parts.append(f"{read:,} of {count_text(everything, 'file')}, {size_text(size)}")
    elif not readings and snapshot is not None:
        parts.append("no files, from metadata")
    parts += [f"{count_text(rows.num_rows)}, {size_text(rows.nbytes)}", choice]
    return " · ".join(parts)
