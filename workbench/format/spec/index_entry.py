"""Entries of an index manifest (format §7)."""

from __future__ import annotations

from dataclasses import dataclass

DELETION_VECTORS = "DELETION_VECTORS"
HASH = "HASH"


@dataclass(frozen=True)
class DeletionRange:
    """The byte range of a data file's deletion vector in its index file.

    ``cardinality`` is the number of deleted rows, None if an old writer did not store it.
    """

    data_file: str
    offset: int
    length: int
    cardinality: int | None


@dataclass(frozen=True)
class GlobalIndex:
    """The scope of an index over whole columns: row ids from ``row_range_start`` to ``row_range_end`` and column ids.

    ``index_meta`` and ``source_meta`` are opaque bytes of the index itself.
    """

    row_range_start: int
    row_range_end: int
    field_id: int
    extra_field_ids: tuple[int, ...]
    index_meta: bytes | None = None
    source_meta: bytes | None = None


@dataclass(frozen=True)
class IndexEntry:
    """One index file.

    ``partition`` is a serialized row; ``vectors`` is empty for indexes other than deletion vectors. ``file_size`` is in
    bytes, ``row_count`` is the number of hashes, vectors or rows.
    """

    partition: bytes
    bucket: int
    index_type: str
    file_name: str
    external_path: str | None
    vectors: tuple[DeletionRange, ...]
    file_size: int = 0
    row_count: int = 0
    global_index: GlobalIndex | None = None
