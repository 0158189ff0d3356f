"""The join of a merge: the rows of the source that match a row of the table, computed on whole columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.lazy import cached_property
from workbench.base.modules import pc
from workbench.expr.char_values import PADDED
from workbench.expr.evaluate import evaluate, filter_mask
from workbench.expr.expressions import Column, Comparison, Expr, Field, Function, In, Literal, conjunction
from workbench.expr.kinds import family, to_internal
from workbench.expr.tree import map_children, referenced_columns, rename, split_conjunction
from workbench.expr.types_of import type_of
from workbench.format.spec.schema import TableSchema
from workbench.format.types import char_length
from workbench.format.types.arrow_types import to_arrow
from workbench.table.dml.changes import EVERY_ROW
from workbench.table.dml.scope import SOURCE, TARGET, beside, qualified_name, renamed

_MAX_PAIRS = 1 << 20
# The maximum number of values that are compared with statistics one by one.
_MAX_VALUES = 256
_JOINED = frozenset(
    ("integer", "float", "decimal", "string", "binary", "boolean", "date", "time", "timestamp", "timestamp_ltz")
)


@dataclass(frozen=True)
class Matching:
    """A condition ``on`` between the columns of the table and the rows of ``source``, which is held in memory."""

    on: Expr
    source: pa.Table

    def pairs(self, rows: pa.Table) -> tuple[Int64Array, Int64Array]:
        """Return the positions of matching rows of the table and of the source, in the order of the table's rows."""
        target = renamed(rows, TARGET)
        pairs = [self._satisfying(target, *some) for some in self._candidates(target)]
        left, right = (np.concatenate([np.zeros(0, np.int64), *(pair[side] for pair in pairs)]) for side in (0, 1))
        order = np.lexsort((right, left))
        return left[order], right[order]

    def where(self) -> Expr:
        """Return a condition for pruning files, derived from the keys of the source: every matching row of the table
        satisfies it."""
        if not self._source_rows.num_rows:
            return Literal(False, EVERY_ROW.type)
        parts = [part for part in self._parts if _sides(part) == {TARGET}]
        parts += [bound for mine, theirs in self._keys for bound in _bounds(mine, evaluate(theirs, self._source_rows))]
        condition = conjunction(parts)
        names = {name: name.removeprefix(qualified_name(TARGET, "")) for name in referenced_columns(condition)}
        return rename(condition, names) if parts else EVERY_ROW

    @property
    def reads(self) -> frozenset[str]:
        """The columns of the table that the condition uses."""
        return columns_of(self.on, TARGET)

    @cached_property
    def _parts(self) -> tuple[Expr, ...]:
        return split_conjunction(self.on)

    @cached_property
    def _keys(self) -> list[tuple[Expr, Expr]]:
        """The pairs of expressions that must be equal, one over the table and one over the source."""
        return [pair for part in self._parts if (pair := _equal_sides(part)) is not None]

    @cached_property
    def _rest(self) -> Expr | None:
        parts = [part for part in self._parts if _equal_sides(part) is None]
        return conjunction(parts) if parts else None

    @cached_property
    def _source_rows(self) -> pa.Table:
        return renamed(self.source, SOURCE)

    @cached_property
    def _source_keys(self) -> pa.Table:
        return _numbered([evaluate(theirs, self._source_rows) for _, theirs in self._keys], self.source.num_rows, "s")

    def _candidates(self, target: pa.Table) -> Iterator[tuple[Int64Array, Int64Array]]:
        """Yield the pairs with equal keys, or all pairs if there are no keys, in parts of bounded size."""
        if self._keys:
            mine = _numbered([evaluate(mine, target) for mine, _ in self._keys], target.num_rows, "t")
            names = [f"k{number}" for number in range(len(self._keys))]
            joined = mine.join(self._source_keys, names, join_type="inner")
            left, right = joined.column("t").to_numpy(), joined.column("s").to_numpy()
            for start in range(0, len(left), _MAX_PAIRS):
                yield left[start : start + _MAX_PAIRS], right[start : start + _MAX_PAIRS]
            return
        others = self.source.num_rows
        step = max(1, _MAX_PAIRS // max(others, 1))
        for start in range(0, target.num_rows if others else 0, step):
            count = min(step, target.num_rows - start)
            yield np.repeat(np.arange(start, start + count), others), np.tile(np.arange(others), count)

    def _satisfying(self, target: pa.Table, left: Int64Array, right: Int64Array) -> tuple[Int64Array, Int64Array]:
        if self._rest is None:
            return left, right
        mine, theirs = (_only(rows, self._rest) for rows in (target, self._source_rows))
        both = beside(mine.take(pa.array(left)), theirs.take(pa.array(right)))
        mask = np.asarray(filter_mask(self._rest, both))
        return left[mask], right[mask]


def with_padded_keys(on: Expr, schema: TableSchema) -> Expr:
    """Return a condition on columns of the same name in which the source's values of CHAR columns are padded as those
    of the table."""

    def padded_side(expr: Expr) -> Expr:
        if isinstance(expr, Field) and isinstance(expr.operand, Column) and expr.operand.name == SOURCE:
            known = [each for each in schema.fields if each.name.lower() == expr.name.lower()]
            length = char_length(known[0].type) if known else None
            return expr if length is None else Function(PADDED, (expr, Literal(length)))
        return map_children(expr, padded_side)

    return padded_side(on)


def columns_of(expr: Expr, alias: str) -> frozenset[str]:
    """Return the columns of one side that an expression over both sides uses."""
    prefix = qualified_name(alias, "")
    return frozenset(name.removeprefix(prefix) for name in referenced_columns(expr) if name.startswith(prefix))


def _only(rows: pa.Table, expr: Expr) -> pa.Table:
    names = referenced_columns(expr)
    # At least one column is kept, because an Arrow table without columns has no rows either.
    return rows.select([name for name in rows.column_names if name in names] or rows.column_names[:1])


def _sides(expr: Expr) -> set[str]:
    return {name.partition(".")[0] for name in referenced_columns(expr)}


def _equal_sides(part: Expr) -> tuple[Expr, Expr] | None:
    if not isinstance(part, Comparison) or part.operator != "=":
        return None
    left_type, right_type = type_of(part.left), type_of(part.right)
    if (
        left_type is None
        or right_type is None
        or family(left_type) not in _JOINED
        or to_arrow(left_type) != to_arrow(right_type)
    ):
        return None
    sides = _sides(part.left), _sides(part.right)
    if sides == ({TARGET}, {SOURCE}):
        return part.left, part.right
    return (part.right, part.left) if sides == ({SOURCE}, {TARGET}) else None


def _numbered(keys: Sequence[Any], rows: int, name: str) -> pa.Table:
    columns = {f"k{number}": _joinable(key) for number, key in enumerate(keys)}
    return pa.table({**columns, name: pa.array(np.arange(rows))})


def _joinable(key: Any) -> Any:
    """Return the key with normalized floats: Arrow joins by bits, which distinguish 0.0 from -0.0 and NaNs from each
    other."""
    if not pa.types.is_floating(key.type):
        return key
    return pc.if_else(pc.is_nan(key), pa.scalar(float("nan"), key.type), pc.add(key, pa.scalar(0.0, key.type)))


def _bounds(mine: Expr, theirs: Any) -> list[Expr]:
    data_type = type_of(mine)
    assert data_type is not None
    if family(data_type) == "float":
        return []
    values = pc.drop_null(pc.unique(theirs))
    if len(values) <= _MAX_VALUES:
        return [In(mine, tuple(Literal(to_internal(value), data_type) for value in values))] if len(values) else []
    if family(data_type) == "boolean":
        return []
    span = pc.min_max(values)
    return [
        Comparison(">=", mine, Literal(to_internal(span["min"]), data_type)),
        Comparison("<=", mine, Literal(to_internal(span["max"]), data_type)),
    ]
