"""The index manifest of a snapshot (format §7), as far as it must be looked at to know which rows there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.avro_blocks import Record
from workbench.format.avro_codec import read_container

VERSION = 1
DELETION_VECTORS = "DELETION_VECTORS"


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
    these ids."""

    row_range_start: int
    row_range_end: int
    field_id: int
    extra_field_ids: tuple[int, ...]


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


def read_index_manifest(data: bytes, path: str) -> list[IndexEntry]:
    """The index files that an index manifest lists.

    Raises CorruptFile naming ``path`` for anything that is no index manifest, Unsupported for another ``_VERSION``.
    """
    try:
        return [_entry(record, path) for record in read_container(data, path)]
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFile(path, f"one of its records is no entry of an index manifest ({error!r})") from error


def _entry(record: Record, path: str) -> IndexEntry:
    if (version := record["_VERSION"]) != VERSION:
        raise Unsupported(f"Version {version} of {path} is not known.", f"Index manifests have version {VERSION}.")
    if record["_KIND"] != 0:
        raise ValueError("an entry that removes a file")
    index_type = record["_INDEX_TYPE"]
    vectors = tuple(_vectors(record)) if index_type == DELETION_VECTORS else ()
    return IndexEntry(
        record["_PARTITION"],
        record["_BUCKET"],
        index_type,
        record["_FILE_NAME"],
        record.get("_EXTERNAL_PATH"),
        vectors,
        record["_FILE_SIZE"],
        record["_ROW_COUNT"],
        _global_index(record.get("_GLOBAL_INDEX")),
    )


def _global_index(record: Record | None) -> GlobalIndex | None:
    if record is None:
        return None
    return GlobalIndex(
        record["_ROW_RANGE_START"],
        record["_ROW_RANGE_END"],
        record["_INDEX_FIELD_ID"],
        tuple(record.get("_EXTRA_FIELD_IDS") or ()),
    )


def _vectors(record: Record) -> Iterator[DeletionRange]:
    ranges = record["_DELETIONS_VECTORS_RANGES"]
    if ranges is None and record["_ROW_COUNT"]:
        raise ValueError("deletion vectors without their places")
    for item in ranges or ():
        yield DeletionRange(item["f0"], item["f1"], item["f2"], item.get("_CARDINALITY"))
