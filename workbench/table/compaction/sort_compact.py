"""Sort compaction: rewriting the rows of each partition in the order of columns, or along a curve through them (Spark's
``CALL sys.compact(order_strategy => …)``).

As in Java, it is an OVERWRITE of the files that were read. Unlike in Java, rows that others append concurrently are
kept unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from workbench.base.errors import Unsupported
from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.publication import Publication, compactions
from workbench.expr.expressions import Expr
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.measuring import counts_of_read, measured
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.compaction.compact_table import live_files
from workbench.table.compaction.runner import CompactionRunner
from workbench.write.sorting.partition_sort import SortOrder


@measured("sort")
def sort_table(
    store: TableStore,
    latest: Snapshot | None,
    where: Expr | None,
    order_by: Sequence[str],
    strategy: str,
    progress: Progress,
    runner: CompactionRunner | None = None,
) -> Commit:
    """Sort a version of a table, partition by partition, in one commit; ``runner`` runs the sorts.

    Raises:
        Unsupported: The table has buckets, or its rows have ids.
        InvalidRequest: The columns or the strategy cannot be used for sorting.
        CommitConflict: Another writer replaced or deleted rows concurrently; nothing is changed.
    """
    _check_sortable(store)
    order = SortOrder.of(store.schema, order_by, strategy)
    if latest is None:
        return Commit(store.name, ())
    index_files = index_entries(store, latest)
    partitions = list(known_buckets(live_files(store, latest, where)).buckets.items())
    messages = (runner or CompactionRunner()).sorted(store, partitions, order, index_files, progress)
    if not messages:
        return Commit(store.name, ())
    noted = {COMPACTION_PROPERTY: json.dumps(compactions(store, messages), separators=(",", ":"))}
    result = commit_messages(Publication.by_new_user(store, noted), messages, publish.commit)
    return replace(
        result, metrics=_with_reads(result.metrics, [file for _, state in partitions for file in state.files])
    )


def _with_reads(metrics: Metrics | None, files: Sequence[DataFileMeta]) -> Metrics:
    """Return the metrics with the read files added, which the commit counts only as deleted."""
    read = counts_of_read(files, sum(file.row_count for file in files))
    return replace(metrics or read, rows_read=read.rows_read, files_read=read.files_read, bytes_read=read.bytes_read)


def _check_sortable(store: TableStore) -> None:
    """Raise Unsupported for tables whose rows have fixed positions."""
    schema = store.schema
    if not schema.is_bucket_unaware:
        raise Unsupported(
            f"{store.name} has buckets or a primary key, so its rows cannot be sorted by other columns.",
            "Use sort compaction only for append tables without buckets.",
        )
    if schema.core.row_tracking_enabled or schema.core.data_evolution_enabled:
        raise Unsupported(f"Rows of {store.name} have ids by their position, so they cannot be sorted.")
