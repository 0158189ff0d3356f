"""Layout of a BinaryRow: positions of its parts and the slot of each type (format §9, Java ``BinaryRow``)."""

from __future__ import annotations

from enum import Enum, auto

from workbench.base.errors import Unsupported
from workbench.format.types import AtomicType, DataType

ARITY_BYTES = 4
MAX_INLINE_BYTES = 7
INLINE_MARK = 0x80
COMPACT_DECIMAL_PRECISION = 18
COMPACT_TIMESTAMP_PRECISION = 3
DECIMAL_VARIABLE_BYTES = 16
TIMESTAMP_VARIABLE_BYTES = 8


class Slot(Enum):
    """The storage of a field's value."""

    BOOLEAN = auto()
    INT8 = auto()
    INT16 = auto()
    INT32 = auto()
    INT64 = auto()
    FLOAT = auto()
    DOUBLE = auto()
    COMPACT_DECIMAL = auto()
    DECIMAL = auto()
    TIMESTAMP = auto()
    STRING = auto()
    BINARY = auto()
    COMPLEX = auto()


_SLOTS = {
    "BOOLEAN": Slot.BOOLEAN,
    "TINYINT": Slot.INT8,
    "SMALLINT": Slot.INT16,
    "INT": Slot.INT32,
    "DATE": Slot.INT32,
    "TIME": Slot.INT32,
    "BIGINT": Slot.INT64,
    "FLOAT": Slot.FLOAT,
    "DOUBLE": Slot.DOUBLE,
    "CHAR": Slot.STRING,
    "VARCHAR": Slot.STRING,
    "BINARY": Slot.BINARY,
    "VARBINARY": Slot.BINARY,
    "BLOB": Slot.BINARY,
}


def slot_of(data_type: DataType) -> Slot:
    """Return the slot of a type. A type that is neither a number, a time nor bytes is COMPLEX: only its null is
    supported.
    """
    if not isinstance(data_type, AtomicType):
        return Slot.COMPLEX
    if data_type.root == "DECIMAL":
        compact = decimal_shape(data_type)[0] <= COMPACT_DECIMAL_PRECISION
        return Slot.COMPACT_DECIMAL if compact else Slot.DECIMAL
    if data_type.root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        compact = timestamp_precision(data_type) <= COMPACT_TIMESTAMP_PRECISION
        return Slot.INT64 if compact else Slot.TIMESTAMP
    return _SLOTS.get(data_type.root, Slot.COMPLEX)


def timestamp_precision(data_type: DataType) -> int:
    """Return the number of fractional digits of a second of a TIMESTAMP."""
    assert isinstance(data_type, AtomicType)
    assert data_type.precision is not None
    return data_type.precision


def units_per_milli(data_type: DataType) -> int:
    """Return how many Arrow units of a TIMESTAMP of precision above 3 make a millisecond: microseconds or
    nanoseconds.
    """
    return 1_000 if timestamp_precision(data_type) <= 6 else 1_000_000


def decimal_shape(data_type: DataType) -> tuple[int, int]:
    """Return precision and scale of a DECIMAL."""
    assert isinstance(data_type, AtomicType)
    assert data_type.precision is not None
    return data_type.precision, data_type.scale or 0


def null_bytes(arity: int) -> int:
    """Return the size of the header byte and the null bits, padded to 8 bytes."""
    return (arity + 63 + 8) // 64 * 8


def fixed_bytes(arity: int) -> int:
    """Return the size of the part before the variable part: header, null bits and one 8-byte slot per field."""
    return null_bytes(arity) + 8 * arity


def null_bit(index: int) -> tuple[int, int]:
    """Return byte and mask of the null bit of a field; the header byte comes first."""
    bit = index + 8
    return bit >> 3, 1 << (bit & 7)


def padded(size: int) -> int:
    """Return ``size`` rounded up to whole 8-byte words."""
    return (size + 7) & ~7


def unsupported_value(data_type: DataType) -> Unsupported:
    """Return the error for a value of a type of which keys and statistics support only null."""
    return Unsupported(f"Values of type {data_type} cannot be part of a key, a partition or statistics.")
