"""The compaction methods of `Table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest
from workbench.base.progress import Progress
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.times import to_length
from workbench.table.writable_table import WritableTable

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.table.commits.commit import Commit
    from workbench.table.compaction.compact_manifests import ManifestCompaction
    from workbench.table.compaction.file_indexes import IndexRewrite
    from workbench.table.compaction.runner import CompactionRunner


@checked
def compact(
    self: WritableTable,
    full: bool = False,
    where: str | Expr | None = None,
    progress: Progress | None = None,
    *,
    order_by: Sequence[str] = (),
    strategy: str | None = None,
    partition_idle_time: timedelta | str | None = None,
    runner: CompactionRunner | None = None,
) -> Commit:
    """Compact the table as its options define, or, with ``full``, down to one sorted run per bucket.

    Rows that were written with option 'bucket' = '-2' get their buckets and become readable.

    Args:
        full: Whether every bucket is compacted completely.
        where: A condition on partition columns that selects the partitions to compact.
        progress: Where progress is reported.
        order_by: Columns by which the rows of an append table without buckets are sorted, within each partition.
        strategy: How to sort: ``order`` (the default), or along a curve: ``zorder`` or ``hilbert``.
        partition_idle_time: Compact only partitions that have had no writes for this long (``1 d``), to stay clear of
            writers.
        runner: Where buckets are compacted; on threads of this process by default. `wb.spark.compact` passes a runner
            of Spark jobs.

    Returns:
        The commit.

    Raises:
        InvalidExpression: ``where`` uses columns that are not partition columns.
        InvalidRequest: The rows cannot be sorted by these columns, or ``order_by`` is combined with idle partitions.
        InvalidSchema: ``partition_idle_time`` is not a duration.
        Unsupported: The table cannot be sorted, or has row ids that a compaction would lose.
        CommitConflict: Another writer committed first; nothing is changed.

    Example:
        >>> orders.compact(full=True, where="day = '2026-11-01'")
    """
    store, latest = self._changeable(rows=True), self._latest()
    predicate = self._predicate(where)
    idle_time = None if partition_idle_time is None else to_length(partition_idle_time)
    if order_by:
        if idle_time is not None:
            raise InvalidRequest(
                "partition_idle_time cannot be combined with order_by.", "Choose the partitions with where=…."
            )
        from workbench.table.compaction.sort_compact import sort_table

        return on_newest_version(
            store,
            latest,
            lambda version: sort_table(
                store, version, predicate, order_by, strategy or "order", progress or Progress(), runner
            ),
        )
    if strategy is not None:
        raise InvalidRequest(f"Strategy '{strategy}' requires columns to sort by.", "Pass order_by=[…].")
    from workbench.table.compaction.compact_table import compact_table

    return on_newest_version(
        store,
        latest,
        lambda version: compact_table(store, version, predicate, full, progress or Progress(), idle_time, runner),
    )


@checked
def rescale(
    self: WritableTable,
    partition: Mapping[str, Any] | None = None,
    bucket: int | None = None,
    progress: Progress | None = None,
    *,
    runner: CompactionRunner | None = None,
) -> Commit:
    """Rewrite partitions with another number of buckets.

    Partitions that are not rescaled keep their number of buckets; after option 'bucket' has changed, they cannot be
    written until they are rescaled too.

    Args:
        partition: The partition columns and values to rescale; all partitions by default.
        bucket: The number of buckets; the current value of option 'bucket' by default.
        progress: Where progress is reported.
        runner: Where the rows are rewritten; in this process by default. `wb.spark.rescale` passes a runner of Spark
            jobs.

    Returns:
        The commit.

    Raises:
        Unsupported: The table does not have a fixed number of buckets.
        CommitConflict: Another writer changed these partitions concurrently; nothing is changed.

    Example:
        >>> orders.rescale({"day": "2026-11-01"}, bucket=8)
    """
    from workbench.table.compaction.rescale import rescale

    store, latest = self._changeable(rows=True), self._latest()
    return on_newest_version(
        store, latest, lambda version: rescale(store, version, partition, bucket, progress or Progress(), runner)
    )


@checked
def rewrite_file_indexes(
    self: WritableTable, where: str | Expr | None = None, progress: Progress | None = None
) -> IndexRewrite:
    """Rebuild the file indexes of existing data files, as the options 'file-index.…' define them now.

    The stored rows do not change. Older versions keep their indexes.

    Args:
        where: A condition on partition columns that selects the partitions.
        progress: Where progress is reported.

    Returns:
        The numbers of partitions and files with new indexes.

    Raises:
        InvalidExpression: ``where`` uses columns that are not partition columns.
        CommitConflict: Another writer replaced the files concurrently; nothing is changed.

    Example:
        >>> orders.rewrite_file_indexes(where="day = '2026-11-01'")
    """
    from workbench.table.compaction.file_indexes import rewrite_file_indexes

    store, latest = self._changeable(rows=True), self._latest()
    return rewrite_file_indexes(store, latest, self._predicate(where), progress or Progress())


def compact_manifest(self: WritableTable) -> ManifestCompaction:
    """Merge manifests that are small or remove files, in one commit that leaves the rows unchanged.

    Returns:
        The numbers of manifests before and after.

    Raises:
        CommitConflict: Other writers committed first on every attempt.

    Example:
        >>> orders.compact_manifest()
    """
    from workbench.table.compaction.compact_manifests import compact_manifests

    store, latest = self._changeable(rows=True), self._latest()
    return on_newest_version(store, latest, lambda version: compact_manifests(store, version))
