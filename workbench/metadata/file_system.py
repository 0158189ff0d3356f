"""The snapshots and schemas of tables whose catalog is a file system."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.metadata.protocol import TableBranch, TableVersions
from workbench.metadata.schema_files import FileSystemSchemaStore
from workbench.metadata.snapshot_files import FileSystemSnapshotStore


@dataclass(frozen=True)
class FileSystemVersions(TableVersions):
    """Opens the snapshots and schemas that are files in the directories of their tables."""

    def snapshots(self, branch: TableBranch) -> FileSystemSnapshotStore:
        """Open the snapshot files of a branch."""
        return FileSystemSnapshotStore(branch)

    def schemas(self, branch: TableBranch) -> FileSystemSchemaStore:
        """Open the schema files of a branch."""
        return FileSystemSchemaStore(branch)
