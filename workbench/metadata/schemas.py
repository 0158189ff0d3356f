"""The schema versions of a table, checks of what was written with them (format §3.3), and checks that a table is still
the one that was opened: it may have been dropped or renamed, and another one created in its place. Since schemas never
change, the schema with which a table was opened identifies it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.base.errors import CommitConflict, TableNotFound, Unsupported
from workbench.format.spec.data_file import CommitMessage, WriterSchema
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore

_CHECK_BYTES = 500


def load_latest_schema(store: TableStore) -> TableSchema:
    """Return the newest schema of a table. Raises TableNotFound if there is none."""
    newest = store.schemas.latest()
    if newest is None:
        raise TableNotFound(f"There is no table {store.name}.")
    return newest


def latest_schema_id(store: TableStore) -> int:
    """Return the id of the newest schema."""
    newest = store.schemas.latest_id()
    if newest is None:
        raise dropped(store)
    return newest


def all_schemas(store: TableStore) -> list[TableSchema]:
    """Return every version of the schema as it is stored, oldest first."""
    # The schema of the store itself may have options of a later version, or of a read.
    stored = replace(store, schema=load_latest_schema(store))
    return [stored.schema_of(number) for number in store.schemas.ids()]


def check_schema_is_stored(store: TableStore) -> int:
    """Refuse to write with a schema that the table no longer has under its id: rows would be read as other columns.
    After a fast-forward, or after the table was dropped and created again, an id can belong to another schema.

    Returns:
        The id of the newest schema, which a commit records regardless of its writer's schema (format §2).

    Raises:
        CommitConflict: the stored schema is another one, or is gone.
        TableNotFound: the table was dropped.
    """
    schema = store.stored or store.schema
    newest = store.schemas.newest_id_with(schema)
    if newest is not None:
        return newest
    latest_schema_id(store)
    raise CommitConflict(*replaced(store, schema))


def same_table(store: TableStore) -> TableStore:
    """Return the table if it has not been dropped, renamed or created again since it was opened. Reads one schema.

    Raises:
        TableNotFound: It has been, or its schemas were replaced by those of a branch.
    """
    if not store.schemas.has(store.opened):
        raise dropped(store) if store.schemas.latest_id() is None else TableNotFound(*replaced(store, store.opened))
    return store


def identity_of(store: TableStore) -> str:
    """Return a text that identifies the table among all tables that had or will have its name."""
    return f"{store.opened.id}:{store.opened.digest}"


def check_identity(store: TableStore, identity: str) -> None:
    """Check that a table is the one that `identity_of` identified earlier, whatever was altered since then.

    Raises:
        TableNotFound: It was created again, or its schemas were replaced by those of a branch.
    """
    schema_id, _, digest = identity.partition(":")
    if _stored_digest(store, store.opened, int(schema_id)) != digest:
        raise TableNotFound(*_replaced(store, int(schema_id)))


def dropped(store: TableStore) -> TableNotFound:
    """Return the error that an open table has no schema any more."""
    return TableNotFound(
        f"Table {store.name} was dropped while it was in use, or renamed.", "Open the table by its present name."
    )


def replaced(store: TableStore, schema: TableSchema) -> tuple[str, str]:
    """Return message and hint of the error that a schema of an open table is no longer stored."""
    return _replaced(store, schema.id)


def _replaced(store: TableStore, schema_id: int) -> tuple[str, str]:
    message = (
        f"Schema {schema_id} of {store.name} is no longer the one with which the table was opened: the table was "
        "dropped and was created again, or was fast-forwarded."
    )
    return message, "Open the table again and repeat the operation."


def check_version(store: TableStore, snapshot: Snapshot | None) -> None:
    """Check that the newest snapshot of a table belongs to the table that was opened; reads one schema if this snapshot
    was not yet checked or if there is none. Raises TableNotFound as `same_table` does."""
    if snapshot is None:
        same_table(store)
        return

    def check() -> TableSchema:
        return store.opened if store.schemas.was_just_read(store.opened) else same_table(store).opened

    checked = store.cache.get_or_load(_key(store, snapshot), check, lambda _: _CHECK_BYTES)
    if checked != store.opened:
        # The snapshot was checked for another table, which was there before or is there now.
        same_table(store)


def note_version(store: TableStore, snapshot: Snapshot) -> None:
    """Remember that a snapshot belongs to the table, because it was committed to it."""
    store.cache.get_or_load(_key(store, snapshot), lambda: store.opened, lambda _: _CHECK_BYTES)


def _key(store: TableStore, snapshot: Snapshot) -> object:
    # The name of a manifest list is unique.
    return "table of", store.branch_location, store.opened.id, snapshot.id, snapshot.base_manifest_list


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
    # ``known`` was just read, or is checked by every attempt to commit.
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
