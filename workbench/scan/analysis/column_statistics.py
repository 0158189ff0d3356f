"""The statistics that ANALYZE computes for one column (format §23, `ColStats` in Java)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.format.spec.partition_path import partition_text
from workbench.format.types import AtomicType, DataField, DataType
from workbench.scan.analysis.distinct import DistinctCount

# The size in bytes that Spark assumes for a value. For strings and binary values it applies only if the column has no
# values.
_WIDTHS = {
    "BOOLEAN": 1,
    "TINYINT": 1,
    "SMALLINT": 2,
    "INT": 4,
    "BIGINT": 8,
    "FLOAT": 4,
    "DOUBLE": 8,
    "DATE": 4,
    "TIME": 4,
    "TIMESTAMP": 8,
    "TIMESTAMP_LTZ": 8,
    "CHAR": 20,
    "VARCHAR": 20,
    "BINARY": 100,
    "VARBINARY": 100,
}
_LENGTHS = {
    "CHAR": pc.utf8_length,
    "VARCHAR": pc.utf8_length,
    "BINARY": pc.binary_length,
    "VARBINARY": pc.binary_length,
}
_NARROW_DECIMAL = 18


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of one column.

    ``distinct_count`` and ``null_count`` refer to the rows that reads return; ``min`` and ``max`` are formatted as in
    Java, and None for columns of strings and bytes. ``avg_len`` and ``max_len`` are measured in characters for strings,
    otherwise in bytes.
    """

    column_id: int
    distinct_count: int
    null_count: int
    avg_len: int
    max_len: int
    min: str | None = None
    max: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as the statistics file stores them."""
        members = {
            "colId": self.column_id,
            "distinctCount": self.distinct_count,
            "min": self.min,
            "max": self.max,
            "nullCount": self.null_count,
            "avgLen": self.avg_len,
            "maxLen": self.max_len,
        }
        return {name: value for name, value in members.items() if value is not None}


def is_analyzable(data_type: DataType) -> bool:
    """Return whether Spark's ANALYZE supports a column of the type."""
    return isinstance(data_type, AtomicType) and (data_type.root in _WIDTHS or data_type.root == "DECIMAL")


class ColumnAnalysis:
    """Analyzes a column batch by batch; its type must be analyzable."""

    def __init__(self, column: DataField) -> None:
        assert isinstance(column.type, AtomicType)
        self._column = column
        self._type: AtomicType = column.type
        self._distinct = DistinctCount(column.type)
        self._rows = self._nulls = self._length = self._longest = 0
        self._bounds: tuple[pa.Scalar, pa.Scalar] | None = None
        self._has_nan = False

    def add(self, values: pa.Array) -> None:
        """Add the values of one more batch."""
        self._rows += len(values)
        self._nulls += values.null_count
        self._distinct.add(values)
        if values.null_count == len(values):
            return
        length_of = _LENGTHS.get(self._type.root)
        if length_of is not None:
            lengths = length_of(values)
            self._length += pc.sum(lengths).as_py()
            self._longest = max(self._longest, pc.max(lengths).as_py())
        else:
            self._widen(values)

    def _widen(self, values: pa.Array) -> None:
        if pa.types.is_floating(values.type):
            # Spark orders NaN above all numbers; Arrow ignores it in bounds.
            are_nan = pc.is_nan(values)
            self._has_nan = self._has_nan or bool(pc.any(are_nan).as_py())
            values = values.filter(pc.invert(are_nan))
        self._widen_to(values.drop_null())

    def _widen_to(self, values: pa.Array) -> None:
        """Include values that are neither null nor NaN in the bounds."""
        ends = pc.min_max(values)
        low, high = ends["min"], ends["max"]
        if not low.is_valid:
            return
        if self._bounds is not None:
            ends = pc.min_max(pa.array([*self._bounds, low, high]))
        self._bounds = ends["min"], ends["max"]

    def merge(self, other: ColumnAnalysis) -> None:
        """Add the values that another analysis of the same column has seen."""
        self._rows += other._rows
        self._nulls += other._nulls
        self._length += other._length
        self._longest = max(self._longest, other._longest)
        self._has_nan = self._has_nan or other._has_nan
        self._distinct.merge(other._distinct)
        if other._bounds is not None:
            self._widen_to(pa.array(other._bounds))

    def statistics(self) -> ColumnStatistics:
        """Return the statistics of the column."""
        known = self._rows - self._nulls
        width = self._width
        has_length = self._type.root in _LENGTHS and known > 0
        low, high = (None, None) if self._bounds is None else map(self._text, self._bounds)
        return ColumnStatistics(
            self._column.id,
            self._distinct.count(),
            self._nulls,
            math.ceil(self._length / known) if has_length else width,
            self._longest if has_length else width,
            "NaN" if self._has_nan and low is None else low,
            "NaN" if self._has_nan else high,
        )

    @property
    def _width(self) -> int:
        if self._type.root == "DECIMAL":
            return 8 if (self._type.precision or 0) <= _NARROW_DECIMAL else 16
        return _WIDTHS[self._type.root]

    def _text(self, value: pa.Scalar) -> str | None:
        plain = value.value if pa.types.is_temporal(value.type) else value.as_py()
        # Timestamps are formatted as in SQL, those with a time zone in UTC; other values as Java prints them.
        return partition_text(plain, self._type, legacy=not pa.types.is_timestamp(value.type))
