"""SQL that turns the first state into the second: DELETE, INSERT and MERGE statements, as Spark runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import Unsupported
from workbench.expr.sql_text import quote_name
from workbench.format.spec.schema import TableSchema
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.filters import BoundFilter
from workbench.lens.diff.source import ComparedStates
from workbench.lens.diff.sql_literals import literals_of
from workbench.lsm.value_codes import row_codes, value_codes
from workbench.scan.scan import Scan

# Rows of one statement.
_ROWS = 200


def replaying_sql(comparison: Comparison, target: str) -> str:
    """Return the statements, separated by semicolons at the ends of lines. They change rows, not columns.

    Raises:
        Unsupported: A value, or a change of this kind of table, cannot be written as SQL.
    """
    source = ComparedStates(comparison.before, comparison.after)
    schema = source.schema
    bound = BoundFilter.of(comparison.filter, schema)
    old, new = [schema.arrow_schema.empty_table()], [schema.arrow_schema.empty_table()]
    updates = 0
    names = schema.field_names
    for piece in source.stream():
        changes = bound.apply(piece)
        gone = changes.filter(changes.right < 0)
        remaining = changes.filter(changes.right >= 0)
        updates += int(np.count_nonzero(remaining.is_pair))
        old.append(gone.old_rows(names))
        new.append(remaining.new_rows(names))
    removed, added = pa.concat_tables(old), pa.concat_tables(new)
    if schema.is_primary_key_table:
        statements = [*_deletes_by_key(removed, schema, target), *_upserts(added, schema, target, updates)]
    else:
        again = _copies_left(removed, comparison) if removed.num_rows else removed
        statements = [
            *_deletes_by_row(removed, schema, target),
            *_inserts(pa.concat_tables([again, added]), schema, target),
        ]
    return "\n".join(f"{each};" for each in statements)


def _upserts(rows: pa.Table, schema: TableSchema, target: str, updates: int) -> Iterator[str]:
    """Yield the statements that write new rows and new values of known keys."""
    engine = schema.core.engine
    if not updates or engine.keeps_newest:
        # A new row replaces the existing row with the same key.
        yield from _inserts(rows, schema, target)
        return
    if not engine.takes_updates:
        raise Unsupported(
            f"Updates of a table with option 'merge-engine' = '{engine.name}' cannot be written as SQL.",
            "Export the rows with to_arrow().",
        )
    on = " AND ".join(f"t.{quote_name(name)} = s.{quote_name(name)}" for name in schema.primary_keys)
    values = [name for name in schema.field_names if name not in schema.primary_keys]
    put = ", ".join(f"{quote_name(name)} = s.{quote_name(name)}" for name in values)
    given = ", ".join(f"s.{quote_name(name)}" for name in schema.field_names)
    for tuples in _tuples(rows, schema):
        query = f"(SELECT * FROM VALUES {tuples} AS v ({_columns(schema)})) AS s"
        yield (
            f"MERGE INTO {target} AS t USING {query} ON {on} WHEN MATCHED THEN UPDATE SET {put} "
            f"WHEN NOT MATCHED THEN INSERT ({_columns(schema)}) VALUES ({given})"
        )


def _inserts(rows: pa.Table, schema: TableSchema, target: str) -> Iterator[str]:
    for tuples in _tuples(rows, schema):
        yield f"INSERT INTO {target} ({_columns(schema)}) VALUES\n{tuples}"


def _columns(schema: TableSchema) -> str:
    return ", ".join(map(quote_name, schema.field_names))


def _tuples(rows: pa.Table, schema: TableSchema) -> Iterator[str]:
    """Yield the rows as SQL lists of values, one list for each statement."""
    for start in range(0, rows.num_rows, _ROWS):
        part = rows.slice(start, _ROWS)
        columns = [literals_of(part.column(each.name), each) for each in schema.fields]
        yield ",\n".join(f"({', '.join(row)})" for row in zip(*columns, strict=True))


def _deletes_by_key(rows: pa.Table, schema: TableSchema, target: str) -> Iterator[str]:
    if rows.num_rows and not schema.core.engine.takes_deletes:
        raise Unsupported(
            f"Deletes of a table with option 'merge-engine' = '{schema.core.engine.name}' cannot be written as SQL.",
            "Export the rows with to_arrow().",
        )
    *outer, last = schema.primary_keys
    for start in range(0, rows.num_rows, _ROWS):
        part = rows.slice(start, _ROWS)
        columns = [literals_of(part.column(name), schema.field(name)) for name in schema.primary_keys]
        keys = sorted(zip(*columns, strict=True))
        conditions = []
        for prefix, group in groupby(keys, key=lambda key: key[:-1]):
            tests = [f"{quote_name(name)} = {value}" for name, value in zip(outer, prefix, strict=True)]
            tests.append(f"{quote_name(last)} IN ({', '.join(key[-1] for key in group)})")
            conditions.append(" AND ".join(tests))
        yield f"DELETE FROM {target} WHERE {_any_of(conditions)}"


def _deletes_by_row(rows: pa.Table, schema: TableSchema, target: str) -> Iterator[str]:
    for each in schema.fields:
        if pa.types.is_nested(rows.schema.field(each.name).type) and rows.num_rows:
            raise Unsupported(
                f"Rows cannot be deleted by values of column '{each.name}' of type {each.type.sql()}.",
                "Export the rows with to_arrow().",
            )
    distinct = rows.take(pa.array(_firsts(rows))) if rows.num_rows else rows
    for start in range(0, distinct.num_rows, _ROWS):
        part = distinct.slice(start, _ROWS)
        columns = [literals_of(part.column(each.name), each) for each in schema.fields]
        tests = [[_is(each.name, text) for text in texts] for each, texts in zip(schema.fields, columns, strict=True)]
        yield f"DELETE FROM {target} WHERE {_any_of([' AND '.join(row) for row in zip(*tests, strict=True)])}"


def _is(name: str, literal: str) -> str:
    return f"{quote_name(name)} IS NULL" if literal == "NULL" else f"{quote_name(name)} = {literal}"


def _any_of(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else " OR ".join(f"({each})" for each in conditions)


def _firsts(rows: pa.Table) -> Int64Array:
    codes = row_codes([value_codes(column) for column in rows.columns], rows.num_rows)
    return np.sort(np.unique(codes, return_index=True)[1]).astype(np.int64)


def _copies_left(removed: pa.Table, comparison: Comparison) -> pa.Table:
    """Return the rows of the second state that equal a removed row: they must be inserted again, as a DELETE removes
    all equal rows."""
    after = comparison.after
    kept = [removed.slice(0, 0)]
    for piece in Scan(after.store, after.snapshot).to_batches():
        rows = pa.Table.from_batches([piece]).select(removed.schema.names).cast(removed.schema)
        both = pa.concat_tables([removed, rows])
        codes = row_codes([value_codes(column) for column in both.columns], both.num_rows)
        kept.append(rows.filter(pa.array(np.isin(codes[removed.num_rows :], codes[: removed.num_rows]))))
    return pa.concat_tables(kept)
