"""Avro container files of any size, block by block, in every compression of Avro (format §15).

The frame is read here, so that memory is bounded by a block, corruption is detected and no codec needs another library;
fastavro decodes the contents of the blocks.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Protocol, cast

import pyarrow as pa

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.lazy import cached_property
from workbench.base.modules import bz2, fastavro, lzma

Record = dict[str, Any]

MAGIC = b"Obj\x01"
SYNC_BYTES = 16
_LONGEST_HEADER = 64 << 20
_LONGEST_BLOCK = 256 << 20
_PIECE_BYTES = 1 << 18
_DEEPEST_SCHEMA = 100
_LONG_BYTES = 10
# fastavro takes longer for each field that it reads if it has to skip other fields.
_WORTH_LEAVING_OUT = 8


class Source(Protocol):
    """A readable binary stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""
        ...


class _Decompressor(Protocol):
    """An incremental decompressor of the standard library."""

    @property
    def eof(self) -> bool:
        """Whether the end of the compressed bytes has been reached."""
        ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return up to ``max_length`` decompressed bytes."""
        ...


def _within_bounds(make: Callable[[], _Decompressor]) -> Callable[[bytes], bytes]:
    """Return a decompressor that rejects blocks above the maximum size: a few bytes could decompress to any size."""

    def decompress(data: bytes) -> bytes:
        decompressor = make()
        plain = decompressor.decompress(data, _LONGEST_BLOCK)
        if not decompressor.eof:
            raise ValueError("a block is truncated or too long")
        return plain

    return decompress


def _unsnappy(data: bytes) -> bytes:
    """Decompress Snappy and verify the checksum that follows the compressed bytes."""
    body, checksum = data[:-4], data[-4:]
    size = shift = 0
    for byte in body[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if size > _LONGEST_BLOCK:
        raise ValueError("a block is too long")
    plain: bytes = pa.Codec("snappy").decompress(body, size, asbytes=True)
    if zlib.crc32(plain) != int.from_bytes(checksum, "big"):
        raise ValueError("the checksum of a block is wrong")
    return plain


def _unzstd(data: bytes) -> bytes:
    stream = pa.CompressedInputStream(pa.BufferReader(data), "zstd")
    pieces: list[bytes] = []
    while piece := stream.read(_PIECE_BYTES):
        pieces.append(piece)
        if len(pieces) * _PIECE_BYTES > _LONGEST_BLOCK:
            raise ValueError("a block is too long")
    return b"".join(pieces)


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "null": lambda data: data,
    "deflate": _within_bounds(lambda: zlib.decompressobj(-zlib.MAX_WBITS)),
    "snappy": _unsnappy,
    "zstandard": _unzstd,
    "bzip2": _within_bounds(lambda: bz2.BZ2Decompressor()),
    "xz": _within_bounds(lambda: lzma.LZMADecompressor(memlimit=_LONGEST_BLOCK)),
}


@dataclass(frozen=True)
class AvroHeader:
    """The header of a file. ``schema`` is the schema of its records, as JSON values."""

    schema: Any
    codec: str
    sync: bytes

    @property
    def record(self) -> Record:
        """The record schema, which Java 0.9 wrapped in a union with null."""
        kinds = (
            [branch for branch in self.schema if branch != "null"] if isinstance(self.schema, list) else [self.schema]
        )
        if len(kinds) != 1 or not isinstance(kinds[0], dict) or kinds[0].get("type") != "record":
            raise ValueError("its schema is not a record")
        if "name" not in kinds[0]:
            raise ValueError("its record has no name")
        return kinds[0]

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The schema of each field of a record."""
        return {field["name"]: field["type"] for field in self.record["fields"]}

    def records(self, count: int, plain: bytes, reader_schema: Any = None) -> list[Record]:
        """Return the records of a block, read with `reader_schema`; logical types are returned as the stored
        values, since fastavro would create a datetime for every time.
        """
        # Build a file of this one block, uncompressed.
        block = self._head + long_bytes(count) + long_bytes(len(plain)) + plain + bytes(SYNC_BYTES)
        record = next(cast("Any", fastavro.block_reader(BytesIO(block), reader_schema)))
        records = list(record)
        if len(records) != count or record.bytes_.read(1):
            # Otherwise, a corrupt count would silently drop records.
            raise ValueError("a block does not have its declared number of records")
        return records

    @cached_property
    def _head(self) -> bytes:
        key, text = b"avro.schema", json.dumps(_plain(self.schema)).encode()
        head = MAGIC + long_bytes(1) + long_bytes(len(key)) + key + long_bytes(len(text)) + text + long_bytes(0)
        return head + bytes(SYNC_BYTES)

    def reader_schema(self, names: Sequence[str]) -> Any:
        """Return a schema that skips fields other than ``names``; None, which means all fields, if skipping would not
        be faster or if types refer to each other by name.
        """
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
    """Read the header and leave ``source`` at the first block.

    Raises:
        CorruptFile: If there is no header.
        Unsupported: If the codec is unknown.
    """
    with avro_damage(path):
        if source.read(len(MAGIC)) != MAGIC:
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
            _read(source, SYNC_BYTES),
        )
        header.fields  # # noqa: B018 - a header without them is invalid
        _min_bytes(header.schema, ())
    if header.codec not in _DECOMPRESS:
        raise Unsupported(f"Avro file {path} is compressed with '{header.codec}', which is not supported.")
    return header


