"""Computes the bucket of each row (format §11, Java ``BucketFunction``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int32Array, Int64Array
from workbench.base.errors import Unsupported
from workbench.format.rows.binary_row_columns import encode_columns, single_array
from workbench.format.rows.murmur import murmur_hash
from workbench.format.types import AtomicType, DataType

__all__ = ["check_bucket_function", "fixed_buckets", "murmur_hash"]

# Rows hashed at once: all arrays of a step stay in the processor's cache.
_BLOCK_ROWS = 1 << 15
_Columns = Sequence[pa.Array | pa.ChunkedArray]
_Function = Callable[[_Columns, Sequence[DataType], int], Int64Array]


def fixed_buckets(
    columns: _Columns, types: Sequence[DataType], num_buckets: int, function: str = "default"
) -> Int32Array:
    """Return the bucket of each row by a function of option ``bucket-function.type``.

    ``columns`` are the bucket key's, in the order of the bucket key, with the types of the table schema.

    Raises:
        Unsupported: If the function does not support keys of these types.
    """
    if num_buckets < 1:
        raise ValueError(f"{num_buckets} buckets")
    if not columns:
        raise ValueError("a bucket key must have at least one column")
    check_bucket_function(function, types)
    buckets_of_block = _FUNCTIONS[function]
    count = len(columns[0])
    buckets = np.empty(count, dtype=np.int32)
    for start in range(0, count, _BLOCK_ROWS):
        block = [column.slice(start, _BLOCK_ROWS) for column in columns]
        buckets[start : start + _BLOCK_ROWS] = buckets_of_block(block, types, num_buckets)
    return buckets


def check_bucket_function(function: str, types: Sequence[DataType]) -> None:
    """Check that the function supports the bucket key.

    Raises:
        Unsupported: If it does not.
    """
    takes = _KEY_TYPES.get(function)
    if takes is None:
        return
    for data_type in types:
        if not isinstance(data_type, AtomicType) or data_type.root not in takes:
            raise Unsupported(
                f"Option 'bucket-function.type' = '{function}' does not support a key of type {data_type}.",
                f"Use keys of type {', '.join(takes)}.",
            )
    if function == "mod" and len(types) > 1:
        raise Unsupported("Option 'bucket-function.type' = 'mod' requires exactly one bucket key column.")


def _default(columns: _Columns, types: Sequence[DataType], num_buckets: int) -> Int64Array:
    """Return ``abs(hash) % num_buckets``, which equals Java's ``abs(hash % n)``."""
    # 64 bits, because the absolute value of the smallest hash does not fit into 32.
    return np.abs(encode_columns(columns, types).hashes().astype(np.int64)) % num_buckets


def _mod(columns: _Columns, types: Sequence[DataType], num_buckets: int) -> Int64Array:
    """Return the value of the only key column modulo the number of buckets, never negative; null counts as 0."""
    values: Int64Array = single_array(columns[0], types[0]).fill_null(0).to_numpy().astype(np.int64)
    return values % num_buckets


def _hive(columns: _Columns, types: Sequence[DataType], num_buckets: int) -> Int64Array:
    # Loaded lazily: few tables use Hive's buckets.
    from workbench.format.rows.hive_hash import hive_hashes

    return (hive_hashes(columns, types) & np.uint32(0x7FFFFFFF)).astype(np.int64) % num_buckets


_KEY_TYPES = {
    "mod": ("INT", "BIGINT"),
    "hive": (
        *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME"),
        *("CHAR", "VARCHAR", "BINARY", "VARBINARY"),
    ),
}
_FUNCTIONS: dict[str, _Function] = {"default": _default, "mod": _mod, "hive": _hive}
