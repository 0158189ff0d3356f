"""The columns of a result as a chart sees them: numbers, times and labels."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from workbench.base.modules import pc
from workbench.expr.zones import instant_to_local

# Larger numbers cannot be subtracted from each other without an overflow.
_LARGEST_NUMBER = 1e300
_EPOCH = datetime.date(1970, 1, 1)
_MICROS_PER_DAY = 86_400_000_000
# The years that date formats have four digits for.
_FIRST_MICROS = (datetime.date(1, 1, 1) - _EPOCH).days * _MICROS_PER_DAY
_END_MICROS = ((datetime.date(9999, 12, 31) - _EPOCH).days + 1) * _MICROS_PER_DAY


class Role(Enum):
    """What the values of a column can be in a chart."""

    NUMBER = "number"
    TIME = "time"
    LABEL = "label"


@dataclass(frozen=True)
class ChartColumn:
    """What decides how a column is drawn.

    ``filled`` counts the values that can be drawn: labels, and numbers and times that are neither NULL, NaN nor
    infinite. ``ordered`` is whether all values can be drawn, and ascend or descend from row to row. ``largest`` is the
    largest absolute value of a number.
    """

    index: int
    name: str
    role: Role
    filled: int
    distinct: int
    ordered: bool = False
    largest: float = 0.0

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same value."""
        return self.distinct == self.filled

    @property
    def varies(self) -> bool:
        """Whether it has at least two values."""
        return self.distinct > 1


def role_of(arrow_type: pa.DataType) -> Role | None:
    """Return how values of the type are drawn; None if they are not."""
    if pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type):
        return Role.NUMBER
    if pa.types.is_date(arrow_type) or pa.types.is_timestamp(arrow_type):
        return Role.TIME
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        return Role.LABEL
    if pa.types.is_boolean(arrow_type) or pa.types.is_time(arrow_type):
        return Role.LABEL
    return None


def drawable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as doubles, local microseconds or strings; values that cannot be drawn are NULL."""
    role = role_of(column.type)
    if role is Role.NUMBER:
        numbers = column.cast(pa.float64(), safe=False)
        return _kept(numbers, pc.less_equal(pc.abs(numbers), _LARGEST_NUMBER))
    if role is Role.TIME:
        return _local_micros(column)
    return column.cast(pa.string())


def _local_micros(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_date(column.type):
        days = column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
        micros = pc.multiply(days, _MICROS_PER_DAY)
    else:
        # Arrow's own conversion fails for the whole column if a single value is out of range.
        local = column.cast(pa.timestamp("us", column.type.tz), safe=False)
        micros = (instant_to_local(local) if column.type.tz else local).cast(pa.int64())
    inside = pc.and_(pc.greater_equal(micros, _FIRST_MICROS), pc.less(micros, _END_MICROS))
    return _kept(micros, inside)


def _kept(values: pa.ChunkedArray, condition: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(condition, values, pa.scalar(None, values.type))


def chart_columns(rows: pa.Table) -> tuple[ChartColumn, ...]:
    """Return the columns of a result that have values to draw."""
    columns = (_column(rows, index) for index in range(rows.num_columns))
    return tuple(column for column in columns if column is not None and column.filled)


def _column(rows: pa.Table, index: int) -> ChartColumn | None:
    name, role = rows.schema.field(index).name, role_of(rows.schema.field(index).type)
    if role is None:
        return None
    values = drawable(rows.column(index)).combine_chunks()
    filled = len(values) - values.null_count
    if role is Role.LABEL:
        # NULL is a label, too, unless there is no other.
        distinct = pc.count_distinct(values, mode="all").as_py()
        return ChartColumn(index, name, role, len(values) if filled else 0, distinct)
    distinct = pc.count_distinct(values).as_py()
    largest = float(pc.max(pc.abs(values)).as_py() or 0) if role is Role.NUMBER else 0.0
    return ChartColumn(index, name, role, filled, distinct, filled == len(values) and _is_ordered(values), largest)


def _is_ordered(values: pa.Array) -> bool:
    before, after = values[:-1], values[1:]
    return any(pc.all(compare(before, after)).as_py() is not False for compare in (pc.less_equal, pc.greater_equal))
