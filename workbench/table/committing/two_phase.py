"""Write, prepare, commit: the same two phases for one process, many processes and Spark tasks (format §4.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.base.errors import CommitConflict, SchemaMismatch
from workbench.base.progress import Progress
from workbench.base.version import VERSION
from workbench.format.data_file import CommitMessage, DataFileMeta, FileSource, ManifestEntry
from workbench.format.paths import POSTPONE_BUCKET
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.table.committing.commit import Commit, TableCommit, new_commit_user
from workbench.table.committing.overwrite import Overwrite
from workbench.table.index_files import index_file_path
from workbench.table.maintenance.after_commit import after_commit
from workbench.table.measuring import counts_of_messages, measured
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketStates, KnownBuckets
from workbench.table.writing.input import Rows, as_rows
from workbench.table.writing.writer import TableWriter

if TYPE_CHECKING:
    from workbench.table.writing.postponed import PostponedWriter

WRITER_PROPERTY = "workbench.writer"
COMPACTION_PROPERTY = "workbench.compaction"
STATEMENT_PROPERTY = "workbench.statement"
_MOST_COMPACTIONS_TOLD = 64


@dataclass(frozen=True)
class WritePlan:
    """What a writer needs to know, in any process: the store and the state of its buckets. Picklable."""

    store: TableStore
    buckets: KnownBuckets

    def writer(self, progress: Progress | None = None) -> TableWriter:
        """A writer whose file names are its own."""
        return TableWriter(self.store, self.buckets, progress or Progress())


class MessageWriter:
    """The first phase as users see it: from `Table.writer`."""

    def __init__(self, store: TableStore, buckets: BucketStates, commit_user: str | None, progress: Progress) -> None:
        self.commit_user = commit_user or new_commit_user(store)
        self._writer = _streaming_writer(store, buckets, self.commit_user, progress)

    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Take rows; the same kinds of data as `Table.write`."""
        self._writer.write(data, row_kind)

    def write_rows(self, rows: Rows) -> None:
        """Take rows that already have the table's Arrow schema."""
        self._writer.write_rows(rows)

    def prepare(self) -> list[bytes]:
        """Finish all files, and tell of them in messages for `Table.commit`."""
        return [message.to_bytes() for message in self._writer.prepare()]

    def close(self) -> None:
        """Remove what was written and not prepared."""
        self._writer.abort()


@measured("write")
def write(
    store: TableStore,
    buckets: BucketStates,
    data: Any,
    row_kind: str | None,
    overwrite: Overwrite | None,
    progress: Progress,
    properties: Mapping[str, str],
) -> Commit:
    """Both phases in this process. A failure that surely came before the commit removes the files again."""
    started = store.clock.monotonic()
    if overwrite is not None:
        overwrite.check_keys()
    user = new_commit_user(store)
    writer = batch_writer(store, buckets, user, progress, is_overwrite=overwrite is not None)
    try:
        with progress.step(f"Writing {store.name}", _known_rows(data), "rows"):
            for rows in as_rows(data, store.schema, row_kind, overwrite.static if overwrite else None):
                writer.write_rows(rows)
            messages = writer.prepare()
    except BaseException:
        writer.abort()
        raise
    try:
        if overwrite is None:
            committer = TableCommit(store, user, operation=Operation.WRITE)
            made = _commit(store, messages, committer, BATCH_COMMIT_IDENTIFIER, properties)
        else:
            overwrite.check(messages)
            made = _overwrite(store, messages, overwrite, properties, Operation.OVERWRITE)
    except (SchemaMismatch, CommitConflict):
        remove_files(store, messages)
        raise
    return replace(made, rows=writer.rows_written, seconds=store.clock.monotonic() - started)


@measured("commit")
def commit(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    identifier: int,
    commit_user: str | None,
    properties: Mapping[str, str],
    operation: Operation | None = None,
) -> Commit:
    """What was written as one snapshot, what was compacted as a second. Files that the table has already are refused.

    The compaction only helps readers: where another writer compacted the same files first, it is dropped and the rows
    stay written.
    """
    decoded = _decode(messages)
    committer = TableCommit(store, commit_user or new_commit_user(store), operation=operation)
    if committer.is_committed(identifier):
        return Commit(store.name, ())
    return _commit(store, decoded, committer, identifier, properties, check_files=True)


