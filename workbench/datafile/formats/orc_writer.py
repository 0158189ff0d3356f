"""Writer of ORC files (format §14)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import orc, pc
from workbench.base.session import session_options
from workbench.datafile.writer_protocol import FileShape
from workbench.format.orc.schema import orc_schema
from workbench.format.spec.table_kind import AppendOnlyKind
from workbench.format.types import TIMES, AtomicType, DataField, holds
from workbench.format.types.nested_arrays import with_leaves
from workbench.format.types.wall_clock import UTC_NAMES

_CODECS = {"zstd": "zstd", "snappy": "snappy", "zlib": "zlib", "lz4": "lz4", "none": "uncompressed"}
_STRIPE_BYTES = 64 << 20
_MIN_STRIPE_BYTES = 1 << 16
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


class OrcWriter:
    """Writer of one file. Arrow buffers rows until a stripe is complete, so the size is known only after each
    stripe."""

    def __init__(self, output: Any, shape: FileShape) -> None:
        codec = _CODECS.get(shape.compression.lower())
        if codec is None:
            hint = f"Use one of {', '.join(_CODECS)}."
            raise Unsupported(f"Compression '{shape.compression}' is not supported for ORC files.", hint)
        self._schema = orc_schema(shape.fields)
        self._timed = [each for each in shape.fields if holds(each.type, *TIMES)]
        for each in self._timed:
            _check_zone(each, shape)
        stripe = min(shape.options.file_block_size or _STRIPE_BYTES, AppendOnlyKind(shape.options).target_file_size)
        self._output = output
        # An error of the storage inside Arrow's writer would end the process, so bytes are held until the writer has
        # returned.
        self._held = BytesIO()
        self._writer = orc.ORCWriter(self._held, compression=codec, stripe_size=max(stripe, _MIN_STRIPE_BYTES))

    def write(self, table: pa.Table) -> None:
        """Write rows; see `FormatWriter`."""
        for field in self._timed:
            _check_times(table.column(field.name), field)
        stored = table.cast(self._schema)
        self._writer.write(pa.table([_laid_out(column) for column in stored.columns], self._schema))
        self._pass_on()

    def close(self) -> None:
        """Finish the file; see `FormatWriter`."""
        self._writer.close()
        self._pass_on()

    def _pass_on(self) -> None:
        # Emptied first, so that bytes that the storage refused are not written again when the writer is closed after
        # the error.
        written = self._held.getvalue()
        self._held.seek(0)
        self._held.truncate()
        if written:
            self._output.write(written)


def _laid_out(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a nested column that starts at the beginning of its buffers, and in which fields of a null row are null:
    Arrow's writer mixes up values of rows in slices that begin later, or if a null row has values in its fields."""
    if not pa.types.is_nested(column.type):
        return column
    copies = (each.take(pa.array(np.arange(len(each)))) for each in column.chunks)
    return pa.chunked_array([_null_below(each) for each in copies], column.type)


def _null_below(array: Any) -> Any:
    arrow_type = array.type
    if pa.types.is_struct(arrow_type) and arrow_type.num_fields:
        parts = [_null_below(part) for part in array.flatten()]
        return pa.StructArray.from_arrays(parts, fields=list(arrow_type), mask=array.is_null())
    if pa.types.is_map(arrow_type):
        pairs = [_null_below(array.keys), _null_below(array.items)]
        children = [pa.StructArray.from_arrays(pairs, fields=[arrow_type.key_field, arrow_type.item_field])]
    elif pa.types.is_list(arrow_type):
        children = [_null_below(array.values)]
    else:
        return array
    return pa.Array.from_buffers(arrow_type, len(array), array.buffers()[:2], offset=array.offset, children=children)


def _check_zone(field: DataField, shape: FileShape) -> None:
    """Refuse zones that would be ambiguous: by default Java writes zoned times in the local time of its machine, and
    the file does not record its zone; the zone of files that Arrow writes is always UTC."""
    legacy = shape.options.orc_timestamp_ltz_legacy and session_options.timezone not in UTC_NAMES
    if legacy and holds(field.type, "TIMESTAMP_LTZ"):
        raise Unsupported(
            f"Column '{field.name}' of type {field.type} cannot be written to ORC in time zone "
            f"{session_options.timezone} while option 'orc.timestamp-ltz.legacy.type' is 'true'.",
            "Set that option to 'false', or wb.options.timezone to 'UTC'.",
        )


def _check_times(column: pa.ChunkedArray, field: DataField) -> None:
    """Refuse fractions of seconds before 1970: Arrow's writer makes them negative, which other readers of ORC refuse or
    misread."""

    def leaf(array: pa.Array, data_type: AtomicType) -> pa.Array:
        if data_type.root in TIMES:
            moments = array.view(pa.int64())
            before = moments.filter(pc.less(moments, 0))
            unit = _PER_SECOND[array.type.unit]
            if len(before) and (before.to_numpy() % unit).any():
                raise Unsupported(
                    f"Column '{field.name}' has times before 1970 with parts of a second, which cannot be written to "
                    "ORC here.",
                    "Set 'file.format' to 'parquet'.",
                )
        return array

    with_leaves(column, field.type, leaf)
