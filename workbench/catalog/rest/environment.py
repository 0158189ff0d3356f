"""What a REST service provides for one of its tables, in this process and in tasks on executors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.errors import Unsupported
from workbench.catalog.rest.schemas import RestSchemaStore
from workbench.catalog.rest.snapshots import RestSnapshotCommit, RestSnapshotStore
from workbench.catalog.rest.table import RestTable
from workbench.catalog.rest.tokens import TokenFileIO, tokens_of
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.protocol import (
    BranchService,
    CatalogEnvironment,
    SchemaStore,
    SnapshotCommit,
    SnapshotStore,
    TableBranch,
)
from workbench.storage.file_io import FileIO
from workbench.storage.lock import CatalogLock, NoLock
from workbench.storage.open import file_io_for

_FILES = FileSystemEnvironment()


@dataclass(frozen=True)
class RestEnvironment(CatalogEnvironment):
    """Reads and commits versions through the service. External tables are committed as files."""

    table: RestTable

    def file_io(self, location: str, options: Mapping[str, str]) -> FileIO:
        """Open the storage of the table, with credentials from the service if it gives any."""
        if not self.table.has_tokens:
            return file_io_for(location, options)
        tokens = tokens_of(self.table.options, self.table.database, self.table.name, self.table.uuid)
        return TokenFileIO(tokens, lambda token: file_io_for(location, {**options, **token}))

    def lock(self, options: Mapping[str, str]) -> CatalogLock:  # noqa: ARG002
        """Return no lock: the service decides which commit is first."""
        return NoLock()

    def snapshots(self, branch: TableBranch) -> SnapshotStore:
        """Open the snapshots of a branch."""
        return _FILES.snapshots(branch) if self.table.is_external else RestSnapshotStore(self.table, branch)

    def schemas(self, branch: TableBranch) -> SchemaStore:
        """Open the schemas of a branch."""
        return RestSchemaStore(self.table, branch)

    def snapshot_commit(self, branch: TableBranch) -> SnapshotCommit:
        """Return how snapshots of a branch become visible."""
        if self.table.is_external:
            return _FILES.snapshot_commit(branch)
        return RestSnapshotCommit(self.table, branch, RestSnapshotStore(self.table, branch))

    def branches(self) -> BranchService | None:
        """Return the branches of the table in the service; None if they are directories."""
        return None if self.table.is_external else RestBranches(self.table)

    def mark_partitions_done(self, branch: TableBranch, partitions: Sequence[Mapping[str, str]]) -> bool:  # noqa: ARG002
        """Mark partitions as done in the service."""
        self.table.api.mark_done(self.table.database, self.table.name, partitions)
        return True


@dataclass(frozen=True)
class RestBranches(BranchService):
    """The branches of a table in the service (Java ``CatalogBranchManager``)."""

    table: RestTable

    def names(self) -> list[str]:
        """Return the names of all branches, without main."""
        return self.table.api.branches(self.table.database, self.table.name)

    def create(self, name: str, tag: str | None) -> None:
        """Create a branch at a tag, or an empty one."""
        self.table.api.create_branch(self.table.database, self.table.name, name, tag)

    def rename(self, name: str, new_name: str) -> None:
        """Refuse: the protocol of Paimon 2.0 does not rename branches."""
        raise Unsupported(
            f"The service of {self.table.database}.{self.table.name} does not rename branch '{name}' to '{new_name}'.",
            "Create a tag in the branch and a new branch, and delete the old one.",
        )

    def delete(self, name: str) -> None:
        """Remove a branch."""
        self.table.api.drop_branch(self.table.database, self.table.name, name)

    def fast_forward(self, name: str) -> None:
        """Replace the history of the table since the start of a branch by that of the branch."""
        self.table.api.forward_branch(self.table.database, self.table.name, name)
