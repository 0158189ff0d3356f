"""The next schema of a table or branch, put where no other writer was faster (format §3.3, ``SchemaManager``)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.errors import InvalidSchema, Unsupported, did_you_mean
from workbench.format import paths
from workbench.format.schema import TableSchema
from workbench.storage.file_io import join
from workbench.storage.lock import NoLock
from workbench.table.altering.changes import SchemaChange
from workbench.table.altering.schema import altered_schema
from workbench.table.branches import all_branches
from workbench.table.schemas import load_latest_schema
from workbench.table.sections import check_can_be_kept
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore, read_schema

_BRANCH_OPTIONS = ("scan.fallback-branch", "scan.primary-branch")


@dataclass(frozen=True, repr=False)
class Alteration:
    """What `alter_table` made: the ``schema`` that counts from now on, by ``changes`` changes to the one before it."""

    table: str
    schema: TableSchema
    changes: int

    def __repr__(self) -> str:
        return f"<Alteration of {self.table}: schema {self.schema.id}, {self.changes} changes>"


def alter_table(store: TableStore, changes: Sequence[SchemaChange]) -> Alteration:
    """Make the changes as one new schema. Data files stay as they are; readers see the new columns at once.

    Where another process altered the table first, the changes are made again on top of its schema.

    Raises:
        InvalidSchema, SchemaMismatch, AlreadyExists, UnknownOption, Unsupported: as `altered_schema`; nothing changed.
        TableNotFound: the table was dropped meanwhile.
    """
    if not changes:
        raise InvalidSchema(f"There is no change to make to {store.name}.", "Pass values such as wb.AddColumn(…).")
    _warn_without_put_if_absent(store)
    has_snapshots = Snapshots(store).latest_id() is not None
    while True:
        old = load_latest_schema(store.file_io, store.branch_location, store.name)
        new = altered_schema(old, changes, has_snapshots=has_snapshots, time_millis=store.clock.now_millis())
        _check_stays_supported(old, new)
        _check_branches(store, new)
        # Each failed try means that another process got on, so this ends.
        if _publish(store, new):
            return Alteration(store.name, new, len(changes))


def _publish(store: TableStore, schema: TableSchema) -> bool:
    path = join(store.branch_location, paths.SCHEMA_DIRECTORY, paths.schema_name(schema.id))
    table = store.name.partition("$")[0]
    with store.lock.lock(*table.split(".", 1)):
        if store.file_io.put_if_absent(path, schema.to_json().encode()):
            return True
    # An earlier try of ours may have succeeded although its answer was lost.
    return read_schema(store.file_io, store.branch_location, schema.id) == schema


def _warn_without_put_if_absent(store: TableStore) -> None:
    if not store.file_io.supports_put_if_absent and isinstance(store.lock, NoLock):
        warnings.warn(
            f"{store.location} is on a store without put-if-absent and has no lock: "
            "of two processes that alter the table at once, one may lose its changes.",
            stacklevel=3,
        )


def _check_stays_supported(old: TableSchema, new: TableSchema) -> None:
    """As for a new table: a table that this library writes may not be asked for what it does not do. One that it only
    reads, or not even that, can be altered for those who can."""
    if _is_written_here(old):
        check_can_be_kept(new)


def _is_written_here(schema: TableSchema) -> bool:
    try:
        check_can_be_kept(schema)
    except (Unsupported, InvalidSchema):
        return False
    return True


def _check_branches(store: TableStore, schema: TableSchema) -> None:
    named = [name for name in _BRANCH_OPTIONS if schema.options.get(name, "").strip()]
    if len(named) > 1:
        raise InvalidSchema(f"Options '{named[0]}' and '{named[1]}' cannot both be set.", "Remove one of them.")
    for name in named:
        branch = schema.options[name]
        known = (*all_branches(store), paths.MAIN_BRANCH)
        if branch not in known:
            raise InvalidSchema(f"Option '{name}' names '{branch}', which is no branch.", did_you_mean(branch, known))
