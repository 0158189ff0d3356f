"""Runs a local query: reads columns from the table and evaluates expressions on whole Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported, did_you_mean
from workbench.base.modules import pc
from workbench.base.progress import Progress
from workbench.sql.local_query import LocalQuery

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.scan.scan import Scan
    from workbench.table.table import Table


@dataclass(frozen=True)
class Bound:
    """A query checked against a table. ``items`` are name, expression (None counts rows) and total; ``columns`` are
    those to read."""

    query: LocalQuery
    items: tuple[tuple[str, Expr | None, str | None], ...]
    where: Expr | None
    columns: tuple[str, ...]


def bind(query: LocalQuery, table: Table | None) -> Bound:
    """Bind the query to the table's columns without reading data.

    Raises:
        InvalidExpression: If a column or function does not exist, or if types are incompatible.
    """
    from workbench.expr.expressions import Column
    from workbench.expr.parse import from_tree
    from workbench.expr.resolve import resolve, resolve_predicate
    from workbench.expr.tree import referenced_columns

    fields = table.readable_schema.fields if table is not None else ()
    shown = table.schema.field_names if table is not None else ()
    names = [field.name for field in fields]
    if table is None and None in query.items:
        raise InvalidExpression("SELECT * needs a table.")
    items: list[tuple[str, Expr | None, str | None]] = []
    for item in query.items:
        if item is None:
            items.extend((name, resolve(Column(name), fields), None) for name in shown)
        else:
            expr = None if item.tree is None else resolve(from_tree(item.tree), fields)
            items.append((item.name, expr, item.total))
    where = None if query.where is None else resolve_predicate(from_tree(query.where), fields)
    used = {column for _, expr, _ in items if expr is not None for column in referenced_columns(expr)}
    of_result = {name.lower() for name, _, _ in items}
    used |= {known_column(key.name, names) for key in query.order if key.name.lower() not in of_result}
    return Bound(query, tuple(items), where, tuple(name for name in names if name in used))


def known_column(wanted: str, names: Sequence[str]) -> str:
    """Return the column of that name, ignoring case, as in Spark.

    Raises:
        InvalidExpression: If it does not exist; the message suggests the most similar name.
    """
    for name in (wanted, *names):
        if name in names and name.lower() == wanted.lower():
            return name
    raise InvalidExpression(
        f"There is no column '{wanted}'.", did_you_mean(wanted, names) or f"Columns: {', '.join(names)}."
    )


def run(bound: Bound, table: Table | None, progress: Progress) -> tuple[pa.Table, int | None]:
    """Return all rows of the query, and the id of the snapshot they were read from."""
    query = bound.query
    rows = pa.table({"": pa.array([0], pa.int8())})
    snapshot: int | None = None
    if table is not None:
        pushed = None if query.order or query.totals or query.limit is None else query.limit + query.offset
        scan = table.scan(list(bound.columns), bound.where, pushed, progress)
        snapshot = None if scan.snapshot is None else scan.snapshot.id
        known = _known_totals(bound, scan) if query.totals else None
        if known is not None:
            return _sliced(query, known), snapshot
        rows = scan.to_arrow()
    return _sliced(query, _computed(bound, rows)), snapshot


def _known_totals(bound: Bound, scan: Scan) -> pa.Table | None:
    """Return the totals if metadata has all requested minimum and maximum values."""
    from workbench.expr.expressions import Column

    names = [expr.name for _, expr, total in bound.items if isinstance(expr, Column) and total in ("Min", "Max")]
    if len(names) < sum(expr is not None for _, expr, _ in bound.items):
        return None
    bounds = {name: known for name in names if (known := scan.known_bounds(name)) is not None}
    if len(bounds) < len(set(names)):
        return None
    arrays = [
        pa.repeat(bounds[expr.name][total == "Max"], 1)
        if isinstance(expr, Column)
        else pa.array([scan.count()], pa.int64())
        for _, expr, total in bound.items
    ]
    return pa.table(arrays, names=[name for name, _, _ in bound.items])


def _computed(bound: Bound, rows: pa.Table) -> pa.Table:
    from workbench.expr.evaluate import evaluate

    names = [name for name, _, _ in bound.items]
    if bound.query.totals:
        return pa.table([_sum_up(item, rows) for item in bound.items], names=names)
    result = pa.table([evaluate(expr, rows) for _, expr, _ in bound.items if expr is not None], names=names)
    return _ordered(bound.query, rows, result)


def _sliced(query: LocalQuery, rows: pa.Table) -> pa.Table:
    return rows.slice(query.offset, query.limit)


def _ordered(query: LocalQuery, rows: pa.Table, result: pa.Table) -> pa.Table:
    columns: dict[str, Any] = {}
    directions: list[tuple[str, str]] = []
    for number, key in enumerate(query.order):
        own = [name.lower() for name in result.schema.names]
        if key.name.lower() in own:
            column = result.column(own.index(key.name.lower()))
        else:
            column = rows.column(known_column(key.name, rows.schema.names))
        if pa.types.is_nested(column.type):
            raise Unsupported(f"ORDER BY '{key.name}' is not supported: a nested value has no order.")
        direction = "descending" if key.descending else "ascending"
        # NULLs are placed as the clause says and NaN is above every number: flag columns before the value ensure both.
        flags: Mapping[str, Any] = {"null": pc.is_null(column)}
        if pa.types.is_floating(column.type):
            flags = {**flags, "nan": pc.fill_null(pc.is_nan(column), False)}
        for flag, values in flags.items():
            columns[f"{number}_{flag}"] = values
            null_flag = "descending" if key.nulls_first else "ascending"
            directions.append((f"{number}_{flag}", null_flag if flag == "null" else direction))
        columns[f"{number}_value"] = column
        directions.append((f"{number}_value", direction))
    if not directions or result.num_rows == 0:
        return result
    return result.take(pc.sort_indices(pa.table(columns), sort_keys=directions))


def _sum_up(item: tuple[str, Expr | None, str | None], rows: pa.Table) -> pa.Array:
    from workbench.expr.evaluate import evaluate

    name, expr, total = item
    if expr is None:
        return pa.array([rows.num_rows], pa.int64())
    values = evaluate(expr, rows)
    if total == "Count":
        return pa.array([len(values) - values.null_count], pa.int64())
    return _sum(name, values) if total == "Sum" else _extreme(values, greatest=total == "Max")


def _extreme(values: Any, *, greatest: bool) -> pa.Array:
    if pa.types.is_floating(values.type) and pc.any(pc.is_nan(values)).as_py():
        # NaN is the greatest number: it is the maximum, and the minimum only of a column without other numbers.
        numbers = pc.filter(values, pc.invert(pc.is_nan(values)))
        if greatest or len(numbers) == numbers.null_count:
            return pa.array([float("nan")], values.type)
        values = numbers
    extremes = pc.min_max(values)
    return pa.repeat(extremes["max" if greatest else "min"], 1)


def _sum(name: str, values: Any) -> pa.Array:
    """Return the sum: of integers as BIGINT (overflow is an error), of decimals with ten more digits, of floats as
    DOUBLE.
    """
    if pa.types.is_integer(values.type):
        exact = pc.sum(values.cast(pa.decimal128(38, 0))).as_py()
        try:
            return pa.array([None if exact is None else int(exact)], pa.int64())
        except (OverflowError, pa.ArrowInvalid) as error:
            raise InvalidExpression(f"{name} is too large for a BIGINT.") from error
    if pa.types.is_decimal(values.type):
        sum_type = pa.decimal128(min(38, values.type.precision + 10), values.type.scale)
        return pa.array([pc.sum(values.cast(sum_type)).as_py()], sum_type)
    if pa.types.is_floating(values.type):
        return pa.array([pc.sum(values.cast(pa.float64())).as_py()], pa.float64())
    raise InvalidExpression(f"{name}: {values.type} values cannot be added.")
