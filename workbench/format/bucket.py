"""Which bucket a row belongs to (format §11, Java ``DefaultBucketFunction``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.format.binary_row_columns import encode_columns
from workbench.format.murmur import murmur_hash
from workbench.format.types import DataType

__all__ = ["fixed_buckets", "murmur_hash"]

# Rows hashed at once: every array of a step then stays in the processor's cache.
_BLOCK_ROWS = 1 << 15


def fixed_buckets(
    columns: Sequence[pa.Array | pa.ChunkedArray], types: Sequence[DataType], num_buckets: int
) -> NDArray[np.int32]:
    """The bucket of each row under the default function: ``abs(hash) % num_buckets``, as Java's ``abs(hash % n)``.

    ``columns`` are the bucket key's, in the order of the bucket key, with the types of the table schema.
    """
    if num_buckets < 1:
        raise ValueError(f"{num_buckets} buckets")
    if not columns:
        raise ValueError("a bucket key has at least one column")
    count = len(columns[0])
    buckets = np.empty(count, dtype=np.int32)
    for start in range(0, count, _BLOCK_ROWS):
        block = encode_columns([column.slice(start, _BLOCK_ROWS) for column in columns], types)
        # 64 bits, because 32 have no room for the absolute value of the least hash.
        buckets[start : start + _BLOCK_ROWS] = np.abs(block.hashes().astype(np.int64)) % num_buckets
    return buckets
