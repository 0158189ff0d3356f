"""Avro container files of metadata records (format §8). fastavro is loaded on first use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import cast

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.modules import fastavro
from workbench.format.avro.blocks import SYNC_BYTES, AvroHeader, Record, avro_damage, blocks, read_header
from workbench.format.avro.frames import FrameWriter

_CODECS = {
    "zstd": "zstandard",
    "zstandard": "zstandard",
    "snappy": "snappy",
    "deflate": "deflate",
    "bzip2": "bzip2",
    "xz": "xz",
    "none": "null",
    "null": "null",
}
_BLOCK_BYTES = 64_000


def write_container(schema: Record, records: Iterable[Record], codec: str, level: int) -> bytes:
    """Return a container file. ``codec`` is a value of ``manifest.compression``; ``level`` is the level of zstd.

    Raises:
        Unsupported: If Avro does not have the codec.
    """
    name = _CODECS.get(codec.lower())
    if name is None:
        raise Unsupported(f"Manifests cannot be compressed with '{codec}'.", f"Use one of {', '.join(_CODECS)}.")
    parsed, sync = cast(Record, fastavro.parse_schema(schema)), os.urandom(SYNC_BYTES)
    plain, out = BytesIO(), BytesIO()
    fastavro.writer(plain, parsed, records, sync_interval=_BLOCK_BYTES, sync_marker=sync)
    plain.seek(plain.getvalue().index(sync) + SYNC_BYTES)
    # Compressed here because fastavro needs another library for some codecs.
    header = AvroHeader({key: value for key, value in parsed.items() if not key.startswith("__")}, "null", sync)
    frame = FrameWriter(out, header.schema, name, level)
    for count, block in blocks(plain, header, ""):
        frame.block(count, block)
    return out.getvalue()


def read_container(data: bytes, path: str) -> Iterator[Record]:
    """Yield the records of a container file as dicts of fields; values of logical types remain the stored numbers.

    Raises:
        CorruptFile: If the file is empty, truncated or corrupt.
    """
    if not data:
        raise CorruptFile(path, "the file is empty")
    source = BytesIO(data)
    header = read_header(source, path)
    for count, plain in blocks(source, header, path):
        with avro_damage(path):
            records = header.records(count, plain)
        yield from records
