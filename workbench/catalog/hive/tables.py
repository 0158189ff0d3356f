"""Tables, views and databases as a Hive Metastore keeps them, exactly as Java's ``HiveCatalog`` writes them."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.catalog.descriptions import Database
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.hive.types import TIMESTAMP, ZONED_TIMESTAMP, hive_type
from workbench.catalog.identifier import Identifier
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataField
from workbench.storage.file_io import join, qualify, scheme

PARTITIONED = "metastore.partitioned-table"
TAG_TO_PARTITION = "metastore.tag-to-partition"
TAG_PREVIEW = "metastore.tag-to-partition.preview"
LOCATION = "paimon_location"
"""The property that has the directory where the metastore does not open it."""

MANAGED, EXTERNAL, VIEW = "MANAGED_TABLE", "EXTERNAL_TABLE", "VIRTUAL_VIEW"
INPUT_FORMAT = "org.apache.paimon.hive.mapred.PaimonInputFormat"
OUTPUT_FORMAT = "org.apache.paimon.hive.mapred.PaimonOutputFormat"
_SERDE = "org.apache.paimon.hive.PaimonSerDe"
_STORAGE_HANDLER = "org.apache.paimon.hive.PaimonStorageHandler"
COMMENT, _OWNER = "comment", "owner"
_HIVE_PREFIX = "hive."
_KEPT = ("partition.expiration-time", "data-file.path-directory")
"""Options that are kept in the metastore in any case, because other engines read them there."""

_MOST_RETENTION = 2_147_483_647
_COMMENT_LENGTH = 255
_CUT = "..."


def is_paimon(table: Any) -> bool:
    """Return whether a table of the metastore is one of Paimon's."""
    return table.sd is not None and table.sd.inputFormat == INPUT_FORMAT and table.sd.outputFormat == OUTPUT_FORMAT


def is_view(table: Any) -> bool:
    """Return whether a table of the metastore is a view."""
    return bool(table.tableType == VIEW)


def is_external(table: Any) -> bool:
    """Return whether the files of a table are kept when it is dropped."""
    return bool(table.tableType == EXTERNAL)


def wants_external(options: Mapping[str, str], settings: HiveSettings) -> bool:
    """Return whether a new table with these options is external: it has a directory that the user chose, or says so."""
    marked = options.get("external", options.get("EXTERNAL", ""))
    return "path" in options or marked.lower() == "true" or settings.external_by_default


def check_tags(identifier: object, schema: TableSchema, before: Mapping[str, str] | None = None) -> None:
    """Check that tags of a table can be its partitions in the metastore.

    Args:
        identifier: The table, for messages.
        schema: Its new schema.
        before: The options of its schema so far; None for a new table.

    Raises:
        InvalidSchema: The table has partitions.
        Unsupported: The option is set or changed after the table was created.
    """
    tag_field = schema.options.get(TAG_TO_PARTITION)
    if tag_field is None:
        return
    if schema.partition_keys:
        raise InvalidSchema(
            f"{identifier} has partitions, so its tags cannot be partitions in Hive Metastore.",
            f"Remove option '{TAG_TO_PARTITION}', or create the table without partitions.",
        )
    if before is not None and before.get(TAG_TO_PARTITION) != tag_field:
        raise Unsupported(
            f"Option '{TAG_TO_PARTITION}' of {identifier} was not changed: Hive Metastore cannot change the partition "
            "columns of a table.",
            "Set it when the table is created.",
        )


def stored_location(location: str) -> str:
    """Return a location as the metastore keeps it, which might otherwise look for a local path on its own storage."""
    return f"file:{location}" if scheme(location) == "file" and not location.startswith("file:") else location


# --- tables -------------------------------------------------------------------------------------------------------


def new_table(
    identifier: Identifier,
    schema: TableSchema,
    location: str,
    external: bool,
    settings: HiveSettings,
    owner: str,
    seconds: int,
) -> Any:
    """Return the Thrift value of a table.

    Args:
        identifier: Its name.
        schema: Its newest schema.
        location: Its directory.
        external: Whether its files are kept when it is dropped.
        settings: Which properties and locations the catalog keeps.
        owner: The user who creates it.
        seconds: The time, in seconds since the epoch.

    Raises:
        Unsupported: Hive has no type for a column.
        InvalidSchema: The names of two columns are the same in lower case.
    """
    types = thrift_types()
    if settings.sync_all_properties:
        properties = {**schema.options, **_keys(schema)}
    else:
        properties = {**_prefixed(schema), **{key: schema.options[key] for key in _KEPT if key in schema.options}}
    properties |= {"table_type": "PAIMON", "storage_handler": _STORAGE_HANDLER}
    if external:
        properties["EXTERNAL"] = "TRUE"
    table = types.Table(
        tableName=identifier.table,
        dbName=identifier.database,
        owner=owner,
        createTime=seconds,
        lastAccessTime=seconds,
        retention=_MOST_RETENTION,
        sd=types.StorageDescriptor(serdeInfo=types.SerDeInfo()),
        partitionKeys=[],
        parameters=properties,
        tableType=EXTERNAL if external else MANAGED,
    )
    _describe(table, schema)
    set_location(table, location, settings)
    return table


