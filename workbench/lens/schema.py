"""The versions of a table's schema, and the changes of each in words. Columns are identified by their ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, MapType, RowType
from workbench.lens.credentials import OptionValue, describe_options, shown_option
from workbench.lens.wire import Int64
from workbench.table.readable_table import ReadableTable

ChangeKind = Literal[
    "added",
    "dropped",
    "renamed",
    "retyped",
    "moved",
    "nullability",
    "comment",
    "default",
    "option",
    "table-comment",
]


@dataclass(frozen=True)
class FieldValue:
    """A column. ``type`` is in Paimon's grammar, without nullability; ``default`` is the text of the value written for
    null. ``role`` is 'primary key', 'partition', both separated by a comma, or ''."""

    id: int
    name: str
    type: str
    nullable: bool
    role: str
    comment: str | None
    default: str | None


@dataclass(frozen=True)
class SchemaChangeValue:
    """A change in words. ``field_id`` is the id of the column, or of the nested field, that changed."""

    kind: ChangeKind
    text: str
    field_id: int | None


@dataclass(frozen=True)
class SchemaVersionValue:
    """A version of the schema. ``time_millis`` counts since the epoch, 0 if unknown; ``changes`` are relative to the
    previous version, none for the first."""

    id: Int64
    time_millis: Int64
    fields: tuple[FieldValue, ...]
    primary_key: tuple[str, ...]
    partition_keys: tuple[str, ...]
    options: tuple[OptionValue, ...]
    comment: str | None
    changes: tuple[SchemaChangeValue, ...]


@dataclass(frozen=True)
class SchemaHistoryValue:
    """All versions of the schema, the newest first. ``current`` is the id of the schema that the requested version
    has."""

    table: str
    current: Int64
    versions: tuple[SchemaVersionValue, ...]


def collect_schema_history(table: ReadableTable) -> SchemaHistoryValue:
    """Return the schema history of a table; reads its schema files."""
    return describe_schema_history(table.name, table.schema.id, table.schemas())


def describe_schema_history(name: str, current: int, schemas: Sequence[TableSchema]) -> SchemaHistoryValue:
    """Return the history of schemas, which are given oldest first."""
    before = (None, *schemas)
    versions = [_version(schema, earlier) for earlier, schema in zip(before, schemas, strict=False)]
    return SchemaHistoryValue(name, current, tuple(reversed(versions)))


def describe_fields(schema: TableSchema) -> tuple[FieldValue, ...]:
    """Return the columns of a schema."""
    return tuple(
        FieldValue(
            id=field.id,
            name=field.name,
            type=field.type.sql(),
            nullable=field.type.nullable,
            role=role_of(schema, field.name),
            comment=field.description,
            default=field.default_value,
        )
        for field in schema.fields
    )


def role_of(schema: TableSchema, column: str) -> str:
    """Return the role of a column as `FieldValue` has it."""
    roles = (("primary key", schema.primary_keys), ("partition", schema.partition_keys))
    return ", ".join(role for role, names in roles if column in names)


def _version(schema: TableSchema, before: TableSchema | None) -> SchemaVersionValue:
    return SchemaVersionValue(
        id=schema.id,
        time_millis=schema.time_millis,
        fields=describe_fields(schema),
        primary_key=schema.primary_keys,
        partition_keys=schema.partition_keys,
        options=describe_options(schema.options),
        comment=schema.comment,
        changes=() if before is None else describe_changes(before, schema),
    )


# --- what changed -------------------------------------------------------------------------------------------------


def describe_changes(before: TableSchema, after: TableSchema) -> tuple[SchemaChangeValue, ...]:
    """Return the changes from one schema to another, columns first."""
    changes = [*_field_changes(before.fields, after.fields, ""), *_option_changes(before.options, after.options)]
    text = _text_change("the comment of the table", before.comment, after.comment)
    if text:
        changes.append(SchemaChangeValue("table-comment", text, None))
    return tuple(changes)


def _field_changes(before: Sequence[DataField], after: Sequence[DataField], path: str) -> Iterator[SchemaChangeValue]:
    """Yield the changes of columns, or of the fields of a ROW, whose path ends with a dot."""
    earlier, later = {field.id: field for field in before}, {field.id: field for field in after}
    for field in before:
        if field.id not in later:
            yield SchemaChangeValue("dropped", f"dropped {path}{field.name}", field.id)
    for field in after:
        if field.id in earlier:
            yield from _field_change(earlier[field.id], field, path)
        else:
            yield SchemaChangeValue("added", f"added {path}{field.name} {field.type}", field.id)
    yield from _moves([field.id for field in before if field.id in later], after, path)


def _field_change(before: DataField, after: DataField, path: str) -> Iterator[SchemaChangeValue]:
    name = path + after.name
    if before.name != after.name:
        yield SchemaChangeValue("renamed", f"renamed {path}{before.name} to {after.name}", after.id)
    yield from _type_changes(before.type, after.type, name, after.id)
    text = _text_change(f"the comment of {name}", before.description, after.description)
    if text:
        yield SchemaChangeValue("comment", text, after.id)
    text = _text_change(f"the default of {name}", before.default_value, after.default_value)
    if text:
        yield SchemaChangeValue("default", text, after.id)


def _type_changes(before: DataType, after: DataType, name: str, field_id: int) -> Iterator[SchemaChangeValue]:
    if isinstance(before, RowType) and isinstance(after, RowType):
        yield from _field_changes(before.fields, after.fields, f"{name}.")
    elif isinstance(before, MapType) and isinstance(after, MapType):
        yield from _type_changes(before.key, after.key, f"{name}.key", field_id)
        yield from _type_changes(before.value, after.value, f"{name}.value", field_id)
    elif before.root == after.root and len(before.children()) == 1 and _same_shape(before, after):
        yield from _type_changes(before.children()[0], after.children()[0], f"{name}.element", field_id)
    elif before.sql() != after.sql():
        yield SchemaChangeValue("retyped", f"{name} {before.sql()} became {after.sql()}", field_id)
    if before.nullable != after.nullable:
        now = "is now nullable" if after.nullable else "is now NOT NULL"
        yield SchemaChangeValue("nullability", f"{name} {now}", field_id)


def _same_shape(before: DataType, after: DataType) -> bool:
    """Return whether two lists differ only in their elements; the length of a VECTOR is part of its type."""
    return getattr(before, "length", None) == getattr(after, "length", None)


def _moves(before: Sequence[int], after: Sequence[DataField], path: str) -> Iterator[SchemaChangeValue]:
    """Yield the smallest set of moves that explains the new order."""
    positions = {field_id: position for position, field_id in enumerate(before)}
    kept = [field for field in after if field.id in positions]
    unmoved = _longest_increasing_subsequence([positions[field.id] for field in kept])
    for number, field in enumerate(kept):
        if number not in unmoved:
            index = after.index(field)
            where = f"after {path}{after[index - 1].name}" if index else "to the front"
            yield SchemaChangeValue("moved", f"moved {path}{field.name} {where}", field.id)


def _longest_increasing_subsequence(numbers: Sequence[int]) -> set[int]:
    """Return the positions of a longest increasing subsequence."""
    ends: list[int] = []
    positions: list[int] = []
    previous: list[int | None] = []
    for position, number in enumerate(numbers):
        length = bisect_left(ends, number)
        previous.append(positions[length - 1] if length else None)
        ends[length:] = [number, *ends[length + 1 :]]
        positions[length:] = [position, *positions[length + 1 :]]
    members: set[int] = set()
    at = positions[-1] if positions else None
    while at is not None:
        members.add(at)
        at = previous[at]
    return members


def _option_changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[SchemaChangeValue]:
    for key in sorted(before.keys() | after.keys()):
        text = _text_change(f"option {key}", before.get(key), after.get(key), partial(shown_option, key))
        if text:
            yield SchemaChangeValue("option", text, None)


def _text_change(what: str, before: str | None, after: str | None, shown: Callable[[str], str] = str) -> str:
    if before == after:
        return ""
    if after is None:
        return f"removed {what}"
    target = f"to '{shown(after)}'"
    return f"set {what} {target}" if before is None else f"changed {what} from '{shown(before)}' {target}"
