"""Opens a file index by its type."""

from __future__ import annotations

from workbench.format.index.file_index import bit_slices, bitmap, range_bitmap
from workbench.format.index.file_index.bloom_filter import BloomFilter
from workbench.format.index.file_index.keys import KeyKind
from workbench.format.index.file_index.row_index import NoValues, RowIndex


def open_index(name: str, body: bytes | None, kind: KeyKind, rows: int) -> RowIndex | None:
    """Return the index of type ``name`` over the ``rows`` rows of a file.

    Return None for unknown types and versions: reads return the same rows without such an index.

    Raises:
        ValueError: If the bytes are corrupt or have another number of rows.
    """
    if body is None:
        return NoValues(rows)
    match name:
        case "bloom-filter":
            return BloomFilter(body, kind, rows)
        case "bitmap" if body[:1] and body[0] in bitmap.VERSIONS:
            return bitmap.Bitmap(body, kind, rows)
        case "bsi" if body[:1] == bytes([bit_slices.VERSION]):
            return bit_slices.BitSliceIndex(body, kind, rows)
        case "range-bitmap" if body[4:5] == bytes([range_bitmap.VERSION]):
            return range_bitmap.RangeBitmap(body, kind, rows)
    return None
