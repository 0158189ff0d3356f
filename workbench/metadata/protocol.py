"""Interfaces between a table and its catalog, which decides where snapshots and schemas are kept, how a snapshot
becomes visible, and which lock and storage writers use (Java ``CatalogEnvironment``)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileIO, join
from workbench.storage.lock import CatalogLock


@dataclass(frozen=True)
class SnapshotPage:
    """Snapshots, newest first. ``next`` is the id of the last snapshot of the page if older ones follow; ``ids`` are
    the ids of all snapshots."""

    snapshots: tuple[Snapshot, ...]
    next: int | None
    ids: Collection[int]


@dataclass(frozen=True)
class TableBranch:
    """A branch of a table, for which snapshots and schemas are opened. ``name`` is ``database.table``, or
    ``database.table$branch_name`` for a branch other than main; ``location`` is the directory of the table."""

    name: str
    location: str
    branch: str
    file_io: FileIO
    lock: CatalogLock
    cache: ByteCache

    def path(self, *names: str) -> str:
        """Return a path inside the branch's own directory."""
        return join(branch_location(self.location, self.branch), *names)

    @property
    def identifier(self) -> tuple[str, str]:
        """The names of database and table, by which a catalog locks the table."""
        database, _, table = self.name.partition("$")[0].partition(".")
        return database, table


@dataclass(frozen=True)
class SnapshotFinder:
    """Finds many snapshots of a branch."""

    ids: Callable[[], Sequence[int]]
    """Returns all ids, ascending."""

    find: Callable[[int], Snapshot | None]
    """Returns a snapshot, or None if there is no snapshot with the id."""

    is_cached: Callable[[int], bool] = lambda _: False
    """Returns whether a snapshot is found without a request."""

    position_at: Callable[[int], int | None] = lambda _: None
    """Returns the position in ``ids`` of the newest snapshot whose file was written before a time in milliseconds; None
    if that is not known without further requests."""

    threads: int = 4
    """How many threads find snapshots best."""

    share: int = 64
    """How many snapshots a thread finds best before it takes others."""

    def find_all(self, ids: Sequence[int]) -> list[Snapshot | None]:
        """Return snapshots in the order of their ids, found on threads."""
        shares = [ids[start : start + self.share] for start in range(0, len(ids), self.share)]
        found = parallel_map(lambda share: [self.find(each) for each in share], shares, self.threads)
        return [snapshot for share in found for snapshot in share]


