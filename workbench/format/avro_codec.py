"""Avro container files of metadata records (format §8). fastavro is loaded on first use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, cast

from workbench.base.errors import CorruptFile, Unsupported

Record = dict[str, Any]

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
_LEVELLED = ("zstandard", "deflate", "xz")
_SYNC_BYTES = 64_000
_MAGIC = b"Obj\x01"


def write_container(schema: Record, records: Iterable[Record], codec: str, level: int) -> bytes:
    """One container file. ``codec`` is a value of ``manifest.compression``; ``level`` counts where the codec has one.

    Raises Unsupported for a codec that this machine cannot write.
    """
    import fastavro

    name = _CODECS.get(codec.lower())
    if name is None:
        raise Unsupported(f"Manifests cannot be compressed with '{codec}'.", f"Use one of {', '.join(_CODECS)}.")
    out = BytesIO()
    try:
        fastavro.writer(
            out,
            fastavro.parse_schema(schema),
            records,
            codec=name,
            sync_interval=_SYNC_BYTES,
            codec_compression_level=level if name in _LEVELLED else None,
        )
    except ValueError as error:
        if "codec" not in str(error):
            raise
        raise Unsupported(f"Manifests cannot be compressed with '{codec}' here.", str(error)) from error
    return out.getvalue()


def read_container(data: bytes, path: str) -> Iterator[Record]:
    """The records of a container file, fields by name, logical types as the plain numbers they are stored as.

    Raises CorruptFile naming ``path`` where the bytes are empty, truncated or garbled.
    """
    import fastavro

    if not data:
        raise CorruptFile(path, "the file is empty")
    if not data.startswith(_MAGIC):
        raise CorruptFile(path, "it is not an Avro file")
    try:
        blocks = cast("Iterator[Any]", fastavro.block_reader(BytesIO(_without_logical_types(data))))
        for block in blocks:
            if block.num_records <= 0:
                raise EOFError("a block without records")
            yield from cast("Iterator[Record]", block)
            if block.bytes_.read(1):
                # A damaged count would otherwise leave records out without a word.
                raise EOFError("a block holds more than its records")
    except Exception as error:
        # Garbled bytes make the decoders fail in ways of their own; to the user all of them are the same.
        raise CorruptFile(path, f"its Avro content is damaged ({type(error).__name__}: {str(error)[:120]})") from error


def _without_logical_types(data: bytes) -> bytes:
    """The same file with plain types in its header: fastavro would make a datetime of every creation time."""
    position = len(_MAGIC)
    metadata: dict[bytes, bytes] = {}
    count, position = _read_long(data, position)
    while count:
        if count < 0:
            count = -count
            _, position = _read_long(data, position)
        for _ in range(count):
            key, position = _read_bytes(data, position)
            metadata[key], position = _read_bytes(data, position)
        count, position = _read_long(data, position)
    schema = json.loads(metadata[b"avro.schema"])
    metadata[b"avro.schema"] = json.dumps(_plain(schema)).encode()
    header = bytearray(_MAGIC)
    header += _long(len(metadata))
    for key, value in metadata.items():
        header += _long(len(key)) + key + _long(len(value)) + value
    header += _long(0)
    return bytes(header) + data[position:]


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key != "logicalType"}
    return schema


def _read_bytes(data: bytes, position: int) -> tuple[bytes, int]:
    size, position = _read_long(data, position)
    if size < 0 or position + size > len(data):
        raise EOFError("the header ends early")
    return data[position : position + size], position + size


def _read_long(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position


def _long(value: int) -> bytes:
    """Avro's zigzag form of a count, which is never negative here."""
    value <<= 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
