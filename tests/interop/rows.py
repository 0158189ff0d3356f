"""Rows of any engine in one comparable form: every value as text, whatever Arrow type or Java class carried it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

NANOS_PER_UNIT = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
MILLIS_PER_UNIT = {"s": 1000, "ms": 1, "us": 1 / 1000, "ns": 1 / 10**6}
Value = str | tuple[Any, ...] | None


@dataclass(frozen=True)
class Rows:
    """A multiset of rows. ``kinds`` are parallel to ``rows`` if the engine returns row kinds."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    kinds: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.rows)


def from_arrow(table: pa.Table) -> Rows:
    """The rows of an Arrow table."""
    columns = [column_text(table[name]) for name in table.column_names]
    return Rows(tuple(table.column_names), tuple(zip(*columns, strict=True)) if columns else ())


def column_text(column: pa.ChunkedArray | pa.Array) -> list[Value]:
    """One text per value; None for null; nested values as tuples."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_timestamp(kind):
        factor = NANOS_PER_UNIT[kind.unit]
        return [None if v is None else str(v * factor) for v in column.cast(pa.int64()).to_pylist()]
    if pa.types.is_date32(kind):
        return [None if v is None else str(v) for v in column.cast(pa.int32()).to_pylist()]
    if pa.types.is_time(kind):
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        factor = MILLIS_PER_UNIT[kind.unit]
        return [None if v is None else str(round(v * factor)) for v in column.cast(width).to_pylist()]
    if pa.types.is_struct(kind) and kind.num_fields:
        parts = zip(*map(column_text, column.flatten()), strict=True)
        return [row if there else None for row, there in zip(parts, column.is_valid().to_pylist(), strict=True)]
    return [None if value is None else scalar_text(value) for value in (_python_value(scalar) for scalar in column)]


def _python_value(scalar: pa.Scalar) -> Any:
    if not scalar.is_valid:
        return None
    kind = scalar.type
    if pa.types.is_map(kind):
        keys, values = column_text(scalar.values.field(0)), column_text(scalar.values.field(1))
        return tuple(sorted(zip(keys, values, strict=True), key=repr))
    if pa.types.is_struct(kind):
        return ()
    if pa.types.is_nested(kind):
        return tuple(column_text(scalar.values))
    return scalar.as_py()


def scalar_text(value: Any) -> Value:
    """The text of a Python scalar; text and tuples are unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return repr(value)
    return value if isinstance(value, (str, tuple)) else f"{value:f}" if hasattr(value, "as_tuple") else str(value)


def to_json_lines(table: pa.Table, kinds: Sequence[str] | None, path: Path) -> None:
    """Write rows for the Java side: one JSON array per line, the row kind first."""
    columns = [_java_column(table[name]) for name in table.column_names]
    with path.open("w", encoding="utf-8") as out:
        for number, values in enumerate(zip(*columns, strict=True)):
            out.write(json.dumps([kinds[number] if kinds else "+I", *values]) + "\n")


def java_text(value: Value) -> Any:
    """A float's text as Java's parser knows it; other texts are unchanged."""
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(value, value) if isinstance(value, str) else value


def _java_column(column: pa.ChunkedArray) -> list[Any]:
    texts = column_text(column)
    return [java_text(text) for text in texts] if pa.types.is_floating(column.type) else texts


def from_json_lines(path: Path, columns: Sequence[str], floats: Iterable[str]) -> Rows:
    """Read what the Java side wrote; ``floats`` are the columns whose text is a hexadecimal float."""
    float_places = [columns.index(name) for name in floats]
    kinds, rows = [], []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            kind, *values = json.loads(line)
            for position in float_places:
                values[position] = None if values[position] is None else repr(float.fromhex(values[position]))
            kinds.append(kind)
            rows.append(tuple(_frozen(value) for value in values))
    return Rows(tuple(columns), tuple(rows), tuple(kinds))


def _frozen(value: Any) -> Value:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def assert_same_rows(actual: Rows, expected: Rows) -> None:
    """Assert equal columns and multisets of rows; the message pairs missing rows with similar unexpected ones."""
    assert actual.columns == expected.columns
    missing = Counter(expected.rows) - Counter(actual.rows)
    extra = Counter(actual.rows) - Counter(expected.rows)
    if missing or extra:
        counts = f"{len(actual)} rows, expected {len(expected)}: {missing.total()} missing, {extra.total()} unexpected"
        shown = [_difference(row, list(extra), expected.columns) for row in list(missing)[:4]]
        raise AssertionError("\n".join([counts, *shown, *([] if missing else map(repr, list(extra)[:4]))]))


def _difference(row: tuple[Value, ...], candidates: list[tuple[Value, ...]], columns: Sequence[str]) -> str:
    def alike(other: tuple[Value, ...]) -> int:
        return sum(mine == theirs for mine, theirs in zip(row, other, strict=True))

    nearest = max(candidates, key=alike, default=None)
    if nearest is None or not alike(nearest):
        return f"missing {row}"
    pairs = zip(columns, row, nearest, strict=True)
    differing = ", ".join(f"{name} {mine!r} became {theirs!r}" for name, mine, theirs in pairs if mine != theirs)
    return f"row {row[:2]}: {differing}"
