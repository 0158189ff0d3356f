"""What users call to make few files of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidRequest
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.snapshot import Snapshot
from workbench.table.store import TableStore
from workbench.table.travel import to_length

if TYPE_CHECKING:
    from workbench.table.committing.commit import Commit
    from workbench.table.compaction.manifest_job import ManifestCompaction


class CompactionCalls(ABC):
    """The calls that write anew what is there: rows, sorted rows, manifests. The content of the table stays the same.

    Every call fails with `WorkbenchError` for a table from `at` and for system tables, which can only be read.
    """

    @abstractmethod
    def _to_write(self) -> tuple[TableStore, Snapshot | None]: ...

    @abstractmethod
    def _predicate(self, where: str | Expr | None) -> Expr | None: ...

    def compact(
        self,
        full: bool = False,
        where: str | Expr | None = None,
        progress: Progress | None = None,
        *,
        order_by: Sequence[str] = (),
        strategy: str | None = None,
        partition_idle_time: timedelta | str | None = None,
    ) -> Commit:
        """Compact what the table's options say is due; with ``full``, everything down to one run for each bucket.
        Rows that wait for a bucket, option 'bucket' = '-2', get theirs, and are read from then on.

        ``where`` chooses partitions, and ``partition_idle_time`` (``1 d``) those of them to which nothing was written
        for so long, so that a compaction is not in the way of writers. ``order_by`` sorts the rows of an append table
        without buckets by these columns, each partition by itself: ``strategy`` is ``order`` (the default), or a curve
        through them, ``zorder`` or ``hilbert``.

        Raises:
            InvalidExpression: ``where`` looks at columns that are not of the partition.
            InvalidRequest: columns that rows cannot be sorted by, or rows to be sorted of idle partitions only.
            InvalidSchema: text that is no duration.
            Unsupported: rows of such a table cannot be sorted, or have ids that a compaction would lose.
            CommitConflict: another writer was first; nothing is changed.
        """
        store, latest = self._to_write()
        predicate = self._predicate(where)
        idle_time = None if partition_idle_time is None else to_length(partition_idle_time)
        if order_by:
            if idle_time is not None:
                raise InvalidRequest(
                    "A sort takes no partition_idle_time.", "Choose the partitions by a condition, where=…."
                )
            from workbench.table.compaction.sort_job import sort_table

            return sort_table(store, latest, predicate, order_by, strategy or "order", progress or Progress())
        if strategy is not None:
            raise InvalidRequest(f"Strategy '{strategy}' needs columns to sort by.", "Pass order_by=[…].")
        from workbench.table.compaction.job import compact_table

        return compact_table(store, latest, predicate, full, progress or Progress(), idle_time)

    def rescale(
        self, partition: Mapping[str, Any] | None = None, bucket: int | None = None, progress: Progress | None = None
    ) -> Commit:
        """Write partitions anew with ``bucket`` buckets, by default as many as option 'bucket' asks for by now.

        ``partition`` names partition columns and their values; without it all partitions are rescaled. Others keep
        their number, and cannot be written until they are rescaled too, if option 'bucket' has changed.

        Raises:
            Unsupported: a table whose buckets have no number.
            CommitConflict: another writer changed these partitions meanwhile; nothing is changed.
        """
        from workbench.table.compaction.rescale import rescale

        store, latest = self._to_write()
        return rescale(store, latest, partition, bucket, progress or Progress())

    def compact_manifest(self) -> ManifestCompaction:
        """Merge all manifests that are small or take files away, in a commit of its own; rows stay as they are.

        Raises CommitConflict where other writers commit first each time.
        """
        from workbench.table.compaction.manifest_job import compact_manifests

        return compact_manifests(*self._to_write())
