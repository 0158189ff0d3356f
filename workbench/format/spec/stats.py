"""Column statistics of data files (format §10, Java ``SimpleColStatsCollector``, ``SimpleStatsConverter``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidSchema
from workbench.base.modules import pc
from workbench.format.rows.binary_row import decode_columns, encode_row
from workbench.format.rows.binary_row_layout import Slot, slot_of
from workbench.format.spec.data_file import EMPTY_STATS, SimpleStats
from workbench.format.types import DataField, DataType, to_arrow

if TYPE_CHECKING:
    from workbench.format.options.core_options import CoreOptions

_TRUNCATE = re.compile(r"truncate\(\s*(\d+)\s*\)")
_LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_NEVER_BOUNDED = ("BLOB",)
_BINARY = ("BINARY", "VARBINARY")


class StatsKind(Enum):
    """The level of detail of a column's statistics."""

    NONE = "none"
    COUNTS = "counts"
    TRUNCATE = "truncate"
    FULL = "full"


@dataclass(frozen=True)
class StatsMode:
    """A value of ``metadata.stats-mode``; ``length`` applies to TRUNCATE: code points of text, bytes of binary."""

    kind: StatsKind
    length: int | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether minimum and maximum are kept."""
        return self.kind in (StatsKind.TRUNCATE, StatsKind.FULL)


NONE = StatsMode(StatsKind.NONE)
COUNTS = StatsMode(StatsKind.COUNTS)
FULL = StatsMode(StatsKind.FULL)
KEY_STATS_MODE = StatsMode(StatsKind.TRUNCATE, 128)
"""The mode of ``_KEY_`` and system columns."""

ModeOf = Callable[[str], StatsMode]


def parse_stats_mode(text: str) -> StatsMode:
    """Parse ``none``, ``counts``, ``truncate(16)`` or ``full``.

    Raises:
        InvalidSchema: If the text is not a mode.
    """
    word = text.strip().lower()
    if (match := _TRUNCATE.fullmatch(word)) and int(match[1]) > 0:
        return StatsMode(StatsKind.TRUNCATE, int(match[1]))
    modes = {"none": NONE, "counts": COUNTS, "full": FULL}
    if word not in modes:
        raise InvalidSchema(f"'{text}' is not a statistics mode.", "Use none, counts, truncate(16) or full.")
    return modes[word]


def table_stats_modes(
    options: CoreOptions,
    fields: Sequence[DataField],
    level: int | None = None,
    is_changelog: bool = False,
    columns_before: int = 0,
) -> ModeOf:
    """Return the modes of value statistics under a table's options, for files of ``level``.

    ``metadata.stats-keep-first-n-columns`` disables the columns after the n-th that have no separate mode; the
    ``columns_before`` preceding columns of the file count as well.
    """
    first = options.stats_keep_first_n_columns
    modes: dict[str, StatsMode] = {}
    for index, field in enumerate(fields, columns_before):
        own = options.column_value(field.name, "stats-mode") is not None
        kept = own or first < 0 or index < first
        modes[field.name] = parse_stats_mode(options.stats_mode(field.name, level, is_changelog)) if kept else NONE
    return modes.__getitem__


def collect_stats(table: pa.Table, fields: Sequence[DataField], mode_of: ModeOf) -> SimpleStats:
    """Return statistics with an entry for every field, in field order: key statistics, and value statistics that
    any engine can read (format §29.38).
    """
    collector = StatsCollector(fields, mode_of)
    collector.update(table)
    return collector.stats()


class StatsCollector:
    """Collects the statistics of one file from the tables or batches written to it.

    ``counts_nested_nulls`` and ``has_binary_bounds`` are traits of the file's format: what Java keeps depends on it.
    """

    def __init__(
        self,
        fields: Sequence[DataField],
        mode_of: ModeOf,
        *,
        counts_nested_nulls: bool = False,
        has_binary_bounds: bool = True,
    ) -> None:
        unbounded = _NEVER_BOUNDED if has_binary_bounds else (*_NEVER_BOUNDED, *_BINARY)
        self._columns = [
            _Column(
                field,
                mode_of(field.name),
                counted=counts_nested_nulls or not _is_nested(field.type),
                bounded=field.type.root not in unbounded,
            )
            for field in fields
        ]

    def update(self, data: pa.Table | pa.RecordBatch) -> None:
        """Add the columns of the fields from ``data`` by name."""
        for column in self._columns:
            column.update(data.column(column.field.name))

    def update_column(self, position: int, values: pa.Array | pa.ChunkedArray, null_count: int) -> None:
        """Add a column, given by its position among the fields; ``values`` need only contain its minimum and its
        maximum.
        """
        self._columns[position].add(values, null_count)

    def stats(self) -> SimpleStats:
        """Return statistics with an entry for every field."""
        return _stats_of([(column.field, column.result()) for column in self._columns])

    def value_stats(self, dense: bool) -> tuple[SimpleStats, tuple[str, ...] | None]:
        """Return statistics and ``_VALUE_STATS_COLS``.

        With ``dense``, columns without statistics are omitted and the names of the remaining columns are returned.
        Otherwise, or if no column is omitted, every column has an entry and the names are None.
        """
        columns = [(column.field, column.result()) for column in self._columns]
        kept = [(field, result) for field, result in columns if any(part is not None for part in result)]
        if not dense or len(kept) == len(columns):
            return _stats_of(columns), None
        if not kept:
            return EMPTY_STATS, ()
        return _stats_of(kept), tuple(field.name for field, _ in kept)


def _stats_of(columns: Sequence[tuple[DataField, tuple[Any, Any, int | None]]]) -> SimpleStats:
    types = [field.type.as_nullable() for field, _ in columns]
    return SimpleStats(
        encode_row([minimum for _, (minimum, _, _) in columns], types),
        encode_row([maximum for _, (_, maximum, _) in columns], types),
        tuple(null_count for _, (_, _, null_count) in columns),
    )


class _Column:
    """Bounds and null count of one column over all batches so far."""

    def __init__(self, field: DataField, mode: StatsMode, *, counted: bool, bounded: bool) -> None:
        self.field = field
        self.mode = mode
        self.slot = slot_of(field.type)
        self.counts = mode.kind is not StatsKind.NONE and counted
        self.bounded = mode.has_bounds and self.slot is not Slot.COMPLEX and bounded
        self.null_count = 0
        self.bounds: list[pa.Scalar] = []

    def update(self, values: pa.Array | pa.ChunkedArray) -> None:
        self.add(values, values.null_count)

    def add(self, values: pa.Array | pa.ChunkedArray, null_count: int) -> None:
        if self.counts:
            self.null_count += null_count
        if not self.bounded or values.null_count == len(values):
            return
        target = to_arrow(self.field.type)
        if values.type != target:
            values = values.cast(_LARGE.get(target, target))
        if pa.types.is_floating(target) and pc.any(pc.is_nan(values)).as_py():
            # Engines disagree on the order of NaN, so such a column has no bounds.
            self.bounded = False
            return
        bounds = [_as(bound, target) for bound in pc.min_max(values).values()]
        if self.bounds:
            # Most files are small and have only one batch.
            known = pc.min_max(pa.concat_arrays([pa.repeat(bound, 1) for bound in (*self.bounds, *bounds)]))
            bounds = list(known.values())
        self.bounds = bounds

    def result(self) -> tuple[Any, Any, int | None]:
        """Return minimum, maximum and null count as internal values; None if unknown."""
        null_count = self.null_count if self.counts else None
        if not self.bounded or not self.bounds:
            return None, None, null_count
        minimum, maximum = (_internal(bound) for bound in self.bounds)
        if self.slot in (Slot.FLOAT, Slot.DOUBLE):
            # Readers that distinguish the zeros must find both inside the bounds.
            minimum, maximum = (-0.0 if minimum == 0 else minimum), (0.0 if maximum == 0 else maximum)
        elif self.mode.length is not None and self.slot in (Slot.STRING, Slot.BINARY):
            minimum, maximum = truncate_bounds(minimum, maximum, self.mode.length)
        return minimum, maximum, null_count


def _as(bound: pa.Scalar, target: pa.DataType) -> pa.Scalar:
    return bound if bound.type == target else bound.cast(target)


def _is_nested(data_type: DataType) -> bool:
    is_atomic = not data_type.children() and data_type.root != "VARIANT"
    return slot_of(data_type) is Slot.COMPLEX and not is_atomic


def _internal(bound: pa.Scalar) -> Any:
    """Return the internal value: times as numbers in their Arrow unit, everything else as a Python value."""
    if pa.types.is_temporal(bound.type):
        return bound.value
    return bound.as_py()


def truncate_bounds(minimum: Any, maximum: Any, length: int) -> tuple[Any, Any]:
    """Return truncated bounds of text (``length`` code points) or bytes (``length`` bytes) that still include all
    values.

    The truncated maximum is incremented at the last position that can be incremented; if there is no such position,
    both bounds are None.
    """
    raised = maximum
    if len(maximum) > length:
        raised = _raised_text(maximum[:length]) if isinstance(maximum, str) else _raised_bytes(maximum[:length])
    return (None, None) if raised is None else (minimum[:length], raised)


def _raised_text(text: str) -> str | None:
    for index in range(len(text) - 1, -1, -1):
        code_point = ord(text[index]) + 1
        if code_point in _SURROGATES:
            code_point = _SURROGATES.stop
        if code_point <= _LAST_CODE_POINT:
            return text[:index] + chr(code_point)
    return None


def _raised_bytes(data: bytes) -> bytes | None:
    for index in range(len(data) - 1, -1, -1):
        if data[index] < 0xFF:
            return data[:index] + bytes([data[index] + 1])
    return None


def partition_stats(partitions: Sequence[bytes], fields: Sequence[DataField]) -> SimpleStats:
    """Return full statistics over serialized partition rows, as a manifest list stores them (format §5)."""
    if not fields:
        return EMPTY_STATS
    columns = decode_columns(partitions, [field.type for field in fields])
    return collect_stats(pa.table(columns, [field.name for field in fields]), fields, lambda _: FULL)