def _commit(
    store: TableStore,
    messages: Sequence[CommitMessage],
    committer: TableCommit,
    identifier: int,
    properties: Mapping[str, str],
    check_files: bool = False,
) -> Commit:
    started = store.clock.monotonic()
    noted, forced = commit_properties(properties), _is_forced(store, identifier)
    appended = committer.append(messages, identifier, noted, force=forced, check_files=check_files)
    compacted, abandoned = _compact_beside(store, messages, committer, appended, identifier, properties)
    seconds = store.clock.monotonic() - started
    return _result(store, messages, [appended, compacted], abandoned, seconds, identifier)


def _is_forced(store: TableStore, identifier: int) -> bool:
    """Whether a commit of nothing makes a snapshot too: of a stream as `commit.force-create-snapshot` says."""
    core = store.schema.core
    streams = identifier != BATCH_COMMIT_IDENTIFIER and core.commit_force_create_snapshot
    return streams or core.snapshot_ignore_empty_commit is False


def _compact_beside(
    store: TableStore,
    messages: Sequence[CommitMessage],
    committer: TableCommit,
    written: Snapshot | None,
    identifier: int,
    properties: Mapping[str, str],
) -> tuple[Snapshot | None, str | None]:
    """The snapshot of what was compacted beside a write, and why that was given up, if it was."""
    try:
        told = commit_properties(properties, compactions(store, messages))
        return committer.compact(messages, identifier, told), None
    except CommitConflict as error:
        if written is None:
            raise
        remove_files(store, messages, written=False)
        return None, str(error)
    except OSError as error:
        # The rows are written, so this must not look like a failed write; and the snapshot may be there, so files stay.
        if written is None:
            raise
        return None, f"The store failed while the compaction was committed: {error}."


@measured("overwrite")
def overwrite(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    what: Overwrite,
    properties: Mapping[str, str],
    operation: Operation | None = None,
) -> Commit:
    """Replace partitions by what several processes wrote."""
    decoded = _decode(messages)
    what.check_keys()
    what.check(decoded)
    return _overwrite(store, decoded, what, properties, operation)


@measured("commit compaction")
def compact(store: TableStore, messages: Sequence[CommitMessage]) -> Commit:
    """The snapshot of a compaction by itself."""
    started = store.clock.monotonic()
    committer = TableCommit(store, new_commit_user(store))
    made = committer.compact(messages, BATCH_COMMIT_IDENTIFIER, commit_properties({}, compactions(store, messages)))
    return _result(store, messages, [made], None, store.clock.monotonic() - started)


@measured("replace")
def replace_files(store: TableStore, messages: Sequence[CommitMessage], base: Sequence[ManifestEntry]) -> Commit:
    """Put what was written in the place of ``base``: all files that some partitions have in their buckets.

    Raises CommitConflict where another commit changed these partitions.
    """
    started = store.clock.monotonic()
    committer = TableCommit(store, new_commit_user(store))
    made = committer.replace(messages, base, BATCH_COMMIT_IDENTIFIER, commit_properties({}))
    compacted, abandoned = _compact_beside(store, messages, committer, made, BATCH_COMMIT_IDENTIFIER, {})
    return _result(store, messages, [made, compacted], abandoned, store.clock.monotonic() - started)


def compactions(store: TableStore, messages: Sequence[CommitMessage]) -> list[dict[str, Any]]:
    """Of each bucket that was compacted: which, why, and the numbers."""
    return [
        {"partition": store.partition_directory(message.partition), "bucket": message.bucket, **message.compaction}
        for message in messages
        if message.compaction is not None
    ]


def remove_files(store: TableStore, messages: Sequence[CommitMessage], written: bool = True) -> None:
    """Delete the files that a compaction made and, if ``written``, the new ones; what was only lifted stays."""
    for message in messages:
        known = {file.file_name for file in message.compact_before}
        made = [file for file in message.compact_after if file.file_name not in known]
        made += message.compact_changelog
        indexes = list(message.compact_new_index_files)
        if written:
            made += (*message.new_files, *message.changelog_files)
            indexes += message.new_index_files
        for file in made:
            store.delete_data_file(message.partition, message.bucket, file)
        for entry in indexes:
            store.file_io.delete(index_file_path(store, entry))


