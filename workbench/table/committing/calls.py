"""What users call to write rows and to commit them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidRequest, Unsupported, WorkbenchError, did_you_mean
from workbench.base.progress import Progress
from workbench.format.data_file import CommitMessage
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.table.store import TableStore

if TYPE_CHECKING:
    from workbench.table.committing.commit import Commit
    from workbench.table.committing.two_phase import MessageWriter, WritePlan
    from workbench.table.writing.bucket_states import KnownBuckets


# What writes is loaded by the first call that writes: who only reads does not wait for it.
class WriteCalls(ABC):
    """The two phases of a write, together and by themselves.

    Every call fails with `WorkbenchError` for a table from `at` and for system tables, which can only be read.
    """

    _store: TableStore

    @abstractmethod
    def _to_write(self) -> tuple[TableStore, Snapshot | None]: ...

    def write(
        self,
        data: Any,
        mode: str = "append",
        partition: Mapping[str, Any] | None = None,
        row_kind: str | None = None,
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> Commit:
        """Add rows in one commit; rows of a primary-key table replace those of equal key.

        ``mode``: ``append``, or ``overwrite``, which replaces the partitions that the rows belong to, or those that
        ``partition`` names (the whole table where there are none). ``row_kind`` names a column of +I, -U, +U and -D
        that is not stored. ``properties`` are noted in the snapshot. With option 'write.merge-schema' = 'true', columns
        of the rows that the table lacks are added to it.

        Raises:
            SchemaMismatch: rows that do not fit; names column and types.
            CommitConflict: another writer changed the same files first.
        """
        store, _ = self._to_write()
        if mode not in ("append", "overwrite"):
            raise Unsupported(f"Mode '{mode}' is not supported.", "Use 'append' or 'overwrite'.")
        if row_kind is not None and not store.schema.is_primary_key_table:
            raise Unsupported(f"{store.name} has no primary key, so its rows have no kinds.", "Leave out row_kind.")
        if mode == "append" and partition is not None:
            raise WorkbenchError("A partition is named only to overwrite it.", "Use mode='overwrite', or leave it out.")
        if store.schema.core.write_merge_schema:
            from workbench.table.writing.schema_merging import merged_for

            store, data = merged_for(store, data, row_kind)
            self._store = store
        from workbench.table.committing import two_phase
        from workbench.table.committing.overwrite import Overwrite

        overwrite = Overwrite.of(store, partition) if mode == "overwrite" else None
        buckets = self._buckets(overwrite=overwrite is not None)
        return two_phase.write(store, buckets, data, row_kind, overwrite, progress or Progress(), properties or {})

    @contextmanager
    def writer(self, commit_user: str | None = None, progress: Progress | None = None) -> Iterator[MessageWriter]:
        """The first phase by itself: write, then `MessageWriter.prepare` gives messages for `commit`, here or
        elsewhere. Rows of a table with option 'bucket' = '-2' wait, unread, for a compaction.

        What was not prepared when the block ends is removed.
        """
        store, _ = self._to_write()
        from workbench.table.committing.two_phase import MessageWriter

        writer = MessageWriter(store, self._buckets(overwrite=False), commit_user, progress or Progress())
        try:
            yield writer
        finally:
            writer.close()

    def commit(
        self,
        messages: Sequence[bytes | CommitMessage],
        identifier: int = BATCH_COMMIT_IDENTIFIER,
        commit_user: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        operation: str | None = None,
    ) -> Commit:
        """The second phase: make what the messages tell of visible. With a ``commit_user`` of its own, the same or
        an earlier ``identifier`` commits nothing twice. ``operation``: what an engine calls the statement that wrote
        them, ``WRITE`` or ``MERGE``; the snapshot keeps it.

        Raises:
            CommitConflict: another writer changed the same files first.
            InvalidRequest: an operation that Paimon does not know.
        """
        from workbench.table.committing import two_phase

        store, _ = self._to_write()
        return two_phase.commit(store, messages, identifier, commit_user, properties or {}, _operation(operation))

    def overwrite(
        self,
        messages: Sequence[bytes | CommitMessage],
        partition: Mapping[str, Any] | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        operation: str | None = None,
    ) -> Commit:
        """The second phase of an overwrite whose files were written by several processes; see `write` and `commit`."""
        from workbench.table.committing import two_phase
        from workbench.table.committing.overwrite import Overwrite

        store, _ = self._to_write()
        what = Overwrite.of(store, partition)
        return two_phase.overwrite(store, messages, what, properties or {}, _operation(operation))

    def new_write_plan(self, overwrite: bool = False) -> WritePlan:
        """What writers in other processes need to know; picklable. ``overwrite``: they ignore what the table holds."""
        from workbench.table.committing.two_phase import WritePlan

        store, _ = self._to_write()
        return WritePlan(store, self._buckets(overwrite=overwrite))

    def _buckets(self, *, overwrite: bool) -> KnownBuckets:
        from workbench.table.writing.bucket_states import buckets_to_write

        store, latest = self._to_write()
        return buckets_to_write(store, latest, overwrite=overwrite)


def _operation(name: str | None) -> Operation | None:
    if name is not None and name not in Operation.__members__:
        raise InvalidRequest(f"'{name}' is no operation of a commit.", did_you_mean(name, Operation.__members__))
    return None if name is None else Operation(name)
