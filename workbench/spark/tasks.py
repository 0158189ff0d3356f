"""The code of reads that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.base.session import session_options
from workbench.expr.expressions import Expr
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import parse_type
from workbench.format.types.arrow_types import to_arrow
from workbench.format.types.wide_decimals import exceeding
from workbench.metadata.store import TableStore
from workbench.scan.overflows import Overflows
from workbench.scan.split_reader import SplitReader

if TYPE_CHECKING:
    from workbench.lsm.merge_function import Overflow

ROWS_PER_BATCH = 65_536
Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
_VARIANT = to_arrow(parse_type("VARIANT"))


def pickled(value: Any) -> bytes:
    """Serialize a value to send it to a task."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True)
class WithRenamedColumns:
    """A function of a task that receives batches with renamed columns."""

    names: Sequence[str]
    function: Task

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches that the function returns."""
        return self.function(batch.rename_columns(list(self.names)) for batch in batches)


@dataclass(frozen=True)
class Labeled:
    """A function of a task with a label, which plans show."""

    function: Task
    label: str

    @property
    def __name__(self) -> str:
        return self.label

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches that the function returns."""
        return self.function(batches)


@dataclass(frozen=True)
class Found:
    """Columns of a table whose totals overflow, as one task of a scan has found them."""

    scan: int
    table: str
    columns: dict[str, tuple[Overflow, str]]


class TaskOverflows(Overflows):
    """Overflows that a task sends to the process of the user, which warns.

    Args:
        reports: The accumulator that receives them.
        scan: The number of the scan.
    """

    def __init__(self, reports: Any, scan: int) -> None:
        super().__init__()
        self._reports = reports
        self._scan = scan

    def warn(self, table: str) -> None:
        """Send all columns that were found since the last call."""
        found, self.found = self.found, {}
        if found:
            self._reports.add([Found(self._scan, table, found)])


@dataclass(frozen=True)
class ReadTask:
    """Reads and merges splits of ``snapshot``, one version of a table.

    ``overflows`` receives totals that exceed the precision of their column; None to warn in the log of the task.

    ``nullable`` are columns that Spark treats as nullable anyway; ``timezone`` is that of the session, in which values
    of altered columns may have to be interpreted.
    """

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    where: Expr | None = None
    nullable: frozenset[str] = frozenset()
    timezone: str = field(default_factory=lambda: session_options.timezone)
    snapshot: Snapshot | None = None
    overflows: TaskOverflows | None = None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of the pickled splits in column 0, for `DataFrame.mapInArrow`."""
        for batch in batches:
            for split in batch.column(0):
                yield from self.read(split.as_py())

    def read(self, split: bytes) -> Iterator[pa.RecordBatch]:
        """Return the rows of one pickled split."""
        session_options.timezone = self.timezone
        overflows = self.overflows or Overflows()
        reader = SplitReader(
            self.store, self.schema, self.columns, self.where, snapshot=self.snapshot, overflows=overflows
        )
        return for_spark(reader.batches([pickle.loads(split)]), self.nullable)


def for_spark(reader: pa.RecordBatchReader, nullable: frozenset[str] = frozenset()) -> Iterator[pa.RecordBatch]:
    """Yield batches of sizes and types that Spark accepts. Nanoseconds are truncated to microseconds, Spark's finest
    unit. Decimals with more digits than their type become NULL.
    """
    fields = [_spark_field(field) for field in reader.schema]
    target = pa.schema([field.with_nullable(field.nullable or field.name in nullable) for field in fields])
    for batch in reader:
        columns = [_cut(column, field) for column, field in zip(batch.columns, target, strict=True)]
        converted = pa.RecordBatch.from_arrays(columns, schema=target)
        for start in range(0, converted.num_rows, ROWS_PER_BATCH):
            yield converted.slice(start, ROWS_PER_BATCH)


def _cut(column: pa.Array, field: pa.Field) -> pa.Array:
    arrow_type = field.type
    if pa.types.is_decimal(arrow_type) and field.nullable:
        # Spark has no decimals with more digits than their type; Java's rows become NULL there, too.
        wide = exceeding(column)
        return column if wide is None else pc.if_else(wide, None, column)
    if column.type == arrow_type:
        return column
    if pa.types.is_timestamp(arrow_type):
        # A cast truncates toward 1970, but instants before 1970 have to be rounded down to a microsecond, as in Java.
        column = pc.floor_temporal(column, unit="microsecond")
    return column.cast(arrow_type, safe=False)


def _spark_type(arrow_type: pa.DataType) -> pa.DataType:
    if arrow_type == _VARIANT:
        # Spark recognizes a VARIANT by field metadata at its dictionary.
        return pa.struct([arrow_type.field(0), arrow_type.field(1).with_metadata({"variant": "true"})])
    if pa.types.is_timestamp(arrow_type):
        return pa.timestamp("us", arrow_type.tz)
    if pa.types.is_list(arrow_type):
        return pa.list_(_spark_field(arrow_type.value_field))
    if pa.types.is_map(arrow_type):
        return pa.map_(_spark_field(arrow_type.key_field), _spark_field(arrow_type.item_field))
    if pa.types.is_struct(arrow_type):
        return pa.struct([_spark_field(arrow_type.field(index)) for index in range(arrow_type.num_fields)])
    return arrow_type


def _spark_field(field: pa.Field) -> pa.Field:
    return field.with_type(_spark_type(field.type))
