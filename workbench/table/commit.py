"""The second phase of a write: messages become snapshots (format §4.3, `FileStoreCommitImpl`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.base.errors import CommitConflict
from workbench.format.data_file import CommitMessage, FileKind, ManifestEntry, ManifestFileMeta
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from workbench.lsm.levels import comparable_keys
from workbench.table.conflicts import KeyOf, check_files, check_total_buckets
from workbench.table.manifest_merge import ManifestMergeOptions, merge_manifests
from workbench.table.manifests import ManifestFiles, WrittenList
from workbench.table.schemas import latest_schema_id
from workbench.table.snapshot_commit import FileSystemSnapshotCommit, SnapshotCommit
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore

MAX_SEQUENCE_PROPERTY = "sequence.generation.max-sequence-number"
_MAX_BACKOFF_DOUBLINGS = 20


@dataclass(frozen=True)
class Changes:
    """What one snapshot changes. ``check_files`` is false only for appends of files that were just made."""

    kind: CommitKind
    delta: tuple[ManifestEntry, ...]
    changelog: tuple[ManifestEntry, ...] = ()
    check_files: bool = True


@dataclass(frozen=True, repr=False)
class Commit:
    """What a write or a compaction became. ``snapshots``: one, two (append and compact) or none where nothing changed.

    ``rows`` counts what was handed over, before merging; ``compactions`` says of each compaction which rule picked
    it, and its numbers;
    ``abandoned`` says why a compaction was given up although the rows were written. ``seconds`` is wall time.
    """

    table: str
    snapshots: tuple[Snapshot, ...]
    rows: int = 0
    files: int = 0
    compactions: tuple[Mapping[str, Any], ...] = ()
    abandoned: str | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<Commit of {self}>"

    def __str__(self) -> str:
        names = (
            " and ".join(f"snapshot {each.id} ({each.commit_kind})" for each in self.snapshots) or "nothing to commit"
        )
        return f"{self.table}: {names}, {self.rows:,} rows in {self.files} files, {self.seconds:.1f} s"


ChangesOf = Callable[[Snapshot | None], Changes]
"""The changes as they look on top of a version: an overwrite removes what that version holds."""


@dataclass
class _Written:
    """Metadata files of one attempt, to take back if it fails."""

    names: list[str] = field(default_factory=list)

    def note(self, metas: Sequence[ManifestFileMeta]) -> None:
        self.names.extend(meta.file_name for meta in metas)


class TableCommit:
    """Commits for one user, each of one or two snapshots: what was written, then what was compacted.

    ``user`` must be new for every batch write and stable for a stream: a commit that was tried before is recognised
    by it.
    """

    def __init__(self, store: TableStore, user: str, snapshot_commit: SnapshotCommit | None = None) -> None:
        self._store = store
        self._user = user
        self._publisher = snapshot_commit or FileSystemSnapshotCommit(store)
        self._snapshots = Snapshots(store)
        self._manifests = ManifestFiles(store)
        self._seen: int | None = None

    def is_committed(self, identifier: int) -> bool:
        """Whether this user committed ``identifier`` or a later one already (Java ``filterCommitted``)."""
        if identifier == BATCH_COMMIT_IDENTIFIER:
            return False
        snapshots = self._snapshots.all()
        self._seen = snapshots[-1].id if snapshots else 0
        mine = (each.commit_identifier for each in reversed(snapshots) if each.commit_user == self._user)
        last = next(mine, None)
        return last is not None and identifier <= last

    def append(
        self,
        messages: Sequence[CommitMessage],
        identifier: int,
        properties: Mapping[str, str],
        *,
        force: bool = False,
        check_files: bool = False,
    ) -> Snapshot | None:
        """Commit what was written; None where that is nothing and ``force`` is not set.

        ``check_files`` refuses files that the table holds already: for messages that may have been committed before.
        """
        delta = _entries(messages, FileKind.DELETE, "deleted_files") + _entries(messages, FileKind.ADD, "new_files")
        changelog = _entries(messages, FileKind.ADD, "changelog_files")
        if not delta and not changelog and not force:
            return None
        removes = any(entry.kind == FileKind.DELETE for entry in delta)
        kind = CommitKind.OVERWRITE if removes else CommitKind.APPEND
        changes = Changes(kind, tuple(delta), tuple(changelog), check_files=removes or check_files)
        return self._commit(lambda _: changes, identifier, properties)

    def compact(
        self, messages: Sequence[CommitMessage], identifier: int, properties: Mapping[str, str]
    ) -> Snapshot | None:
        """Commit what was compacted; None where that is nothing."""
        delta = _entries(messages, FileKind.DELETE, "compact_before") + _entries(
            messages, FileKind.ADD, "compact_after"
        )
        if not delta:
            return None
        changes = Changes(
            CommitKind.COMPACT, tuple(delta), tuple(_entries(messages, FileKind.ADD, "compact_changelog"))
        )
        return self._commit(lambda _: changes, identifier, properties)

    def overwrite(
        self,
        messages: Sequence[CommitMessage],
        replaced: Callable[[bytes], bool],
        identifier: int,
        properties: Mapping[str, str],
    ) -> Snapshot:
        """Replace all files of the partitions that ``replaced`` accepts by the new ones, in one snapshot."""
        added = _entries(messages, FileKind.ADD, "new_files")

        def changes(latest: Snapshot | None) -> Changes:
            live = self._manifests.live_files(latest) if latest is not None else ()
            removed = [
                ManifestEntry(FileKind.DELETE, each.partition, each.bucket, each.total_buckets, each.file)
                for each in live
                if replaced(each.partition)
            ]
            return Changes(CommitKind.OVERWRITE, (*removed, *added))

        return self._commit(changes, identifier, properties)

    def _commit(self, changes_of: ChangesOf, identifier: int, properties: Mapping[str, str]) -> Snapshot:
        core, clock = self._store.schema.core, self._store.clock
        started, seen = clock.now_millis(), self._seen
        for attempt in range(core.commit_max_retries + 1):
            latest = self._snapshots.latest()
            changes = changes_of(latest)
            done = self._already_done(seen, latest, identifier, changes.kind)
            if done is not None:
                return done
            seen = latest.id if latest else 0
            snapshot = self._try_once(latest, changes, identifier, properties)
            if snapshot is not None:
                return snapshot
            if core.commit_timeout is not None and clock.now_millis() - started > core.commit_timeout:
                break
            wait = min(core.commit_max_retry_wait, core.commit_min_retry_wait << min(attempt, _MAX_BACKOFF_DOUBLINGS))
            clock.sleep(wait * (1 + random.random()) / 1000)
        raise CommitConflict(
            f"Other writers committed to {self._store.name} first each time this one tried.",
            "Try again, or raise 'commit.max-retries'.",
        )

    def _already_done(
        self, seen: int | None, latest: Snapshot | None, identifier: int, kind: CommitKind
    ) -> Snapshot | None:
        """The same commit made meanwhile, by another process that was given it too.

        Batch commits share one identifier, so only their publisher can tell that an attempt of theirs arrived.
        """
        if seen is None or identifier == BATCH_COMMIT_IDENTIFIER:
            return None
        wanted = (self._user, identifier, kind)
        for number in range(seen + 1, (latest.id if latest else 0) + 1):
            found = self._snapshots.find(number)
            if found and (found.commit_user, found.commit_identifier, found.commit_kind) == wanted:
                return found
        return None

    def _try_once(
        self, latest: Snapshot | None, changes: Changes, identifier: int, properties: Mapping[str, str]
    ) -> Snapshot | None:
        self._check(latest, changes)
        written = _Written()
        try:
            snapshot = self._prepare(latest, changes, identifier, properties, written)
        except BaseException:
            self._manifests.delete(written.names)
            raise
        # From here an error leaves everything in place: the snapshot may be there.
        if self._publisher.publish(snapshot):
            return snapshot
        self._manifests.delete(written.names)
        return None

    def _check(self, latest: Snapshot | None, changes: Changes) -> None:
        bucketed = any(entry.total_buckets > 0 for entry in changes.delta)
        if not changes.check_files and not bucketed:
            return
        partitions = {entry.partition for entry in changes.delta}
        live = self._manifests.live_files(latest) if latest is not None else ()
        base = [entry for entry in live if entry.partition in partitions]
        if changes.kind != CommitKind.OVERWRITE:
            check_total_buckets(base, changes.delta, self._store.name)
        if changes.check_files:
            check_files(base, changes.delta, self._key_of(), self._store.name)

    def _key_of(self) -> KeyOf | None:
        fields = self._store.schema.key_fields
        return comparable_keys([each.type for each in fields]) if fields else None

    def _prepare(
        self,
        latest: Snapshot | None,
        changes: Changes,
        identifier: int,
        properties: Mapping[str, str],
        written: _Written,
    ) -> Snapshot:
        base = self._write_base(latest, written)
        delta = self._write_entries(changes.delta, written)
        changelog = self._write_entries(changes.changelog, written) if changes.changelog else None
        delta_rows = sum(entry.file.row_count * (1 if entry.kind == FileKind.ADD else -1) for entry in changes.delta)
        schema_id = latest_schema_id(self._store)
        return Snapshot(
            uuid=self._store.ids.uuid(),
            id=latest.id + 1 if latest else 1,
            schema_id=schema_id,
            base_manifest_list=base.name,
            base_manifest_list_size=base.size,
            delta_manifest_list=delta.name,
            delta_manifest_list_size=delta.size,
            changelog_manifest_list=changelog.name if changelog else None,
            changelog_manifest_list_size=changelog.size if changelog else None,
            index_manifest=latest.index_manifest if latest else None,
            commit_user=self._user,
            commit_identifier=identifier,
            commit_kind=changes.kind,
            time_millis=self._store.clock.now_millis(),
            total_record_count=self._rows_before(latest) + delta_rows,
            delta_record_count=delta_rows,
            changelog_record_count=sum(entry.file.row_count for entry in changes.changelog) if changelog else None,
            watermark=latest.watermark if latest else None,
            statistics=latest.statistics if latest and latest.schema_id == schema_id else None,
            properties=_properties(latest, changes, properties),
            next_row_id=(latest.next_row_id if latest else None) or 0,
        )

    def _rows_before(self, latest: Snapshot | None) -> int:
        if latest is None:
            return 0
        if latest.total_record_count is not None:
            return latest.total_record_count
        return sum(entry.file.row_count for entry in self._manifests.live_files(latest))

    def _write_base(self, latest: Snapshot | None, written: _Written) -> WrittenList:
        metas: tuple[ManifestFileMeta, ...] = ()
        if latest is not None:
            core = self._store.schema.core
            options = ManifestMergeOptions(
                core.manifest_target_file_size,
                core.manifest_merge_min_count,
                core.manifest_full_compaction_threshold_size,
            )
            merged = merge_manifests(self._manifests, self._manifests.data_manifests(latest), options)
            written.note(merged.written)
            metas = merged.metas
        return self._write_list(metas, written)

    def _write_entries(self, entries: Sequence[ManifestEntry], written: _Written) -> WrittenList:
        metas = self._manifests.write(entries)
        written.note(metas)
        return self._write_list(metas, written)

    def _write_list(self, metas: Sequence[ManifestFileMeta], written: _Written) -> WrittenList:
        made = self._manifests.write_list(metas)
        written.names.append(made.name)
        return made


def _entries(messages: Sequence[CommitMessage], kind: FileKind, files: str) -> list[ManifestEntry]:
    return [
        ManifestEntry(kind, message.partition, message.bucket, message.total_buckets, file)
        for message in messages
        for file in getattr(message, files)
    ]


def _properties(latest: Snapshot | None, changes: Changes, properties: Mapping[str, str]) -> dict[str, str]:
    """What the caller notes, and the counter that tables with `write.sequence-number-init-mode=snapshot` carry on
    (format §16)."""
    result = dict(properties)
    known = latest.properties.get(MAX_SEQUENCE_PROPERTY) if latest else None
    if known is not None:
        added = (entry.file.max_sequence_number for entry in changes.delta if entry.kind == FileKind.ADD)
        result[MAX_SEQUENCE_PROPERTY] = str(max(int(known), max(added, default=int(known))))
    return result
