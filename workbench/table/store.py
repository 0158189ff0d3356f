"""Where one table lives and what its operations share: store, schema, clock, identifiers, caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import CatalogError, CorruptFile, Unsupported
from workbench.base.ids import IdSource, RandomIds
from workbench.base.session import session_options
from workbench.format import paths
from workbench.format.binary_row import decode_row
from workbench.format.data_file import DataFileMeta
from workbench.format.partition_path import partition_path
from workbench.format.schema import TableSchema
from workbench.format.types import DataField
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileIO, file_io_for, join, parent, qualify, scheme
from workbench.storage.lock import CatalogLock, NoLock, lock_for

if TYPE_CHECKING:
    from workbench.table.read_options import ReadOptions

CACHE_BYTES = 256 << 20


@dataclass(frozen=True)
class TableStore:
    """A table as its files. ``name`` is ``database.table``; ``storage_options`` are what the store was opened with.

    A ``branch`` has schemas, snapshots, tags and consumers of its own; all other files lie with those of the table.
    ``read_options`` are there once options that say what to read were looked at; a table that stores such is not read
    without. ``roots`` are directories from which it may have files opened, beside its own: its warehouse above all.
    """

    name: str
    location: str
    file_io: FileIO
    schema: TableSchema
    storage_options: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = field(default_factory=SystemClock)
    ids: IdSource = field(default_factory=RandomIds)
    lock: CatalogLock = field(default_factory=NoLock)
    cache: ByteCache = field(default_factory=lambda: ByteCache(CACHE_BYTES))
    branch: str = paths.MAIN_BRANCH
    read_options: ReadOptions | None = None
    roots: Sequence[str] = ()

    def with_schema(self, schema: TableSchema) -> TableStore:
        """The same table as ``schema`` sees it."""
        return replace(self, schema=schema)

    def over(self, file_io: FileIO) -> TableStore:
        """The same table through another view of its store."""
        made = replace(self, file_io=file_io)
        made.__dict__["_schemas"] = self._schemas
        return made

    def path(self, *names: str) -> str:
        """A path inside the table."""
        return join(self.location, *names)

    @property
    def branch_location(self) -> str:
        """The directory of what a branch has for itself: that of the table for the main branch."""
        return branch_location(self.location, self.branch)

    def branch_path(self, *names: str) -> str:
        """A path inside what the branch has for itself."""
        return join(self.branch_location, *names)

    def schema_of(self, schema_id: int) -> TableSchema:
        """A version of the schema. Raises CorruptFile where its file is missing or no schema."""
        if schema_id == self.schema.id:
            return self.schema
        if schema_id not in self._schemas:
            self._schemas[schema_id] = read_schema(self.file_io, self.branch_location, schema_id)
        return self._schemas[schema_id]

    @cached_property
    def _schemas(self) -> dict[int, TableSchema]:
        return {}

    @cached_property
    def partition_fields(self) -> tuple[DataField, ...]:
        """The partition columns, in partition order."""
        return self.schema.partition_fields

    def partition_values(self, partition: bytes) -> tuple[object, ...]:
        """Internal values of a serialized partition row, in partition order."""
        return decode_row(partition, [each.type for each in self.partition_fields])

    def partition_directory(self, partition: bytes) -> str:
        """``k=v/k2=v2``, or nothing for a table without partitions (format §1.1)."""
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
        """The full path of a bucket."""
        directory = self.schema.core.data_file_path_directory
        path = self.path(paths.bucket_path(self.partition_directory(partition), bucket, directory))
        return path if directory is None else self.allowed(path)

    def data_file_path(self, partition: bytes, bucket: int, file: DataFileMeta) -> str:
        """The full path of a data file. Raises Unsupported where `allowed` does not let it be opened."""
        if file.external_path is not None:
            return self.allowed(file.external_path)
        return join(self.bucket_directory(partition, bucket), file.file_name)

    def delete_data_file(self, partition: bytes, bucket: int, file: DataFileMeta) -> None:
        """Delete a data file and what lies beside it for it alone, such as its index."""
        path = self.data_file_path(partition, bucket, file)
        for each in (path, *(join(parent(path), extra) for extra in file.extra_files)):
            self.file_io.delete(each)

    def allowed(self, path: str) -> str:
        """A path that the table gives as a whole, in the form in which it is opened. What a table says is the word of
        whoever wrote it: only files of the table, of its warehouse and of ``wb.options.allowed_roots`` are touched.

        Raises:
            Unsupported: the path lies elsewhere, or on another store than the table.
        """
        try:
            place = qualify(path)
        except CatalogError:
            place = ""
        roots = (qualify(root).rstrip("/") for root in (self.location, *self.roots, *session_options.allowed_roots))
        if "::" in path or ".." in place.split("/") or not any(place.startswith(f"{root}/") for root in roots):
            raise Unsupported(
                f"{self.name} names the file {path}, which is outside of its warehouse.",
                "If you trust the table, add the directory to wb.options.allowed_roots.",
            )
        if scheme(place) != scheme(self.location):
            raise Unsupported(f"{self.name} names the file {path}, which is on another store than the table.")
        return place

    def read_metadata(self, path: str) -> bytes:
        """A metadata file that must be there. Raises CorruptFile where it is not."""
        try:
            return read_small(self.file_io, path)
        except FileNotFoundError as error:
            raise CorruptFile(path, "the file is missing", MISSING_HINT) from error

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Travels to other processes as its location; clock, identifiers and caches are made anew there."""
        options = dict(self.storage_options)
        roots = (*self.roots, *session_options.allowed_roots)
        return open_store, (self.name, self.location, self.schema, options, self.branch, self.read_options, roots)


MISSING_HINT = "It was deleted, or expired while it was being read; open the table again."


def open_store(
    name: str,
    location: str,
    schema: TableSchema,
    storage_options: Mapping[str, str],
    branch: str = paths.MAIN_BRANCH,
    read_options: ReadOptions | None = None,
    roots: Sequence[str] = (),
) -> TableStore:
    """A store opened from plain values, as tasks in other processes do."""
    file_io, lock = file_io_for(location, storage_options), lock_for(storage_options)
    store = TableStore(name, location, file_io, schema, storage_options, lock=lock)
    return replace(store, branch=branch, read_options=read_options, roots=roots)


def branch_location(location: str, branch: str) -> str:
    """The directory of a branch's schemas and snapshots in the table at ``location``."""
    root = paths.branch_root(branch)
    return join(location, root) if root else location


def read_small(file_io: FileIO, path: str) -> bytes:
    """A metadata file, which may be missing.

    Raises:
        FileNotFoundError: there is none.
        CorruptFile: a directory lies in its place, or no file can have its name.
    """
    try:
        return file_io.read_bytes(path)
    except IsADirectoryError as error:
        raise CorruptFile(path, "it is a directory") from error
    except ValueError as error:
        raise CorruptFile(repr(path), "no file can have such a name") from error


def read_schema(file_io: FileIO, location: str, schema_id: int) -> TableSchema:
    """A schema file of the table or branch at ``location``. Raises CorruptFile where it is missing or no schema."""
    path = join(location, paths.SCHEMA_DIRECTORY, paths.schema_name(schema_id))
    try:
        return TableSchema.from_json(read_small(file_io, path), path)
    except FileNotFoundError as error:
        raise CorruptFile(path, "the file is missing") from error
