"""The options of a table that may change (Java ``SchemaManager.checkAlterTableOption``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from workbench.base.errors import InvalidSchema
from workbench.format.options.catalog import find_option
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.values import option_text
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.fixed_options import KEY_OPTIONS, ONE_WAY_OPTIONS, states_current_value
from workbench.metadata.definition.option_checks import check_user_option

HasRows: TypeAlias = Callable[[], bool]


def with_option(
    old: TableSchema, options: Mapping[str, str], key: str, value: object, *, has_snapshots: bool, has_rows: HasRows
) -> dict[str, str]:
    """Return ``options`` with one option set.

    ``old`` is the current schema, ``has_snapshots`` whether the table has a snapshot, and ``has_rows`` whether any
    version has rows.

    Raises:
        UnknownOption: The option is unknown.
        InvalidSchema: The value is not valid, or the option cannot be changed any more.
    """
    text = option_text(key, value)
    check_user_option(key, text)
    if states_current_value(old, key, text):
        return dict(options)
    _check_change(old, key, text, has_snapshots, has_rows)
    return {**options, key: text}


def without_option(
    old: TableSchema, options: Mapping[str, str], key: str, *, has_snapshots: bool, has_rows: HasRows
) -> dict[str, str]:
    """Return ``options`` with one option removed; it need not be set. Raises InvalidSchema as `with_option` does."""
    if has_snapshots and key == "bucket":
        raise InvalidSchema("Option 'bucket' cannot be removed once the table has a snapshot.", "Set another number.")
    _check_change(old, key, None, has_snapshots, has_rows)
    return {name: text for name, text in options.items() if name != key}


def can_unset(schema: TableSchema, key: str) -> bool:
    """Return whether UNSET TBLPROPERTIES has an option to remove.

    Raises:
        InvalidSchema: The option declares the table's keys. Java's library ignores its removal, and Paimon's Spark
            connector refuses it.
    """
    if key in KEY_OPTIONS and (schema.primary_keys if key == "primary-key" else schema.partition_keys):
        raise InvalidSchema(f"Option '{key}' cannot be removed.", "Create another table.")
    return key in schema.options


def _check_change(old: TableSchema, key: str, text: str | None, has_snapshots: bool, has_rows: HasRows) -> None:
    option = find_option(key)
    if key == "type":
        raise InvalidSchema("Option 'type' cannot change.", "Create another table.")
    if key == "path":
        raise InvalidSchema("Option 'path' cannot change.", "Use rename_table to move a table.")
    if not has_snapshots:
        return
    if option is not None and option.immutable:
        raise InvalidSchema(f"Option '{option.name}' cannot change once the table has a snapshot.")
    after = CoreOptions({**{name: each for name, each in old.options.items() if name != key}, **_set(key, text)})
    if option is not None and option.determines_row_location:
        _check_row_locations(option.name, old.core, after, has_rows)
    if key == "bucket":
        _check_bucket(old.core.bucket, after.bucket)
    _check_deletion_vectors(old.core, after)
    for name in ONE_WAY_OPTIONS:
        if old.core.value(name) and not after.value(name):
            raise InvalidSchema(f"Option '{name}' cannot change from true to false once the table has a snapshot.")
    if key == "clustering.columns" and "pk-clustering-override" in old.options:
        raise InvalidSchema("Option 'clustering.columns' cannot change where 'pk-clustering-override' is set.")


def _set(key: str, text: str | None) -> dict[str, str]:
    return {} if text is None else {key: text}


def _check_row_locations(name: str, before: CoreOptions, after: CoreOptions, has_rows: HasRows) -> None:
    if before.value(name) != after.value(name) and has_rows():
        raise InvalidSchema(
            f"Option '{name}' cannot change from {before.value(name)} to {after.value(name)} once the table has rows: "
            "existing rows would not be found, or would be read incorrectly.",
            "Create a table with that option and copy the rows.",
        )


def _check_bucket(before: int, after: int) -> None:
    if -1 in (before, after) and before != after:
        raise InvalidSchema(
            f"Option 'bucket' cannot change from {before} to {after} once the table has a snapshot.",
            "A table keeps either dynamic buckets (-1) or a fixed number.",
        )


def _check_deletion_vectors(before: CoreOptions, after: CoreOptions) -> None:
    changes = before.deletion_vectors_enabled != after.deletion_vectors_enabled
    if changes and not before.value("deletion-vectors.modifiable"):
        raise InvalidSchema(
            "Option 'deletion-vectors.enabled' cannot change once the table has a snapshot: rows could appear twice.",
            "If the table was compacted in full, set 'deletion-vectors.modifiable' to 'true' first.",
        )
