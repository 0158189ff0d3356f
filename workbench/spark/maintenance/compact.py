"""Compaction of a table by a Spark job: planned and committed by this process, run by tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.catalog import compact_database as databases
from workbench.expr.expressions import Expr
from workbench.spark.maintenance.buckets import SparkRunner
from workbench.spark.session import get_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.catalog.catalog import Catalog
    from workbench.catalog.compact_database import DatabaseCompaction
    from workbench.table.commits.commit import Commit
    from workbench.table.table import Table


@checked(table="workbench.Table")
def compact(
    table: Table,
    full: bool = False,
    where: str | Expr | None = None,
    *,
    order_by: Sequence[str] = (),
    strategy: str | None = None,
    partition_idle_time: timedelta | str | None = None,
    session: SparkSession | None = None,
    progress: Progress | None = None,
) -> Commit:
    """Compact a table as `Table.compact` does, with one Spark task for each bucket, and commit once.

    Postponed rows get their buckets, with one task for each partition. Tasks that fail or run twice leave files that no
    version refers to.

    Args:
        table: The table to compact.
        full: Whether every bucket is compacted completely.
        where: A condition on partition columns that selects the partitions to compact.
        order_by: Columns by which the rows of an append table without buckets are sorted, with one task for each
            partition.
        strategy: How to sort, as in `Table.compact`: ``order``, ``zorder`` or ``hilbert``.
        partition_idle_time: Compact only partitions without writes for this long.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives progress reports and cancels the compaction.

    Returns:
        The commit.

    Raises:
        InvalidExpression: If ``where`` uses columns that are not partition columns.
        InvalidRequest: If the rows cannot be sorted by these columns.
        CommitConflict: If another writer committed first; nothing is changed then.
        Cancelled: If the compaction was canceled; nothing is changed then.

    Example:
        >>> wb.spark.compact(catalog.get_table("shop.orders"), full=True)
    """
    runner = SparkRunner(session or get_session())
    return table.compact(
        full,
        where,
        progress,
        order_by=order_by,
        strategy=strategy,
        partition_idle_time=partition_idle_time,
        runner=runner,
    )


@checked
def compact_database(
    catalog: Catalog,
    including_databases: str = ".*",
    including_tables: str | None = None,
    excluding_tables: str | None = None,
    *,
    full: bool = False,
    partition_idle_time: timedelta | str | None = None,
    options: Mapping[str, str] | None = None,
    session: SparkSession | None = None,
    progress: Progress | None = None,
) -> DatabaseCompaction:
    """Compact the tables of databases as ``wb.compact_database`` does, each as `compact` does.

    Args:
        catalog: The catalog of the databases.
        including_databases: A regular expression that matches the names of the databases.
        including_tables: A regular expression that matches full names such as ``shop.orders``; all by default.
        excluding_tables: A regular expression that matches the full names of tables to leave out.
        full: Whether every bucket is compacted completely.
        partition_idle_time: Compact only partitions without writes for this long.
        options: Table options of these compactions.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives progress reports and cancels the compaction.

    Returns:
        The commits of the tables, and the errors of those that failed.

    Raises:
        DatabaseNotFound: If no database matches.
        InvalidRequest: If a pattern is not a regular expression.
        Cancelled: If the compaction was canceled; tables that are done stay compacted.

    Example:
        >>> wb.spark.compact_database(catalog, "shop", full=True)
    """
    runner = SparkRunner(session or get_session())
    return databases.compact_database(
        catalog,
        including_databases,
        including_tables,
        excluding_tables,
        full=full,
        partition_idle_time=partition_idle_time,
        options=options,
        progress=progress,
        runners=lambda _: runner,
    )
