"""The hash index file of a bucket: the hashes of its keys, four bytes each (format §21, Java ``HashIndexFile``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import CorruptFile

_STORED = np.dtype(">i4")

Hashes = NDArray[np.int32]


def read_hash_index(data: bytes, path: str, count: int) -> Hashes:
    """The hashes, in any order. ``count`` is how many the index manifest says there are.

    Raises CorruptFile, naming ``path``, where there are more or fewer.
    """
    if len(data) != count * _STORED.itemsize:
        raise CorruptFile(path, f"it has {len(data)} bytes, and the index manifest says {count} hashes")
    return np.frombuffer(data, _STORED).astype(np.int32)


def hash_index_bytes(hashes: Hashes) -> bytes:
    """The file of these hashes, which must not repeat."""
    return hashes.astype(_STORED).tobytes()
