"""Converts the Parquet files of a table into ORC or Avro, with writers that are not part of this library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from workbench.format.spec import manifest
from workbench.format.spec.data_file import ManifestEntry
from workbench.table.table import Table

FORMATS = ("parquet", "orc", "avro")
_AVRO_TYPES = {pa.int64(): "long", pa.int32(): "int", pa.int8(): "int", pa.string(): "string"}


def set_options(table: Table, options: Mapping[str, str]) -> None:
    """Change options behind the library's back: it does not write tables of all merge engines."""
    path = Path(table.location, "schema", "schema-0")
    schema = json.loads(path.read_text())
    path.write_text(json.dumps({**schema, "options": {**schema["options"], **options}}))


def turn_into(table: Table, file_format: str) -> None:
    """Rewrite all data files of a table with one bucket in another format, and the manifests."""
    if file_format == "parquet":
        return
    for path in Path(table.location).glob("manifest/manifest-[!l]*"):
        entries = manifest.read_manifest(path.read_bytes(), str(path))
        turned = [_turned(each, Path(table.location, "bucket-0"), file_format) for each in entries]
        path.write_bytes(manifest.write_manifest(turned))
    for source in Path(table.location, "bucket-0").glob("*.parquet"):
        source.unlink()


def _turned(entry: ManifestEntry, bucket: Path, file_format: str) -> ManifestEntry:
    source = bucket / entry.file.file_name
    target = source.with_suffix(f".{file_format}")
    # One manifest adds a file and another one removes it.
    if not target.exists():
        _write(pq.read_table(source), target)
    return replace(entry, file=replace(entry.file, file_name=target.name, file_size=target.stat().st_size))


def _write(table: pa.Table, target: Path) -> None:
    if target.suffix == ".orc":
        orc.write_table(table, target, compression="zstd", stripe_size=64 << 20)
    else:
        fields = [{"name": each.name, "type": _avro_type(each.type)} for each in table.schema]
        rows = (row for batch in table.to_batches(1 << 14) for row in batch.to_pylist())
        schema = fastavro.parse_schema({"type": "record", "name": "r", "fields": fields})
        with target.open("wb") as out:
            fastavro.writer(out, schema, rows, codec="zstandard", codec_compression_level=1)


def _avro_type(kind: pa.DataType) -> object:
    if pa.types.is_list(kind):
        return ["null", {"type": "array", "items": _avro_type(kind.value_type)}]
    return ["null", _AVRO_TYPES[kind]]