def altered_table(table: Any, schema: TableSchema, removed: Collection[str], settings: HiveSettings) -> Any:
    """Return the Thrift value of a table with a newer schema; everything that the schema does not decide is kept.

    Args:
        table: The table as the metastore has it now.
        schema: The schema.
        removed: The options that an earlier schema had and this one has not.
        settings: Which properties and locations the catalog keeps.

    Raises:
        Unsupported: Hive has no type for a column.
        InvalidSchema: The names of two columns are the same in lower case.
    """
    location = table_location(table)
    result = copy.deepcopy(table)
    result.parameters = dict(result.parameters or {})
    if settings.sync_all_properties:
        result.parameters |= {**schema.options, **_keys(schema)}
    else:
        result.parameters |= _prefixed(schema)
    for key in removed:
        result.parameters.pop(key, None)
    if schema.comment is None:
        result.parameters.pop(COMMENT, None)
    _describe(result, schema)
    set_location(result, location, settings)
    return result


def _describe(table: Any, schema: TableSchema) -> None:
    """Set what the columns of a schema decide. Raises InvalidSchema if names are the same in lower case."""
    names = [each.name.lower() for each in schema.fields]
    if len(set(names)) < len(names):
        twice = next(each for each in names if names.count(each) > 1)
        raise InvalidSchema(
            f"Two columns have the name '{twice}': Hive Metastore keeps names in lower case.", "Rename one of them."
        )
    zoned = ZONED_TIMESTAMP if _has_zoned(table.sd.cols or []) else TIMESTAMP
    in_metastore = has_partitions(schema)
    keys = schema.partition_keys if in_metastore else ()
    columns = [each for each in schema.fields if each.name not in keys]
    table.sd.inputFormat, table.sd.outputFormat = INPUT_FORMAT, OUTPUT_FORMAT
    table.sd.serdeInfo.serializationLib = _SERDE
    table.sd.serdeInfo.parameters = {}
    table.sd.cols = [column_of(each, zoned) for each in columns]
    tag_field = schema.options.get(TAG_TO_PARTITION)
    if in_metastore:
        table.partitionKeys = [_key_column(schema.field(name), zoned) for name in keys]
    elif tag_field:
        table.partitionKeys = [_key_column(DataField(0, tag_field, AtomicType("STRING")), zoned)]
    if schema.comment is not None:
        table.parameters[COMMENT] = schema.comment


def has_partitions(schema: TableSchema) -> bool:
    """Return whether the partitions of a table are registered in the metastore."""
    return bool(schema.partition_keys) and schema.options.get(PARTITIONED, "false").strip().lower() == "true"


def column_of(field: DataField, zoned: str) -> Any:
    """Return the Thrift value of a column; ``zoned`` is how Hive names timestamps with a time zone."""
    comment = field.description
    if comment is not None:
        # The metastore's column for it has 256 characters.
        comment = comment.replace("\n", " ").replace("\r", " ")
        if len(comment) > _COMMENT_LENGTH:
            comment = comment[: _COMMENT_LENGTH - len(_CUT)] + _CUT
    return thrift_types().FieldSchema(field.name, hive_type(field.type, zoned), comment)


def _key_column(field: DataField, zoned: str) -> Any:
    return thrift_types().FieldSchema(field.name, hive_type(field.type, zoned), field.description)


def _has_zoned(columns: Iterable[Any]) -> bool:
    return any(ZONED_TIMESTAMP in each.type for each in columns)


def _keys(schema: TableSchema) -> dict[str, str]:
    named = (
        ("primary-key", schema.primary_keys),
        ("partition", schema.partition_keys),
        ("bucket-key", schema.bucket_keys),
    )
    return {name: ",".join(columns) for name, columns in named if columns}


def _prefixed(schema: TableSchema) -> dict[str, str]:
    options = schema.options.items()
    return {key.removeprefix(_HIVE_PREFIX): value for key, value in options if key.startswith(_HIVE_PREFIX)}


def set_location(table: Any, location: str, settings: HiveSettings) -> None:
    """Set the directory of a table or of a partition."""
    if settings.location_in_properties:
        table.parameters = {**(table.parameters or {}), LOCATION: stored_location(location)}
    else:
        table.sd.location = stored_location(location)


def table_location(table: Any) -> str:
    """Return the directory of a table."""
    return qualify((table.parameters or {}).get(LOCATION) or table.sd.location, is_stored=True)


# --- databases ----------------------------------------------------------------------------------------------------


def new_database(database: Database, location: str, settings: HiveSettings) -> Any:
    """Return the Thrift value of a database in a directory."""
    properties = dict(database.properties)
    result = thrift_types().Database(
        name=database.name,
        description=database.comment,
        parameters=properties,
        ownerName=properties.pop(_OWNER, None),
    )
    if settings.location_in_properties:
        properties[LOCATION] = stored_location(location)
    else:
        result.locationUri = stored_location(location)
    return result


def read_database(database: Any) -> Database:
    """Return a database of the metastore."""
    properties = dict(database.parameters or {})
    if database.ownerName is not None:
        properties[_OWNER] = database.ownerName
    stored = properties.get(LOCATION) or database.locationUri
    location = qualify(stored, is_stored=True) if stored else None
    return Database(database.name, location, database.description or None, properties)


def altered_database(database: Any, changes: Mapping[str, str | None]) -> Any:
    """Return the Thrift value of a database with other properties; None removes one."""
    result = copy.deepcopy(database)
    result.parameters = dict(result.parameters or {})
    for key, value in changes.items():
        if key == COMMENT:
            result.description = value
        elif key == _OWNER:
            result.ownerName = value
        elif value is None:
            result.parameters.pop(key, None)
        else:
            result.parameters[key] = value
    return result


def table_path(database: Database, table: str, warehouse: str) -> str:
    """Return the directory that a new table gets by its name."""
    return join(database.location or join(warehouse, f"{database.name}.db"), table)
