"""The environment of tables whose snapshots and schemas are files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.protocol import CatalogEnvironment, PartitionStatistics, SnapshotCommit, TableBranch
from workbench.storage.file_io import FileIO
from workbench.storage.lock import CatalogLock, lock_for
from workbench.storage.open import file_io_for


@dataclass(frozen=True)
class FileSystemEnvironment(CatalogEnvironment):
    """Opens the storage of a table, and the snapshots and schemas that are files in its directory."""

    def file_io(self, location: str, options: Mapping[str, str]) -> FileIO:
        """Open the storage of the table."""
        return file_io_for(location, options)

    def lock(self, options: Mapping[str, str]) -> CatalogLock:
        """Return the lock that the options configure."""
        return lock_for(options)

    def snapshots(self, branch: TableBranch) -> FileSystemSnapshotStore:
        """Open the snapshot files of a branch."""
        return FileSystemSnapshotStore(branch)

    def schemas(self, branch: TableBranch) -> FileSystemSchemaStore:
        """Open the schema files of a branch."""
        return FileSystemSchemaStore(branch)

    def snapshot_commit(self, branch: TableBranch) -> SnapshotCommit:
        """Return the writer of the snapshot files of a branch."""
        return FileSnapshotCommit(self.snapshots(branch))


class FileSnapshotCommit(SnapshotCommit):
    """Publishes snapshots as files (Java ``RenamingSnapshotCommit``)."""

    def __init__(self, files: FileSystemSnapshotStore) -> None:
        self._files = files

    def commit(
        self,
        snapshot: Snapshot,
        base: Snapshot | None,  # noqa: ARG002
        statistics: Callable[[], Sequence[PartitionStatistics]],  # noqa: ARG002
    ) -> bool:
        """Write the file of the snapshot if its id is free, under the lock of the catalog if it has one."""
        return self._files.publish(snapshot)
