"""What an index manifest says of an index file (format §7)."""

from __future__ import annotations

from dataclasses import dataclass

DELETION_VECTORS = "DELETION_VECTORS"
HASH = "HASH"


@dataclass(frozen=True)
class DeletionRange:
    """Where the deletion vector of a data file lies in its index file, in bytes; ``cardinality``: rows it deletes,
    None where an old writer did not say."""

    data_file: str
    offset: int
    length: int
    cardinality: int | None


@dataclass(frozen=True)
class GlobalIndex:
    """What an index over whole columns covers: row ids from ``row_range_start`` to ``row_range_end``, the columns of
    these ids. ``index_meta`` and ``source_meta`` are bytes that only the index itself understands."""

    row_range_start: int
    row_range_end: int
    field_id: int
    extra_field_ids: tuple[int, ...]
    index_meta: bytes | None = None
    source_meta: bytes | None = None


@dataclass(frozen=True)
class IndexEntry:
    """One index file. ``partition`` is a serialized row; ``vectors`` is empty for other indexes than deletion
    vectors. ``file_size`` is bytes, ``row_count`` how many hashes, vectors or rows it holds."""

    partition: bytes
    bucket: int
    index_type: str
    file_name: str
    external_path: str | None
    vectors: tuple[DeletionRange, ...]
    file_size: int = 0
    row_count: int = 0
    global_index: GlobalIndex | None = None
