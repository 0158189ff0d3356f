"""Values as file indexes store them: integers that compare as Java compares the values, or bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.base.arrays import AnyArray, Int64Array
from workbench.format.rows.cursor import Cursor
from workbench.format.types import AtomicType, DataType

Key = int | bytes

_STORED = {
    "BOOLEAN": ">u1",
    "TINYINT": ">i1",
    "SMALLINT": ">i2",
    "INT": ">i4",
    "DATE": ">i4",
    "TIME": ">i4",
    "BIGINT": ">i8",
    "DECIMAL": ">i8",
    "TIMESTAMP": ">i8",
    "TIMESTAMP_LTZ": ">i8",
    "FLOAT": ">f4",
    "DOUBLE": ">f8",
}
_TEXT = ("CHAR", "VARCHAR")
_BINARY = ("BINARY", "VARBINARY")
_FINEST_TIMESTAMP = 6
_NANOSECONDS = 1000


@dataclass(frozen=True)
class KeySpan:
    """The keys from ``low`` to ``high``, which represent one value; if not ``exact``, they also represent similar
    values.
    """

    low: Key
    high: Key
    exact: bool = True


@dataclass(frozen=True)
class KeyKind:
    """The conversion of a type's values to keys.

    ``stored`` is the NumPy type in which keys are stored, None for text and bytes, which are stored after their length.
    """

    type: AtomicType
    stored: str | None

    @property
    def is_float(self) -> bool:
        """Whether keys are ordered bits of floating-point numbers."""
        return self.type.root in ("FLOAT", "DOUBLE")

    def span(self, value: Any) -> KeySpan:
        """Return the keys of an internal value."""
        if isinstance(value, str):
            return _exactly(value.encode())
        if self.is_float:
            # Java distinguishes the zeros, SQL does not.
            low, high = self.ordered(np.array([-0.0, 0.0] if value == 0 else [value, value])).tolist()
            return KeySpan(low, high)
        if self.type.root == "DECIMAL":
            return _exactly(int(Fraction(Decimal(value)) * 10 ** (self.type.scale or 0)))
        if self.stored == ">i8" and (self.type.precision or 0) > _FINEST_TIMESTAMP:
            micros = value // _NANOSECONDS
            return KeySpan(micros, micros, exact=False)
        return _exactly(value if isinstance(value, bytes) else int(value))

    def entries(self, cursor: Cursor, count: int, numbers: int = 0) -> tuple[list[Key], Int64Array]:
        """Return the next ``count`` keys, and the int32[numbers] that follow each."""
        if self.stored is None:
            return self._text_entries(cursor, count, numbers)
        entries = cursor.numbers(np.dtype([("key", self.stored), ("numbers", ">i4", (numbers,))]), count)
        keys = self.ordered(entries["key"]) if self.is_float else entries["key"]
        return keys.tolist(), entries["numbers"].astype(np.int64)

    def key(self, cursor: Cursor) -> Key:
        """Return the next key."""
        return self.entries(cursor, 1)[0][0]

    def hashed(self, key: Key) -> Key:
        """Return the input of a bloom filter's hash: the bits of a floating-point number."""
        return (
            _swapped(key, int(self.stored[-1]) * 8) if self.is_float and self.stored and isinstance(key, int) else key
        )

    def _text_entries(self, cursor: Cursor, count: int, numbers: int) -> tuple[list[Key], Int64Array]:
        keys: list[Key] = []
        entries: list[Sequence[int]] = []
        for _ in range(count):
            keys.append(cursor.take(cursor.number(">i4")))
            entries.append(cursor.numbers(">i4", numbers).tolist())
        return keys, np.array(entries, np.int64).reshape(count, numbers)

    def ordered(self, values: AnyArray) -> AnyArray:
        """Return bits of numbers that compare as in Java: -0.0 before 0.0, and a single NaN above all."""
        assert self.stored is not None
        width = self.stored[-1]
        plain = np.where(np.isnan(values), np.nan, values).astype(f"f{width}")
        bits = plain.view(f"i{width}")
        return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def key_kind(data_type: DataType) -> KeyKind | None:
    """Return the conversion of a type's values to keys, None if the type cannot have indexes."""
    if not isinstance(data_type, AtomicType):
        return None
    if data_type.root in _STORED:
        return KeyKind(data_type, _STORED[data_type.root])
    return KeyKind(data_type, None) if data_type.root in (*_TEXT, *_BINARY) else None


def _exactly(key: Key) -> KeySpan:
    return KeySpan(key, key)


def _swapped(key: int, bits: int) -> int:
    return key if key >= 0 else key ^ ((1 << (bits - 1)) - 1)
