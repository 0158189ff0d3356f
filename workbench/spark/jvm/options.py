"""The options of reads and writes in the session's catalog: settings of the session, and options of the connector."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.catalog.connect import connect
from workbench.catalog.locations import options_at, split_location
from workbench.format.spec.paths import MAIN_BRANCH
from workbench.metadata.definition.fixed_options import check_fixed_options
from workbench.metadata.read_options import POSITION_OPTIONS
from workbench.metadata.refs.branches import SEPARATOR
from workbench.metadata.schemas import check_identity
from workbench.spark.streaming.options import SHORT_OPTIONS

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.format.spec.schema import TableSchema
    from workbench.table.readable_table import ReadableTable
    from workbench.table.table import Table

PATH, BRANCH = "path", "branch"
CHANGELOG = "read.changelog"
CATALOG = "workbench.catalog"
"""The catalog that a table was loaded from, which has checked the options."""
PINNED = "workbench.pinned-snapshot"
"""The snapshot that a query reads unless its options select a version."""
IDENTITY = "workbench.table"
"""The identity of the table that a query was analyzed for, which is another table once it is created again."""
BY_PATH = "workbench.by-path"
"""Whether a table was opened by ``load``, which knows the options when it describes the columns."""
INCREMENTAL = "incremental-"
MERGE_SCHEMA = "write.merge-schema"
SAVES = "workbench.saves-table"
"""Whether ``saveAsTable`` of a DataFrame's writer is running."""
KEEPS_COLUMNS = "workbench.keeps-columns"
"""Whether a statement adds no columns to its table, such as an INSERT by position."""
PADS_CHAR = "workbench.pads-char"
"""Whether CHAR is padded in the rows of a table that a statement changes."""
CASTS = "workbench.casts"
"""Whether a write casts the values of a DataFrame to the types of the columns where Spark refuses to store them."""
OVERWRITES = "workbench.overwrites"
"""Whether a write replaces the rows of a table, and keeps its definition, although Spark replaces both."""
_SETTINGS = "spark.paimon."
_LEGACY_TIMES = "legacy-timestamp-mapping.enabled"
# Options of the connector rather than of a table.
_OF_SPARK = ("path", "catalog", "checkpointlocation", "queryname", *(name.lower() for name in SHORT_OPTIONS))
_OF_CONNECTOR = ("read.", "source.", "workbench.", "write.use-v2-write")


def session_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a session that are options of tables, by their names without ``spark.paimon.``.

    Args:
        settings: All settings of the session.
    """
    return _below(settings, _SETTINGS)


def settings_of(settings: Mapping[str, str], catalog: str, name: str) -> dict[str, str]:
    """Return the options that settings of the session define for a table.

    ``spark.paimon.<option>`` applies to all tables, ``spark.paimon.<catalog>.<database>.<table>.<option>`` to the
    tables it names, where ``*`` matches any name. More specific settings take precedence.

    Args:
        settings: The settings by their names without ``spark.paimon.``.
        catalog: The name of the catalog in the session.
        name: The table as ``database.table``.
    """
    database, _, table = name.partition(".")
    found: dict[str, str] = {}
    places = product((catalog, "*"), (database, "*"), (table, "*"))
    for place in sorted(places, key=lambda names: names.count("*"), reverse=True):
        found |= _below(settings, ".".join(place) + ".")
    of_all = {key: value for key, value in settings.items() if not _names_tables(key, catalog)}
    return {**of_all, **found}


def changing_options(settings: Mapping[str, str], catalog: str, name: str) -> dict[str, str]:
    """Return the options that settings of the session define for a table that a statement changes: all except those
    that select what is read. The arguments are the same as for `settings_of`."""
    found = table_options(settings_of(settings, catalog, name))
    return {key: value for key, value in found.items() if not key.startswith(("scan.", INCREMENTAL))}


def check_types(options: Mapping[str, str]) -> None:
    """Check options that would change the types of columns. Raises Unsupported if TIMESTAMP would have a time zone."""
    if is_set(options, _LEGACY_TIMES):
        raise Unsupported(
            f"Option '{_LEGACY_TIMES}' = 'true' is not supported: TIMESTAMP is timestamp_ntz.", "Cast the columns."
        )


def check_session(settings: Mapping[str, str], schema: TableSchema) -> None:
    """Check that no setting of the session changes a fixed option of a table. Raises InvalidRequest if one does."""
    check_fixed_options(schema, settings, "a session", "RESET it, and set it in TBLPROPERTIES of new tables.")


def table_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a read or write that are options of the table, apart from those that name it."""
    given = given_options(options)
    return {key: value for key, value in given.items() if key != BRANCH and not key.startswith(_OF_CONNECTOR)}


def given_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a ``load`` or ``save`` without those that name the table or concern only Spark."""
    return {key: value for key, value in options.items() if key.lower() not in _OF_SPARK}


def named_table(catalog: Catalog, options: Mapping[str, str]) -> ReadableTable:
    """Return what the options of a read name: a table, its branch or a system table, by name, or by the directory of
    the table in any warehouse.

    Raises:
        InvalidRequest: No table is named.
        TableNotFound: There is no such table, or it was created again since the query was analyzed.
    """
    owner, name = _named(catalog, options)
    found = owner.open(name + ("$audit_log" if is_set(options, CHANGELOG) else ""))
    if IDENTITY in options:
        check_identity(found.store, options[IDENTITY])
    return found


def table_to_write(catalog: Catalog, options: Mapping[str, str]) -> Table:
    """Return the table, or its branch, that the options of a write name, as `named_table` does.

    Raises:
        InvalidRequest: No table is named.
        TableNotFound: There is no such table, or it was created again since the query was analyzed.
        CatalogError: A system table is named.
    """
    owner, name = _named(catalog, options)
    found = owner.get_table(name)
    if IDENTITY in options:
        check_identity(found.store, options[IDENTITY])
    return found


def _named(catalog: Catalog, options: Mapping[str, str]) -> tuple[Catalog, str]:
    path = options.get(PATH)
    if not path:
        raise InvalidRequest("The table is missing.", "Pass it: .load('database.table') or .save('database.table').")
    branch = options.get(BRANCH, MAIN_BRANCH)
    suffix = "" if branch == MAIN_BRANCH or "$" in path else SEPARATOR + branch
    if "/" not in path:
        return catalog, path + suffix
    warehouse, name = split_location(path)
    owner = catalog if warehouse == catalog.warehouse else connect(options_at(catalog.options, warehouse))
    return owner, name + suffix


def selects_version(options: Mapping[str, str]) -> bool:
    """Return whether options select the version or the changes that are read."""
    return any(key in POSITION_OPTIONS or key == "scan.mode" or key.startswith(INCREMENTAL) for key in options)


def is_set(options: Mapping[str, str], name: str) -> bool:
    """Return whether an option is ``true``."""
    return options.get(name, "").lower() == "true"


def _below(settings: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {key[len(prefix) :]: value for key, value in settings.items() if key.startswith(prefix)}


def _names_tables(key: str, catalog: str) -> bool:
    return key.startswith((f"{catalog}.", "*."))
