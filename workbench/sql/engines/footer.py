"""The line below a result: engine, time, snapshot, files read, rows and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.sql.grid import count_text

if TYPE_CHECKING:
    from workbench.scan.scan import Scan

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Reading:
    """What a query reads of one table; without a scan, rows in memory."""

    scan: Scan | None = None

    @property
    def files(self) -> tuple[int, int, int] | None:
        """The files read, all files, and the bytes of those read; None if the rows are not in data files."""
        if self.scan is None or not self.scan.has_plan:
            return None
        report = self.scan.explain()
        size = sum(file.file_size for split in report.splits for file in split.files)
        return report.files_read, report.files, size


def footer(engine: str, seconds: float, snapshot: int | None, readings: Sequence[Reading], rows: pa.Table) -> str:
    """Return the line, such as ``DuckDB · 0.12 s · snapshot 3 · 2 of 5 files, 1.4 MiB · 10 rows``."""
    parts = [engine, f"{seconds:,.2f} s"]
    if snapshot is not None:
        parts.append(f"snapshot {snapshot}")
    files = [each.files for each in readings]
    known = [each for each in files if each is not None]
    if known:
        read, everything, size = (sum(each[index] for each in known) for index in range(3))
        parts.append(f"{read:,} of {count_text(everything, 'file')}, {bytes_text(size)}")
    elif not readings and snapshot is not None:
        parts.append("no files, from metadata")
    parts.append(f"{count_text(rows.num_rows)}, {bytes_text(rows.nbytes)}")
    return " · ".join(parts)


def bytes_text(size: float) -> str:
    """Return bytes in a suitable unit: ``812 B``, ``1.4 MiB``."""
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
