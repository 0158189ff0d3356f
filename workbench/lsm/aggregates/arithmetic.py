"""Java's arithmetic on whole columns of numbers: exact integers, IEEE floats, decimals of fixed scale."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int64Array
from workbench.lsm.sequence_fields import stored_values

Result = tuple[AnyArray, BoolArray | None]
"""Numbers, and a mask of the numbers that fit their type; all others are null. None means that all fit."""

_LOW_WORD = (1 << 64) - 1
_WELL_WITHIN = float(1 << 62)
_LEAST = np.iinfo(np.int64).min


class RefusedError(ArithmeticError):
    """A result that Java refuses; the message says why, as a continuation of 'The sum of column x …'. ``position`` is
    that of the first pair of numbers without a result."""

    def __init__(self, reason: str, where: BoolArray, *, is_overflow: bool = False) -> None:
        super().__init__(reason)
        self.is_overflow = is_overflow
        self.position = int(np.argmax(where))


class Sums(ABC):
    """Operations on arrays of equal length without nulls. Each raises RefusedError if Java throws."""

    @abstractmethod
    def load(self, column: pa.Array) -> AnyArray:
        """Return the numbers of a column; arbitrary where it is null."""

    @abstractmethod
    def store(self, numbers: AnyArray, known: BoolArray) -> pa.Array:
        """Return a column of the numbers, null where they are not ``known``."""

    @abstractmethod
    def add(self, left: AnyArray, right: AnyArray) -> Result:
        """Return ``left + right``."""

    @abstractmethod
    def subtract(self, left: AnyArray, right: AnyArray) -> Result:
        """Return ``left - right``."""

    @abstractmethod
    def sum_of(self, numbers: AnyArray) -> Any:
        """Return the sum of numbers added from the first to the last; None if an intermediate sum may not fit."""

    def negate(self, numbers: AnyArray) -> AnyArray:
        """Return ``-numbers``."""
        return self.subtract(np.zeros_like(numbers), numbers)[0]

    @property
    def limit(self) -> int | None:
        """The least number with more digits than the type; None if stored numbers always fit their type."""
        return None


class Arithmetic(Sums):
    """Sums and products."""

    @abstractmethod
    def multiply(self, left: AnyArray, right: AnyArray) -> Result:
        """Return ``left * right``."""

    @abstractmethod
    def divide(self, left: AnyArray, right: AnyArray) -> Result:
        """Return ``left / right``."""


def sums_of(arrow_type: pa.DataType) -> Sums:
    """Return the addition for numbers of a type."""
    return (
        _CompactDecimals(arrow_type)
        if pa.types.is_decimal(arrow_type) and arrow_type.precision <= 18
        else arithmetic_of(arrow_type)
    )


def arithmetic_of(arrow_type: pa.DataType) -> Arithmetic:
    """Return the addition and multiplication for numbers of a type; products of decimals need more than 64 bits."""
    if pa.types.is_floating(arrow_type):
        return _Floats(arrow_type)
    return _Decimals(arrow_type) if pa.types.is_decimal(arrow_type) else _Integers(arrow_type)


class _Integers(Arithmetic):
    """Integers held in 64 bits, and checked against the bounds of their type after each operation."""

    def __init__(self, arrow_type: pa.DataType) -> None:
        self._kind = arrow_type
        self._bits = arrow_type.bit_width

    def load(self, column: pa.Array) -> AnyArray:
        return np.asarray(stored_values(column).to_numpy().astype(np.int64, copy=False))

    def store(self, numbers: AnyArray, known: BoolArray) -> pa.Array:
        return _column(self._kind, numbers.astype(self._kind.to_pandas_dtype(), copy=False), known)

    def add(self, left: AnyArray, right: AnyArray) -> Result:
        total = left + right
        return self._checked(total, (left ^ total) & (right ^ total) < 0)

    def subtract(self, left: AnyArray, right: AnyArray) -> Result:
        total = left - right
        return self._checked(total, (left ^ right) & (left ^ total) < 0)

    def sum_of(self, numbers: AnyArray) -> Any:
        if not _fits_words(numbers):
            return None
        sums = np.add.accumulate(numbers)
        limit = 1 << (self._bits - 1)
        return sums[-1] if -limit <= sums.min() and sums.max() < limit else None

    def multiply(self, left: AnyArray, right: AnyArray) -> Result:
        total = left * right
        with np.errstate(over="ignore"):
            quotient = total // np.where(left == 0, 1, left)
        wrapped = (left != 0) & ((quotient != right) | ((left == -1) & (right == _LEAST)))
        return self._checked(total, wrapped)

    def divide(self, left: AnyArray, right: AnyArray) -> Result:
        if (right == 0).any():
            raise RefusedError("is divided by zero", right == 0)
        wraps = (left == _LEAST) & (right == -1)
        if wraps.any():
            return self._checked(left, wraps)
        floor = left // right
        # Java truncates towards zero.
        return self._checked(floor + ((left % right != 0) & ((left < 0) != (right < 0))), wraps)

    def _checked(self, numbers: AnyArray, wrapped: BoolArray) -> Result:
        limit = 1 << (self._bits - 1)
        if self._bits < 64:
            wrapped = wrapped | (numbers < -limit) | (numbers >= limit)
        if wrapped.any():
            raise RefusedError(f"overflows {self._bits} bits", wrapped, is_overflow=True)
        return numbers, None


class _Floats(Arithmetic):
    """IEEE numbers of 32 or 64 bits."""

    def __init__(self, arrow_type: pa.DataType) -> None:
        self._kind = arrow_type

    def load(self, column: pa.Array) -> AnyArray:
        return np.asarray(stored_values(column).to_numpy())

    def store(self, numbers: AnyArray, known: BoolArray) -> pa.Array:
        return _column(self._kind, numbers, known)

    def add(self, left: AnyArray, right: AnyArray) -> Result:
        with np.errstate(all="ignore"):
            return left + right, None

    def subtract(self, left: AnyArray, right: AnyArray) -> Result:
        with np.errstate(all="ignore"):
            return left - right, None

    def sum_of(self, numbers: AnyArray) -> Any:
        # Added one after the other: `np.sum` adds pairs, and rounds differently.
        with np.errstate(all="ignore"):
            return np.add.accumulate(numbers)[-1]

    def multiply(self, left: AnyArray, right: AnyArray) -> Result:
        with np.errstate(all="ignore"):
            return left * right, None

    def divide(self, left: AnyArray, right: AnyArray) -> Result:
        with np.errstate(all="ignore"):
            return left / right, None

    def negate(self, numbers: AnyArray) -> AnyArray:
        return -numbers


class _CompactDecimals(Sums):
    """Sums of decimals of up to 18 digits. As in Java, they become null if 64 bits cannot hold them, and may exceed
    their precision before that."""

    def __init__(self, arrow_type: pa.Decimal128Type) -> None:
        self._kind = arrow_type

    def load(self, column: pa.Array) -> AnyArray:
        return np.ascontiguousarray(_words(column)[:, 0])

    def store(self, numbers: AnyArray, known: BoolArray) -> pa.Array:
        return _column(self._kind, np.column_stack([numbers, numbers >> 63]), known)

    def add(self, left: AnyArray, right: AnyArray) -> Result:
        total = left + right
        return total, (left ^ total) & (right ^ total) >= 0

    def subtract(self, left: AnyArray, right: AnyArray) -> Result:
        total = left - right
        return total, (left ^ right) & (left ^ total) >= 0

    def sum_of(self, numbers: AnyArray) -> Any:
        return np.add.accumulate(numbers)[-1] if _fits_words(numbers) else None

    @property
    def limit(self) -> int:
        return int(10**self._kind.precision)


class _Decimals(Arithmetic):
    """Decimals as Python integers of any size, in units of the last digit. Values that do not fit are null."""

    def __init__(self, arrow_type: pa.Decimal128Type) -> None:
        self._kind = arrow_type
        self._unit = 10**arrow_type.scale

    @property
    def limit(self) -> int:
        return int(10**self._kind.precision)

    def load(self, column: pa.Array) -> AnyArray:
        words = _words(column)
        return np.asarray(words[:, 1].astype(object) * (1 << 64) + words[:, 0].view(np.uint64).astype(object))

    def store(self, numbers: AnyArray, known: BoolArray) -> pa.Array:
        fitting = np.where(known, numbers, 0)
        low = (fitting & _LOW_WORD).astype(np.uint64).view(np.int64)
        return _column(self._kind, np.column_stack([low, (fitting >> 64).astype(np.int64)]), known)

    def add(self, left: AnyArray, right: AnyArray) -> Result:
        return self._checked(left + right)

    def subtract(self, left: AnyArray, right: AnyArray) -> Result:
        return self._checked(left - right)

    def sum_of(self, numbers: AnyArray) -> Any:
        sums = np.add.accumulate(numbers)
        return sums[-1] if self._fits(sums).all() else None

    def multiply(self, left: AnyArray, right: AnyArray) -> Result:
        product = left * right
        rounded = (abs(product) + self._unit // 2) // self._unit
        return self._checked(np.where(np.asarray(product < 0, bool), -rounded, rounded))

    def divide(self, left: AnyArray, right: AnyArray) -> Result:
        is_zero = np.asarray(right == 0, bool)
        if is_zero.any():
            raise RefusedError("is divided by zero", is_zero)
        quotients = np.asarray(np.frompyfunc(self._quotient, 2, 1)(left, right), object)
        unknown = np.asarray(quotients == None, bool)  # noqa: E711 - compares each element
        if unknown.any():
            raise RefusedError("has no exact quotient", unknown)
        return self._checked(quotients)

    def _quotient(self, left: int, right: int) -> int | None:
        """Return the quotient, rounded to the scale; None if it has no finite number of digits."""
        rest = abs(right) // math.gcd(left, right)
        for factor in (2, 5):
            while rest % factor == 0:
                rest //= factor
        if rest != 1:
            return None
        size: int = (abs(left) * self._unit * 2 + abs(right)) // (abs(right) * 2)
        return -size if (left < 0) != (right < 0) else size

    def _checked(self, numbers: AnyArray) -> Result:
        return numbers, self._fits(numbers)

    def _fits(self, numbers: AnyArray) -> BoolArray:
        return np.asarray((numbers < self.limit) & (numbers > -self.limit), bool)


def _fits_words(numbers: AnyArray) -> bool:
    """Return whether no partial sum of the numbers can exceed 64 bits, by a rough estimate."""
    return bool(np.abs(numbers.astype(np.float64)).sum() < _WELL_WITHIN)


def _words(column: pa.Array) -> Int64Array:
    """Return int64[rows, 2]: the low and the high half of each decimal."""
    data = np.frombuffer(column.buffers()[1], np.int64)
    return data[2 * column.offset : 2 * (column.offset + len(column))].reshape(-1, 2)


def _column(arrow_type: pa.DataType, values: AnyArray, known: BoolArray) -> pa.Array:
    # The validity is stored like the values of a boolean array: one bit each.
    validity = None if known.all() else pa.array(known).buffers()[1]
    return pa.Array.from_buffers(arrow_type, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])
