"""Write, prepare, commit: the same two phases for one process, many processes and Spark tasks (format §4.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import CommitConflict, SchemaMismatch
from workbench.base.progress import Progress
from workbench.base.version import VERSION
from workbench.format.data_file import CommitMessage, DataFileMeta, FileSource
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from workbench.table.bucket_states import BucketStates, KnownBuckets
from workbench.table.commit import Commit, TableCommit
from workbench.table.input import Rows, as_rows
from workbench.table.overwrite import Overwrite
from workbench.table.store import TableStore
from workbench.table.write import TableWriter

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
        self.commit_user = commit_user or store.ids.uuid()
        self._writer = TableWriter(store, buckets, progress)

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
    writer = TableWriter(store, buckets, progress, compacts=overwrite is None)
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
            made = _commit(store, messages, TableCommit(store, store.ids.uuid()), BATCH_COMMIT_IDENTIFIER, properties)
        else:
            overwrite.check(messages)
            made = _overwrite(store, messages, overwrite, properties)
    except (SchemaMismatch, CommitConflict):
        _remove_files(store, messages)
        raise
    return Commit(
        made.table,
        made.snapshots,
        writer.rows_written,
        made.files,
        made.compactions,
        made.abandoned,
        store.clock.monotonic() - started,
    )


def commit(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    identifier: int,
    commit_user: str | None,
    properties: Mapping[str, str],
) -> Commit:
    """What was written as one snapshot, what was compacted as a second. Files that the table has already are refused.

    The compaction only helps readers: where another writer compacted the same files first, it is dropped and the rows
    stay written.
    """
    decoded = _decode(messages)
    committer = TableCommit(store, commit_user or store.ids.uuid())
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
    appended = committer.append(messages, identifier, _properties(properties), check_files=check_files)
    compacted, abandoned = None, None
    try:
        compacted = committer.compact(messages, identifier, _properties(properties, compactions(store, messages)))
    except CommitConflict as error:
        if appended is None:
            raise
        abandoned = str(error)
        _remove_files(store, messages, written=False)
    except OSError as error:
        # The rows are written, so this must not look like a failed write; and the snapshot may be there, so files stay.
        if appended is None:
            raise
        abandoned = f"The store failed while the compaction was committed: {error}."
    return _result(store, messages, [appended, compacted], abandoned, store.clock.monotonic() - started)


def overwrite(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    what: Overwrite,
    properties: Mapping[str, str],
) -> Commit:
    """Replace partitions by what several processes wrote."""
    decoded = _decode(messages)
    what.check(decoded)
    return _overwrite(store, decoded, what, properties)


def compact(store: TableStore, messages: Sequence[CommitMessage]) -> Commit:
    """The snapshot of a compaction by itself."""
    started = store.clock.monotonic()
    committer = TableCommit(store, store.ids.uuid())
    made = committer.compact(messages, BATCH_COMMIT_IDENTIFIER, _properties({}, compactions(store, messages)))
    return _result(store, messages, [made], None, store.clock.monotonic() - started)


def compactions(store: TableStore, messages: Sequence[CommitMessage]) -> list[dict[str, Any]]:
    """Of each bucket that was compacted: which, why, and the numbers."""
    return [
        {"partition": store.partition_directory(message.partition), "bucket": message.bucket, **message.compaction}
        for message in messages
        if message.compaction is not None
    ]


def _remove_files(store: TableStore, messages: Sequence[CommitMessage], written: bool = True) -> None:
    """Delete the files that a compaction made and, if ``written``, the new ones; what was only lifted stays."""
    for message in messages:
        known = {file.file_name for file in message.compact_before}
        made = [file for file in message.compact_after if file.file_name not in known]
        for file in (*message.new_files, *made) if written else made:
            store.file_io.delete(store.data_file_path(message.partition, message.bucket, file))


def _overwrite(
    store: TableStore, messages: Sequence[CommitMessage], what: Overwrite, properties: Mapping[str, str]
) -> Commit:
    started = store.clock.monotonic()
    replaced = what.replaced(messages)
    if replaced is None:
        return Commit(store.name, ())
    committer = TableCommit(store, store.ids.uuid())
    made = committer.overwrite(messages, replaced, BATCH_COMMIT_IDENTIFIER, _properties(properties))
    return _result(store, messages, [made], None, store.clock.monotonic() - started)


def _result(
    store: TableStore,
    messages: Sequence[CommitMessage],
    snapshots: Sequence[Snapshot | None],
    abandoned: str | None,
    seconds: float,
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
    )


def _properties(given: Mapping[str, str], told: Sequence[Mapping[str, Any]] = ()) -> dict[str, str]:
    result = {WRITER_PROPERTY: f"paimon-workbench {VERSION}", **given}
    if told:
        kept: list[Mapping[str, Any]] = list(told[:_MOST_COMPACTIONS_TOLD])
        if len(told) > len(kept):
            # A snapshot is read whole by everybody, so it does not grow with the number of buckets.
            kept.append({"more": len(told) - len(kept)})
        result[COMPACTION_PROPERTY] = json.dumps(kept, separators=(",", ":"))
    return result


def _decode(messages: Sequence[bytes | CommitMessage]) -> list[CommitMessage]:
    return [each if isinstance(each, CommitMessage) else CommitMessage.from_bytes(each) for each in messages]


def _known_rows(data: Any) -> int | None:
    rows = getattr(data, "num_rows", None)
    return rows if isinstance(rows, int) else None
