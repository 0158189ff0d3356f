"""Translates Spark's changes of a table to changes of this library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import types as spark

from workbench.base.errors import Unsupported
from workbench.format.spec.schema import TableSchema
from workbench.spark.types import default_text, from_spark
from workbench.table.schema_changes import changes as made
from workbench.table.schema_changes.changes import SchemaChange
from workbench.table.schema_changes.options import can_unset

_Change = Mapping[str, Any]


def schema_change(change: _Change, schema: TableSchema) -> SchemaChange | None:
    """Return Spark's ``TableChange`` as a change of this library; None if there is nothing to change.

    Args:
        change: The change as the catalog in the JVM describes it, with its ``kind``.
        schema: The schema that is changed.

    Raises:
        Unsupported: If Paimon has no such change.
    """
    make = _CHANGES.get(change["kind"])
    if make is None:
        raise Unsupported(f"Spark's change {change['kind']} is not supported.")
    return make(change, schema)


def _path(change: _Change) -> str | tuple[str, ...]:
    path = tuple(change["path"])
    return path[0] if len(path) == 1 and "." not in path[0] else path


def _type(change: _Change) -> str:
    return from_spark(spark._parse_datatype_json_value(json.loads(change["type"])))


def _set_property(change: _Change, _schema: TableSchema) -> SchemaChange:
    if change["key"] == "comment":
        return made.UpdateComment(change["value"])
    if change["key"] == "location":
        # Spark refuses the property itself, so this is SET LOCATION.
        raise Unsupported("ALTER TABLE … SET LOCATION is not supported.", "Copy the rows with CREATE TABLE … AS.")
    if change["key"] in ("primary-key", "partition"):
        raise Unsupported(f"Property '{change['key']}' of a table cannot be changed.", "Create another table.")
    return made.SetOption(change["key"], change["value"])


def _remove_property(change: _Change, schema: TableSchema) -> SchemaChange | None:
    if change["key"] == "comment":
        return made.UpdateComment(None)
    return made.RemoveOption(change["key"]) if can_unset(schema, change["key"]) else None


def _add_column(change: _Change, _schema: TableSchema) -> SchemaChange:
    if not change["nullable"]:
        name = ".".join(change["path"])
        raise Unsupported(f"Column '{name}' cannot be added with NOT NULL: it is NULL in existing rows.")
    first, after = bool(change.get("first")), change.get("after")
    return made.AddColumn(_path(change), _type(change), change.get("comment"), first, after)


def _update_type(change: _Change, schema: TableSchema) -> SchemaChange:
    nullable = len(change["path"]) > 1 or schema.field(change["path"][0]).type.nullable
    return made.UpdateColumnType(_path(change), _type(change) + ("" if nullable else " NOT NULL"))


def _update_default(change: _Change, _schema: TableSchema) -> SchemaChange:
    return made.UpdateColumnDefault(_path(change), default_text(change["default"]))


def _move(change: _Change, _schema: TableSchema) -> SchemaChange:
    return made.MoveColumn(".".join(change["path"]), first=bool(change.get("first")), after=change.get("after"))


def _drop(change: _Change, schema: TableSchema) -> SchemaChange | None:
    if change["if_exists"] and change["path"][0] not in schema.field_names:
        return None
    return made.DropColumn(_path(change))


_CHANGES: Mapping[str, Callable[[_Change, TableSchema], SchemaChange | None]] = {
    "SetProperty": _set_property,
    "RemoveProperty": _remove_property,
    "AddColumn": _add_column,
    "RenameColumn": lambda change, _schema: made.RenameColumn(_path(change), change["new_name"]),
    "UpdateColumnType": _update_type,
    "UpdateColumnNullability": lambda change, _schema: made.UpdateColumnNullability(
        _path(change), nullable=change["nullable"]
    ),
    "UpdateColumnComment": lambda change, _schema: made.UpdateColumnComment(_path(change), change["comment"]),
    "UpdateColumnDefaultValue": _update_default,
    "UpdateColumnPosition": _move,
    "DeleteColumn": _drop,
}
