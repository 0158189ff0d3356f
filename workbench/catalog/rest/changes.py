"""Changes of tables and views in the JSON of the REST protocol (Java ``SchemaChange`` and ``ViewChange``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from workbench.base.errors import Unsupported
from workbench.catalog.descriptions import View
from workbench.format.options.values import option_text
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataType, field_to_json
from workbench.format.types.type_parser import parse_type, type_to_json
from workbench.table.schema_changes.changes import (
    AddColumn,
    DropColumn,
    MoveColumn,
    Path,
    RemoveOption,
    RenameColumn,
    SchemaChange,
    SetOption,
    UpdateColumnComment,
    UpdateColumnDefault,
    UpdateColumnNullability,
    UpdateColumnType,
    UpdateComment,
)

Json = dict[str, Any]


def change_to_json(change: object) -> Json:
    """Return a change of a table as the service expects it. Raises Unsupported if the protocol has no such change."""
    write = _WRITERS.get(type(change)) if isinstance(change, SchemaChange) else None
    if write is None:
        raise Unsupported(f"A REST service does not support the change {change!r}.")
    action, members = write(change)
    return {"action": action, **members}


def view_changes(old: View, new: View) -> list[Json]:
    """Return the changes that make a view another one.

    Raises:
        Unsupported: The columns or the query differ, which the protocol cannot change.
    """
    if replace(old, dialects={}, comment=None, options={}) != replace(new, dialects={}, comment=None, options={}):
        raise Unsupported(
            "A REST service does not change the columns or the query of a view.",
            "Change its dialects, comment or options; or drop the view, and create it again.",
        )
    changes: list[Json] = []
    for name in sorted({*old.dialects, *new.dialects}):
        if name not in new.dialects:
            changes.append({"action": "dropDialect", "dialect": name})
        elif old.dialects.get(name) != new.dialects[name]:
            action = "updateDialect" if name in old.dialects else "addDialect"
            changes.append({"action": action, "dialect": name, "query": new.dialects[name]})
    for key in sorted({*old.options, *new.options}):
        if key not in new.options:
            changes.append({"action": "removeOption", "key": key})
        elif old.options.get(key) != new.options[key]:
            changes.append({"action": "setOption", "key": key, "value": new.options[key]})
    if old.comment != new.comment:
        changes.append({"action": "updateComment", "comment": new.comment})
    return changes


def schema_to_json(schema: TableSchema) -> Json:
    """Return the definition of a new table (Java ``Schema``)."""
    document = {
        "fields": [field_to_json(each) for each in schema.fields],
        "partitionKeys": list(schema.partition_keys),
        "primaryKeys": list(schema.primary_keys),
        "options": dict(schema.options),
    }
    return document if schema.comment is None else {**document, "comment": schema.comment}


def _names(path: Path) -> list[str]:
    return path.split(".") if isinstance(path, str) else list(path)


def _type(given: str | DataType) -> str | Json:
    return type_to_json(parse_type(given) if isinstance(given, str) else given)


def _move(name: str, first: bool, after: str | None) -> Json:
    return {"fieldName": name, "referenceFieldName": after, "type": "FIRST" if first else "AFTER"}


def _added(change: AddColumn) -> tuple[str, Json]:
    names = _names(change.name)
    moved = _move(names[-1], change.first, change.after) if change.first or change.after is not None else None
    return "addColumn", {
        "fieldNames": names,
        "dataType": _type(change.type),
        "comment": change.comment,
        "move": moved,
    }


def _default(value: object) -> str | None:
    return None if value is None else option_text("default", value)


_WRITERS: Mapping[type[SchemaChange], Callable[[Any], tuple[str, Json]]] = cast(
    "Mapping[type[SchemaChange], Callable[[Any], tuple[str, Json]]]",
    {
        AddColumn: _added,
        DropColumn: lambda each: ("dropColumn", {"fieldNames": _names(each.name)}),
        RenameColumn: lambda each: ("renameColumn", {"fieldNames": _names(each.name), "newName": each.new_name}),
        UpdateColumnType: lambda each: (
            "updateColumnType",
            {"fieldNames": _names(each.name), "newDataType": _type(each.type), "keepNullability": False},
        ),
        UpdateColumnNullability: lambda each: (
            "updateColumnNullability",
            {"fieldNames": _names(each.name), "newNullability": each.nullable},
        ),
        UpdateColumnComment: lambda each: (
            "updateColumnComment",
            {"fieldNames": _names(each.name), "newComment": each.comment},
        ),
        UpdateColumnDefault: lambda each: (
            "updateColumnDefaultValue",
            {"fieldNames": _names(each.name), "newDefaultValue": _default(each.value)},
        ),
        MoveColumn: lambda each: ("updateColumnPosition", {"move": _move(each.name, each.first, each.after)}),
        SetOption: lambda each: ("setOption", {"key": each.key, "value": option_text(each.key, each.value)}),
        RemoveOption: lambda each: ("removeOption", {"key": each.key}),
        UpdateComment: lambda each: ("updateComment", {"comment": each.comment}),
    },
)
