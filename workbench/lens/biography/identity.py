"""The row that a biography is about: its primary key, or its row id."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import InvalidExpression, InvalidRequest, Unsupported, did_you_mean
from workbench.expr.cells import cell_texts
from workbench.expr.expressions import Column, Comparison, Expr, conjunction, literal
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve_predicate
from workbench.format.spec.row_tracking import ROW_ID
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.lens.biography.value import BiographyKey
from workbench.scan.stored_rows import RowFilter
from workbench.table.readable_table import ReadableTable

_BYTES = re.compile(r"[xX]'((?:[0-9a-fA-F]{2})*)'")


@dataclass(frozen=True)
class RowIdentity:
    """The row to find. ``where`` selects it in files, ``pruning`` is the part that metadata can decide; both are bound
    to ``schema``."""

    key: tuple[BiographyKey, ...]
    schema: TableSchema
    where: Expr
    pruning: Expr | None

    @property
    def filter(self) -> RowFilter:
        """The filter by which readers of files find the row."""
        return RowFilter(self.schema, self.where, self.pruning)


def identify(table: ReadableTable, key: Mapping[str, object] | None, where: str | None) -> RowIdentity:
    """Return the identity of the row with a primary key or, in a table that tracks its rows, of the one row for which a
    condition holds.

    Raises:
        InvalidRequest: The key does not name the columns of the primary key, or not exactly one row satisfies the
            condition.
        Unsupported: The table has neither a primary key nor row ids.
    """
    identity = table.schema.kind.choose({KeyValueKind: _by_key, AppendOnlyKind: _by_condition})
    return identity(table, key, where)


def _by_key(table: ReadableTable, key: Mapping[str, object] | None, where: str | None) -> RowIdentity:
    schema = table.schema
    if where is not None or not key:
        raise InvalidRequest(
            f"A row of {table.name} is identified by its primary key {_listed(schema.primary_keys)}.",
            _key_hint(schema),
        )
    unknown = [name for name in key if name not in schema.primary_keys]
    missing = [name for name in schema.primary_keys if name not in key]
    if unknown or missing:
        problem = (
            f"'{unknown[0]}' is not a column of the primary key {_listed(schema.primary_keys)}."
            if unknown
            else f"The key lacks {_listed(missing)} of the primary key {_listed(schema.primary_keys)}."
        )
        hint = did_you_mean(unknown[0], schema.primary_keys) if unknown else None
        raise InvalidRequest(problem, hint or _key_hint(schema))
    nulls = [name for name in schema.primary_keys if key[name] is None]
    if nulls:
        raise InvalidRequest(f"Primary-key column {_listed(nulls)} cannot be NULL.", _key_hint(schema))
    values = {name: _typed(schema, name, key[name]) for name in schema.primary_keys}
    for name in schema.primary_keys:
        _check_value(schema, name, values)
    predicate = resolve_predicate(_stored_key(values, schema), schema.fields)
    return RowIdentity(
        tuple(BiographyKey(name, _text(key[name])) for name in schema.primary_keys), schema, predicate, predicate
    )


def _by_condition(table: ReadableTable, key: Mapping[str, object] | None, where: str | None) -> RowIdentity:
    if not table.schema.core.row_tracking_enabled:
        raise Unsupported(
            f"{table.name} has no primary key and does not track its rows, so its rows have no identity.",
            "Create the table with a primary key, or with 'row-tracking.enabled' = 'true'.",
        )
    if where is None and not key:
        raise InvalidRequest(f"A row of {table.name} is identified by a condition.", 'Pass where="id = 50".')
    schema = table.readable_schema
    if where is None:
        assert key is not None
        condition = _equal(key, tuple(key))
    else:
        condition = parse(where)
    found = table.to_arrow([*schema.partition_keys, ROW_ID], condition, limit=2)
    if found.num_rows != 1:
        problem = "No row satisfies" if not found.num_rows else "Several rows satisfy"
        raise InvalidRequest(
            f"{problem} the condition {where or key}.", "Pass a condition that exactly one row satisfies."
        )
    row_id = found.column(ROW_ID)[0].as_py()
    by_id = resolve_predicate(Comparison("=", Column(ROW_ID), literal(row_id)), schema.fields)
    return RowIdentity((BiographyKey(ROW_ID, str(row_id)),), schema, by_id, None)


def _typed(schema: TableSchema, name: str, value: object) -> object:
    """Return the value of a key column. For a binary column, the string ``X'00ff'`` becomes bytes; other strings are
    cast later, as in SQL."""
    if isinstance(value, str) and schema.field(name).type.root in ("BINARY", "VARBINARY"):
        match = _BYTES.fullmatch(value)
        if match is not None:
            return bytes.fromhex(match[1])
    return value


def _check_value(schema: TableSchema, name: str, values: Mapping[str, object]) -> None:
    try:
        resolve_predicate(_equal(values, [name]), schema.fields)
    except InvalidExpression as error:
        raise InvalidRequest(f"The value of key column {name} cannot be used: {error.message}", error.hint) from error


def _equal(key: Mapping[str, object], names: Sequence[str]) -> Expr:
    return conjunction(Comparison("=", Column(name), literal(key[name])) for name in names)


def _stored_key(key: Mapping[str, object], schema: TableSchema) -> Expr:
    """Return the condition on one key. Keys that differ only in blanks at the end of a CHAR are different keys, so the
    columns stand for the stored text."""
    return conjunction(
        Comparison("=", Column(name, schema.field(name).type), literal(key[name])) for name in schema.primary_keys
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    item = getattr(value, "item", None)
    return cell_texts(pa.array([item() if callable(item) else value]))[0] or ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _key_hint(schema: TableSchema) -> str:
    return f"Pass {{{', '.join(f'{name!r}: …' for name in schema.primary_keys)}}}."
