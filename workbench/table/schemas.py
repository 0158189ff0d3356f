"""The schema versions of a table (format §3.3, `SchemaManager`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.base.errors import AlreadyExists, CommitConflict, TableNotFound, Unsupported
from workbench.format import paths
from workbench.format.schema import TableSchema
from workbench.storage.file_io import FileIO, join
from workbench.table.store import TableStore, read_schema


def schema_ids(file_io: FileIO, location: str) -> list[int]:
    """The ids of all schema files of a table or branch, ascending; empty where there is none."""
    names = (status.name for status in file_io.list_files(join(location, paths.SCHEMA_DIRECTORY)))
    return sorted(number for number in map(paths.schema_id, names) if number is not None)


def load_latest_schema(file_io: FileIO, location: str, table: str) -> TableSchema:
    """The newest schema: there is no hint, the greatest id counts. Raises TableNotFound where there is none."""
    ids = schema_ids(file_io, location)
    if not ids:
        raise TableNotFound(f"There is no table {table}.")
    return read_schema(file_io, location, ids[-1])


def latest_schema_id(store: TableStore) -> int:
    """The id of the newest schema, which a commit notes whatever its writer's schema was (format §2)."""
    ids = schema_ids(store.file_io, store.branch_location)
    if not ids:
        raise TableNotFound(f"Table {store.name} was dropped meanwhile.")
    return ids[-1]


def all_schemas(store: TableStore) -> list[TableSchema]:
    """Every version of the schema as it is stored, oldest first."""
    # That of the store itself may have options of a later version, or of a read.
    stored = replace(store, schema=load_latest_schema(store.file_io, store.branch_location, store.name))
    return [stored.schema_of(number) for number in schema_ids(store.file_io, store.branch_location)]


def check_key_types(store: TableStore, schema_ids: Iterable[int]) -> None:
    """Refuse files of schemas whose primary key has other types: neither their order nor their bounds are those of the
    keys as they are read now. Java 0.9 let users alter a key so, and no later Java reads such files right."""
    now = {field.id: field for field in store.schema.key_fields}
    for each in sorted(set(schema_ids) - {store.schema.id}):
        for field in store.schema_of(each).key_fields:
            key = now.get(field.id)
            if key is not None and key.type.as_nullable() != field.type.as_nullable():
                raise Unsupported(
                    f"Files of {store.name} have keys of type {field.type.as_nullable()} in column '{key.name}', which "
                    f"is now {key.type.as_nullable()}; a primary key of which the type was altered is not supported."
                )


def check_null_was_forbidden(store: TableStore, written_ids: Iterable[int], newest_id: int) -> None:
    """Refuse rows of writers that still knew a column as nullable which is NOT NULL now: readers rely on that.

    Raises:
        CommitConflict: the message names the column.
    """
    for each in sorted(set(written_ids) - {newest_id}):
        nullable = {field.id for field in store.schema_of(each).fields if field.type.nullable}
        for field in store.schema_of(newest_id).fields:
            if field.id in nullable and not field.type.nullable:
                raise CommitConflict(
                    f"Column '{field.name}' of {store.name} became NOT NULL while rows were written.",
                    "Open the table again and write them anew.",
                )


def create_schema(file_io: FileIO, location: str, schema: TableSchema, table: str) -> None:
    """Write the first schema, which makes the table exist. Raises AlreadyExists if another did it first."""
    path = join(location, paths.SCHEMA_DIRECTORY, paths.schema_name(schema.id))
    if not file_io.put_if_absent(path, schema.to_json().encode()):
        raise AlreadyExists(f"Table {table} exists already.", "Pass exist_ok=True to take the one that is there.")
