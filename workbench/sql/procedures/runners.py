"""Where maintenance statements run: in this process, or as Spark jobs.

Spark runs them for large tables, and for all tables if the user of a notebook chose Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.sql.context import Context
from workbench.sql.engines.choice import for_work_on

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.scan.scan import Scan
    from workbench.table.compaction.runner import CompactionRunner
    from workbench.table.maintenance.analyze import Analyzer
    from workbench.table.maintenance.orphan_files import OrphanSearch

LARGE_BYTES = 256 << 20
"""The size in bytes from which maintenance or a row change becomes a Spark job, if the engine is Spark."""


def stored_bytes(scan: Scan) -> int:
    """Return the sizes of the files that a scan selects."""
    return 0 if scan.snapshot is None else sum(file.file_size for split in scan.plan() for file in split.files)


def runner_for(context: Context, table: Any) -> CompactionRunner | None:
    """Return the runner that compacts or rescales the buckets of a large table in Spark tasks; None to use this
    process."""
    session = _session_for(context, table)
    if session is None:
        return None
    from workbench.spark.maintenance.buckets import SparkRunner

    return SparkRunner(session)


def analyzer_for(context: Context, table: Any) -> Analyzer | None:
    """Return the analyzer that uses Spark tasks for a large table; None to use this process."""
    session = _session_for(context, table)
    if session is None:
        return None
    from workbench.spark.maintenance.splits import SparkAnalyzer

    return SparkAnalyzer(session)


def orphan_search_for(context: Context, table: Any) -> OrphanSearch | None:
    """Return the search that lists the directories of a large table in Spark tasks; None to use this process."""
    session = _session_for(context, table)
    if session is None:
        return None
    from workbench.spark.maintenance.splits import SparkOrphanSearch

    return SparkOrphanSearch(session)


def _session_for(context: Context, table: Any) -> SparkSession | None:
    chosen = for_work_on(context, table)
    if chosen.engine != "spark":
        return None
    if not chosen.is_chosen_by_user and stored_bytes(table.scan()) < LARGE_BYTES:
        return None
    from workbench.spark.session import get_session

    chosen.note_spark()
    return get_session(context.progress)
