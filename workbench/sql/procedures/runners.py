"""Where the procedures of compaction run: in this process, or as Spark jobs if the table is large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.sql.context import Context

if TYPE_CHECKING:
    from workbench.scan.scan import Scan
    from workbench.table.compaction.runner import CompactionRunner

LARGE_BYTES = 256 << 20
"""The bytes from which a compaction or a change of rows is a Spark job, where Spark runs the statement."""


def stored_bytes(scan: Scan) -> int:
    """Return the sizes of the files that a scan selects."""
    return 0 if scan.snapshot is None else sum(file.file_size for split in scan.plan() for file in split.files)


def runner_for(context: Context, table: Any) -> CompactionRunner | None:
    """Return what compacts the buckets of a table: Spark's tasks for large tables, None for threads of this process."""
    if context.engine != "spark":
        return None
    if stored_bytes(table.scan()) < LARGE_BYTES:
        return None
    from workbench.spark.maintenance.buckets import SparkRunner
    from workbench.spark.session import get_session

    return SparkRunner(get_session(context.progress))
