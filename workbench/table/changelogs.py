"""Changelogs that outlived their snapshots, each a copy of the snapshot's file (format §23, `ChangelogManager`)."""

from __future__ import annotations

from workbench.base.parallel import parallel_map
from workbench.format import paths
from workbench.format.snapshot import Snapshot
from workbench.storage.file_io import join
from workbench.table.snapshots import read_hint
from workbench.table.store import TableStore, read_small


class Changelogs:
    """The long-lived changelogs of one table, read fresh at every call."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._directory = store.branch_path(paths.CHANGELOG_DIRECTORY)

    def path(self, snapshot_id: int) -> str:
        """Where the changelog of a snapshot is stored."""
        return join(self._directory, paths.changelog_name(snapshot_id))

    def ids(self) -> list[int]:
        """The ids of the snapshots of which there are changelogs, ascending."""
        listed = self._store.file_io.list_files(self._directory)
        return sorted(number for number in (paths.changelog_id(each.name) for each in listed) if number is not None)

    def find(self, snapshot_id: int) -> Snapshot | None:
        """The snapshot as it was, of which only the changelog may be left; None where there is no such file.

        Raises:
            CorruptFile: the file is garbled.
        """
        path = self.path(snapshot_id)
        try:
            return Snapshot.from_json(read_small(self._store.file_io, path), path)
        except FileNotFoundError:
            return None

    def all(self) -> list[Snapshot]:
        """All of them, oldest first."""
        return [found for found in parallel_map(self.find, self.ids()) if found is not None]

    def keep(self, snapshot: Snapshot) -> None:
        """Let the changelog of a snapshot that expires live on."""
        self._store.file_io.overwrite_atomic(self.path(snapshot.id), snapshot.to_json().encode())

    def delete(self, snapshot_id: int) -> None:
        """Forget one; it is fine if it is gone already."""
        self._store.file_io.delete(self.path(snapshot_id))

    def write_latest_hint(self, snapshot_id: int) -> None:
        """Say which is the newest; -1 where none is left, as Java does."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.LATEST), str(snapshot_id).encode())

    def write_earliest_hint(self, snapshot_id: int) -> None:
        """Say which is the oldest."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.EARLIEST), str(snapshot_id).encode())

    def ensure_earliest_hint(self, snapshot_id: int) -> None:
        """Say so where nobody has said which is."""
        if read_hint(self._store.file_io, join(self._directory, paths.EARLIEST)) is None:
            self.write_earliest_hint(snapshot_id)
