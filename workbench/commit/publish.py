"""Publishing messages as snapshots: the second phase of every write, by one process, several, or Spark (format
§4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import CommitConflict, CorruptFile, WorkbenchError
from workbench.commit.commit import Commit, TableCommit
from workbench.commit.overwrite import Overwrite
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, FileSource, ManifestEntry
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.format.spec.snapshot_properties import commit_properties
from workbench.metadata.ids import new_commit_user
from workbench.metadata.index_files import index_file_path
from workbench.metadata.measuring import counts_of_messages, measured
from workbench.metadata.schemas import check_writer_schemas
from workbench.metadata.store import TableStore


@measured("commit")
def commit(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    identifier: int,
    commit_user: str | None,
    properties: Mapping[str, str],
    operation: Operation | None = None,
) -> Commit:
    """Commit what was written as one snapshot, and what was compacted as a second one. Files that the table already has
    are refused.

    The compaction only helps readers: if another writer compacted the same files first, it is dropped, and the rows
    remain committed.
    """
    decoded = _decode(messages)
    committer = TableCommit(store, commit_user or new_commit_user(store), operation=operation)
    if committer.is_committed(identifier):
        return Commit(store.name, ())
    check_writer_schemas(store, decoded)
    return commit_written(store, decoded, committer, identifier, properties, check_files=True)


def commit_written(
    store: TableStore,
    messages: Sequence[CommitMessage],
    committer: TableCommit,
    identifier: int,
    properties: Mapping[str, str],
    check_files: bool = False,
) -> Commit:
    """Commit what was written as one snapshot, and what was compacted during the write as a second one."""
    started = store.clock.monotonic()
    noted, forced = commit_properties(properties), _is_forced(store, identifier)
    appended = committer.append(messages, identifier, noted, force=forced, check_files=check_files)
    compaction = _commit_compaction(store, messages, committer, appended, identifier, properties)
    return _result(store, appended, compaction, store.clock.monotonic() - started, identifier)


def _is_forced(store: TableStore, identifier: int) -> bool:
    """Return whether an empty commit creates a snapshot: for streams, option `commit.force-create-snapshot` decides."""
    core = store.schema.core
    streams = identifier != BATCH_COMMIT_IDENTIFIER and core.commit_force_create_snapshot
    return streams or core.snapshot_ignore_empty_commit is False


@dataclass(frozen=True)
class _CompactionOutcome:
    """The outcome of the compaction of a write: its snapshot, the reason if it was dropped, and the messages as they
    were committed."""

    snapshot: Snapshot | None
    abandoned: str | None
    messages: Sequence[CommitMessage]


def _commit_compaction(
    store: TableStore,
    messages: Sequence[CommitMessage],
    committer: TableCommit,
    written: Snapshot | None,
    identifier: int,
    properties: Mapping[str, str],
    keeps_changelog: bool = True,
) -> _CompactionOutcome:
    """Commit the compaction of a write. If another commit wins, the compaction is dropped, since the rows are already
    committed; if rows become visible only by a compaction, their buckets are compacted again."""
    if any(each.needs_compaction for each in messages):
        remove_files(store, messages, written=False)
        return _compact_again(store, messages, properties, keeps_changelog)
    try:
        recorded = commit_properties(properties, compactions(store, messages))
        return _CompactionOutcome(committer.compact(messages, identifier, recorded), None, messages)
    except CommitConflict as error:
        if written is None:
            raise
        remove_files(store, messages, written=False)
        if _hides_level_0(store):
            return _compact_again(store, messages, properties, keeps_changelog)
        return _CompactionOutcome(None, str(error), messages)
    except (OSError, CorruptFile) as error:
        # The rows are committed, so this must not look like a failed write. The snapshot may exist, so files are kept.
        if written is None:
            raise
        return _CompactionOutcome(None, _reason(store, error), messages)


def _compact_again(
    store: TableStore, messages: Sequence[CommitMessage], properties: Mapping[str, str], keeps_changelog: bool
) -> _CompactionOutcome:
    buckets = {(each.partition, each.bucket) for each in messages if each.compact_before or each.needs_compaction}
    written = [each.without_compaction() for each in messages]
    if store.hooks is None:
        return _CompactionOutcome(None, f"Another commit compacted buckets of {store.name} first.", written)
    try:
        snapshot, compacted = store.hooks.compact_again(store, buckets, properties, keeps_changelog)
    except (WorkbenchError, OSError) as error:
        return _CompactionOutcome(None, _reason(store, error), written)
    return _CompactionOutcome(snapshot, None, [*written, *compacted])


def _hides_level_0(store: TableStore) -> bool:
    return store.schema.is_primary_key_table and store.schema.core.hides_level_0


def _reason(store: TableStore, error: Exception) -> str:
    reason = str(error)
    if isinstance(error, OSError):
        reason = f"The storage failed while the compaction was committed: {error}."
    if not _hides_level_0(store):
        return reason
    return f"{reason} The rows are committed, but not visible until they are compacted: call compact()."


@measured("overwrite")
def overwrite(
    store: TableStore,
    messages: Sequence[bytes | CommitMessage],
    spec: Overwrite,
    properties: Mapping[str, str],
    operation: Operation | None = None,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
    commit_user: str | None = None,
) -> Commit:
    """Replace partitions with the rows that several processes wrote, unless this user already committed the
    identifier."""
    decoded = _decode(messages)
    committer = TableCommit(store, commit_user or new_commit_user(store), operation=operation)
    if committer.is_committed(identifier):
        return Commit(store.name, ())
    check_writer_schemas(store, decoded)
    spec.check_keys()
    spec.check(decoded)
    return _overwrite(store, decoded, spec, properties, committer, identifier)


@measured("commit compaction")
def compact(store: TableStore, messages: Sequence[CommitMessage]) -> Commit:
    """Commit a compaction that is not part of a write."""
    started = store.clock.monotonic()
    committer = TableCommit(store, new_commit_user(store))
    result = committer.compact(messages, BATCH_COMMIT_IDENTIFIER, commit_properties({}, compactions(store, messages)))
    return _result(store, result, _CompactionOutcome(None, None, messages), store.clock.monotonic() - started)


@measured("replace")
def replace_files(
    store: TableStore,
    messages: Sequence[CommitMessage],
    base: Sequence[ManifestEntry],
    base_index: Iterable[IndexEntry],
) -> Commit:
    """Replace ``base``, which is all files in the buckets of some partitions, with new files. ``base_index`` contains
    the index files of the version that ``base`` was read from.

    Raises CommitConflict if another commit changed these partitions, or deleted rows in them.
    """
    started = store.clock.monotonic()
    committer = TableCommit(store, new_commit_user(store))
    result = committer.replace(messages, base, base_index, BATCH_COMMIT_IDENTIFIER, commit_properties({}))
    return _replaced(store, messages, committer, result, {}, started)


def compactions(store: TableStore, messages: Sequence[CommitMessage]) -> list[dict[str, Any]]:
    """Describe each compacted bucket: its id, the reason for the compaction, and its figures."""
    return [
        {"partition": store.partition_directory(message.partition), "bucket": message.bucket, **message.compaction}
        for message in messages
        if message.compaction is not None
    ]


def remove_files(store: TableStore, messages: Sequence[CommitMessage], written: bool = True) -> None:
    """Delete the files that a compaction created and, if ``written``, those of the write itself; upgraded files are
    kept."""
    for message in messages:
        known = {file.file_name for file in message.compact_before}
        created = [file for file in message.compact_after if file.file_name not in known]
        created += message.compact_changelog
        indexes = list(message.compact_new_index_files)
        if written:
            created += (*message.new_files, *message.changelog_files)
            indexes += message.new_index_files
        for file in created:
            store.discard_data_file(message.partition, message.bucket, file)
        for entry in indexes:
            store.discard(index_file_path(store, entry))


def overwrite_written(
    store: TableStore,
    messages: Sequence[CommitMessage],
    spec: Overwrite,
    properties: Mapping[str, str],
    operation: Operation | None,
) -> Commit:
    """Replace the partitions of an overwrite by the written rows; do nothing if it replaces none."""
    committer = TableCommit(store, new_commit_user(store), operation=operation)
    return _overwrite(store, messages, spec, properties, committer)


def _overwrite(
    store: TableStore,
    messages: Sequence[CommitMessage],
    spec: Overwrite,
    properties: Mapping[str, str],
    committer: TableCommit,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Commit:
    replaced = spec.replaced(messages)
    if replaced is None:
        return Commit(store.name, ())
    compacted = any(each.compact_before for each in messages)
    messages = messages if compacted else spec.upgraded_to_last_level(messages)
    return _replace_partitions(store, messages, replaced, properties, committer, identifier)


@measured("overwrite")
def replace_partitions(
    store: TableStore,
    messages: Sequence[CommitMessage],
    replaced: Callable[[bytes], bool],
    properties: Mapping[str, str],
    operation: Operation | None = None,
) -> Commit:
    """Commit one snapshot in which new files replace all files of the partitions that ``replaced`` accepts."""
    committer = TableCommit(store, new_commit_user(store), operation=operation)
    return _replace_partitions(store, messages, replaced, properties, committer, BATCH_COMMIT_IDENTIFIER)


def _replace_partitions(
    store: TableStore,
    messages: Sequence[CommitMessage],
    replaced: Callable[[bytes], bool],
    properties: Mapping[str, str],
    committer: TableCommit,
    identifier: int,
) -> Commit:
    started = store.clock.monotonic()
    result = committer.overwrite(messages, replaced, identifier, commit_properties(properties))
    return _replaced(store, messages, committer, result, properties, started, identifier)


def _replaced(
    store: TableStore,
    messages: Sequence[CommitMessage],
    committer: TableCommit,
    snapshot: Snapshot,
    properties: Mapping[str, str],
    started: float,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Commit:
    """Commit the compaction of the new files of an overwrite or a replacement, without a changelog."""
    compaction = _commit_compaction(store, messages, committer, snapshot, identifier, properties, keeps_changelog=False)
    return _result(store, snapshot, compaction, store.clock.monotonic() - started, identifier)


def _result(
    store: TableStore,
    published: Snapshot | None,
    compaction: _CompactionOutcome,
    seconds: float,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Commit:
    new: list[DataFileMeta] = [file for message in compaction.messages for file in message.new_files]
    snapshots = tuple(snapshot for snapshot in (published, compaction.snapshot) if snapshot is not None)
    newest = snapshots[-1].id if snapshots else None
    return Commit(
        store.name,
        snapshots,
        sum(file.row_count for file in new if file.file_source != FileSource.COMPACT),
        len(new),
        () if compaction.abandoned else tuple(compactions(store, compaction.messages)),
        compaction.abandoned,
        seconds,
        None if store.hooks is None else store.hooks.after_commit(store, compaction.messages, identifier, newest),
        counts_of_messages(compaction.messages),
    )


def _decode(messages: Sequence[bytes | CommitMessage]) -> list[CommitMessage]:
    return [each if isinstance(each, CommitMessage) else CommitMessage.from_bytes(each) for each in messages]
