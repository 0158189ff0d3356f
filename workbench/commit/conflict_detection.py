"""The conflict checks of a commit before each attempt to build on a version (format §4.4, `ConflictDetection` and
`StrictModeChecker`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import CommitConflict
from workbench.commit.conflict_checks import (
    KeyOf,
    Vectors,
    check_assignments,
    check_bucket_vectors,
    check_column_files,
    check_files,
    check_lookups,
    check_sequences,
    check_total_buckets,
)
from workbench.commit.index_changes import IndexChanges
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import BaseVersion, ManifestEntry
from workbench.format.spec.index_entry import DELETION_VECTORS, IndexEntry
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lsm.levels import comparable_keys
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries, read_hashes
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots

if TYPE_CHECKING:
    from workbench.commit.changes import Changes

_STRICT_MODE = "commit.strict-mode.last-safe-snapshot"


class ConflictDetection:
    """The conflict checks of one committer, repeated for each version that it tries to build on."""

    def __init__(self, publication: Publication, manifests: ManifestFiles) -> None:
        self._store = store = publication.store
        self._user = publication.user
        self._manifests = manifests
        self._snapshots = Snapshots(store)
        self._safe = store.schema.core.commit_strict_mode_last_safe_snapshot

    def checked(self, latest: Snapshot | None, changes: Changes) -> Changes:
        """Return the changes to apply to ``latest``: the given changes, minus files that this version already contains
        if option `commit.discard-duplicate-files` is set.

        Java checks the number of buckets of appended files only if writers do not compact. It is always checked here,
        because rows in files written for a different number of buckets cannot be found by key.

        Raises:
            CommitConflict: Another writer made a conflicting change first; the message describes it.
        """
        partitions = _changed_partitions(changes)
        self._check_strictly(latest, changes.kind, partitions)
        if changes.assigned_by:
            index = index_entries(self._store, latest)
            check_assignments(index, changes, self._has_all_keys, self._store.name)
        discards = changes.kind == CommitKind.APPEND and self._store.schema.core.commit_discard_duplicate_files
        check = changes.check_files or discards
        was_replaced = latest is not None and any(self._was_replaced(each, latest) for each in changes.bases)
        if not check and not was_replaced and not any(entry.total_buckets > 0 for entry in changes.delta):
            return changes
        live = self._manifests.live_files(latest) if latest is not None else ()
        base = [entry for entry in live if entry.partition in partitions]
        if was_replaced:
            check_sequences(base, changes.delta, self._store.name)
        if changes.bases and self._store.schema.core.data_evolution_enabled:
            check_column_files(base, changes.delta, min(each.snapshot_id for each in changes.bases), self._store.name)
        if discards:
            there = {entry.identifier for entry in base}
            changes = replace(changes, delta=tuple(each for each in changes.delta if each.identifier not in there))
        if changes.kind != CommitKind.OVERWRITE:
            check_total_buckets(base, changes.delta, self._store.name)
        if check:
            vectors = self._vectors(latest, changes.index)
            check_files(base, changes.delta, self._key_of(), self._store.name, vectors)
            if not self._store.schema.is_bucket_unaware:
                self._check_buckets(latest, base, changes)
        return changes

    def _was_replaced(self, base: BaseVersion, latest: Snapshot) -> bool:
        """Return whether a rollback or a fast-forward removed a version; an expired version does not count as
        replaced."""
        if base.snapshot_id > latest.id:
            return True
        found = latest if base.snapshot_id == latest.id else self._snapshots.find(base.snapshot_id)
        return found is not None and found.delta_manifest_list != base.manifest_list

    def _check_buckets(self, latest: Snapshot | None, base: Sequence[ManifestEntry], changes: Changes) -> None:
        """Check that the buckets are as they were when the changes were prepared.

        Java does not check this, and loses one of two concurrent changes to the deletion vectors of a bucket.
        """
        looks_up = any(message.looked_up_in is not None for message in changes.compactions)
        if not looks_up and not changes.index.has_deletion_vectors:
            return
        index = index_entries(self._store, latest)
        check_bucket_vectors(index, changes.index, self._store.name)
        if looks_up:
            check_lookups(known_buckets(base, index), changes.compactions, self._store.name)

    def _has_all_keys(self, later: IndexEntry, earlier: IndexEntry) -> bool:
        try:
            return bool(np.isin(read_hashes(self._store, earlier), read_hashes(self._store, later)).all())
        except FileNotFoundError:
            return False

    def _key_of(self) -> KeyOf | None:
        fields = self._store.schema.key_fields
        return comparable_keys([each.type for each in fields]) if fields else None

    def _vectors(self, latest: Snapshot | None, changes: IndexChanges) -> Vectors | None:
        """Return the deletion vectors of an append table.

        Java checks them only in tables without buckets, and loses one of two concurrent deletes in a bucket.
        """
        if self._store.schema.is_primary_key_table:
            return None
        return Vectors(index_entries(self._store, latest), changes)

    # --- strict mode ----------------------------------------------------------------------------------------------

    def _check_strictly(self, latest: Snapshot | None, kind: CommitKind, partitions: set[bytes]) -> None:
        """Refuse a commit if others have changed the same partitions since the last version that the caller knows to be
        safe."""
        if self._safe is None or latest is None:
            return
        if self._safe < 0:
            # The caller knows no safe version yet: the newest version at its first commit becomes the safe one.
            self._safe = latest.id
        for number in range(self._safe + 1, latest.id + 1):
            other = self._snapshots.find(number)
            if other is None:
                raise CommitConflict(
                    f"Snapshot {number} of {self._store.name} has expired; its changes can no longer be checked.",
                    f"Option '{_STRICT_MODE}' requires this check for all snapshots after {self._safe}.",
                )
            if other.commit_user != self._user and self._is_in_the_way(other, kind, partitions):
                raise CommitConflict(
                    f"Snapshot {other.id} ({other.commit_kind}) of {self._store.name} by {other.commit_user} changed "
                    "partitions that this commit changes too.",
                    f"Option '{_STRICT_MODE}' does not permit this after snapshot {self._safe}.",
                )
        self._safe = latest.id

    def _is_in_the_way(self, other: Snapshot, kind: CommitKind, partitions: set[bytes]) -> bool:
        if other.commit_kind in (CommitKind.COMPACT, CommitKind.OVERWRITE):
            return self._touches(other, partitions) or self._changes_indexes(other, partitions)
        if other.commit_kind == CommitKind.APPEND and kind == CommitKind.OVERWRITE:
            return self._touches(other, partitions, only_buckets=True)
        return False

    def _touches(self, other: Snapshot, partitions: set[bytes], only_buckets: bool = False) -> bool:
        entries = self._manifests.delta_entries(other)
        return any(entry.partition in partitions and (entry.bucket >= 0 or not only_buckets) for entry in entries)

    def _changes_indexes(self, other: Snapshot, partitions: set[bytes]) -> bool:
        before = self._snapshots.find(other.id - 1)
        if before is not None and before.index_manifest == other.index_manifest:
            return False
        return any(entry.partition in partitions for entry in index_entries(self._store, other))


def _changed_partitions(changes: Changes) -> set[bytes]:
    indexes: Iterable[bytes] = (
        entry.partition
        for entry in (*changes.index.added, *changes.index.removed)
        if entry.index_type == DELETION_VECTORS or entry.global_index is not None
    )
    return {entry.partition for entry in changes.delta}.union(indexes)