def _overwrite(
    store: TableStore,
    messages: Sequence[CommitMessage],
    what: Overwrite,
    properties: Mapping[str, str],
    operation: Operation | None,
) -> Commit:
    replaced = what.replaced(messages)
    if replaced is None:
        return Commit(store.name, ())
    compacted = any(each.compact_before for each in messages)
    messages = messages if compacted else what.lifted(messages)
    return replace_partitions(store, messages, replaced, properties, operation)


@measured("overwrite")
def replace_partitions(
    store: TableStore,
    messages: Sequence[CommitMessage],
    replaced: Callable[[bytes], bool],
    properties: Mapping[str, str],
    operation: Operation | None = None,
) -> Commit:
    """One snapshot in which new files stand for all files of the partitions that ``replaced`` accepts."""
    started = store.clock.monotonic()
    committer = TableCommit(store, new_commit_user(store), operation=operation)
    made = committer.overwrite(messages, replaced, BATCH_COMMIT_IDENTIFIER, commit_properties(properties))
    compacted, abandoned = _compact_beside(store, messages, committer, made, BATCH_COMMIT_IDENTIFIER, properties)
    return _result(store, messages, [made, compacted], abandoned, store.clock.monotonic() - started)


def _result(
    store: TableStore,
    messages: Sequence[CommitMessage],
    snapshots: Sequence[Snapshot | None],
    abandoned: str | None,
    seconds: float,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Commit:
    new: list[DataFileMeta] = [file for message in messages for file in message.new_files]
    return Commit(
        store.name,
        tuple(snapshot for snapshot in snapshots if snapshot is not None),
        sum(file.row_count for file in new if file.file_source != FileSource.COMPACT),
        len(new),
        () if abandoned else tuple(compactions(store, messages)),
        abandoned,
        seconds,
        after_commit(store, messages, identifier),
        counts_of_messages(messages),
    )


def commit_properties(given: Mapping[str, str], told: Sequence[Mapping[str, Any]] = ()) -> dict[str, str]:
    """What a snapshot notes: what its caller says, who wrote it, and what was compacted."""
    result = {WRITER_PROPERTY: f"paimon-workbench {VERSION}", **given}
    if told:
        kept: list[Mapping[str, Any]] = list(told[:_MOST_COMPACTIONS_TOLD])
        if len(told) > len(kept):
            # A snapshot is read whole by everybody, so it does not grow with the number of buckets.
            kept.append({"more": len(told) - len(kept)})
        result[COMPACTION_PROPERTY] = json.dumps(kept, separators=(",", ":"))
    return result


def _streaming_writer(
    store: TableStore, buckets: BucketStates, user: str, progress: Progress
) -> TableWriter | PostponedWriter:
    """Several processes cannot agree on the buckets of a new partition, so tables that postpone them let rows wait."""
    if not _postpones(store):
        return TableWriter(store, buckets, progress, streams=True)
    # Loaded here, for few tables postpone their buckets.
    from workbench.table.writing.postponed import PostponedWriter

    return PostponedWriter(store, user, progress)


def batch_writer(
    store: TableStore, buckets: BucketStates, user: str, progress: Progress, *, is_overwrite: bool = False
) -> TableWriter | PostponedWriter:
    """The writer of one batch, whose messages are committed as ``user``."""
    if _postpones(store) and not store.schema.core.postpone_batch_write_fixed_bucket:
        return _streaming_writer(store, buckets, user, progress)
    # Where compaction looks rows up, level 0 is not to be seen before it is compacted.
    compacts = (not is_overwrite or store.schema.core.needs_lookup) and not _postpones(store)
    return TableWriter(store, buckets, progress, compacts=compacts, keeps_changelog=not is_overwrite)


def _postpones(store: TableStore) -> bool:
    return store.schema.is_primary_key_table and store.schema.core.bucket == POSTPONE_BUCKET


def _decode(messages: Sequence[bytes | CommitMessage]) -> list[CommitMessage]:
    return [each if isinstance(each, CommitMessage) else CommitMessage.from_bytes(each) for each in messages]


def _known_rows(data: Any) -> int | None:
    rows = getattr(data, "num_rows", None)
    return rows if isinstance(rows, int) else None