class SnapshotStore(Protocol):
    """The snapshots of one branch. Nothing may be remembered between two calls: other writers may add, expire and roll
    back snapshots at any time."""

    def latest_id(self) -> int | None:
        """Return the id of the newest snapshot, None if the branch was never written."""
        ...

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None if the branch was never written."""
        ...

    def recent(self) -> Snapshot | None:
        """Return the snapshot that was the newest at some time within the last second, for an attempt to commit: that
        fails if the snapshot is no longer the newest one."""
        return self.latest()

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        ...

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        ...

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no snapshot with this id."""
        ...

    def finder(self) -> SnapshotFinder:
        """Return a way to find many snapshots, as they are now, that does not read again what is cached."""
        return SnapshotFinder(self.ids, self.find)

    def page(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return snapshots, newest first: at most ``limit`` (1 or more), with ids below ``before``."""
        ...

    def expire(self, ids: Sequence[int], first_kept: int) -> None:
        """Remove snapshots, the oldest first. ``first_kept`` is the oldest snapshot that remains, even if ``ids`` is
        empty because an earlier expiry was interrupted."""
        ...

    def roll_back(self, target: Snapshot) -> list[int]:
        """Make ``target``, which may have expired, the newest snapshot, and return the ids of the removed later ones.

        Raises:
            CommitConflict: Another writer committed a later snapshot concurrently.
        """
        ...


class SchemaStore(Protocol):
    """The schemas of one branch. A schema never changes, but a table that is created again reuses the ids."""

    def latest_id(self) -> int | None:
        """Return the id of the newest schema, None if the branch has no schema."""
        ...

    def latest(self) -> TableSchema | None:
        """Return the newest schema, None if the branch has no schema."""
        ...

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        ...

    def get(self, schema_id: int) -> TableSchema:
        """Return a schema. Raises CorruptFile if it is missing or invalid."""
        ...

    def has(self, schema: TableSchema) -> bool:
        """Return whether this schema, not another one, is stored under its id."""
        ...

    def was_just_read(self, schema: TableSchema) -> bool:  # noqa: ARG002
        """Return whether the branch had this schema so recently that it still has it if there is a snapshot."""
        return False

    def newest_id_with(self, schema: TableSchema) -> int | None:
        """Return the id of the newest schema if the branch `has` this one; None otherwise."""
        return self.latest_id() if self.has(schema) else None

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:
        """Make ``schema`` the newest schema; return False if another writer took its id first.

        Args:
            schema: The schema, whose id follows that of the newest one.
            changes: The changes (`workbench.table.schema_changes.changes.SchemaChange`) that led to it, for services
                that apply changes themselves.
        """
        ...

    def published(self, schema: TableSchema) -> TableSchema:
        """Return a schema that was just published as it is stored: a service that applies changes makes its own."""
        return schema


@dataclass(frozen=True)
class PartitionStatistics:
    """What a commit changes in one partition (Java ``PartitionStatistics``). Removed rows and files are negative."""

    spec: Mapping[str, str]
    """The values of the partition columns, as in the names of directories; empty for a table without partitions."""

    record_count: int
    """The number of rows that were added."""

    file_size_in_bytes: int
    """The size of the files that were added."""

    file_count: int
    """The number of files that were added."""

    last_file_creation_time: int
    """When the newest of the files was created, in milliseconds since the epoch."""

    total_buckets: int
    """The number of buckets; -1 for unaware buckets."""


@dataclass(frozen=True)
class Ownership:
    """Whether a table that was opened by its directory belongs to a catalog that registers tables."""

    catalog: str | None = None
    """The name of that catalog; None if no catalog is known to have the table."""

    table: str | None = None
    """The name of the table in that catalog."""

    unknown: tuple[str, ...] = ()
    """Why it is not known for other catalogs, a phrase for each."""


class OwnerCheck:
    """Whether the catalog through which a table was opened may change it. This one is for catalogs that register their
    tables: the tables are theirs."""

    def check(self) -> None:
        """Raise CatalogError if the table belongs to another catalog."""

    def ownership(self) -> Ownership:
        """Return to which other catalog the table belongs."""
        return Ownership()


class SnapshotCommit(Protocol):
    """How a snapshot of one branch becomes visible (Java ``SnapshotCommit``)."""

    def commit(
        self,
        snapshot: Snapshot,
        base: Snapshot | None,
        statistics: Callable[[], Sequence[PartitionStatistics]],
    ) -> bool:
        """Make ``snapshot``, whose id follows that of ``base``, the newest snapshot.

        Args:
            snapshot: The snapshot. The files that it names exist.
            base: The newest snapshot; None if the branch was never written.
            statistics: Returns what the snapshot changes in each partition.

        Returns:
            True on success, False if another writer took its id first. After an exception the snapshot may have been
            published, so the files that it names are kept.
        """
        ...


class BranchService(Protocol):
    """The branches of one table, where a service creates and removes them (Java ``BranchManager``)."""

    def names(self) -> list[str]:
        """Return the names of all branches, without main."""
        ...

    def create(self, name: str, tag: str | None) -> None:
        """Create a branch at a tag, or an empty one. Raises AlreadyExists."""
        ...

    def rename(self, name: str, new_name: str) -> None:
        """Rename a branch. Raises AlreadyExists, Unsupported."""
        ...

    def delete(self, name: str) -> None:
        """Remove a branch. Raises TableNotFound."""
        ...

    def fast_forward(self, name: str) -> None:
        """Replace the history of the table since the start of a branch by that of the branch."""
        ...


class CatalogEnvironment(Protocol):
    """What the catalog of a table provides for it. It is pickled with the table for tasks in other processes, in which
    ``options`` are those of the storage of the table."""

    def file_io(self, location: str, options: Mapping[str, str]) -> FileIO:
        """Open the storage of the table."""
        ...

    def lock(self, options: Mapping[str, str]) -> CatalogLock:
        """Return the lock that writers of the table hold while they publish."""
        ...

    def snapshots(self, branch: TableBranch) -> SnapshotStore:
        """Open the snapshots of a branch."""
        ...

    def schemas(self, branch: TableBranch) -> SchemaStore:
        """Open the schemas of a branch."""
        ...

    def snapshot_commit(self, branch: TableBranch) -> SnapshotCommit:
        """Return how snapshots of a branch become visible."""
        ...

    def branches(self) -> BranchService | None:
        """Return the service that creates the branches of the table; None if they are directories of the table."""
        return None

    def mark_partitions_done(self, branch: TableBranch, partitions: Sequence[Mapping[str, str]]) -> bool:  # noqa: ARG002
        """Mark partitions of a table, by the values of their columns as text, as done in the catalog.

        Returns:
            Whether the catalog keeps such marks.
        """
        return False

    def snapshots_replaced(
        self,
        branch: TableBranch,  # noqa: ARG002
        before: Snapshot | None,  # noqa: ARG002
        after: Snapshot | None,  # noqa: ARG002
    ) -> None:
        """Bring the partitions that the catalog has in step after a branch got another newest snapshot otherwise than
        by a commit. If it fails, it warns.

        Args:
            branch: The branch.
            before: Its newest snapshot before, whose partitions are removed if they have no files now; None for none.
            after: Its newest snapshot now.
        """
        return

    def register_tags(
        self,
        branch: TableBranch,  # noqa: ARG002
        schema: TableSchema,  # noqa: ARG002
        names: Sequence[str],  # noqa: ARG002
    ) -> None:
        """Make tags that exist known to other engines, if the catalog has the tags of the table. If it fails, it warns.

        Args:
            branch: The branch of the tags.
            schema: The schema of the table.
            names: The names of the tags.
        """
        return

    def unregister_tags(
        self,
        branch: TableBranch,  # noqa: ARG002
        schema: TableSchema,  # noqa: ARG002
        names: Sequence[str],  # noqa: ARG002
    ) -> None:
        """Remove tags that are about to be deleted from the catalog, if it has the tags of the table.

        Args:
            branch: The branch of the tags.
            schema: The schema of the table.
            names: The names of the tags.

        Raises:
            CatalogError: The catalog does not answer, so the tags must be kept.
        """
        return


def branch_location(location: str, branch: str) -> str:
    """Return the directory of a branch's own files in the table at ``location``."""
    root = paths.branch_root(branch)
    return join(location, root) if root else location
