"""Avro files (format §15)."""

from __future__ import annotations

import bz2
import json
import lzma
import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.avro_blocks import MAGIC, SYNC_BYTES, long_bytes
from workbench.format.avro_rows import encode_rows
from workbench.format.avro_schema import avro_schema
from workbench.table.writing.formats.protocol import FileShape

_BLOCK_BYTES = 64_000
# Java hands the other names to Avro as they are, which knows no "none", "lz4" or "gzip".
_NAMES = {"zstd": "zstandard"}


class AvroWriter:
    """One file; each call of `write` makes whole blocks."""

    def __init__(self, output: Any, shape: FileShape) -> None:
        self._output = output
        self._fields = shape.fields
        wanted = shape.options.options.get("avro.codec") or shape.compression
        codec = _NAMES.get(wanted.lower(), wanted)
        self._compress = _compressor(codec, shape.options.zstd_level)
        self._sync = os.urandom(SYNC_BYTES)
        head = {"avro.schema": json.dumps(avro_schema(shape.fields), separators=(",", ":")), "avro.codec": codec}
        pairs = b"".join(_sized(name.encode()) + _sized(text.encode()) for name, text in head.items())
        output.write(MAGIC + long_bytes(len(head)) + pairs + long_bytes(0) + self._sync)

    def write(self, table: pa.Table) -> None:
        """See `FormatWriter`."""
        rows = encode_rows(table, self._fields)
        first, start = 0, 0
        while first < len(rows.sizes):
            last = min(int(np.searchsorted(rows.ends, start + _BLOCK_BYTES)) + 1, len(rows.sizes))
            end = int(rows.ends[last - 1])
            block = self._compress(rows.data[start:end].tobytes())
            self._output.write(long_bytes(last - first) + _sized(block) + self._sync)
            first, start = last, end

    def close(self) -> None:
        """See `FormatWriter`."""


def _sized(data: bytes) -> bytes:
    return long_bytes(len(data)) + data


def _compressor(codec: str, zstd_level: int) -> Callable[[bytes], bytes]:
    match codec:
        case "null":
            return bytes
        case "zstandard":
            zstd = pa.Codec("zstd", zstd_level)
            return lambda data: bytes(zstd.compress(data, asbytes=True))
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
