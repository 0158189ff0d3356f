"""The index manifest of a snapshot, which lists its index files (format §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.avro.blocks import Record
from workbench.format.avro.codec import read_container, write_container
from workbench.format.spec.index_entry import DELETION_VECTORS, DeletionRange, GlobalIndex, IndexEntry
from workbench.format.spec.paths import check_file_name

VERSION = 1


def _optional(item: Any) -> list[Any]:
    return ["null", item]


def _field(name: str, avro_type: Any) -> Record:
    field = {"name": name, "type": avro_type}
    return {**field, "default": None} if isinstance(avro_type, list) else field


def _record(name: str, fields: Mapping[str, Any]) -> Record:
    return {"type": "record", "name": name, "fields": [_field(*each) for each in fields.items()]}


_ROOT = "org.apache.paimon.avro.generated.record"
_RANGE_SCHEMA = _record(
    "record__DELETIONS_VECTORS_RANGES", {"f0": "string", "f1": "int", "f2": "int", "_CARDINALITY": _optional("long")}
)
_GLOBAL_INDEX_SCHEMA = _record(
    "record__GLOBAL_INDEX",
    {
        "_ROW_RANGE_START": "long",
        "_ROW_RANGE_END": "long",
        "_INDEX_FIELD_ID": "int",
        "_EXTRA_FIELD_IDS": _optional({"type": "array", "items": "int"}),
        "_INDEX_META": _optional("bytes"),
        "_SOURCE_META": _optional("bytes"),
    },
)
INDEX_MANIFEST_SCHEMA = _record(
    _ROOT,
    {
        "_VERSION": "int",
        "_KIND": "int",
        "_PARTITION": "bytes",
        "_BUCKET": "int",
        "_INDEX_TYPE": "string",
        "_FILE_NAME": "string",
        "_FILE_SIZE": "long",
        "_ROW_COUNT": "long",
        "_DELETIONS_VECTORS_RANGES": _optional({"type": "array", "items": _optional(_RANGE_SCHEMA)}),
        "_EXTERNAL_PATH": _optional("string"),
        "_GLOBAL_INDEX": _optional(_GLOBAL_INDEX_SCHEMA),
    },
)


def write_index_manifest(entries: Iterable[IndexEntry], codec: str = "zstd", level: int = 1) -> bytes:
    """Return an index manifest in the schema of Java 2.0.0. ``codec`` is a value of the option
    ``manifest.compression``.
    """
    return write_container(INDEX_MANIFEST_SCHEMA, map(_to_record, entries), codec, level)


def _to_record(entry: IndexEntry) -> Record:
    ranges = None
    if entry.index_type == DELETION_VECTORS:
        ranges = [
            {"f0": each.data_file, "f1": each.offset, "f2": each.length, "_CARDINALITY": each.cardinality}
            for each in entry.vectors
        ]
    return {
        "_VERSION": VERSION,
        "_KIND": 0,
        "_PARTITION": entry.partition,
        "_BUCKET": entry.bucket,
        "_INDEX_TYPE": entry.index_type,
        "_FILE_NAME": entry.file_name,
        "_FILE_SIZE": entry.file_size,
        "_ROW_COUNT": entry.row_count,
        "_DELETIONS_VECTORS_RANGES": ranges,
        "_EXTERNAL_PATH": entry.external_path,
        "_GLOBAL_INDEX": _global_index_record(entry.global_index),
    }


def _global_index_record(index: GlobalIndex | None) -> Record | None:
    if index is None:
        return None
    return {
        "_ROW_RANGE_START": index.row_range_start,
        "_ROW_RANGE_END": index.row_range_end,
        "_INDEX_FIELD_ID": index.field_id,
        "_EXTRA_FIELD_IDS": list(index.extra_field_ids) or None,
        "_INDEX_META": index.index_meta,
        "_SOURCE_META": index.source_meta,
    }


def read_index_manifest(data: bytes, path: str) -> list[IndexEntry]:
    """Return the index files that an index manifest lists.

    Raises:
        CorruptFile: If the file is not an index manifest; the message names ``path``.
        Unsupported: If its ``_VERSION`` is unknown.
    """
    try:
        return [_entry(record, path) for record in read_container(data, path)]
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFile(path, f"one of its records is not an entry of an index manifest ({error!r})") from error


def _entry(record: Record, path: str) -> IndexEntry:
    if (version := record["_VERSION"]) != VERSION:
        raise Unsupported(f"Version {version} of {path} is not supported.", f"Index manifests have version {VERSION}.")
    if record["_KIND"] != 0:
        raise ValueError("an entry that removes a file")
    index_type = record["_INDEX_TYPE"]
    vectors = tuple(_vectors(record)) if index_type == DELETION_VECTORS else ()
    return IndexEntry(
        record["_PARTITION"],
        record["_BUCKET"],
        index_type,
        check_file_name(record["_FILE_NAME"]),
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
        record.get("_INDEX_META"),
        record.get("_SOURCE_META"),
    )


def _vectors(record: Record) -> Iterator[DeletionRange]:
    ranges = record["_DELETIONS_VECTORS_RANGES"]
    if ranges is None and record["_ROW_COUNT"]:
        raise ValueError("deletion vectors without their ranges")
    for item in ranges or ():
        yield DeletionRange(item["f0"], item["f1"], item["f2"], item.get("_CARDINALITY"))
