"""The hash index file of a bucket: the hashes of its keys, four bytes each (format §21, Java ``HashIndexFile``)."""

from __future__ import annotations

import numpy as np

from workbench.base.arrays import Int32Array
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile

_STORED = np.dtype(">i4")


def read_hash_index(data: bytes, path: str, count: int) -> Int32Array:
    """Return the hashes, in any order. ``count`` is their number in the index manifest.

    Raises:
        CorruptFile: If the file has a different number of hashes; the message names ``path``.
    """
    if len(data) != count * _STORED.itemsize:
        raise CorruptFile(path, f"it has {counted(len(data), 'bytes')}, but the index manifest says {count} hashes")
    return np.frombuffer(data, _STORED).astype(np.int32)


def hash_index_bytes(hashes: Int32Array) -> bytes:
    """Return the file of these hashes, which must be distinct."""
    return hashes.astype(_STORED).tobytes()
