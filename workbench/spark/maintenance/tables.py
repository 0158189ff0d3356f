"""Rescaling, analyzing and cleaning up a table by Spark jobs: planned and committed by this process, run by tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.spark.maintenance.buckets import SparkRunner
from workbench.spark.maintenance.splits import SparkAnalyzer, SparkOrphanSearch
from workbench.spark.session import get_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.table.commits.commit import Commit
    from workbench.table.maintenance.analyze import Analysis
    from workbench.table.maintenance.orphan_files import OrphanFiles
    from workbench.table.table import Table


@checked(table="workbench.Table")
def rescale(
    table: Table,
    partition: Mapping[str, Any] | None = None,
    bucket: int | None = None,
    *,
    session: SparkSession | None = None,
    progress: Progress | None = None,
) -> Commit:
    """Rewrite partitions with another number of buckets as `Table.rescale` does, in Spark tasks, and commit once.

    One task rewrites the buckets whose rows move to the same new buckets: from 4 to 8 buckets, there is one task for
    each bucket; from 4 to 6, there are two tasks; from 4 to 5, there is one for each partition. Tasks that fail or run
    twice leave files that no version refers to.

    Args:
        table: The table to rescale.
        partition: The partition columns and values to rescale; all partitions by default.
        bucket: The number of buckets; the current value of option 'bucket' by default.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives progress reports and cancels the rescale.

    Returns:
        The commit.

    Raises:
        Unsupported: If the table does not have a fixed number of buckets.
        CommitConflict: If another writer changed these partitions concurrently; nothing is changed.
        Cancelled: If the rescale was canceled; nothing is changed then.

    Example:
        >>> wb.spark.rescale(catalog.get_table("shop.orders"), bucket=16)
    """
    return table.rescale(partition, bucket, progress, runner=SparkRunner(session or get_session()))


@checked(table="workbench.Table")
def analyze(
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    session: SparkSession | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Compute the statistics of a table as `Table.analyze` does, from partial statistics of Spark tasks.

    Args:
        table: The table to analyze.
        columns: The columns to analyze: all whose types support it by default, none with an empty list.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives progress reports and cancels the analysis.

    Returns:
        The statistics and the commit.

    Raises:
        WorkbenchError: If there is no such column.
        Unsupported: If the type of the column cannot be analyzed, for example ARRAY.
        Cancelled: If the analysis was canceled; nothing is changed then.

    Example:
        >>> wb.spark.analyze(catalog.get_table("shop.orders"), ["qty"])
    """
    return table.analyze(columns, progress, analyzer=SparkAnalyzer(session or get_session()))


@checked(table="workbench.Table")
def remove_orphan_files(
    table: Table,
    older_than: int | str | datetime | date | None = None,
    dry_run: bool = True,
    *,
    session: SparkSession | None = None,
    progress: Progress | None = None,
) -> OrphanFiles:
    """Find and delete files that no version of a table uses as `Table.remove_orphan_files` does.

    Spark tasks list the directories of partitions and buckets, and compare the files with those that are used. This
    process looks for the used files again before it deletes any.

    Args:
        table: The table to clean up.
        older_than: Consider only files last modified before this time, one day ago by default.
        dry_run: Whether to return the result without deleting anything.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives progress reports and cancels the search.

    Returns:
        The orphan files.

    Raises:
        InvalidRequest: If ``older_than`` is in the future.
        CorruptFile: If a metadata file cannot be read; nothing is deleted then.
        Cancelled: If the search was canceled.

    Example:
        >>> wb.spark.remove_orphan_files(catalog.get_table("shop.orders"), dry_run=False)
    """
    search = SparkOrphanSearch(session or get_session())
    return table.remove_orphan_files(older_than, dry_run, progress, search=search)
