"""Avro container files of any size, block by block, in every compression that Avro knows (format §15).

The frame is read here, so that memory is bounded by a block, damage is noticed and no codec needs a library of its
own; fastavro decodes what is in the blocks.
"""

from __future__ import annotations

import bz2
import json
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any, Protocol, cast

import pyarrow as pa

from workbench.base.errors import CorruptFile, Unsupported

Record = dict[str, Any]

_MAGIC = b"Obj\x01"
_SYNC_BYTES = 16
_LONGEST_HEADER = 64 << 20
_LONGEST_BLOCK = 1 << 30
_LONG_BYTES = 10
# fastavro takes longer for each field it reads where it has to leave others out.
_WORTH_LEAVING_OUT = 8


class Source(Protocol):
    """What bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to ``size`` bytes."""
        ...


def _inflate(data: bytes) -> bytes:
    return zlib.decompress(data, wbits=-zlib.MAX_WBITS)


def _unsnappy(data: bytes) -> bytes:
    """A checksum follows the compressed bytes."""
    body, checksum = data[:-4], data[-4:]
    size = shift = 0
    for byte in body[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    plain: bytes = pa.Codec("snappy").decompress(body, size, asbytes=True)
    if zlib.crc32(plain) != int.from_bytes(checksum, "big"):
        raise ValueError("the checksum of a block is wrong")
    return plain


def _unzstd(data: bytes) -> bytes:
    plain: bytes = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    return plain


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "null": lambda data: data,
    "deflate": _inflate,
    "snappy": _unsnappy,
    "zstandard": _unzstd,
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
}


@dataclass(frozen=True)
class AvroHeader:
    """What stands before the blocks of a file. ``schema`` is that of its records, as JSON values."""

    schema: Any
    codec: str
    sync: bytes

    @property
    def record(self) -> Record:
        """The record schema, which Java 0.9 put into a union with null."""
        kinds = [kind for kind in self.schema if kind != "null"] if isinstance(self.schema, list) else [self.schema]
        if len(kinds) != 1 or not isinstance(kinds[0], dict) or kinds[0].get("type") != "record":
            raise ValueError("its schema is no record")
        return kinds[0]

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The schema of each field of a record."""
        return {field["name"]: field["type"] for field in self.record["fields"]}

    def records(self, count: int, plain: bytes, reader_schema: Any = None) -> list[Record]:
        """The records of a block, read with the schema of `reader_schema`; logical types as the plain values they are
        stored as: fastavro would make a datetime of every time."""
        import fastavro

        # A file of this one block, uncompressed.
        block = self._head + _long(count) + _long(len(plain)) + plain + bytes(_SYNC_BYTES)
        found = next(cast("Any", fastavro.block_reader(BytesIO(block), reader_schema)))
        records = list(found)
        if len(records) != count or found.bytes_.read(1):
            # A damaged count would otherwise leave records out without a word.
            raise ValueError("a block does not hold as many records as it says")
        return records

    @cached_property
    def _head(self) -> bytes:
        key, text = b"avro.schema", json.dumps(_plain(self.schema)).encode()
        head = _MAGIC + _long(1) + _long(len(key)) + key + _long(len(text)) + text + _long(0)
        return head + bytes(_SYNC_BYTES)

    def reader_schema(self, names: Sequence[str]) -> Any:
        """A schema that leaves other fields out than ``names``; None, for all, where that would not be faster, or where
        types stand in for each other by name."""
        import fastavro

        if len(names) * _WORTH_LEAVING_OUT > len(self.fields):
            return None
        wanted = frozenset(names)
        record = _plain(self.record)
        fields = [field for field in record["fields"] if field["name"] in wanted]
        pruned = {**record, "fields": fields}
        try:
            fastavro.parse_schema(pruned)
        except fastavro.schema.UnknownType:
            return None
        return ["null", pruned] if isinstance(self.schema, list) else pruned


def read_header(source: Source, path: str) -> AvroHeader:
    """The header; ``source`` then stands at the first block.

    Raises CorruptFile where there is no header, Unsupported for an unknown codec.
    """
    with avro_damage(path):
        if source.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is not an Avro file")
        metadata: dict[str, bytes] = {}
        while count := _read_long(source):
            if count < 0:
                _read_long(source)
            for _ in range(abs(count)):
                key = _read(source, _read_long(source)).decode()
                metadata[key] = _read(source, _read_long(source))
        header = AvroHeader(
            json.loads(metadata["avro.schema"]),
            metadata.get("avro.codec", b"null").decode(),
            _read(source, _SYNC_BYTES),
        )
        header.fields  # noqa: B018 - a header without them is none
    if header.codec not in _DECOMPRESS:
        raise Unsupported(f"Avro file {path} is compressed with '{header.codec}', which is not supported.")
    return header


def blocks(source: Source, header: AvroHeader, path: str) -> Iterator[tuple[int, bytes]]:
    """Number of records and plain bytes of each block, to the end of the file. Raises CorruptFile."""
    decompress = _DECOMPRESS[header.codec]
    while first := source.read(1):
        with avro_damage(path):
            count = _read_long(source, first)
            data = _read(source, _read_long(source), _LONGEST_BLOCK)
            if _read(source, _SYNC_BYTES) != header.sync or count <= 0:
                raise ValueError("the end of a block is not where it should be")
            plain = decompress(data)
        yield count, plain


@contextmanager
def avro_damage(path: str) -> Iterator[None]:
    """Turns whatever garbled bytes make of the decoders into a CorruptFile that names the file."""
    try:
        yield
    except (CorruptFile, Unsupported):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            # The store failed, which says nothing of the file.
            raise
        what = str(error)[:120] or type(error).__name__
        raise CorruptFile(path, f"its Avro content is damaged ({what})") from error


def _read(source: Source, size: int, most: int = _LONGEST_HEADER) -> bytes:
    if not 0 <= size <= most:
        raise ValueError("a length in it is impossible")
    data = bytes(source.read(size))
    if len(data) < size:
        raise EOFError("it ends early")
    return data


def _read_long(source: Source, first: bytes = b"") -> int:
    value = 0
    for place in range(_LONG_BYTES):
        byte = (first if place == 0 and first else _read(source, 1))[0]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1)
    raise ValueError("a number in it never ends")


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key != "logicalType"}
    return schema


def _long(value: int) -> bytes:
    """Avro's zigzag form of a count, which is never negative here."""
    value <<= 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
