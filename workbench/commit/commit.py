"""The second phase of a write: messages become snapshots (format §4.3, `FileStoreCommitImpl`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.base.observers import report_change
from workbench.commit.changes import Changes
from workbench.commit.cleanup import metadata_files
from workbench.commit.conflict_detection import ConflictDetection
from workbench.commit.index_changes import IndexChanges
from workbench.commit.manifest_merge import needs_rewrite
from workbench.commit.next_snapshot import NextSnapshot
from workbench.commit.own_manifests import OwnManifestFiles
from workbench.commit.publication import Publication
from workbench.commit.written import Written
from workbench.format.spec.data_file import CommitMessage, FileKind, ManifestEntry
from workbench.format.spec.index_entry import HASH, IndexEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.expired_versions import newest_if_expired
from workbench.metadata.index_files import index_entries
from workbench.metadata.schemas import check_schema_is_stored, note_version
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

_MAX_BACKOFF_DOUBLINGS = 20


ChangesOf = Callable[[Snapshot | None], Changes]
"""Returns the changes to make to a given version; for example, an overwrite removes the files of that version."""


def retry_wait(store: TableStore, attempt: int) -> float:
    """Return how many seconds to wait after a lost attempt; the first attempt is number 0."""
    core = store.schema.core
    wait = min(core.commit_max_retry_wait, core.commit_min_retry_wait << min(attempt, _MAX_BACKOFF_DOUBLINGS))
    return wait * (1 + random.random()) / 1000


class TableCommit:
    """Commits messages as one or two snapshots: one of the written files, then one of the compacted files."""

    def __init__(self, publication: Publication) -> None:
        self.publication = publication
        self._store = publication.store
        self._snapshots = Snapshots(self._store)
        self._manifests = OwnManifestFiles(self._store)
        self._conflicts = ConflictDetection(publication, self._manifests)
        self._next = NextSnapshot(publication, self._manifests)
        self._seen: int | None = None

    def is_committed(self) -> bool:
        """Return whether the user already committed the identifier or a later one (Java ``filterCommitted``)."""
        if self.publication.is_batch:
            return False
        snapshots = self._snapshots.all()
        self._seen = snapshots[-1].id if snapshots else 0
        safe = self._store.schema.core.commit_strict_mode_last_safe_snapshot or 0
        mine = (each for each in reversed(snapshots) if each.commit_user == self.publication.user and each.id > safe)
        last = next((each.commit_identifier for each in mine), None)
        return last is not None and self.publication.identifier <= last

    def append(
        self, messages: Sequence[CommitMessage], *, force: bool = False, check_files: bool = False
    ) -> Snapshot | None:
        """Commit the written files, and return the snapshot; None if there are none and ``force`` is not set.

        ``check_files`` refuses files that the table already has, for messages that may have been committed before.
        """
        delta = _entries(messages, FileKind.DELETE, "deleted_files") + _entries(messages, FileKind.ADD, "new_files")
        changelog = _entries(messages, FileKind.ADD, "changelog_files")
        index = _index_changes(messages, "new_index_files", "deleted_index_files")
        if not delta and not changelog and not index and not force:
            return None
        # As in Java's `ConflictDetection.shouldBeOverwriteCommit`: if rows disappear, the commit is an OVERWRITE, so
        # that readers of appended rows skip it.
        removes = any(entry.kind == FileKind.DELETE for entry in delta) or index.has_deletion_vectors
        kind = CommitKind.OVERWRITE if removes else CommitKind.APPEND
        changes = Changes(
            kind,
            tuple(delta),
            tuple(changelog),
            check_files=removes or check_files,
            index=index,
            assigned_by=_assigned_by(messages),
            bases=frozenset(message.base for message in messages if message.base is not None),
        )
        return self._commit(lambda _: changes)

    def compact(self, messages: Sequence[CommitMessage]) -> Snapshot | None:
        """Commit the compacted files, and return the snapshot; None if there are none."""
        delta = _entries(messages, FileKind.DELETE, "compact_before") + _entries(
            messages, FileKind.ADD, "compact_after"
        )
        changelog = _entries(messages, FileKind.ADD, "compact_changelog")
        index = _index_changes(messages, "compact_new_index_files", "compact_deleted_index_files")
        if not delta and not changelog and not index:
            return None
        changes = Changes(CommitKind.COMPACT, tuple(delta), tuple(changelog), index=index, compactions=tuple(messages))
        return self._commit(lambda _: changes)

    def overwrite(self, messages: Sequence[CommitMessage], replaced: Callable[[bytes], bool]) -> Snapshot:
        """Replace all files of the partitions that ``replaced`` accepts with the new files, in one snapshot.

        Postponed files are replaced only if option 'bucket' of the table is '-2' (Java ``OverwriteChangesProvider``).
        """
        keeps_none_waiting = self._store.schema.core.bucket == POSTPONE_BUCKET
        added = _entries(messages, FileKind.ADD, "new_files")
        new_index = tuple(entry for message in messages for entry in message.new_index_files)

        def changes(latest: Snapshot | None) -> Changes:
            live = self._manifests.live_files(latest) if latest is not None else ()
            removed = [
                ManifestEntry(FileKind.DELETE, each.partition, each.bucket, each.total_buckets, each.file)
                for each in live
                if replaced(each.partition) and (each.bucket >= 0 or keeps_none_waiting)
            ]
            old_index = tuple(each for each in index_entries(self._store, latest) if replaced(each.partition))
            return Changes(CommitKind.OVERWRITE, (*removed, *added), index=IndexChanges(new_index, old_index))

        return self._commit(changes)

    def replace(
        self,
        messages: Sequence[CommitMessage],
        base: Sequence[ManifestEntry],
        base_index: Iterable[IndexEntry],
    ) -> Snapshot:
        """Replace ``base``, which is all files in the buckets of some partitions, with the new files.

        ``base_index`` contains the index files of the version that ``base`` was read from.

        Raises:
            CommitConflict: The partitions now have different files or deletion vectors: replacing them would lose rows,
                or make deleted rows reappear.
        """
        partitions = {entry.partition for entry in base}
        known = {entry.identifier for entry in base}
        known_index = {entry.file_name for entry in base_index if entry.partition in partitions}
        added = _entries(messages, FileKind.ADD, "new_files")
        new_index = tuple(entry for message in messages for entry in message.new_index_files)
        removed = [replace(entry, kind=FileKind.DELETE) for entry in base]

        def changes(latest: Snapshot | None) -> Changes:
            live = self._manifests.live_files(latest) if latest is not None else ()
            current = {each.identifier for each in live if each.partition in partitions and each.bucket >= 0}
            index = tuple(each for each in index_entries(self._store, latest) if each.partition in partitions)
            if current != known or {each.file_name for each in index} != known_index:
                raise CommitConflict(
                    f"Another commit changed the partitions of {self._store.name} that were being rewritten.",
                    "Nothing was changed; run the operation again on the newest version.",
                )
            return Changes(CommitKind.OVERWRITE, (*removed, *added), index=IndexChanges(new_index, index))

        return self._commit(changes)

    def statistics(self, name: str) -> Snapshot:
        """Commit a statistics file. No row changes."""
        changes = Changes(CommitKind.ANALYZE, (), check_files=False, statistics=name)
        return self._commit(lambda _: changes)

    def compact_manifests(self) -> Snapshot | None:
        """Merge all manifests that are small or remove files, and return the snapshot; None if this would change
        nothing."""
        latest = self._snapshots.latest()
        metas = self._manifests.data_manifests(latest) if latest is not None else []
        target = self._store.schema.core.manifest_target_file_size
        untidy = [meta for meta in metas if needs_rewrite(meta, target)]
        if len(metas) < 2 or not (len(untidy) > 1 or any(meta.num_deleted_files for meta in untidy)):
            return None
        changes = Changes(CommitKind.COMPACT, (), check_files=False, merges_all_manifests=True)
        return self._commit(lambda _: changes)

    def _commit(self, changes_of: ChangesOf) -> Snapshot:
        with metadata_files(self._manifests) as written:
            return self._attempt_repeatedly(changes_of, written)

    def _attempt_repeatedly(self, changes_of: ChangesOf, written: Written) -> Snapshot:
        core, clock = self._store.schema.core, self._store.clock
        started, seen = clock.now_millis(), self._seen
        for attempt in range(core.commit_max_retries + 1):
            latest = self._store.snapshots.recent() if attempt == 0 else self._store.snapshots.latest()
            schema_id = check_schema_is_stored(self._store)
            try:
                changes = changes_of(latest)
                done = self._already_done(seen, latest, changes.kind)
                if done is not None:
                    self._manifests.delete(written.names)
                    return done
                seen = latest.id if latest else 0
                snapshot = self._try_once(latest, changes, schema_id, written)
            except CorruptFile:
                # Other writers committed, and the version that this commit was to follow has expired.
                if written.in_doubt or newest_if_expired(self._store, latest) is None:
                    raise
                snapshot = None
            if snapshot is not None:
                return snapshot
            self._manifests.delete(written.lost())
            is_late = core.commit_timeout is not None and clock.now_millis() - started > core.commit_timeout
            if is_late or attempt == core.commit_max_retries:
                break
            clock.sleep(retry_wait(self._store, attempt))
            self._manifests.read_ahead(self._store.snapshots.latest())
        raise CommitConflict(
            f"Every attempt to commit to {self._store.name} lost to another writer.",
            "Try again, or raise 'commit.max-retries'.",
        )

    def _already_done(self, seen: int | None, latest: Snapshot | None, kind: CommitKind) -> Snapshot | None:
        """Return the snapshot of the same commit if another process published it concurrently.

        Batch commits share one identifier, so only their publisher notices that an earlier attempt succeeded.
        """
        if seen is None or self.publication.is_batch:
            return None
        wanted = (self.publication.user, self.publication.identifier, kind)
        for number in range(seen + 1, (latest.id if latest else 0) + 1):
            snapshot = self._snapshots.find(number)
            if snapshot and (snapshot.commit_user, snapshot.commit_identifier, snapshot.commit_kind) == wanted:
                return snapshot
        return None

    def _try_once(self, latest: Snapshot | None, changes: Changes, schema_id: int, written: Written) -> Snapshot | None:
        changes = self._conflicts.checked(latest, changes)
        with self._manifests.uploading_together():
            snapshot = self._next.prepare(latest, changes, schema_id, written)
        if not self._next.publish(snapshot, latest, changes.delta, written):
            return None
        # The snapshot is published: files that cannot be deleted are left to orphan cleaning.
        with suppress(OSError):
            self._manifests.delete(written.published())
        self._manifests.follow(snapshot)
        note_version(self._store, snapshot)
        report_change(self._store.name)
        return snapshot


def _entries(messages: Sequence[CommitMessage], kind: FileKind, files: str) -> list[ManifestEntry]:
    return [
        ManifestEntry(kind, message.partition, message.bucket, message.total_buckets, file)
        for message in messages
        for file in getattr(message, files)
    ]


def _index_changes(messages: Sequence[CommitMessage], added: str, removed: str) -> IndexChanges:
    return IndexChanges(
        tuple(entry for message in messages for entry in getattr(message, added)),
        tuple(entry for message in messages for entry in getattr(message, removed)),
    )


def _assigned_by(messages: Sequence[CommitMessage]) -> tuple[IndexEntry, ...]:
    """Return the hash indexes that assigned keys to the buckets of the messages, including those that the messages
    replace."""
    assigned = (message.assigned_by for message in messages if message.assigned_by is not None)
    replaced = (entry for message in messages for entry in message.deleted_index_files if entry.index_type == HASH)
    return (*assigned, *replaced)
