"""Replacing the definition of a table, whose history is kept: earlier versions keep their columns and rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema, assign_field_ids
from workbench.metadata.definition.schema_rules import check_schema_rules
from workbench.metadata.refs.branches import all_branches, check_branch_options
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.store import TableStore


def replace_schema(store: TableStore, definition: TableSchema) -> TableSchema:
    """Make a definition the next schema of a table that has no rows; its columns get ids that were never used.

    Args:
        store: The table.
        definition: The columns, keys, options and comment, as for a new table.

    Returns:
        The schema.

    Raises:
        InvalidSchema: An option contradicts a branch of the table.
    """
    check_schema_rules(definition)
    check_branch_options(definition, (*all_branches(store), paths.MAIN_BRANCH))

    def with_new_ids(highest: int) -> TableSchema:
        fields, last = assign_field_ids(definition.fields, highest)
        return replace(definition, fields=fields, highest_field_id=last)

    return _published(store, with_new_ids)


def restore_schema(store: TableStore, schema_id: int) -> TableSchema:
    """Publish an earlier schema of a table again as its next one, so that versions with that schema match the current
    columns again."""
    earlier = store.schemas.get(schema_id)
    return _published(store, lambda highest: replace(earlier, highest_field_id=highest))


def _published(store: TableStore, make: Callable[[int], TableSchema]) -> TableSchema:
    while True:
        old = load_latest_schema(store)
        schema = replace(make(old.highest_field_id), id=old.id + 1, time_millis=store.clock.now_millis())
        # Each failed attempt means that another process succeeded, so this terminates.
        if store.schemas.publish(schema):
            return store.schemas.published(schema)
