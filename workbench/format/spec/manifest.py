"""Manifests and manifest lists: the Avro files that list the data files of a snapshot (format §5, §6, §8).

They are written in the schema of Java 2.0.0 and read in every schema since 0.8, by field name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.avro.blocks import Record
from workbench.format.avro.codec import read_container, write_container
from workbench.format.spec.data_file import (
    DataFileMeta,
    FileKind,
    FileSource,
    ManifestEntry,
    ManifestFileMeta,
    SimpleStats,
)
from workbench.format.spec.paths import check_file_name

VERSION = 2

_ROOT = "org.apache.paimon.avro.generated.record"
_Value = TypeVar("_Value")


def _optional(item: Any) -> list[Any]:
    return ["null", item]


def _array(items: Any) -> Record:
    return {"type": "array", "items": items}


def _record(name: str, fields: dict[str, Any]) -> Record:
    """Return a record schema; a field whose type is a union that begins with null defaults to null."""
    return {"type": "record", "name": name, "fields": [_field(*each) for each in fields.items()]}


def _field(name: str, avro_type: Any) -> Record:
    field = {"name": name, "type": avro_type}
    return {**field, "default": None} if isinstance(avro_type, list) else field


def _stats_schema(name: str) -> Record:
    counts = _optional(_array(_optional("long")))
    return _record(name, {"_MIN_VALUES": "bytes", "_MAX_VALUES": "bytes", "_NULL_COUNTS": counts})


_FILE_SCHEMA = _record(
    "record__FILE",
    {
        "_FILE_NAME": "string",
        "_FILE_SIZE": "long",
        "_ROW_COUNT": "long",
        "_MIN_KEY": "bytes",
        "_MAX_KEY": "bytes",
        "_KEY_STATS": _stats_schema("record__FILE__KEY_STATS"),
        "_VALUE_STATS": _stats_schema("record__FILE__VALUE_STATS"),
        "_MIN_SEQUENCE_NUMBER": "long",
        "_MAX_SEQUENCE_NUMBER": "long",
        "_SCHEMA_ID": "long",
        "_LEVEL": "int",
        "_EXTRA_FILES": _array("string"),
        "_CREATION_TIME": _optional({"type": "long", "logicalType": "timestamp-millis"}),
        "_DELETE_ROW_COUNT": _optional("long"),
        "_EMBEDDED_FILE_INDEX": _optional("bytes"),
        "_FILE_SOURCE": _optional("int"),
        "_VALUE_STATS_COLS": _optional(_array("string")),
        "_EXTERNAL_PATH": _optional("string"),
        "_FIRST_ROW_ID": _optional("long"),
        "_WRITE_COLS": _optional(_array("string")),
    },
)
MANIFEST_SCHEMA = _record(
    _ROOT,
    {
        "_VERSION": "int",
        "_KIND": "int",
        "_PARTITION": "bytes",
        "_BUCKET": "int",
        "_TOTAL_BUCKETS": "int",
        "_FILE": _FILE_SCHEMA,
    },
)
MANIFEST_LIST_SCHEMA = _record(
    _ROOT,
    {
        "_VERSION": "int",
        "_FILE_NAME": "string",
        "_FILE_SIZE": "long",
        "_NUM_ADDED_FILES": "long",
        "_NUM_DELETED_FILES": "long",
        "_PARTITION_STATS": _stats_schema("record__PARTITION_STATS"),
        "_SCHEMA_ID": "long",
        "_MIN_BUCKET": _optional("int"),
        "_MAX_BUCKET": _optional("int"),
        "_MIN_LEVEL": _optional("int"),
        "_MAX_LEVEL": _optional("int"),
        "_MIN_ROW_ID": _optional("long"),
        "_MAX_ROW_ID": _optional("long"),
    },
)


def write_manifest(entries: Iterable[ManifestEntry], codec: str = "zstd", level: int = 1) -> bytes:
    """Return a manifest file. ``codec`` is a value of the option ``manifest.compression``."""
    return write_container(MANIFEST_SCHEMA, map(_entry_to_record, entries), codec, level)


def read_manifest(data: bytes, path: str, expected_entries: int | None = None) -> list[ManifestEntry]:
    """Return the entries of a manifest file, in file order.

    ``expected_entries`` is the number in the manifest list, if known: only this number reveals that a file was
    truncated between two Avro blocks.

    Raises:
        CorruptFile: If the file is not a manifest; the message names ``path``.
        Unsupported: If its ``_VERSION`` is unknown.
    """
    return _read(data, path, expected_entries, _entry_reader())


def write_manifest_list(metas: Iterable[ManifestFileMeta], codec: str = "zstd", level: int = 1) -> bytes:
    """Return a manifest list file; without manifests, it is an Avro file without records."""
    return write_container(MANIFEST_LIST_SCHEMA, map(_meta_to_record, metas), codec, level)


def read_manifest_list(data: bytes, path: str) -> list[ManifestFileMeta]:
    """Return the manifests of a list file, in file order.

    Raises:
        CorruptFile: If the file is not a manifest list; the message names ``path``.
        Unsupported: If its ``_VERSION`` is unknown.
    """
    return _read(data, path, None, _meta_from_record)


def _read(data: bytes, path: str, expected: int | None, read_record: Callable[[Record], _Value]) -> list[_Value]:
    values = []
    try:
        for record in read_container(data, path):
            if (version := record["_VERSION"]) != VERSION:
                raise Unsupported(
                    f"Version {version} of {path} is not supported.", f"Manifests have version {VERSION}."
                )
            values.append(read_record(record))
    except (KeyError, TypeError, ValueError) as error:
        # Avro data of another shape: a missing field, null where a value is required, or an unknown kind.
        raise CorruptFile(path, f"one of its records is not a manifest record ({error!r})") from error
    if expected is not None and len(values) != expected:
        raise CorruptFile(path, f"it holds {counted(len(values), 'entries')}, but its manifest list says {expected}")
    return values


def _list(values: Sequence[_Value] | None) -> list[_Value] | None:
    """Return a list, since fastavro treats a tuple in a union as a pair of type name and value."""
    return None if values is None else list(values)


def _stats_to_record(stats: SimpleStats) -> Record:
    return {
        "_MIN_VALUES": stats.min_values,
        "_MAX_VALUES": stats.max_values,
        "_NULL_COUNTS": _list(stats.null_counts),
    }


def _stats_from_record(record: Record) -> SimpleStats:
    null_counts = record["_NULL_COUNTS"]
    return SimpleStats(
        record["_MIN_VALUES"], record["_MAX_VALUES"], None if null_counts is None else tuple(null_counts)
    )


def _entry_to_record(entry: ManifestEntry) -> Record:
    file = entry.file
    return {
        "_VERSION": VERSION,
        "_KIND": int(entry.kind),
        "_PARTITION": entry.partition,
        "_BUCKET": entry.bucket,
        "_TOTAL_BUCKETS": entry.total_buckets,
        "_FILE": {
            "_FILE_NAME": file.file_name,
            "_FILE_SIZE": file.file_size,
            "_ROW_COUNT": file.row_count,
            "_MIN_KEY": file.min_key,
            "_MAX_KEY": file.max_key,
            "_KEY_STATS": _stats_to_record(file.key_stats),
            "_VALUE_STATS": _stats_to_record(file.value_stats),
            "_MIN_SEQUENCE_NUMBER": file.min_sequence_number,
            "_MAX_SEQUENCE_NUMBER": file.max_sequence_number,
            "_SCHEMA_ID": file.schema_id,
            "_LEVEL": file.level,
            "_EXTRA_FILES": file.extra_files,
            "_CREATION_TIME": file.creation_time,
            "_DELETE_ROW_COUNT": file.delete_row_count,
            "_EMBEDDED_FILE_INDEX": file.embedded_index,
            "_FILE_SOURCE": None if file.file_source is None else int(file.file_source),
            "_VALUE_STATS_COLS": _list(file.value_stats_cols),
            "_EXTERNAL_PATH": file.external_path,
            "_FIRST_ROW_ID": file.first_row_id,
            "_WRITE_COLS": _list(file.write_cols),
        },
    }


KINDS = {int(kind): kind for kind in FileKind}
SOURCES: dict[int | None, FileSource | None] = {None: None, **{int(source): source for source in FileSource}}


def _entry_reader() -> Callable[[Record], ManifestEntry]:
    """Return a reader of the records of one file; entries of the same partition share its bytes."""
    partitions: dict[bytes, bytes] = {}

    def read(record: Record) -> ManifestEntry:
        partition = record["_PARTITION"]
        return ManifestEntry(
            KINDS[record["_KIND"]],
            partitions.setdefault(partition, partition),
            record["_BUCKET"],
            record["_TOTAL_BUCKETS"],
            _file_from_record(record["_FILE"]),
        )

    return read


def _file_from_record(record: Record) -> DataFileMeta:
    optional = record.get
    stats_cols, write_cols = optional("_VALUE_STATS_COLS"), optional("_WRITE_COLS")
    return DataFileMeta(
        check_file_name(record["_FILE_NAME"]),
        record["_FILE_SIZE"],
        record["_ROW_COUNT"],
        record["_MIN_KEY"],
        record["_MAX_KEY"],
        _stats_from_record(record["_KEY_STATS"]),
        _stats_from_record(record["_VALUE_STATS"]),
        record["_MIN_SEQUENCE_NUMBER"],
        record["_MAX_SEQUENCE_NUMBER"],
        record["_SCHEMA_ID"],
        record["_LEVEL"],
        tuple(map(check_file_name, record["_EXTRA_FILES"])),
        optional("_CREATION_TIME"),
        optional("_DELETE_ROW_COUNT"),
        optional("_EMBEDDED_FILE_INDEX"),
        SOURCES[optional("_FILE_SOURCE")],
        None if stats_cols is None else tuple(stats_cols),
        optional("_EXTERNAL_PATH"),
        optional("_FIRST_ROW_ID"),
        None if write_cols is None else tuple(write_cols),
    )


def _meta_to_record(meta: ManifestFileMeta) -> Record:
    return {
        "_VERSION": VERSION,
        "_FILE_NAME": meta.file_name,
        "_FILE_SIZE": meta.file_size,
        "_NUM_ADDED_FILES": meta.num_added_files,
        "_NUM_DELETED_FILES": meta.num_deleted_files,
        "_PARTITION_STATS": _stats_to_record(meta.partition_stats),
        "_SCHEMA_ID": meta.schema_id,
        "_MIN_BUCKET": meta.min_bucket,
        "_MAX_BUCKET": meta.max_bucket,
        "_MIN_LEVEL": meta.min_level,
        "_MAX_LEVEL": meta.max_level,
        "_MIN_ROW_ID": meta.min_row_id,
        "_MAX_ROW_ID": meta.max_row_id,
    }


def _meta_from_record(record: Record) -> ManifestFileMeta:
    return ManifestFileMeta(
        check_file_name(record["_FILE_NAME"]),
        record["_FILE_SIZE"],
        record["_NUM_ADDED_FILES"],
        record["_NUM_DELETED_FILES"],
        _stats_from_record(record["_PARTITION_STATS"]),
        record["_SCHEMA_ID"],
        *map(record.get, ("_MIN_BUCKET", "_MAX_BUCKET", "_MIN_LEVEL", "_MAX_LEVEL", "_MIN_ROW_ID", "_MAX_ROW_ID")),
    )
