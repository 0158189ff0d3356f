"""Writes the frame of Avro container files: header, blocks, compression (format §8, §15)."""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import bz2, lzma
from workbench.format.avro.blocks import MAGIC, SYNC_BYTES, long_bytes


class Sink(Protocol):
    """A writable binary stream."""

    def write(self, data: bytes, /) -> Any:
        """Write all of ``data``."""
        ...


class FrameWriter:
    """A writer of one container file, which writes the header immediately, then one block at a time."""

    def __init__(self, sink: Sink, schema: Any, codec: str, zstd_level: int) -> None:
        """Write the header.

        ``schema`` is the schema of the records, as JSON values; ``codec`` is its name in Avro.

        Raises:
            Unsupported: If Avro does not have the codec.
        """
        self._sink = sink
        self._compress = _compressor(codec, zstd_level)
        self._sync = os.urandom(SYNC_BYTES)
        head = {"avro.schema": json.dumps(schema, separators=(",", ":")), "avro.codec": codec}
        pairs = b"".join(_sized(name.encode()) + _sized(text.encode()) for name, text in head.items())
        sink.write(MAGIC + long_bytes(len(head)) + pairs + long_bytes(0) + self._sync)

    def block(self, count: int, plain: bytes) -> None:
        """Write the next block: the bytes of ``count`` records."""
        self._sink.write(long_bytes(count) + _sized(self._compress(plain)) + self._sync)


def _sized(data: bytes) -> bytes:
    return long_bytes(len(data)) + data


def _compressor(codec: str, zstd_level: int) -> Callable[[bytes], bytes]:
    match codec:
        case "null":
            return bytes
        case "zstandard":
            return _zstd(zstd_level)
        case "snappy":
            snappy = pa.Codec("snappy")
            return lambda data: bytes(snappy.compress(data, asbytes=True)) + zlib.crc32(data).to_bytes(4, "big")
        case "deflate":
            return lambda data: zlib.compress(data, wbits=-zlib.MAX_WBITS)
        case "bzip2":
            return bz2.compress
        case "xz":
            return lzma.compress
    hint = "Use one of zstd, snappy, deflate, bzip2, xz, null."
    raise Unsupported(f"Compression '{codec}' is not supported for Avro files.", hint)


def _zstd(level: int) -> Callable[[bytes], bytes]:
    """Return a compressor that, if possible, adds a checksum, which every decoder verifies.

    Spark executors may have only Arrow, whose compressor adds no checksum.
    """
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        codec = pa.Codec("zstd", level)
        return lambda data: bytes(codec.compress(data, asbytes=True))
    parameter = zstd.CompressionParameter
    lowest, highest = parameter.compression_level.bounds()
    options = {parameter.compression_level: min(max(level, lowest), highest), parameter.checksum_flag: True}
    return lambda data: bytes(zstd.compress(data, options=options))
