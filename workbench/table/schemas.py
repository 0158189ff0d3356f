"""The schema versions of a table (format §3.3, `SchemaManager`)."""

from __future__ import annotations

from workbench.base.errors import AlreadyExists, TableNotFound
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
    """Every version of the schema, oldest first."""
    return [store.schema_of(number) for number in schema_ids(store.file_io, store.branch_location)]


def create_schema(file_io: FileIO, location: str, schema: TableSchema, table: str) -> None:
    """Write the first schema, which makes the table exist. Raises AlreadyExists if another did it first."""
    path = join(location, paths.SCHEMA_DIRECTORY, paths.schema_name(schema.id))
    if not file_io.put_if_absent(path, schema.to_json().encode()):
        raise AlreadyExists(f"Table {table} exists already.", "Pass exist_ok=True to take the one that is there.")
