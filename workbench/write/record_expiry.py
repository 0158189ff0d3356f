"""Expiry of rows during compaction: options ``record-level.…`` (format §17, `RecordLevelExpire`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import InvalidSchema
from workbench.base.lazy import cached_property
from workbench.datafile.protocol import DataFile
from workbench.datafile.readers.derived_rows import DerivedRows
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.types import AtomicType, DataField
from workbench.metadata.file_stats import FileStats
from workbench.metadata.store import TableStore

_MIN_MILLIS = 1_000_000_000_000
_TIMES = ("TIMESTAMP", "TIMESTAMP_LTZ")
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True)
class RecordExpiry:
    """The rule by which rows expire: their time in ``column`` is more than ``seconds`` before ``now_seconds``. Rows
    without a time are kept. Integers are seconds; large values of BIGINT are milliseconds."""

    column: DataField
    seconds: int
    now_seconds: int

    def kept(self, times: pa.ChunkedArray | pa.Array) -> BoolArray:
        """Return bool[rows]: which rows have not expired."""
        known = np.asarray(times.is_valid())
        kept: BoolArray = ~known | (self.now_seconds <= self._seconds(times) + self.seconds)
        return kept

    def _seconds(self, times: pa.ChunkedArray | pa.Array) -> Int64Array:
        """Return int64[rows]: seconds since 1970, truncated as in Java; arbitrary for null."""
        if pa.types.is_timestamp(times.type):
            divisor = _PER_SECOND[times.type.unit]
            times = times.cast(pa.int64())
        else:
            divisor = 1
        values = np.asarray(times.fill_null(0).to_numpy(), np.int64)
        if divisor == 1 and self.column.type.root == "BIGINT":
            return np.where(values >= _MIN_MILLIS, values // 1000, values)
        return np.asarray(np.where(values < 0, -(-values // divisor), values // divisor), np.int64)

    def expired(self, store: TableStore, files: Sequence[DataFileMeta]) -> frozenset[str]:
        """Return the names of files that certainly hold an expired row, according to their statistics."""
        stats = FileStats(store, store.schema, [self.column.name]).of_values(files).columns.get(self.column.name)
        if stats is None or stats.minimum is None:
            return frozenset()
        oldest = self.kept(stats.minimum)
        return frozenset(file.file_name for file, kept in zip(files, oldest, strict=True) if not kept)


def record_expiry(store: TableStore) -> RecordExpiry | None:
    """Return the current expiry of a table; None if its rows do not expire.

    Raises:
        InvalidSchema: The option that names the time column is not set, or names a column that does not exist or holds
            no time.
    """
    core = store.schema.core
    age: int | None = core.record_level_expire_time
    if age is None:
        return None
    name = core.record_level_time_field
    if name is None:
        raise InvalidSchema(
            "Option 'record-level.expire-time' is set, but option 'record-level.time-field' is not.",
            "Set 'record-level.time-field' to the column with the time of a row.",
        )
    column = store.schema.field(name)
    arrow_type = column.type
    if not isinstance(arrow_type, AtomicType) or arrow_type.root not in ("INT", "BIGINT", *_TIMES):
        raise InvalidSchema(
            f"Column '{name}' of type {arrow_type} cannot be used for the expiry of rows.",
            "Use a column of type INT or TIMESTAMP.",
        )
    return RecordExpiry(column, age // 1000, store.clock.now_millis() // 1000)


class UnexpiredRows(DerivedRows[DataFile]):
    """The rows of ``source`` that have not expired."""

    def __init__(self, source: DataFile, expiry: RecordExpiry) -> None:
        super().__init__(source)
        self._expiry = expiry

    @cached_property
    def rows(self) -> int:
        """The number of rows that have not expired. The time column is read to count them."""
        return int(np.count_nonzero(self._expiry.kept(self._source.read([self._expiry.column.name]).column(0))))

    def _over(self, part: DataFile, /) -> Self:
        return type(self)(part, self._expiry)

    def _stored(self, columns: Sequence[str]) -> Sequence[str]:
        return list(dict.fromkeys([*columns, self._expiry.column.name]))

    def _derived(self, tables: Iterable[pa.Table], columns: Sequence[str], /) -> Iterator[pa.Table]:
        for table in tables:
            kept = self._expiry.kept(table.column(self._expiry.column.name))
            yield table.filter(pa.array(kept)).select(list(columns))
