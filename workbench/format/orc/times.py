"""Reads timestamps of ORC files beyond the years 1677 to 2262, the range of Arrow's 64-bit nanoseconds (format §14).

Timestamps are stored in two streams: one of seconds and one of fractions of a second. Given a tail that declares the
column as integer, Arrow reads the stream of seconds, together with nulls and any nesting; the stream of fractions is
read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import Unsupported
from workbench.format.orc.messages import (
    bytes_of,
    encode_section,
    fields,
    message,
    number_of,
    numbers_of,
    plain,
    with_number,
)
from workbench.format.orc.runs import unsigned_runs
from workbench.format.orc.tail import OrcStripe, OrcTail, ReadRange, read_orc_stripe
from workbench.format.rows.varints import encoded_varint
from workbench.format.types import TIMES, AtomicType, DataField, DataType, MultisetType, RowType, to_arrow
from workbench.format.types.nested_arrays import Leaf
from workbench.format.types.wall_clock import wall_clock_offsets

_WHOLE_NUMBER, _TIMESTAMP, _TIMESTAMP_WITH_ZONE = 4, 9, 18
_TYPES, _KIND, _CHILDREN, _NAMES = 4, 1, 2, 3
_FOOTER_LENGTH = 1
_PARTS_OF_SECONDS, _RUNS = 5, 2
_COUNT = AtomicType("INT", nullable=False)
# Writers truncate seconds toward 1970, so an instant before 1970 with at least this fraction, in nanoseconds, is stored
# one second too late.
_LATE_FROM = 1_000_000
_NANOS = 10**9


def tail_with_integer_timestamps(tail: OrcTail) -> bytes:
    """Return a replacement for the end of the file, starting with the footer, that makes readers read timestamps as
    integers.
    """
    footer = b"".join(
        encoded_varint(_TYPES << 3 | 2) + encoded_varint(len(encoded := _as_number(value))) + encoded
        if number == _TYPES
        else raw
        for number, value, raw in fields(tail.footer)
    )
    section = encode_section(footer, *tail.compression)
    postscript = with_number(tail.postscript, _FOOTER_LENGTH, len(section))
    return section + postscript + bytes([len(postscript)])


def _as_number(kind: Any) -> bytes:
    if number_of(message(kind), _KIND) in (_TIMESTAMP, _TIMESTAMP_WITH_ZONE):
        return with_number(kind, _KIND, _WHOLE_NUMBER)
    return bytes_of(kind)


@dataclass
class StripeTimes:
    """The timestamps of one stripe.

    All methods raise Unsupported for the encoding of old files, OverflowError for an instant that is beyond the range
    of nanoseconds in a type of more than 6 digits, ValueError or LookupError if the file is corrupt.
    """

    read: ReadRange
    tail: OrcTail
    number: int

    def __post_init__(self) -> None:
        self._stripe: OrcStripe = read_orc_stripe(self.read, self.tail, self.number)

    def leaves(self, name: str, data_type: DataType) -> Leaf:
        """Return a converter from the integers that Arrow read to the timestamps of a column; it must be called for
        each leaf of the column's type in order.
        """
        columns = self._columns(name, data_type)

        def leaf(array: pa.Array, column_type: AtomicType) -> pa.Array:
            column = next(columns)
            return self._moments(column, array, column_type) if column_type.root in TIMES else array

        return leaf

    def _columns(self, name: str, data_type: DataType) -> Iterator[int]:
        """Yield the numbers that the leaves of column ``name`` have in the file, in the order of its type."""
        types = [message(each) for each in message(self.tail.footer)[_TYPES]]

        def leaves(number: int, column_type: DataType) -> Iterator[int]:
            inner = numbers_of(types[number], _CHILDREN)
            if isinstance(column_type, AtomicType):
                yield number
            elif isinstance(column_type, RowType):
                names = [bytes_of(each).decode() for each in types[number].get(_NAMES, [])]
                for field in column_type.fields:
                    if field.name not in names:
                        raise ValueError(f"a row without its field '{field.name}'")
                    yield from leaves(inner[names.index(field.name)], field.type)
            else:
                count = (_COUNT,) if isinstance(column_type, MultisetType) else ()
                for each, child in zip(inner, (*column_type.children(), *count), strict=True):
                    yield from leaves(each, child)

        return leaves(0, RowType((DataField(0, name, data_type),)))

    def _moments(self, column: int, seconds: pa.Array, data_type: AtomicType) -> pa.Array:
        """Return the instants in microseconds, or in nanoseconds if the type has more than 6 digits."""
        present = seconds.is_valid().to_numpy(zero_copy_only=False)
        parts = np.zeros(len(seconds), np.int64)
        parts[present] = self._parts_of_seconds(column, int(present.sum()))
        zone = "UTC" if data_type.root == "TIMESTAMP_LTZ" else self._stripe.writer_zone or "UTC"
        moments = seconds.fill_null(0).to_numpy() + _base(zone)
        moments -= (moments < 0) & (parts >= _LATE_FROM)
        moments += wall_clock_offsets(moments, zone)
        target = to_arrow(data_type)
        per_second = _NANOS if target.unit == "ns" else 10**6
        if len(moments) and max(-moments.min(), moments.max()) >= (1 << 63) // per_second - 1:
            raise OverflowError("a timestamp is out of range")
        values = pa.array(moments * per_second + parts // (_NANOS // per_second), mask=~present)
        return values.view(pa.timestamp("ns" if target.unit == "ns" else "us", target.tz))

    def _parts_of_seconds(self, column: int, count: int) -> Int64Array:
        """Return fractions in nanoseconds. They are stored without trailing zeros, whose number is encoded in the
        lowest three bits.
        """
        start, length = self._stripe.streams.get((_PARTS_OF_SECONDS, column), (0, 0))
        if count and (column >= len(self._stripe.encodings) or self._stripe.encodings[column] != _RUNS):
            raise Unsupported("Timestamps in the old encoding of ORC 0.11 are not supported outside 1677 to 2262.")
        stored = unsigned_runs(plain(self.read(start, length), *self.tail.compression)) if count else np.zeros(0, int)
        if len(stored) != count:
            raise ValueError("a timestamp lacks its fraction of a second")
        zeros = stored & 7
        parts: Int64Array = (stored >> 3) * 10 ** np.where(zeros > 0, zeros + 1, 0)
        # Arrow's writer has negative fractions before 1970.
        if count and np.abs(parts).max() >= _NANOS:
            raise ValueError("a fraction of a second exceeds a second")
        return parts


def _base(zone: str) -> int:
    """Return the start of 2015 in the zone of the writer, from which seconds are counted."""
    try:
        return int(datetime(2015, 1, 1, tzinfo=ZoneInfo(zone)).timestamp())
    except KeyError:
        raise ValueError(f"'{zone}' is not a time zone") from None
