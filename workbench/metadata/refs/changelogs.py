"""Changelogs that outlive their snapshots, each a copy of the snapshot's file (format §23, `ChangelogManager`)."""

from __future__ import annotations

from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.small_files import read_hint, read_small
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join


class Changelogs:
    """The long-lived changelogs of one table, read fresh at every call."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._directory = store.branch_path(paths.CHANGELOG_DIRECTORY)

    def path(self, snapshot_id: int) -> str:
        """Return the path of a snapshot's changelog."""
        return join(self._directory, paths.changelog_name(snapshot_id))

    def ids(self) -> list[int]:
        """Return the ids of the snapshots that have a long-lived changelog, ascending."""
        listed = self._store.file_io.list_files(self._directory)
        return sorted(number for number in (paths.changelog_id(each.name) for each in listed) if number is not None)

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return the snapshot of a changelog file, even if its own file has expired; None if there is no changelog
        file.

        Raises:
            CorruptFile: The file is corrupt.
        """
        path = self.path(snapshot_id)
        try:
            return Snapshot.from_json(read_small(self._store.file_io, path), path)
        except FileNotFoundError:
            return None

    def all(self) -> list[Snapshot]:
        """Return all long-lived changelogs, oldest first."""
        return [changelog for changelog in parallel_map(self.find, self.ids()) if changelog is not None]

    def keep(self, snapshot: Snapshot) -> None:
        """Keep the changelog of a snapshot that expires."""
        self._store.file_io.overwrite_atomic(self.path(snapshot.id), snapshot.to_json().encode())

    def delete(self, snapshot_id: int) -> None:
        """Delete the changelog of a snapshot, if it exists."""
        self._store.file_io.delete(self.path(snapshot_id))

    def write_latest_hint(self, snapshot_id: int) -> None:
        """Write the id of the newest changelog to the hint; -1 if none is left, as Java does."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.LATEST), str(snapshot_id).encode())

    def write_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest changelog to the hint."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.EARLIEST), str(snapshot_id).encode())

    def ensure_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest changelog to the hint if there is no hint yet."""
        if read_hint(self._store.file_io, join(self._directory, paths.EARLIEST)) is None:
            self.write_earliest_hint(snapshot_id)
