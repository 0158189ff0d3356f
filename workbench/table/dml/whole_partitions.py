"""Dropping whole partitions in the metadata, in one OVERWRITE commit (Java ``dropPartitions``, ``truncateTable``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import pyarrow as pa

from workbench.base.errors import CorruptFile, SchemaMismatch
from workbench.base.progress import Progress
from workbench.base.zones import statement_zone
from workbench.commit import publish
from workbench.commit.overwrite import Overwrite
from workbench.commit.publication import Publication
from workbench.datafile.protocol import rows_without_columns
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr
from workbench.format.rows.binary_row import decode_row
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.partition_path import partition_text
from workbench.format.spec.paths import MANIFEST_DIRECTORY
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.metadata.index_files import deletion_files
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.static_partition import static_partition

PartitionTest = Callable[[bytes], bool]
"""Whether a partition is dropped, given its serialized row."""


def every_partition(_: bytes) -> bool:
    """Return True: the table is truncated."""
    return True


def named_partitions(store: TableStore, given: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> PartitionTest:
    """Return a test for the partitions that have the given values; columns may be omitted.

    Raises:
        SchemaMismatch: No partition is given, a name is not a partition column, or a value does not fit it.
    """
    named = [given] if isinstance(given, Mapping) else list(given)
    if not all(isinstance(each, Mapping) for each in named):
        raise SchemaMismatch(f"{given!r} is not a partition.", "Pass values by column, as {'day': '2026-11-01'}.")
    if not named or not all(named):
        raise SchemaMismatch("No partition is given.", "Pass values by column, or use truncate() for all rows.")
    tests = [Overwrite(store, static_partition(store, each)).accepts() for each in named]
    return lambda partition: any(accepts(partition) for accepts in tests)


def partitions_where(store: TableStore, where: Expr) -> PartitionTest:
    """Return a test for the partitions that satisfy a condition on partition columns only."""
    fields = store.partition_fields
    names, types = [each.name for each in fields], [each.type for each in fields]

    @cache
    def is_dropped(partition: bytes) -> bool:
        if not fields:
            return bool(filter_mask(where, rows_without_columns(1)).to_pylist()[0])
        try:
            values = decode_columns([partition], types)
        except ValueError as error:
            raise CorruptFile(store.path(MANIFEST_DIRECTORY), "a partition in a manifest is invalid") from error
        return bool(filter_mask(where, pa.table(values, names)).to_pylist()[0])

    return is_dropped


@measured("drop partitions")
def delete_partitions(
    store: TableStore,
    snapshot: Snapshot | None,
    is_dropped: PartitionTest,
    progress: Progress,
    properties: Mapping[str, str],
    *,
    force: bool,
) -> RowChanges:
    """Remove all files of some partitions, including those that others add concurrently.

    The files are kept as long as older versions need them. As in Java, the operation is TRUNCATE for every statement.
    With ``force`` a commit is created even if there is nothing to remove, as Java's calls do.
    """
    started = store.clock.monotonic()
    progress.check()
    dropped = (
        [entry for entry in ManifestFiles(store).live_files(snapshot) if is_dropped(entry.partition)]
        if snapshot
        else []
    )
    if not dropped and not force:
        return row_changes(Commit(store.name, ()), store.clock.monotonic() - started)
    publication = Publication.by_new_user(store, properties, Operation.TRUNCATE)
    drop = partial(publish.replace_partitions, replaced=is_dropped)
    commit = commit_messages(publication, (), drop, name="overwrite")
    seconds = store.clock.monotonic() - started
    return row_changes(commit, seconds, deleted=_rows_of(store, snapshot, dropped), rewritten=len(dropped))


def _rows_of(store: TableStore, snapshot: Snapshot | None, dropped: Sequence[ManifestEntry]) -> int | None:
    """Return the number of rows that readers saw in the dropped files; None if only a merge could count them."""
    if store.schema.is_primary_key_table:
        return None if dropped else 0
    vectors = deletion_files(store, snapshot)
    rows = 0
    for entry in dropped:
        vector = vectors.get((entry.partition, entry.bucket, entry.file.file_name))
        rows += entry.file.row_count - (vector.read(store, entry.file).cardinality if vector else 0)
    return rows


def partition_texts(store: TableStore, values: Mapping[str, Any]) -> dict[str, str | None]:
    """Return values of partition columns as the strings to which SQL casts them; the values may also be given as
    strings.

    Raises:
        SchemaMismatch: A name is not a partition column, or a value does not fit its column.
    """
    columns = static_partition(store, values)
    if not columns:
        return {}
    types = [store.schema.field(name).type for name in columns]
    row = encode_columns(list(columns.values()), types).to_bytes(0)
    zone = statement_zone()
    texts = (
        partition_text(value, kind, legacy=False, zone=zone)
        for value, kind in zip(decode_row(row, types), types, strict=True)
    )
    return dict(zip(columns, texts, strict=True))
