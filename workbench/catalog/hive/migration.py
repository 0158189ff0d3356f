"""Migration of tables of Hive's own formats: their files become those of Paimon tables (Java ``HiveMigrator``).

Before a file is moved, a plan of all moves is written to the directory of the new table. It is the record by which an
error, or the next call after a process was killed, moves the files back; or by which the next call completes the work,
if the rows were committed already.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.base.counting import counted
from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    CorruptFile,
    InvalidRequest,
    SchemaMismatch,
    TableNotFound,
)
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.catalog.hive.origin import HiveOrigin, find_origin
from workbench.catalog.identifier import Identifier
from workbench.metadata.snapshots import Snapshots
from workbench.storage.file_io import FileIO, join
from workbench.storage.overlay import copy_file
from workbench.storage.stores.registry import is_object_store
from workbench.table.dml.foreign_files import DescribedFile, describe_files, messages_of

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.catalog.hive.metastore import HiveMetastore
    from workbench.table.table import Table

SUFFIX = "_paimon_"
"""What the name of a table ends with until it takes the place of the original, as in Java."""

_PLAN = "migration.json"


@dataclass(frozen=True)
class MovePlan:
    """The moves of one migration."""

    source: str
    """The name of the original."""

    since: int
    """When the original was created, in seconds since the epoch: another table may get its name."""

    user: str
    """The commit user of the rows."""

    created: bool
    """Whether the migration created the table."""

    moves: bool
    """Whether files are moved; else copied."""

    host: str
    process: int
    """The process that migrates."""

    files: Mapping[str, str | None]
    """The new path of each file of the original; None for files without rows."""

    leftover: str | None = None
    """The directory of the original, if it is in the way of the new table and dropping the original does not delete
    it."""

    @classmethod
    def read(cls, file_io: FileIO, location: str) -> MovePlan | None:
        """Return the plan in the directory of a table, None if there is none."""
        path = join(location, _PLAN)
        try:
            return cls(**{"host": "", "process": 0, **json.loads(file_io.read_bytes(path))})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise CorruptFile(path, f"not the plan of a migration ({error})") from error

    def write(self, file_io: FileIO, location: str) -> None:
        """Write the plan."""
        file_io.overwrite_atomic(join(location, _PLAN), json.dumps(asdict(self), indent=1).encode())

    def check_not_running(self, source: str, name: str, location: str) -> None:
        """Raise CatalogError if it is the plan of another table, or another process is at work, or may be."""
        if self.source != source:
            raise CatalogError(
                f"The migration of {self.source} to {name} was not completed.", f"Migrate {self.source} again first."
            )
        if not self.host or (self.host == socket.gethostname() and not _is_alive(self.process)):
            return
        raise CatalogError(
            f"{name} is being migrated by process {self.process} on {self.host}.",
            f"If that does not run any more, delete the lines 'host' and 'process' of {join(location, _PLAN)}.",
        )


class TableMigration:
    """The migration of one table.

    Args:
        catalog: The catalog.
        metastore: Its metastore.
        source: The table.
        target: The table that gets its rows; None if it takes the place of the original.
        options: Options of the new table.
        delete_origin: Whether the original is dropped. If not, its files are copied.
        progress: Reports progress, and can cancel.
    """

    def __init__(
        self,
        catalog: Catalog,
        metastore: HiveMetastore,
        source: Identifier,
        target: Identifier | None,
        options: Mapping[str, str],
        delete_origin: bool,
        progress: Progress,
    ) -> None:
        if target is None and not delete_origin:
            raise InvalidRequest(
                f"{source} cannot be replaced and kept at the same time.", "Pass the name of another table as target."
            )
        if options.get("bucket", "-1") != "-1":
            raise InvalidRequest(
                "Files of Hive become files of tables without fixed buckets.", "Leave out option 'bucket'."
            )
        self._catalog, self._metastore, self._source, self._options = catalog, metastore, source, options
        self._target = target or Identifier(source.database, f"{source.table}{SUFFIX}")
        self._replaces, self._delete_origin, self._progress = target is None, delete_origin, progress

    def run(self) -> Table:
        """Migrate the table, or complete an earlier migration."""
        origin = find_origin(self._metastore.client, self._metastore.storages, self._source)
        table = self._table(self._target)
        plan = None if table is None else MovePlan.read(table.store.file_io, table.location)
        if table is not None and plan is not None:
            plan.check_not_running(str(self._source), table.name, table.location)
            if _is_committed(plan, table):
                return self._finished(origin, table, plan)
            table = self._undone(plan, table)
        if origin is None:
            return self._in_place()
        if table is not None and self._replaces:
            # Killed before the plan was written, this is an empty table; it is not one of somebody else.
            if table.snapshots():
                raise AlreadyExists(f"There is a table {self._target} already.", "Rename it, or drop it.")
            self._catalog.drop_table(str(self._target))
            table = None
        return self._migrated(origin, table)

    def _table(self, name: Identifier) -> Table | None:
        return None if self._metastore.get_table(name) is None else self._catalog.get_table(name)

    def _in_place(self) -> Table:
        """Return the table if an earlier migration has put it in the place of the original.

        Raises:
            TableNotFound: There is no table to migrate.
        """
        table = self._table(self._source)
        if table is not None and self._replaces and MovePlan.read(table.store.file_io, table.location) is not None:
            table.store.file_io.delete(join(table.location, _PLAN))
            return table
        others = self._metastore.list_other_tables(self._source.database)
        raise TableNotFound(
            f"There is no table {self._source} of Hive's own formats.",
            f"Tables of other formats: {', '.join(others)}." if others else None,
        )

    def _migrated(self, origin: HiveOrigin, existing: Table | None) -> Table:
        places = origin.places()
        files = origin.files(places)
        moves = self._delete_origin and _is_one_storage(origin.location, [each.location for each in places])
        leftover = self._leftover(origin, moves)
        table = self._created(origin) if existing is None else existing
        plan = None
        try:
            self._check_kind(table)
            self._check_columns(origin, table)
            described = describe_files(table.store, self._storage_of, [each for each, _ in files], self._progress)
            targets = {each.source: each.target for each in described}
            plan = MovePlan(
                str(self._source),
                origin.since,
                f"migration-{self._catalog.ids.uuid()}",
                existing is None,
                moves and _is_one_storage(table.location, [origin.location]),
                socket.gethostname(),
                os.getpid(),
                {each.path: targets.get(each.path) for each, _ in files},
                leftover,
            )
            plan.write(table.store.file_io, table.location)
            self._transfer(plan, table, described)
            table.commit(messages_of(table.store, described), 0, plan.user, operation="WRITE")
        except BaseException:
            self._undo_if_unpublished(plan, table, existing is None)
            raise
        return self._finished(origin, table, plan)

    def _leftover(self, origin: HiveOrigin, moves: bool) -> str | None:
        """Return the directory that is in the way when the new table takes the place of an external table."""
        default = self._metastore.default_location(self._source)
        if not (self._replaces and origin.is_external and origin.location == default):
            return None
        if not moves:
            raise InvalidRequest(
                f"{self._source} is an external table in {default}, whose files are copied and kept, so that no other "
                "table can be there.",
                "Pass the name of another table as target.",
            )
        return default

    def _created(self, origin: HiveOrigin) -> Table:
        given = dict(self._options)
        if origin.comment is not None:
            given["hive.comment"] = origin.comment
        if origin.partition_keys:
            given["partition.default-name"] = origin.default_partition
        return self._catalog.create_table(
            str(self._target),
            tuple(origin.fields()),
            partition_by=origin.partition_keys,
            options=given,
            comment=origin.comment,
        )

    def _check_columns(self, origin: HiveOrigin, table: Table) -> None:
        """Raise SchemaMismatch if a table has other columns than the original."""
        ours = {each.name: each.type.as_nullable() for each in table.schema.fields}
        theirs = {each.name: each.type.as_nullable() for each in origin.fields()}
        if ours != theirs or list(table.partition_keys) != origin.partition_keys:
            raise SchemaMismatch(
                f"{table.name} has other columns or partition columns than {self._source}.", "Migrate to a new table."
            )

    def _check_kind(self, table: Table) -> None:
        """Raise InvalidRequest if the keys or options of a table decide in which file a row belongs."""
        if table.primary_key or table.schema.core.bucket != -1:
            raise InvalidRequest(
                f"{table.name} cannot have the files of {self._source}: it has a primary key, or fixed buckets.",
                "Migrate to a new table without option 'bucket'.",
            )

    def _transfer(self, plan: MovePlan, table: Table, files: list[DescribedFile]) -> None:
        def transfer(file: DescribedFile) -> None:
            move_file(None if plan.moves else self._storage_of(file.source), table.store.file_io, file)
            self._progress.advance()

        with self._progress.step(f"{'Moving' if plan.moves else 'Copying'} files to {table.name}", len(files)):
            parallel_map(transfer, files)

    def _finished(self, origin: HiveOrigin | None, table: Table, plan: MovePlan) -> Table:
        """Drop the original, and put the new table in its place."""
        if origin is not None and self._delete_origin:
            self._check_unchanged(origin, table, plan)
            origin.drop()
        if self._replaces:
            if plan.leftover is not None:
                # All files with rows were moved.
                self._storage_of(plan.leftover).delete_directory(plan.leftover)
            self._catalog.rename_table(str(self._target), str(self._source))
            table = self._catalog.get_table(self._source)
        table.store.file_io.delete(join(table.location, _PLAN))
        return table

    def _check_unchanged(self, origin: HiveOrigin, table: Table, plan: MovePlan) -> None:
        """Raise CatalogError if Hive wrote files during the migration, which would be deleted with the original, or if
        another table has its name."""
        if origin.since != plan.since:
            raise CatalogError(
                f"{self._source} is another table than the one whose rows {table.name} has.",
                "Rename it, and migrate again.",
            )
        new = [each.path for each, _ in origin.files(origin.places()) if each.path not in plan.files]
        if new:
            raise CatalogError(
                f"{self._source} was not dropped: {counted(len(new), 'files')} were written to it during its "
                f"migration, such as {new[0]}. {table.name} has all other rows.",
                "Move these files away, and migrate again; then insert their rows into the table.",
            )

    def _undo_if_unpublished(self, plan: MovePlan | None, table: Table, created: bool) -> None:
        if plan is not None:
            if not _is_committed(plan, table):
                self._undone(plan, table)
        elif created:
            self._catalog.drop_table(table.name)

    def _undone(self, plan: MovePlan, table: Table) -> Table | None:
        """Bring the files back, and drop the table if the migration created it; return it otherwise."""
        file_io = table.store.file_io

        def undo(move: tuple[str, str | None]) -> None:
            source, target = move
            if target is None or not file_io.exists(target):
                return
            if plan.moves:
                file_io.rename(target, source)
            else:
                file_io.delete(target)

        with _named(table, self._source):
            parallel_map(undo, list(plan.files.items()))
        if plan.created:
            self._catalog.drop_table(table.name)
            return None
        file_io.delete(join(table.location, _PLAN))
        return table

    def _storage_of(self, path: str) -> FileIO:
        return self._metastore.storages.at(path)


def move_file(source: FileIO | None, target: FileIO, file: DescribedFile) -> None:
    """Copy a file from a storage to where a table expects it; without a ``source``, move it within that storage."""
    if source is None:
        target.rename(file.source, file.target)
    else:
        copy_file(source, file.source, target, file.target)


@contextmanager
def _named(table: Table, source: Identifier) -> Iterator[None]:
    """Name the plan if files cannot be brought back."""
    try:
        yield
    except OSError as error:
        raise CatalogError(
            f"Not all files of {source} could be brought back from {table.location}: {error}",
            f"Migrate it again when the cause is removed: {join(table.location, _PLAN)} has the way of each file.",
        ) from error


def _is_committed(plan: MovePlan, table: Table) -> bool:
    return any(each.commit_user == plan.user for each in Snapshots(table.store).all())


def _is_one_storage(location: str, sources: list[str]) -> bool:
    """Return whether files can be renamed into a table; an object store would copy and delete each."""
    places = {(urlsplit(each).scheme, urlsplit(each).netloc) for each in (location, *sources)}
    return len(places) == 1 and not is_object_store(location)


def _is_alive(process: int) -> bool:
    if process == os.getpid():
        return False
    with suppress(ProcessLookupError):
        try:
            os.kill(process, 0)
        except PermissionError:
            return True
        return True
    return False
