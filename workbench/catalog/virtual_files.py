"""Files of tables by the names of the tables: ``pvfs://catalog/database/table/file``, for everything that uses fsspec.

This is the form of Paimon's virtual file system. The catalog says where a table is, and gives the credentials for it.
"""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fsspec.spec import AbstractFileSystem

from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    CatalogNotFound,
    DatabaseNotFound,
    TableNotFound,
    Unsupported,
)
from workbench.catalog.catalog import Catalog
from workbench.catalog.connect import connect
from workbench.catalog.identifier import Identifier
from workbench.catalog.metastore import TableDirectory
from workbench.catalog.named import named_catalogs
from workbench.storage.file_io import FileIO, FileStatus, join

# Datasets of many files should not request their table for each of them.
_KEPT_SECONDS = 30.0
_OF_A_TABLE = 3


@dataclass(frozen=True)
class _Place:
    """A path in the directory of a table; the directory itself if there are no ``names``."""

    directory: TableDirectory
    names: Sequence[str]

    @property
    def path(self) -> str:
        return join(self.directory.location, *self.names)

    @property
    def files(self) -> FileIO:
        return self.directory.file_io

    @property
    def status(self) -> FileStatus | None:
        return self.files.status(self.path)


class VirtualFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The files of tables, by ``catalog/database/table/file``. fsspec knows it as ``pvfs``.

    Files of all tables can be read. Only those of tables of other formats, such as object tables, can be written: those
    of a Paimon table belong to its commits.

    Args:
        options: Paimon's options of a catalog of kind rest. The first part of a path is its ``warehouse``. Without
            options, the first part is the name of a catalog in the catalog files.

    Example:
        >>> fsspec.open("pvfs://prod/shop/pictures/cat.png").open().read()
        >>> service = {"uri": "http://localhost:8080", "token.provider": "bear", "token": "the-token"}
        >>> pandas.read_csv("pvfs://sales/shop/lists/a.csv", storage_options={"options": service})
    """

    protocol = "pvfs"

    def __init__(self, options: Mapping[str, str] | None = None, **storage_options: Any) -> None:
        super().__init__(**storage_options)
        self._options = options
        self._catalogs: dict[str, Catalog] = {}
        self._kept: dict[tuple[str, ...], tuple[float, TableDirectory]] = {}

    # --- reading --------------------------------------------------------------------------------------------------

    def ls(self, path: str, detail: bool = True, **_arguments: Any) -> list[Any]:
        """Return what is in a catalog, a database, a table or a directory."""
        parts = self._parts(path)
        found = self._files(parts, path) if len(parts) >= _OF_A_TABLE else self._names(parts, path)
        return found if detail else [each["name"] for each in found]

    def info(self, path: str, **_arguments: Any) -> dict[str, Any]:
        """Return the name, the size, the type and the time of a file or directory."""
        parts = self._parts(path)
        if len(parts) < _OF_A_TABLE:
            with _no_such_file(path):
                catalogs = [self._catalog(each) for each in parts[:1]]
                for database in parts[1:]:
                    catalogs[0].get_database(database)
            return _info(parts)
        place = self._place(parts, path)
        status = place.status
        # An object store has no directory of a table without files.
        if status is None and place.names:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return _info(parts, status)

    def exists(self, path: str, **_arguments: Any) -> bool:
        """Return whether a file or directory exists. No answer of the catalog is an error."""
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def modified(self, path: str) -> datetime:
        """Return when a file was modified."""
        return datetime.fromtimestamp(self.info(path)["mtime"], UTC)

    def _open(self, path: str, mode: str = "rb", **_arguments: Any) -> Any:
        if mode == "rb":
            place = self._file(path)
            return place.files.open_input(place.path)
        if mode not in ("wb", "xb"):
            raise Unsupported(f"Files of tables cannot be opened with mode '{mode}'.", "Use rb, wb or xb.")
        place = self._file_to_change(path)
        if mode == "xb" and place.status is not None:
            raise FileExistsError(errno.EEXIST, "The file exists already", path)
        return place.files.open_output(place.path)

    # --- changes --------------------------------------------------------------------------------------------------

    def mkdir(self, path: str, create_parents: bool = True, **_arguments: Any) -> None:
        """Create a database, an object table, or a directory in one. Raises FileExistsError if it exists."""
        parts = self._parts(path)
        if create_parents and len(parts) > 2:
            self.makedirs("/".join(parts[:-1]), exist_ok=True)
        if len(parts) > _OF_A_TABLE:
            place = self._file_to_change(path)
            if place.status is not None:
                raise FileExistsError(errno.EEXIST, "It exists already", path)
            place.files.make_directory(place.path)
            return
        if len(parts) < 2:
            raise Unsupported(f"'{path}' is not below a catalog.", "Catalogs are added to a catalog file.")
        catalog = self._catalog(parts[0])
        catalog.check_writable()
        try:
            if len(parts) == 2:
                catalog.create_database(parts[1])
            elif self.exists(path):
                raise FileExistsError(errno.EEXIST, "The table exists already", path)
            else:
                catalog.metastore.create_object_table(Identifier(parts[1], parts[2]))
        except AlreadyExists as error:
            raise FileExistsError(errno.EEXIST, str(error), path) from error

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Create what `mkdir` creates, with the database and the table above."""
        parts = self._parts(path)
        for length in range(2, len(parts) + 1):
            with suppress(*[FileExistsError] if exist_ok or length < len(parts) else []):
                self.mkdir("/".join(parts[:length]), create_parents=False)

    def _rm(self, path: str) -> None:
        place = self._file_to_change(path)
        status = place.status
        if status is None:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        if not status.is_directory:
            place.files.delete(place.path)
        elif not place.files.delete_empty_directory(place.path) and place.status is not None:
            raise OSError(errno.ENOTEMPTY, "The directory is not empty", path)

    def rmdir(self, path: str) -> None:
        """Remove an empty directory in a table."""
        self._rm(path)

    def cp_file(self, path1: str, path2: str, **_arguments: Any) -> None:
        """Copy a file."""
        with self.open(path1, "rb") as source, self.open(path2, "wb") as target:
            shutil.copyfileobj(source, target)

    def mv(self, path1: str, path2: str, **arguments: Any) -> None:
        """Move a file or directory; between tables, the files are copied."""
        source, target = self._file_to_change(path1), self._file_to_change(path2)
        if source.directory == target.directory:
            source.files.rename(source.path, target.path)
        else:
            super().mv(path1, path2, **arguments)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _parts(self, path: str) -> tuple[str, ...]:
        parts = tuple(each for each in self._strip_protocol(path).split("/") if each not in ("", "."))
        if any(each == ".." or "\0" in each for each in parts):
            raise CatalogError(f"{path!r} is not a path in a table.", "Remove '..'.")
        return parts

    def _catalog(self, name: str) -> Catalog:
        if name not in self._catalogs:
            given = None if self._options is None else {"metastore": "rest", **self._options, "warehouse": name}
            self._catalogs[name] = connect(name if given is None else given)
        return self._catalogs[name]

    def _names(self, parts: Sequence[str], path: str) -> list[dict[str, Any]]:
        """Return the catalogs, the databases of one, or the tables of one."""
        with _no_such_file(path):
            if not parts:
                names = sorted(named_catalogs()) if self._options is None else []
            else:
                catalog = self._catalog(parts[0])
                names = catalog.list_tables(parts[1]) if parts[1:] else catalog.list_databases()
        return [_info((*parts, each)) for each in names]

    def _files(self, parts: Sequence[str], path: str) -> list[dict[str, Any]]:
        place = self._place(parts, path)
        listed = [_info((*parts, each.name), each) for each in place.files.list_files(place.path)]
        if listed:
            return listed
        found = self.info(path)
        return [found] if found["type"] == "file" else []

    def _place(self, parts: Sequence[str], path: str) -> _Place:
        name = tuple(parts[:_OF_A_TABLE])
        kept = self._kept.get(name)
        if kept is None or time.monotonic() > kept[0]:
            with _no_such_file(path):
                found = self._catalog(name[0]).metastore.directory(Identifier(*name[1:]))
            if found is None:
                raise FileNotFoundError(errno.ENOENT, "No such table", path)
            kept = self._kept[name] = time.monotonic() + _KEPT_SECONDS, found
        return _Place(kept[1], parts[_OF_A_TABLE:])

    def _file(self, path: str) -> _Place:
        parts = self._parts(path)
        if len(parts) <= _OF_A_TABLE:
            what = ("catalog", "catalog", "database", "table")[len(parts)]
            raise Unsupported(f"'{path}' is a {what}, not a file.", "Change it by the methods of its catalog.")
        return self._place(parts, path)

    def _file_to_change(self, path: str) -> _Place:
        place = self._file(path)
        if place.directory.is_paimon:
            raise Unsupported(
                f"'{path}' is in a Paimon table, whose files belong to its commits.",
                "Write rows with Table.write, or files into an object table.",
            )
        return place


@contextmanager
def _no_such_file(path: str) -> Iterator[None]:
    """Raise the error that programs expect which use files."""
    try:
        yield
    except (CatalogNotFound, DatabaseNotFound, TableNotFound) as error:
        raise FileNotFoundError(errno.ENOENT, str(error), path) from error


def _info(parts: Sequence[str], status: FileStatus | None = None) -> dict[str, Any]:
    """Return what fsspec knows about a file; about a directory if its status is not known."""
    known = {"name": "/".join(parts), "size": 0, "type": "directory"}
    if status is None:
        return known
    kind = "directory" if status.is_directory else "file"
    return {**known, "size": status.size, "type": kind, "mtime": status.modified_millis / 1000}
