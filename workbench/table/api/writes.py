"""The writing and committing methods of `Table`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import InvalidExpression, InvalidRequest, Unsupported, did_you_mean
from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.ids import new_commit_user
from workbench.table.api.dml import merge
from workbench.table.writable_table import WritableTable
from workbench.write.rules import check_write

if TYPE_CHECKING:
    from workbench.commit.publication import Publication
    from workbench.expr.expressions import Expr
    from workbench.metadata.bucket_states import KnownBuckets
    from workbench.metadata.store import TableStore
    from workbench.table.commits.commit import Commit
    from workbench.write.batch import MessageWriter, WritePlan


# The write path is imported by the first call that writes, so that programs that only read start faster.


@checked
def write(
    self: WritableTable,
    data: Any,
    mode: str = "append",
    partition: Mapping[str, Any] | None = None,
    row_kind: str | None = None,
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> Commit:
    """Write rows in one commit; rows of a primary-key table replace those with the same key.

    With option 'write.merge-schema' = 'true', columns of the rows that the table lacks are added to the table, and
    names match regardless of case. With option 'upsert-key', appended rows replace those with the same values in the
    columns that it names.

    Args:
        data: Arrow data, a pandas or Polars frame, a list of dictionaries, or another source of rows.
        mode: ``append``, or ``overwrite``, which replaces the partitions that the rows belong to.
        partition: With ``overwrite``, the partition columns and values to replace instead; an unpartitioned table is
            replaced as a whole.
        row_kind: The name of a column that holds +I, -U, +U or -D for each row and is not stored.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit: its snapshot and the numbers of rows and files written.

    Raises:
        SchemaMismatch: The rows do not fit the table; the message names the column and both types.
        CommitConflict: Another writer changed the same files first.

    Example:
        >>> orders.write([{"id": 1, "qty": 3}])
        >>> orders.write(day_rows, mode="overwrite", partition={"day": "2026-11-01"})
    """
    store = self._changeable(adds=True)
    check_write(store, mode, partition, row_kind)
    if store.schema.core.write_merge_schema:
        from workbench.table.schema_changes.merge_schema import merged_for

        store, data = merged_for(store, data, row_kind)
        self._store = store
    from workbench.table.dml.upsert import is_upserted, upsert

    if mode == "append" and is_upserted(store.schema):
        return upsert(store.schema, data, partial(merge, self, progress=progress, properties=properties))
    from workbench.commit.overwrite import Overwrite
    from workbench.metadata.bucket_states import buckets_to_write
    from workbench.table.dml.write import write as write_rows
    from workbench.write.static_partition import static_partition

    overwrite = Overwrite(store, static_partition(store, partition)) if mode == "overwrite" else None
    shown = progress or Progress()

    def buckets_of(version: Snapshot | None) -> KnownBuckets:
        return buckets_to_write(store, version, overwrite=overwrite is not None)

    def write_to(buckets: KnownBuckets) -> Commit:
        return write_rows(store, buckets, data, row_kind, overwrite, shown, properties or {})

    latest = self._latest()
    if isinstance(data, pa.Table | pa.RecordBatch | Sequence | Mapping):
        return on_newest_version(store, latest, lambda version: write_to(buckets_of(version)))
    # Rows of a stream can be read only once.
    return write_to(on_newest_version(store, latest, buckets_of))


@checked
@contextmanager
def writer(
    self: WritableTable, commit_user: str | None = None, progress: Progress | None = None
) -> Iterator[MessageWriter]:
    """Open a writer for the first phase of a two-phase write.

    `MessageWriter.prepare` returns messages for `commit`, which may run in another process. Files that are not prepared
    when the block ends are deleted. Rows of a table with option 'bucket' = '-2' cannot be read until a compaction
    assigns their buckets, unless option 'postpone.merge-on-read' is 'true'.

    Args:
        commit_user: The user recorded in the snapshot; a random one by default.
        progress: Where progress is reported.

    Yields:
        The writer.

    Example:
        >>> with orders.writer() as writer:
        ...     writer.write(rows)
        ...     messages = writer.prepare()
        >>> orders.commit(messages)
    """
    store = self._changeable(adds=True)
    if store.schema.core.upsert_key:
        raise Unsupported("A table with option 'upsert-key' has no writers of messages.", "Call write.")
    from workbench.write.batch import MessageWriter

    writer = MessageWriter(store, _buckets(self, overwrite=False), commit_user, progress or Progress())
    try:
        yield writer
    finally:
        writer.close()


@checked
def commit(
    self: WritableTable,
    messages: Sequence[bytes | CommitMessage],
    identifier: int = BATCH_COMMIT_IDENTIFIER,
    commit_user: str | None = None,
    *,
    properties: Mapping[str, str] | None = None,
    operation: str | None = None,
) -> Commit:
    """Commit the messages of writers: the second phase of a two-phase write.

    Args:
        messages: The messages that `MessageWriter.prepare` returned.
        identifier: The commit identifier. With an explicit ``commit_user``, nothing is committed if this user has
            already committed this identifier or a later one.
        commit_user: The user recorded in the snapshot; a random one by default.
        properties: Properties to store in the snapshot.
        operation: The statement recorded in the snapshot, for example ``WRITE`` or ``MERGE``.

    Returns:
        The commit.

    Raises:
        CommitConflict: Another writer changed the same files first.
        InvalidRequest: Paimon has no such operation.

    Example:
        >>> orders.commit(messages, identifier=7, commit_user="nightly-load")
    """
    from workbench.commit import publish
    from workbench.table.commits.commit_messages import commit_messages

    publication = _publication(self._changeable(adds=True), identifier, commit_user, properties, operation)
    return commit_messages(publication, _decoded(messages), publish.commit, keeps_files=True)


@checked
def overwrite(
    self: WritableTable,
    messages: Sequence[bytes | CommitMessage],
    partition: Mapping[str, Any] | None = None,
    *,
    where: str | Expr | None = None,
    dynamic: bool | None = None,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
    commit_user: str | None = None,
    properties: Mapping[str, str] | None = None,
    operation: str | None = None,
) -> Commit:
    """Commit the messages of writers as an overwrite: the new rows replace all rows of the partitions they belong to.

    Args:
        messages: The messages that `MessageWriter.prepare` returned.
        partition: The partition columns and values to replace instead; see `write`.
        where: A condition on partition columns that selects the partitions to replace.
        dynamic: Whether to replace only partitions for which the messages contain rows; true by default if neither
            ``partition`` nor ``where`` is given and option 'dynamic-partition-overwrite' is 'true'.
        identifier: The commit identifier; see `commit`.
        commit_user: The user recorded in the snapshot; see `commit`.
        properties: Properties to store in the snapshot.
        operation: The statement recorded in the snapshot.

    Returns:
        The commit.

    Raises:
        CommitConflict: Another writer changed the same files first.
        InvalidExpression: ``where`` uses columns that are not partition columns.
        InvalidRequest: Paimon has no such operation.

    Example:
        >>> orders.overwrite(messages, partition={"day": "2026-11-01"})
    """
    from workbench.commit import publish
    from workbench.commit.overwrite import Overwrite
    from workbench.table.commits.commit_messages import commit_messages
    from workbench.write.static_partition import static_partition

    store = self._changeable(adds=True)
    replaced = Overwrite(store, static_partition(store, partition), _partition_test(self, where), dynamic)
    publication = _publication(store, identifier, commit_user, properties, operation)
    publish_rows = partial(publish.overwrite, spec=replaced)
    return commit_messages(publication, _decoded(messages), publish_rows, name="overwrite", keeps_files=True)


def _publication(
    store: TableStore,
    identifier: int,
    commit_user: str | None,
    properties: Mapping[str, str] | None,
    operation: str | None,
) -> Publication:
    from workbench.commit.publication import Publication

    named = _operation(operation)
    return Publication(store, commit_user or new_commit_user(store), identifier, properties or {}, named)


def _decoded(messages: Sequence[bytes | CommitMessage]) -> list[CommitMessage]:
    return [each if isinstance(each, CommitMessage) else CommitMessage.from_bytes(each) for each in messages]


@checked
def new_write_plan(self: WritableTable, overwrite: bool = False) -> WritePlan:
    """Return the picklable information that writers in other processes need.

    Args:
        overwrite: Whether the writers ignore the rows that the table holds.

    Example:
        >>> plan = orders.new_write_plan()
    """
    from workbench.write.batch import WritePlan

    store = self._changeable(adds=True)
    return WritePlan(store, _buckets(self, overwrite=overwrite))


def _buckets(self: WritableTable, *, overwrite: bool) -> KnownBuckets:
    from workbench.metadata.bucket_states import buckets_to_write

    store, latest = self._changeable(adds=True), self._latest()
    return on_newest_version(store, latest, lambda version: buckets_to_write(store, version, overwrite=overwrite))


@checked
def merge_schema(self: WritableTable, schema: pa.Schema, *, case_sensitive: bool = False) -> None:
    """Alter the table so that it accepts rows of another schema, as the options 'write.merge-schema.…' define.

    Columns that the table lacks are added. Types are changed only if the options allow it.

    Args:
        schema: The Arrow schema of the rows.
        case_sensitive: Whether names that differ only in case are different columns.

    Raises:
        SchemaMismatch: A name is ambiguous, a new column has no type, or a type cannot be merged with the table's.
        InvalidSchema: The table does not allow a change, such as a new type for a key column.

    Example:
        >>> orders.merge_schema(rows.schema)
    """
    from workbench.table.schema_changes.merge_schema import merged_store

    self._store = merged_store(self._changeable(adds=True), schema, case_sensitive=case_sensitive)


def _partition_test(self: WritableTable, where: str | Expr | None) -> Callable[[bytes], bool] | None:
    predicate = self._predicate(where)
    if predicate is None:
        return None
    from workbench.expr.tree import referenced_columns
    from workbench.table.dml.whole_partitions import partitions_where

    if not referenced_columns(predicate) <= set(self.schema.partition_keys):
        raise InvalidExpression(
            "An overwrite can be limited to partitions only.", "Use only partition columns in where."
        )
    return partitions_where(self._store, predicate)


def _operation(name: str | None) -> Operation | None:
    if name is not None and name not in Operation.__members__:
        raise InvalidRequest(f"'{name}' is not a commit operation.", did_you_mean(name, Operation.__members__))
    return None if name is None else Operation(name)
