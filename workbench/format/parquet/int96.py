"""Timestamps that Parquet files store as INT96: nanoseconds of a day and a Julian day (format §13).

Arrow converts them to 64-bit numbers, which wrap silently beyond the years 1677 to 2262, or, in coarser units, if the
nanoseconds of a day are negative, as Java writes them before 1970. They are therefore declared as bytes to Arrow and
decoded here.
"""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa

from workbench.base.modules import pq
from workbench.format.parquet.thrift import I32, Field, encode_struct, find, read_struct, structs_in
from workbench.format.types import AtomicType, to_arrow

BYTES = 12

_MAGIC = b"PAR1"
_LENGTH_BYTES = 4
_SCHEMA, _ROW_GROUPS, _COLUMNS, _META_DATA, _TYPE, _TYPE_LENGTH = 2, 4, 1, 3, 1, 2
# In zigzag form, like all numbers of a footer.
_INT96, _FIXED = 3 << 1, 7 << 1
_EPOCH_DAY = 2_440_588
_NANOS_PER_DAY = 86_400 * 10**9
_FAR = 2.0**62


def footer_of(end: bytes) -> bytes:
    """Return the footer from the last bytes of a file, which must contain it.

    Raises:
        ValueError: If the bytes do not contain the footer.
    """
    size = int.from_bytes(end[-8:-4], "little")
    if end[-4:] != _MAGIC or size > len(end) - 8:
        raise ValueError("its footer is corrupt")
    return end[len(end) - 8 - size : len(end) - 8]


def metadata_with_bytes(footer: bytes) -> pq.FileMetaData:
    """Return the footer with each INT96 column declared as `BYTES` bytes.

    Raises:
        ValueError: If it is corrupt.
    """
    fields, _ = read_struct(footer)
    for element in structs_in(fields, _SCHEMA):
        if find(element, _TYPE) == _INT96:
            rest = [field for field in element if field.number not in (_TYPE, _TYPE_LENGTH)]
            element[:] = [Field(_TYPE, I32, _FIXED), Field(_TYPE_LENGTH, I32, BYTES << 1), *rest]
    for group in structs_in(fields, _ROW_GROUPS):
        for column in structs_in(group, _COLUMNS):
            for field in find(column, _META_DATA) or ():
                if field.number == _TYPE and field.value == _INT96:
                    field.value = _FIXED
    changed = encode_struct(fields)
    whole = _MAGIC + changed + len(changed).to_bytes(_LENGTH_BYTES, "little") + _MAGIC
    return pq.read_metadata(io.BytesIO(whole))


def int96_times(array: pa.Array, data_type: AtomicType) -> pa.Array:
    """Return an array of INT96 bytes as timestamps of a type.

    Raises:
        OverflowError: If an instant is beyond the range of its Arrow type.
    """
    target = to_arrow(data_type)
    if not len(array):
        return pa.array([], target)
    present = array.is_valid().to_numpy(zero_copy_only=False)
    raw = np.frombuffer(array.buffers()[1], np.dtype([("nanos", "<i8"), ("day", "<i4")]), len(array) + array.offset)
    raw = raw[array.offset :]
    nanos_of_unit = {"ms": 10**6, "us": 10**3, "ns": 1}[target.unit]
    days = np.where(present, raw["day"].astype(np.int64) - _EPOCH_DAY, 0)
    parts = np.where(present, raw["nanos"], 0) // nanos_of_unit
    units_per_day = _NANOS_PER_DAY // nanos_of_unit
    moments = days * units_per_day + parts
    # A value that wrapped is far from the same value computed in floating point.
    if (np.abs(days * float(units_per_day) + parts - moments) >= _FAR).any():
        raise OverflowError("a timestamp is out of range")
    return pa.array(moments, mask=~present).view(target)
