"""Writer of Avro files (format §15)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from workbench.datafile.writer_protocol import FileShape
from workbench.format.avro.frames import FrameWriter
from workbench.format.avro.rows import encode_rows
from workbench.format.avro.schema import avro_schema

_BLOCK_BYTES = 64_000
# Java passes all other names unchanged to Avro, which does not know "none", "lz4" and "gzip".
_NAMES = {"zstd": "zstandard"}


class AvroWriter:
    """Writer of one file; each call of `write` makes whole blocks."""

    def __init__(self, output: Any, shape: FileShape) -> None:
        self._fields = shape.fields
        wanted = shape.options.options.get("avro.codec") or shape.compression
        codec = _NAMES.get(wanted.lower(), wanted)
        self._frame = FrameWriter(output, avro_schema(shape.fields), codec, shape.options.zstd_level)

    def write(self, table: pa.Table) -> None:
        """Write rows; see `FormatWriter`."""
        rows = encode_rows(table, self._fields)
        first, start = 0, 0
        while first < len(rows.sizes):
            last = min(int(np.searchsorted(rows.ends, start + _BLOCK_BYTES)) + 1, len(rows.sizes))
            end = int(rows.ends[last - 1])
            self._frame.block(last - first, rows.data[start:end].tobytes())
            first, start = last, end

    def close(self) -> None:
        """Finish the file; see `FormatWriter`."""