def blocks(source: Source, header: AvroHeader, path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the number of records and the decompressed bytes of each block, to the end of the file.

    Raises:
        CorruptFile: If a block is corrupt.
    """
    decompress = _DECOMPRESS[header.codec]
    while first := source.read(1):
        with avro_damage(path):
            count = _read_long(source, first)
            data = _read(source, _read_long(source), _LONGEST_BLOCK)
            if _read(source, SYNC_BYTES) != header.sync or count <= 0:
                raise ValueError("a block does not end with the sync marker")
            plain = decompress(data)
            if count > len(plain):
                raise ValueError("a block has more records than bytes")
        yield count, plain


@contextmanager
def avro_damage(path: str) -> Iterator[None]:
    """Convert the errors that decoders raise for corrupt bytes to a CorruptFile with the path of the file."""
    try:
        yield
    except (CorruptFile, FileNotFoundError, Unsupported):
        # Some storages give missing files no number.
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            # The storage failed, so the file may be intact.
            raise
        what = str(error)[:120] or type(error).__name__
        raise CorruptFile(path, f"its Avro content is corrupt ({what})") from error


def _read(source: Source, size: int, max_bytes: int = _LONGEST_HEADER) -> bytes:
    if not 0 <= size <= max_bytes:
        raise ValueError("it contains an invalid length")
    data = bytes(source.read(size))
    if len(data) < size:
        raise EOFError("it is truncated")
    return data


def _read_long(source: Source, first: bytes = b"") -> int:
    value = 0
    for position in range(_LONG_BYTES):
        byte = (first if position == 0 and first else _read(source, 1))[0]
        value |= (byte & 0x7F) << 7 * position
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1)
    raise ValueError("a varint in it exceeds 64 bits")


def _min_bytes(schema: Any, around: tuple[str, ...]) -> int:
    """Return 0 for a type whose values may be empty, otherwise 1. ``around`` are the names of the enclosing types.

    Raises:
        ValueError: If a type contains itself, or a list has empty values: tables have neither, and in both cases a few
            bytes could represent endless values.
    """
    if len(around) > _DEEPEST_SCHEMA:
        raise ValueError("its schema is nested too deeply")
    if isinstance(schema, list):
        for branch in schema:
            _min_bytes(branch, (*around, ""))
        return 1
    if isinstance(schema, str):
        if schema in around:
            raise ValueError("its schema has a type that contains itself")
        return int(schema != "null")
    branch, name = schema["type"], str(schema.get("name", ""))
    if branch == "record":
        inside = (*around, name, f"{schema.get('namespace', '')}.{name}")
        return max([_min_bytes(field["type"], inside) for field in schema["fields"]], default=0)
    if branch in ("array", "map"):
        if not _min_bytes(schema["items" if branch == "array" else "values"], (*around, "")) and branch == "array":
            raise ValueError("its schema has a list of empty values")
        return 1
    if branch == "fixed":
        return int(schema["size"] > 0)
    return 1 if branch == "enum" else _min_bytes(branch, (*around, ""))


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key != "logicalType"}
    return schema


def long_bytes(value: int) -> bytes:
    """Return Avro's zigzag form of a count, which is never negative here."""
    value <<= 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
