"""The state that the operations of one table share: storage, schema, clock, identifiers, caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.base.errors import CatalogError, CorruptFile, Unsupported
from workbench.base.failed_reads import MISSING
from workbench.base.lazy import cached_property
from workbench.base.session import session_options
from workbench.format.rows.binary_row import decode_row
from workbench.format.spec import paths
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.partition_path import partition_path
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField
from workbench.metadata.protocol import (
    BranchService,
    CatalogEnvironment,
    SchemaStore,
    SnapshotCommit,
    SnapshotStore,
    TableBranch,
    branch_location,
)
from workbench.metadata.read_options import ReadOptions
from workbench.metadata.runtime import TableRuntime, opened_elsewhere
from workbench.metadata.small_files import read_small
from workbench.storage.file_io import SANDBOX_OPTION, FileIO, join, parent, qualify, scheme
from workbench.storage.lock import NoLock
from workbench.storage.once import OnceFileIO

if TYPE_CHECKING:
    from workbench.base.clock import Clock
    from workbench.base.ids import IdSource
    from workbench.storage.cache import ByteCache
    from workbench.storage.lock import CatalogLock
    from workbench.storage.stores.options import HadoopFileSystem


@dataclass(frozen=True)
class TableStore:
    """A table as its files, and what its operations run with."""

    name: str
    """``database.table``, or ``database.table$branch_b``."""

    location: str
    """The directory of the table."""

    schema: TableSchema
    """The schema with which the table is read and written."""

    runtime: TableRuntime
    """The storage, clock, lock and caches of the table."""

    branch: str = paths.MAIN_BRANCH
    """The branch. It has its own schemas, snapshots, tags and consumers; all other files are stored with those of the
    table."""

    read_options: ReadOptions | None = None
    """Set once the options that restrict reads have been evaluated; a table that stores such options is not read
    without them."""

    stored: TableSchema | None = None
    """The schema as it is stored, set only if ``schema`` has other options."""

    origin: TableSchema | None = None
    """The stored schema with which the table was opened, set only if ``schema`` has become another one since."""

    def with_schema(self, schema: TableSchema) -> TableStore:
        """Return the same table with ``schema``: another stored schema, or the current one with other options."""
        known = self.stored or self.schema
        only_options_differ = replace(schema, options=known.options) == known
        return replace(self, schema=schema, stored=known if only_options_differ else None, origin=self.opened)

    @property
    def opened(self) -> TableSchema:
        """The stored schema with which the table was opened, which identifies the table."""
        return self.origin or self.stored or self.schema

    def with_file_io(self, file_io: FileIO) -> TableStore:
        """Return the same table over another `FileIO`."""
        result = replace(self, runtime=replace(self.runtime, file_io=file_io))
        result.__dict__["_known_schemas"] = self._known_schemas
        return result

    def reading_once(self) -> TableStore:
        """Return the same table for one statement that changes nothing, and sends no request twice."""
        return self.with_file_io(OnceFileIO(self.file_io))

    @property
    def file_io(self) -> FileIO:
        """The storage of the table."""
        return self.runtime.file_io

    @property
    def clock(self) -> Clock:
        """The source of the times of commits and files."""
        return self.runtime.clock

    @property
    def ids(self) -> IdSource:
        """The source of unique names."""
        return self.runtime.ids

    @property
    def lock(self) -> CatalogLock:
        """The lock of the catalog, which writers hold while they publish."""
        return self.runtime.lock

    @property
    def cache(self) -> ByteCache:
        """Metadata that never changes."""
        return self.runtime.cache

    @property
    def is_local(self) -> bool:
        """Whether the table is on this machine, so that a request takes no time."""
        return self.file_io.is_local

    @property
    def storage_kind(self) -> str:
        """``s3`` for a table in ``s3://…``, ``file`` for one in a local directory."""
        return scheme(self.location)

    @property
    def has_lock(self) -> bool:
        """Whether the catalog has a lock, so that only one writer commits at a time."""
        return not isinstance(self.lock, NoLock)

    def path(self, *names: str) -> str:
        """Return a path inside the table."""
        return join(self.location, *names)

    @property
    def branch_location(self) -> str:
        """The directory of the branch's own files; for the main branch that is the table's directory."""
        return branch_location(self.location, self.branch)

    def branch_path(self, *names: str) -> str:
        """Return a path inside the branch's own directory."""
        return join(self.branch_location, *names)

    def schema_of(self, schema_id: int) -> TableSchema:
        """Return a version of the schema. Raises CorruptFile if its file is missing or not a schema."""
        if schema_id == self.schema.id:
            return self.schema
        if schema_id not in self._known_schemas:
            self._known_schemas[schema_id] = self.schemas.get(schema_id)
        return self._known_schemas[schema_id]

    @cached_property
    def _known_schemas(self) -> dict[int, TableSchema]:
        return {}

    @cached_property
    def snapshots(self) -> SnapshotStore:
        """The snapshots of the branch, read from where its catalog keeps them."""
        return self.runtime.environment.snapshots(self.table_branch)

    @cached_property
    def schemas(self) -> SchemaStore:
        """The schemas of the branch, read from where its catalog keeps them."""
        return self.runtime.environment.schemas(self.table_branch)

    @cached_property
    def snapshot_commit(self) -> SnapshotCommit:
        """How snapshots of the branch become visible."""
        return self.runtime.environment.snapshot_commit(self.table_branch)

    @property
    def branch_service(self) -> BranchService | None:
        """The service that creates branches of the table; None if they are directories."""
        return self.runtime.environment.branches()

    @property
    def table_branch(self) -> TableBranch:
        """The branch, for which snapshots and schemas are opened."""
        return TableBranch(self.name, self.location, self.branch, self.file_io, self.lock, self.cache)

    @cached_property
    def partition_fields(self) -> tuple[DataField, ...]:
        """The partition columns, in partition order."""
        return self.schema.partition_fields

    def partition_values(self, partition: bytes) -> tuple[object, ...]:
        """Return the internal values of a serialized partition row, in partition order."""
        return decode_row(partition, [each.type for each in self.partition_fields])

    def partition_directory(self, partition: bytes) -> str:
        """Return ``k=v/k2=v2``, or an empty string for a table without partitions (format §1.1)."""
        if not self.partition_fields:
            return ""
        core = self.schema.core
        return partition_path(
            self.partition_values(partition),
            [each.type for each in self.partition_fields],
            [each.name for each in self.partition_fields],
            core.partition_default_name,
            core.partition_legacy_name,
        )

    def bucket_directory(self, partition: bytes, bucket: int) -> str:
        """Return the full path of a bucket."""
        directory = self.schema.core.data_file_path_directory
        path = self.path(paths.bucket_path(self.partition_directory(partition), bucket, directory))
        return path if directory is None else self.check_path(path)

    def data_file_path(self, partition: bytes, bucket: int, file: DataFileMeta) -> str:
        """Return the full path of a data file. Raises Unsupported if `check_path` does not permit opening it."""
        if file.external_path is not None:
            return self.check_path(file.external_path)
        return join(self.bucket_directory(partition, bucket), file.file_name)

    def delete_data_file(self, partition: bytes, bucket: int, file: DataFileMeta) -> None:
        """Delete a data file and the files that belong to it alone, such as its index."""
        for each in self._data_file_paths(partition, bucket, file):
            self.file_io.delete(each)

    def discard_data_file(self, partition: bytes, bucket: int, file: DataFileMeta) -> None:
        """Delete a data file and the files that belong to it alone, as `discard` does."""
        for each in self._data_file_paths(partition, bucket, file):
            self.discard(each)

    def discard(self, path: str) -> None:
        """Delete a file that no version names, after an error. If the storage fails again, the file is left to orphan
        cleaning, so that the first error is the one that is raised."""
        with suppress(OSError):
            self.file_io.delete(path)

    def _data_file_paths(self, partition: bytes, bucket: int, file: DataFileMeta) -> tuple[str, ...]:
        path = self.data_file_path(partition, bucket, file)
        return (path, *(join(parent(path), extra) for extra in file.extra_files))

    def check_path(self, path: str) -> str:
        """Return a full path that the table's metadata contains, in the form in which it is opened. Such a path is not
        trusted, because anyone who can write to the table can set it: only files of the table, of its warehouse and of
        ``wb.options.allowed_roots`` are opened.

        Raises:
            Unsupported: The path is outside of these directories, or on another storage than the table.
        """
        try:
            place = qualify(path, is_stored=True)
        except CatalogError:
            place = ""
        roots = (
            qualify(root).rstrip("/") for root in (self.location, *self.runtime.roots, *session_options.allowed_roots)
        )
        if "::" in path or ".." in place.split("/") or not any(place.startswith(f"{root}/") for root in roots):
            raise Unsupported(
                f"{self.name} refers to the file {path}, which is outside of its warehouse.",
                "If you trust the table, add the directory to wb.options.allowed_roots.",
            )
        if scheme(place) != scheme(self.location):
            raise Unsupported(f"{self.name} refers to the file {path}, which is on another storage than the table.")
        return place

    def hadoop_file_system(self) -> HadoopFileSystem | None:
        """Return Hadoop's file system for the storage of the table; None if Spark cannot use one, as in a sandbox."""
        options = self.runtime.storage_options
        if SANDBOX_OPTION in options:
            return None
        # Loads the clients of all storages.
        from workbench.storage.stores.registry import hadoop_file_system

        return hadoop_file_system(self.location, options)

    def read_metadata(self, path: str) -> bytes:
        """Return a metadata file that must exist. Raises CorruptFile if it does not."""
        try:
            return read_small(self.file_io, path)
        except FileNotFoundError as error:
            raise CorruptFile(path, MISSING, MISSING_HINT) from error

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Pickle the table as its location; the other process creates its own clock, identifiers and caches."""
        runtime = self.runtime
        roots = (*runtime.roots, *session_options.allowed_roots)
        place = (self.name, self.location, self.schema, dict(runtime.storage_options), roots, runtime.environment)
        return open_store, (*place, self.branch, self.read_options, self.stored, self.origin)


MISSING_HINT = "It was deleted, or expired during the read; open the table again."


def open_store(
    name: str,
    location: str,
    schema: TableSchema,
    storage_options: Mapping[str, str],
    roots: Sequence[str],
    environment: CatalogEnvironment,
    branch: str,
    read_options: ReadOptions | None,
    stored: TableSchema | None,
    origin: TableSchema | None,
) -> TableStore:
    """Return a store opened from plain values, as tasks in other processes do."""
    runtime = opened_elsewhere(location, storage_options, roots, environment)
    return TableStore(name, location, schema, runtime, branch, read_options, stored=stored, origin=origin)
