"""The schema versions of a table, and checks of what was written with them (format §3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.base.errors import CommitConflict, TableNotFound, Unsupported
from workbench.format.spec.data_file import CommitMessage, WriterSchema
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore


def load_latest_schema(store: TableStore) -> TableSchema:
    """Return the newest schema of a table. Raises TableNotFound if there is none."""
    newest = store.schemas.latest()
    if newest is None:
        raise TableNotFound(f"There is no table {store.name}.")
    return newest


def latest_schema_id(store: TableStore) -> int:
    """Return the id of the newest schema, which a commit records regardless of its writer's schema (format §2)."""
    newest = store.schemas.latest_id()
    if newest is None:
        raise TableNotFound(f"Table {store.name} was dropped while it was in use.")
    return newest


def all_schemas(store: TableStore) -> list[TableSchema]:
    """Return every version of the schema as it is stored, oldest first."""
    # The schema of the store itself may have options of a later version, or of a read.
    stored = replace(store, schema=load_latest_schema(store))
    return [stored.schema_of(number) for number in store.schemas.ids()]


def check_schema_is_stored(store: TableStore) -> None:
    """Refuse to write with a schema that the table no longer has under its id: rows would be read as other columns.
    After a fast-forward, or after the table was dropped and created again, an id can belong to another schema.

    Raises:
        CommitConflict: the stored schema is another one, or is gone.
        TableNotFound: the table was dropped.
    """
    schema = store.stored or store.schema
    if store.schemas.has(schema):
        return
    latest_schema_id(store)
    raise CommitConflict(
        f"Schema {schema.id} of {store.name} is no longer the one with which the table was opened: the table was "
        "fast-forwarded, or dropped and created again.",
        "Open the table again and repeat the operation.",
    )


def writer_schema(store: TableStore) -> WriterSchema:
    """Return what a commit needs to know about the schema of a writer."""
    schema = store.stored or store.schema
    return WriterSchema(schema.id, schema.digest)


def check_writer_schemas(store: TableStore, messages: Iterable[CommitMessage]) -> None:
    """Refuse messages whose files were written with a schema that the table no longer has under its id. Files of any
    other older schema can be read, since data files name their schema.

    Raises:
        CommitConflict: The stored schema is another one, or is gone.
    """
    known = store.stored or store.schema
    for schema_id, digest in sorted({each.schema for each in messages if each.schema is not None}):
        if _stored_digest(store, known, schema_id) != digest:
            raise CommitConflict(
                f"Rows for {store.name} were prepared with a schema {schema_id} that the table no longer has: the "
                "table was fast-forwarded, or dropped and created again.",
                "Nothing was committed; open the table again and write the rows again.",
            )


def _stored_digest(store: TableStore, known: TableSchema, schema_id: int) -> str | None:
    # Every attempt to commit checks that the schema of the store is stored.
    if schema_id == known.id:
        return known.digest
    return store.schemas.get(schema_id).digest if schema_id in store.schemas.ids() else None


def check_key_types(store: TableStore, schema_ids: Iterable[int]) -> None:
    """Refuse files of schemas in which the primary key has other types, since neither their order nor their bounds
    match the keys as they are read now. Java 0.9 allowed such a change of a key, and no later Java release reads such
    files correctly. Raises Unsupported."""
    now = {field.id: field for field in store.schema.key_fields}
    for each in sorted(set(schema_ids) - {store.schema.id}):
        for field in store.schema_of(each).key_fields:
            key = now.get(field.id)
            if key is not None and key.type.as_nullable() != field.type.as_nullable():
                raise Unsupported(
                    f"Files of {store.name} have keys of type {field.type.as_nullable()} in column "
                    f"'{key.name}', which is now {key.type.as_nullable()}; a primary key whose type was "
                    "altered is not supported."
                )


def check_not_null_unchanged(store: TableStore, written_ids: Iterable[int], newest_id: int) -> None:
    """Refuse rows of writers to which a column was nullable that is NOT NULL now, because readers rely on the
    constraint.

    Raises:
        CommitConflict: Such a column exists; the message names it.
    """
    for each in sorted(set(written_ids) - {newest_id}):
        nullable = {field.id for field in store.schema_of(each).fields if field.type.nullable}
        for field in store.schema_of(newest_id).fields:
            if field.id in nullable and not field.type.nullable:
                raise CommitConflict(
                    f"Column '{field.name}' of {store.name} became NOT NULL while rows were written.",
                    "Open the table again and write the rows again.",
                )
