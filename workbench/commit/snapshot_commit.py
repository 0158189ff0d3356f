"""How a snapshot becomes the table's next version: one step that either happens whole or not at all (format §4.2)."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Protocol

from workbench.base.errors import CorruptFile
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore, read_small
from workbench.storage.lock import NoLock


class SnapshotCommit(Protocol):
    """Publishes snapshots. The file system does it by put-if-absent; a catalog that owns its snapshots does it by a
    call."""

    def publish(self, snapshot: Snapshot) -> bool:
        """Make ``snapshot`` the table's newest version: True if it is, False if another writer took its id first.

        An exception means that nobody knows: the files it names must stay.
        """
        ...


class FileSystemSnapshotCommit:
    """Put-if-absent of ``snapshot-N``, under the catalog's lock if it has one (`RenamingSnapshotCommit` in Java)."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._snapshots = Snapshots(store)

    def publish(self, snapshot: Snapshot) -> bool:
        """Write the snapshot if its id is free, then the hint, whose loss harms nobody."""
        if snapshot.id > 1 and not self._store.file_io.exists(self._snapshots.path(snapshot.id - 1)):
            # The version before has expired, so others took this id. It may only look free because it expired too.
            return False
        path = self._snapshots.path(snapshot.id)
        if not put_version(self._store, path, snapshot.to_json().encode()):
            return False
        if self._expired_before(snapshot.id):
            self._store.file_io.delete(path)
            return False
        # The snapshot is there now: a commit whose hint cannot be written must not look like one that failed.
        with suppress(OSError):
            self._snapshots.write_latest_hint(snapshot.id)
        return True

    def _expired_before(self, snapshot_id: int) -> bool:
        """Whether snapshots of this age had expired before this one was written.

        Expiry deletes snapshots before it raises the hint, so one below the hint came too late. A hint that cannot be
        read is no reason to report a commit as failed whose snapshot is there.
        """
        with suppress(OSError):
            return snapshot_id > 1 and self._snapshots.is_below_earliest(snapshot_id)
        return False


def put_version(store: TableStore, path: str, data: bytes) -> bool:
    """Make ``data`` the snapshot or schema at ``path``: True if it is, False if another writer took its id first.

    It warns where two writers may both believe to be first.
    """
    if not store.file_io.supports_put_if_absent and isinstance(store.lock, NoLock):
        warnings.warn(
            f"{store.location} is on a store without put-if-absent and has no lock: "
            "two writers at once may lose a commit.",
            stacklevel=3,
        )
    table = store.name.partition("$")[0]
    with store.lock.lock(*table.split(".", 1)):
        if store.file_io.put_if_absent(path, data):
            return True
    # An earlier try of ours may have succeeded although its answer was lost.
    try:
        return read_small(store.file_io, path) == data
    except (FileNotFoundError, CorruptFile):
        return False
