"""How a snapshot becomes the table's next version: one step that either happens whole or not at all (format §4.2)."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Protocol

from workbench.base.errors import CorruptFile
from workbench.format.snapshot import Snapshot
from workbench.storage.lock import NoLock
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore


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
        file_io, path = self._store.file_io, self._snapshots.path(snapshot.id)
        if not file_io.supports_put_if_absent and isinstance(self._store.lock, NoLock):
            warnings.warn(
                f"{self._store.location} is on a store without put-if-absent and has no lock: "
                "two writers at once may lose a commit.",
                stacklevel=2,
            )
        with self._store.lock.lock(*self._store.name.split(".", 1)):
            published = file_io.put_if_absent(path, snapshot.to_json().encode())
            if not published and not self._is_ours(snapshot):
                return False
            # The snapshot is there now: a commit whose hint cannot be written must not look like one that failed.
            with suppress(OSError):
                self._snapshots.write_latest_hint(snapshot.id)
        return True

    def _is_ours(self, snapshot: Snapshot) -> bool:
        """An earlier try of ours may have succeeded although its answer was lost."""
        try:
            found = self._snapshots.find(snapshot.id)
        except CorruptFile:
            return False
        return found is not None and found.uuid == snapshot.uuid
