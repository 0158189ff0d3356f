"""What all catalogs have in common: checking the schema of a new table, and opening a table by name."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, overload

from workbench.base.errors import CatalogError
from workbench.catalog.identifier import Identifier
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.option_checks import check_user_options, stored_option_warnings
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.branches import check_branch_options, open_branch
from workbench.metadata.store import TableStore
from workbench.metadata.totals import partition_statistics
from workbench.table.readable_table import ReadableTable
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.base.clock import Clock
    from workbench.catalog.metastore import Metastore
    from workbench.metadata.definition.columns import Columns
    from workbench.metadata.protocol import PartitionStatistics

_TABLE_DEFAULT = "table-default."
# How long a table may take from its first file to its registration.
_PAUSES = (0.05, 0.2, 0.75)


def schema_of_new_table(
    columns: Columns,
    primary_key: str | Iterable[str],
    partition_by: str | Iterable[str],
    options: Mapping[str, object] | None,
    comment: str | None,
    catalog_options: Mapping[str, str],
    time_millis: int,
) -> TableSchema:
    """Return the first schema of a table, with the default options that the catalog gives to every new table.

    Raises:
        InvalidSchema: Columns, keys or options contradict each other.
        UnknownOption: There is no such option.
        Unsupported: An option is not supported by this library.
    """
    # Loaded here, because opening a table does not need them.
    from workbench.metadata.definition.merge_checks import check_can_be_merged
    from workbench.metadata.definition.new_schema import new_table_schema
    from workbench.metadata.definition.schema_rules import check_schema_rules

    given = {**_table_defaults(catalog_options), **(options or {})}
    check_user_options({key: value for key, value in given.items() if key not in ("primary-key", "partition")})
    schema = new_table_schema(
        columns,
        primary_key=primary_key,
        partition_by=partition_by,
        options=given,
        comment=comment,
        time_millis=time_millis,
    )
    check_can_be_merged(schema)
    check_schema_rules(schema)
    check_branch_options(schema, ())
    return schema


def appears(metastore: Metastore, identifier: Identifier, clock: Clock) -> bool:
    """Return whether there is a table that another process creates at the same time: it may have files already, and be
    registered a moment later."""
    for seconds in _PAUSES:
        if metastore.has_table(identifier):
            return True
        clock.sleep(seconds)
    return metastore.has_table(identifier)


def open_table(store: TableStore, identifier: Identifier, warned: set[tuple[Identifier, str]]) -> Table:
    """Open the table or branch that ``identifier`` names.

    Args:
        store: The table at its newest schema.
        identifier: The name.
        warned: The warnings about stored options that the catalog has already shown; each is shown only once.

    Raises:
        TableNotFound: There is no such branch.
        Unsupported: A stored option is not supported for this table.
    """
    store = _branch_of(store, identifier)
    for warning in stored_option_warnings(store.schema.options):
        if (identifier, warning) not in warned:
            warned.add((identifier, warning))
            warnings.warn(f"{identifier}: {warning}", stacklevel=3)
    return _opened(Table(store))


def open_system_table(store: TableStore, identifier: Identifier) -> ReadableTable:
    """Open the system table that ``identifier`` names.

    Args:
        store: The table at its newest schema.
        identifier: The name, with a system table.

    Raises:
        TableNotFound: There is no such branch or system table.
        Unsupported: A stored option is not supported for this table.
    """
    from workbench.table.system import registry

    assert identifier.system is not None
    return _opened(registry.open_system_table(_branch_of(store, identifier), identifier.system))


def read_only_error(identifier: Identifier) -> CatalogError:
    """Return the error that a system table cannot be changed."""
    return CatalogError(
        f"{identifier} is a system table, which is read-only.", f'Open it: catalog.open("{identifier}").'
    )


def _branch_of(store: TableStore, identifier: Identifier) -> TableStore:
    return store if identifier.branch is None else open_branch(store, identifier.branch)


@overload
def _opened(table: Table) -> Table: ...
@overload
def _opened(table: ReadableTable) -> ReadableTable: ...
def _opened(table: ReadableTable) -> ReadableTable:
    """Return the table, prepared for reading as its stored options require."""
    if any(name.startswith(("scan.", "log.scan")) for name in table.store.schema.options):
        # Few tables store such options, so the module is loaded only for these tables.
        from workbench.table.read_options import open_for_read

        table = open_for_read(table)
    return table


def partitions_with_files(store: TableStore) -> list[PartitionStatistics]:
    """Return the partitions of a table that have files, from its manifests."""
    newest = store.snapshots.latest()
    if newest is None:
        return []
    return partition_statistics(store, ManifestFiles(store).live_files(newest))


def _table_defaults(catalog_options: Mapping[str, str]) -> dict[str, str]:
    return {
        key.removeprefix(_TABLE_DEFAULT): value
        for key, value in catalog_options.items()
        if key.startswith(_TABLE_DEFAULT)
    }
