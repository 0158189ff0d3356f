"""The schemas of a table as files of its directory (format §3.3, `SchemaManager`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.errors import AlreadyExists, CorruptFile
from workbench.base.failed_reads import MISSING
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.protocol import SchemaStore, TableBranch
from workbench.metadata.small_files import read_small, warn_without_put_if_absent
from workbench.storage.file_io import FileStatus

# The size of a schema in memory, relative to its file.
_WEIGHT = 5
# The size of a reference to a schema that is cached under its content.
_REFERENCE_BYTES = 500
# Dropping a table, creating it again and a commit take more requests than these.
_REQUESTS = 8
_MOST_SECONDS = 0.5


@dataclass(frozen=True)
class _Read:
    """A request for a schema: its answer, when it began by the monotonic clock, and how long it took."""

    schema: TableSchema
    began: float
    seconds: float


class FileSystemSchemaStore(SchemaStore):
    """Files ``schema-N``. The newest schema is the one with the highest id, because there is no hint."""

    def __init__(self, branch: TableBranch) -> None:
        self._branch = branch
        self._verified: dict[bytes, TableSchema] = {}

    def path(self, schema_id: int) -> str:
        """Return the path of a schema."""
        return self._branch.path(paths.SCHEMA_DIRECTORY, paths.schema_name(schema_id))

    def latest_id(self) -> int | None:
        """Return the id of the newest schema, None if there is none."""
        return max(self.ids(), default=None)

    def latest(self) -> TableSchema | None:
        """Return the newest schema, None if there is none."""
        newest = self.latest_id()
        return None if newest is None else self.get(newest)

    def ids(self) -> list[int]:
        """Return the ids of all schema files, ascending."""
        return sorted(self._files())

    def _files(self) -> dict[int, FileStatus]:
        files = self._branch.file_io.list_files(self._branch.path(paths.SCHEMA_DIRECTORY))
        numbered = ((paths.schema_id(each.name), each) for each in files)
        return {number: file for number, file in numbered if number is not None}

    def get(self, schema_id: int) -> TableSchema:
        """Return a schema, which is parsed only once. Raises CorruptFile if its file is missing or invalid."""
        path = self.path(schema_id)
        began = time.monotonic()
        try:
            data = read_small(self._branch.file_io, path)
        except FileNotFoundError as error:
            raise CorruptFile(path, MISSING) from error
        schema = self._branch.cache.get_or_load(
            # By its content: after a table was dropped and created again, another schema is stored at the same path.
            ("schema", data),
            lambda: TableSchema.from_json(data, path),
            lambda _: _WEIGHT * len(data),
        )
        self._remember(path, _Read(schema, began, time.monotonic() - began))
        return schema

    def was_just_read(self, schema: TableSchema) -> bool:
        """Return whether the file with this id contained this schema so recently that the table cannot have been
        created again and written to since: that takes more than `_REQUESTS` requests."""
        read: _Read | None = self._branch.cache.find(("schema just read", self.path(schema.id)))
        if self._branch.file_io.is_local or read is None or read.schema != schema:
            return False
        return time.monotonic() - read.began < min(_MOST_SECONDS, _REQUESTS * read.seconds)

    def _remember(self, path: str, read: _Read) -> None:
        key = ("schema just read", path)
        self._branch.cache.discard(key)
        self._branch.cache.get_or_load(key, lambda: read, lambda _: _REFERENCE_BYTES)

    def has(self, schema: TableSchema) -> bool:
        """Return whether the file with this id contains this schema. Equal contents are parsed only once."""
        path = self.path(schema.id)
        try:
            data = read_small(self._branch.file_io, path)
        except FileNotFoundError:
            return False
        if self._verified.get(data) is schema:
            return True
        if TableSchema.from_json(data, path) != schema:
            return False
        self._verified[data] = schema
        return True

    def newest_id_with(self, schema: TableSchema) -> int | None:
        """Return the id of the newest schema if the branch `has` this one; None otherwise.

        Where requests take long, this lists the files, and reads only one whose content it has not seen.
        """
        if self._branch.file_io.is_local:
            return super().newest_id_with(schema)
        files = self._files()
        file = files.get(schema.id)
        return max(files) if file is not None and self._at(file, schema.id) == schema else None

    def _at(self, file: FileStatus, schema_id: int) -> TableSchema | None:
        """Return the schema in a file, read once for each content of the file; None if the file no longer exists."""
        key = ("schema in", file.path, file.content_key)
        try:
            return self._branch.cache.get_or_load(key, lambda: self.get(schema_id), lambda _: _REFERENCE_BYTES)
        except CorruptFile:
            if self._branch.file_io.exists(file.path):
                raise
            return None

    def create(self, schema: TableSchema) -> None:
        """Write the first schema, which creates the table.

        Raises:
            AlreadyExists: The table has been created concurrently.
        """
        if not self._branch.file_io.put_if_absent(self.path(schema.id), schema.to_json().encode()):
            raise AlreadyExists(
                f"Table {self._branch.name} already exists.", "Pass exist_ok=True to use the existing table."
            )

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:  # noqa: ARG002
        """Write the schema if its id is free, under the catalog's lock if it has one."""
        warn_without_put_if_absent(
            self._branch,
            "if two processes alter the table concurrently, the changes of one may be lost.",
            stacklevel=4,
        )
        with self._branch.lock.lock(*self._branch.identifier):
            if self._branch.file_io.put_if_absent(self.path(schema.id), schema.to_json().encode()):
                return True
        # An earlier attempt may have succeeded although its response was lost.
        return self.get(schema.id) == schema
