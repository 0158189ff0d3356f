"""The database ``sys``: tables that describe all tables of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import TableNotFound, Unsupported, did_you_mean
from workbench.base.secrets import HiddenSecrets
from workbench.catalog.identifier import SYSTEM_DATABASE, Identifier
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.scan.totals import partition_totals
from workbench.storage.local import LocalFileIO
from workbench.table.system.kinds import Columns, SystemKind, constant, instants_of, listed, schema_of
from workbench.table.system.system_table import MetadataTable
from workbench.table.system.totals import partition_name

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema

_TABLES = schema_of(
    {
        "database_name": "STRING",
        "table_name": "STRING",
        "table_type": "STRING",
        "partitioned": "BOOLEAN",
        "primary_key": "BOOLEAN",
        "owner": "STRING",
        "created_at": "BIGINT",
        "created_by": "STRING",
        "updated_at": "BIGINT",
        "updated_by": "STRING",
        "record_count": "BIGINT",
        "file_size_in_bytes": "BIGINT",
        "file_count": "BIGINT",
        "last_file_creation_time": "BIGINT",
    }
)


def _tables(stores: list[TableStore]) -> Columns:
    def option(key: str) -> Callable[[TableStore], str | None]:
        return lambda store: store.schema.options.get(key)

    def number(key: str) -> Callable[[TableStore], int | None]:
        return lambda store: int(store.schema.options[key]) if key in store.schema.options else None

    # NULL, because only a catalog that stores the newest snapshots itself can summarize all tables cheaply.
    unknown = ("record_count", "file_size_in_bytes", "file_count", "last_file_creation_time")
    return listed(
        _TABLES,
        stores,
        {
            "database_name": _database,
            "table_name": _table,
            "table_type": lambda store: store.schema.options.get("type", "table"),
            "partitioned": lambda store: bool(store.schema.partition_keys),
            "primary_key": lambda store: store.schema.is_primary_key_table,
            "owner": option("owner"),
            "created_at": number("createdAt"),
            "created_by": option("createdBy"),
            "updated_at": number("updatedAt"),
            "updated_by": option("updatedBy"),
            **dict.fromkeys(unknown, constant(None)),
        },
    )


_PARTITIONS = schema_of(
    {
        "database_name": "STRING",
        "table_name": "STRING",
        "partition_name": "STRING",
        "record_count": "BIGINT",
        "file_size_in_bytes": "BIGINT",
        "file_count": "BIGINT",
        "last_file_creation_time": "BIGINT",
        "done": "BOOLEAN",
    }
)


def _partitions(stores: list[TableStore]) -> Columns:
    rows = [
        (store, partition_name(store, partition, store.schema.core.partition_legacy_name), total)
        for store in stores
        if store.partition_fields
        for partition, total in partition_totals(store, Snapshots(store).latest()).items()
    ]
    columns = listed(
        _PARTITIONS,
        rows,
        {
            "database_name": lambda row: _database(row[0]),
            "table_name": lambda row: _table(row[0]),
            "partition_name": lambda row: row[1],
            "record_count": lambda row: row[2].records,
            "file_size_in_bytes": lambda row: row[2].size,
            "file_count": lambda row: row[2].files,
            "done": constant(False),
        },
    )
    return {**columns, "last_file_creation_time": lambda: instants_of([row[2].last_creation for row in rows])}


_OPTIONS = schema_of({"database_name": "STRING", "table_name": "STRING", "key": "STRING", "value": "STRING"})


def _options(stores: list[TableStore]) -> Columns:
    return listed(
        _OPTIONS,
        [(store, *option) for store in stores for option in sorted(_shown_options(store).items())],
        {
            "database_name": lambda row: _database(row[0]),
            "table_name": lambda row: _table(row[0]),
            "key": lambda row: row[1],
            "value": lambda row: row[2],
        },
    )


def _shown_options(store: TableStore) -> dict[str, str]:
    """Return the stored options and the location of the table."""
    return {**store.schema.options, "path": store.location}


def _database(store: TableStore) -> str:
    return store.name.partition(".")[0]


def _table(store: TableStore) -> str:
    return store.name.partition(".")[2]


_CATALOG_OPTIONS = schema_of({"key": "STRING NOT NULL", "value": "STRING NOT NULL"})
_CATALOG_OPTIONS_SWITCH = "catalog-options-table.enabled"


def _catalog_options(options: Mapping[str, str]) -> Columns:
    """Return the options of the catalog. Java shows secrets too; here they are hidden."""
    shown = sorted(HiddenSecrets(options).shown().items())
    return listed(_CATALOG_OPTIONS, shown, {"key": lambda row: row[0], "value": lambda row: row[1]})


@dataclass(frozen=True)
class CatalogFacts:
    """What the tables of ``sys`` show of a catalog."""

    options: Mapping[str, str]
    """Its options."""

    stores: Callable[[], list[TableStore]]
    """Returns the stores of all its tables."""


_KINDS: dict[str, tuple[TableSchema, Callable[[CatalogFacts], Columns]]] = {
    "tables": (_TABLES, lambda catalog: _tables(catalog.stores())),
    "partitions": (_PARTITIONS, lambda catalog: _partitions(catalog.stores())),
    "all_table_options": (_OPTIONS, lambda catalog: _options(catalog.stores())),
    "catalog_options": (_CATALOG_OPTIONS, lambda catalog: _catalog_options(catalog.options)),
}


def catalog_tables(options: Mapping[str, str]) -> list[str]:
    """Return the names of the tables of ``sys``; ``catalog_options`` exists only if an option enables it."""
    shows_options = options.get(_CATALOG_OPTIONS_SWITCH, "false").strip().lower() == "true"
    return sorted(name for name in _KINDS if name != "catalog_options" or shows_options)


class CatalogTable(MetadataTable):
    """A table of ``sys``. Each read reads the catalog again; there are no versions."""

    def __init__(self, catalog: CatalogFacts, name: str) -> None:
        schema, columns = _KINDS[name]
        kind = SystemKind(schema, lambda *_: columns(catalog))
        # Nothing is read from the storage: the table has no files.
        store = TableStore(f"{SYSTEM_DATABASE}.{name}", "/", schema, TableRuntime(LocalFileIO()))
        super().__init__(store, name, kind)

    @property
    def name(self) -> str:
        """``sys.name``."""
        return self._store.name

    @property
    def version(self) -> None:
        """None, since a catalog has no versions."""
        return None

    def version_to_read(self) -> None:
        """Return None, since a catalog has no versions."""
        return


def open_catalog_table(catalog: CatalogFacts, identifier: Identifier) -> CatalogTable:
    """Open a table of ``sys``.

    Raises:
        TableNotFound: There is no table of that name.
        Unsupported: The table is ``catalog_options``, which is not enabled.
    """
    name = identifier.table.lower()
    known = catalog_tables(catalog.options)
    if name == "catalog_options" and name not in known:
        raise Unsupported(
            f"sys.catalog_options exists only with catalog option '{_CATALOG_OPTIONS_SWITCH}' = 'true'.",
            "Pass it to connect.",
        )
    if name not in known or identifier != identifier.whole:
        hint = did_you_mean(name, known) or f"Tables of sys: {', '.join(known)}."
        raise TableNotFound(f"There is no system table {identifier}.", hint)
    return CatalogTable(catalog, name)
