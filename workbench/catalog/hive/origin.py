"""Tables of Hive's own formats in a Hive Metastore, as far as their files can become those of a Paimon table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import Unsupported
from workbench.catalog.hive.client import HiveClient, thrift_types
from workbench.catalog.hive.tables import is_external, is_paimon, is_view
from workbench.catalog.hive.types import paimon_type
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.format.types import DataField
from workbench.storage.file_io import FileStatus, qualify
from workbench.storage.overlay import walk
from workbench.table.dml.foreign_files import HiveFile

_FORMATS = ("avro", "parquet", "orc")
_DEFAULT_PARTITION = "hive.exec.default.partition.name"
_SCHEMA_ELSEWHERE = "avro.schema."
_BATCH = 300
_MOST_NAMED = 3
_HIDDEN = ("_", ".")


@dataclass(frozen=True)
class Place:
    """A directory with files of one partition, or of a table without partitions."""

    location: str
    format: str
    partition: Mapping[str, str | None]


class HiveOrigin:
    """A table to migrate.

    Args:
        client: The client of the metastore.
        storages: The storages of its files.
        identifier: Its name.
        table: Its Thrift value.
    """

    def __init__(self, client: HiveClient, storages: Storages, identifier: Identifier, table: Any) -> None:
        self._client, self._storages, self._table = client, storages, table
        self.identifier = identifier
        self.default_partition = str(client.call("get_config_value", _DEFAULT_PARTITION, "__HIVE_DEFAULT_PARTITION__"))

    @property
    def location(self) -> str:
        """The directory of the table."""
        return qualify(self._table.sd.location, is_stored=True)

    @property
    def since(self) -> int:
        """When it was created, in seconds since the epoch."""
        return int(self._table.createTime)

    @property
    def is_external(self) -> bool:
        """Whether its files are kept when it is dropped."""
        return is_external(self._table)

    @property
    def comment(self) -> str | None:
        """What it is for."""
        return (self._table.parameters or {}).get("comment")

    @property
    def partition_keys(self) -> list[str]:
        """The names of its partition columns."""
        return [each.name for each in self._table.partitionKeys or ()]

    def fields(self) -> list[DataField]:
        """Return its columns, the partition columns last. Raises Unsupported if Paimon has no type for one."""
        columns = [*self._table.sd.cols, *(self._table.partitionKeys or ())]
        stated = {**(self._table.parameters or {}), **(self._table.sd.serdeInfo.parameters or {})}
        if any(each.startswith(_SCHEMA_ELSEWHERE) for each in stated):
            # What the metastore has of such columns is as old as the table.
            columns = self._client.call("get_schema", self.identifier.database, self.identifier.table)
        return [DataField(index, each.name, paimon_type(each.type), each.comment) for index, each in enumerate(columns)]

    def places(self) -> list[Place]:
        """Return the directories of its partitions, or its own. Raises Unsupported for formats that Paimon has not."""
        if not self.partition_keys:
            return [Place(self.location, self._format(self._table.sd), {})]
        return [
            Place(qualify(each.sd.location, is_stored=True), self._format(each.sd), self._values(each))
            for each in self._partitions()
        ]

    def files(self, places: list[Place]) -> list[tuple[HiveFile, int]]:
        """Return its files, with their sizes.

        Raises:
            Unsupported: There are files that Hive does not read, which would be deleted with the table.
        """
        found = [
            (HiveFile(each.path, place.format, place.partition), each.size)
            for place in places
            for each in self._storages.at(place.location).list_files(place.location)
            if not each.is_directory and not each.name.startswith(_HIDDEN)
        ]
        known = {each.path for each, _ in found}
        unknown = [each.path for each in self._below(places) if each.path not in known]
        if unknown:
            raise Unsupported(
                f"{self.identifier} has {counted(len(unknown), 'files')} in directories that Hive does not read as "
                f"partitions: {', '.join(unknown[:_MOST_NAMED])}.",
                "Register them in Hive by MSCK REPAIR TABLE, or move them away, and migrate again.",
            )
        return found

    def drop(self) -> None:
        """Remove the table from the metastore, with its directory unless it is external."""
        purge = thrift_types().EnvironmentContext(properties={"ifPurge": "TRUE"})
        name = (self.identifier.database, self.identifier.table)
        self._client.call("drop_table_with_environment_context", *name, True, purge)

    def _below(self, places: list[Place]) -> Iterator[FileStatus]:
        """Yield all files, except hidden ones, in the directories of the table and of its partitions."""
        roots = {self.location, *(each.location for each in places)}
        for root in roots:
            for each in walk(self._storages.at(root), root):
                inside = each.path.removeprefix(f"{root}/").split("/")
                if not any(part.startswith(_HIDDEN) for part in inside):
                    yield each

    def _partitions(self) -> Iterator[Any]:
        name = (self.identifier.database, self.identifier.table)
        names = self._client.call("get_partition_names", *name, -1)
        for start in range(0, len(names), _BATCH):
            yield from self._client.call("get_partitions_by_names", *name, names[start : start + _BATCH])

    def _values(self, partition: Any) -> dict[str, str | None]:
        values = (None if each == self.default_partition else each for each in partition.values)
        return dict(zip(self.partition_keys, values, strict=True))

    def _format(self, descriptor: Any) -> str:
        info = descriptor.serdeInfo
        library = "" if info is None else (info.serializationLib or "").lower()
        found = next((each for each in _FORMATS if each in library), None)
        if found is None:
            raise Unsupported(
                f"{self.identifier} cannot be migrated: its SerDe is '{library}', not one of {', '.join(_FORMATS)}.",
                "Write its rows to a new table instead: INSERT INTO a new table SELECT them with Spark or Hive.",
            )
        return found


def find_origin(client: HiveClient, storages: Storages, identifier: Identifier) -> HiveOrigin | None:
    """Return a table to migrate; None if there is no table of this name, or a Paimon table.

    Raises:
        Unsupported: It is a view, or Hive changes its files in transactions.
    """
    table = client.find("get_table", identifier.database, identifier.table)
    if table is None or is_paimon(table):
        return None
    if is_view(table) or table.sd is None or table.sd.location is None:
        raise Unsupported(f"{identifier} cannot be migrated: it is not a table with files.")
    if (table.parameters or {}).get("transactional", "false").lower() == "true":
        raise Unsupported(
            f"{identifier} cannot be migrated: it is a transactional table, whose files contain deleted rows.",
            "Write its rows to a new table instead: INSERT INTO a new table SELECT them with Spark or Hive.",
        )
    return HiveOrigin(client, storages, identifier, table)
