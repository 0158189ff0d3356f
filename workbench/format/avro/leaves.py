"""Decodes the records of many Avro blocks to Arrow columns without a Python value per record (format §15)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.format.avro.blocks import AvroHeader
from workbench.format.avro.columns import column_of
from workbench.format.avro.steps import (
    Arrays,
    Block,
    Column,
    FixedWidth,
    Integers,
    Optional,
    Spans,
    UnsupportedSchemaError,
    read_in_steps,
)
from workbench.format.types import AtomicType, DataType

# The cost of a step does not depend on the number of blocks: for few blocks, reading record by record is as fast.
_FEWEST_BLOCKS = 16


def leaf_columns(
    blocks: Sequence[Block], header: AvroHeader, wanted: Sequence[tuple[str, DataType]]
) -> list[pa.Array] | None:
    """Return the ``wanted`` columns, given by field name and type, of all records of the blocks.

    None if this method does not apply: few blocks, nested types, corruption. Reading record by record then returns the
    columns or raises the appropriate error.
    """
    if len(blocks) < _FEWEST_BLOCKS or isinstance(header.schema, list):
        return None
    if not all(isinstance(data_type, AtomicType) for _, data_type in wanted):
        return None
    try:
        data, root = read_in_steps(blocks, header.record)
        return [
            column_of(_stored(root.columns[name], data), header.fields[name], column_type)
            for name, column_type in wanted
        ]
    except (UnsupportedSchemaError, ValueError, IndexError, KeyError, OverflowError, pa.ArrowException):
        return None


def _stored(column: Column, data: bytes) -> pa.Array:
    """Return the values as stored, null where a value is missing."""
    valid = None
    if isinstance(column, Optional):
        valid = None if column.valid.all() else column.valid
        column = column.inner
    if isinstance(column, Spans) and not isinstance(column, Arrays):
        return _bytes(column, data, valid)
    if not isinstance(column, Integers | FixedWidth):
        raise UnsupportedSchemaError(type(column))
    values = column.values != 0 if column.values.dtype == np.uint8 else column.values
    return pa.array(values, mask=None if valid is None else ~valid)


def _bytes(column: Spans, data: bytes, valid: BoolArray | None) -> pa.Array:
    lengths = column.ends - column.starts
    offsets = np.append(0, np.cumsum(lengths))
    if offsets[-1] > np.iinfo(np.int32).max:
        raise OverflowError("more bytes than one array can hold")
    positions = np.repeat(column.starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    taken = np.frombuffer(data, np.uint8)[positions]
    validity = None if valid is None else pa.array(valid).buffers()[1]
    buffers = [validity, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(taken)]
    return pa.Array.from_buffers(pa.binary(), len(lengths), buffers)
