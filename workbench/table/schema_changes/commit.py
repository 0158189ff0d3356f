"""Committing the next schema of a table or branch, if no other writer was first (format §3.3, ``SchemaManager``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workbench.base.counting import counted
from workbench.base.errors import InvalidSchema, Unsupported
from workbench.format.options.values import option_text
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.definition.merge_checks import check_can_be_merged
from workbench.metadata.definition.schema_rules import check_schema_rules
from workbench.metadata.layouts import check_options_fit
from workbench.metadata.refs.branches import all_branches, check_branch_options
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.tags import Tags
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.schema_changes.changes import RemoveOption, SchemaChange, SetOption
from workbench.table.schema_changes.schema import altered_schema


@dataclass(frozen=True, repr=False)
class Alteration:
    """The result of `alter_table`: the current ``schema``, and the number of ``changes`` to the previous one."""

    table: str
    schema: TableSchema
    changes: int

    def __repr__(self) -> str:
        return f"<Alteration of {self.table}: schema {self.schema.id}, {counted(self.changes, 'changes')}>"


def alter_table(store: TableStore, changes: Sequence[SchemaChange]) -> Alteration:
    """Apply the changes as one new schema. Data files are not changed; readers see the new columns immediately.

    If another process altered the table first, the changes are applied to the schema that it committed.

    Raises:
        InvalidSchema, SchemaMismatch, AlreadyExists, UnknownOption, Unsupported: As for `altered_schema` and
            `check_schema_rules`; nothing is changed.
        TableNotFound: The table was dropped concurrently.
    """
    if not changes:
        raise InvalidSchema(f"No changes are given for {store.name}.", "Pass changes such as wb.AddColumn(…).")
    while True:
        old = load_latest_schema(store)
        latest = Snapshots(store).latest()
        new = altered_schema(
            old,
            changes,
            has_snapshots=latest is not None,
            has_rows=partial(_has_rows, store),
            time_millis=store.clock.now_millis(),
        )
        _check_same_rows(store, latest, old, changes)
        _check_still_supported(old, new)
        check_schema_rules(new)
        check_branch_options(new, (*all_branches(store), paths.MAIN_BRANCH))
        # Each failed attempt means that another process succeeded, so this terminates.
        if store.schemas.publish(new, changes):
            return Alteration(store.name, store.schemas.published(new), len(changes))


def _has_rows(store: TableStore) -> bool:
    """Return whether any readable version has rows."""
    snapshots = Snapshots(store)
    versions = (snapshot for each in reversed(snapshots.ids()) if (snapshot := snapshots.find(each)) is not None)
    if any(each.total_record_count != 0 for each in versions):
        return True
    kept = [*(tag.snapshot for tag in Tags(store).all().values()), *Changelogs(store).all()]
    return any(each.total_record_count != 0 for each in kept)


def _check_same_rows(
    store: TableStore, latest: Snapshot | None, old: TableSchema, changes: Sequence[SchemaChange]
) -> None:
    options: dict[str, str | None] = {}
    for change in changes:
        if isinstance(change, SetOption):
            options[change.key] = option_text(change.key, change.value)
        elif isinstance(change, RemoveOption):
            options[change.key] = None
    if options and latest is not None:
        check_options_fit(store.with_schema(old), latest, old, options)


def _check_still_supported(old: TableSchema, new: TableSchema) -> None:
    """Raise Unsupported if a table that this library can write would become unsupported.

    Tables that it cannot write, or cannot even read, may be altered for other engines.
    """
    if _is_written_here(old):
        check_can_be_merged(new)


def _is_written_here(schema: TableSchema) -> bool:
    try:
        check_can_be_merged(schema)
    except (Unsupported, InvalidSchema):
        return False
    return True
