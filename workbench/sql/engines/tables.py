"""The tables of a query as lazy Arrow streams, each pinned at one snapshot for the whole query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import CatalogError, DatabaseNotFound, InvalidExpression, TableNotFound
from workbench.base.modules import pc
from workbench.base.progress import Progress
from workbench.expr.expressions import And, Column, Comparison, Expr, In, IsNull, Like, Literal, Not, Or
from workbench.sql.context import CATALOG_NAME, Context
from workbench.sql.statements import TableRef

if TYPE_CHECKING:
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable

# Conditions of these nodes mean the same in the core and in Spark; casts and functions are left to the engine.
_PLAIN = (And, Or, Not, Comparison, Column, Literal, In, IsNull, Like)


@dataclass
class LakeTable:
    """A table of the catalog at one version."""

    table: ReadableTable
    qualifier: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the table."""
        return str(self.table.name)

    @property
    def is_metadata(self) -> bool:
        """Whether the rows are computed from metadata."""
        from workbench.table.system.system_table import MetadataTable

        return isinstance(self.table, MetadataTable)

    @property
    def columns(self) -> Sequence[tuple[str, pa.DataType]]:
        """The columns with the Arrow types that Spark gives them."""
        return [(each.name, _spark_type(each.type)) for each in self.table.arrow_schema]

    @property
    def char_lengths(self) -> dict[str, int]:
        """The lengths of the columns of type CHAR."""
        from workbench.format.types import char_length

        lengths = {each.name: char_length(each.type) for each in self.table.readable_schema.fields}
        return {name: length for name, length in lengths.items() if length is not None}

    def accepts(self, condition: Any) -> bool:
        """Return whether the scan evaluates the condition as Spark does."""
        return self._resolved(condition) is not None

    def totals(self, wanted: Sequence[tuple[str, str]], conditions: Sequence[Any]) -> list[pa.Scalar] | None:
        """Return the number of rows and the minimum or maximum of columns, or None if metadata lacks one of these."""
        scan = self.scan((), conditions, None, Progress())
        known: dict[str, tuple[pa.Scalar, pa.Scalar]] = {}
        # Bounds come first: rows may have to be read to count them, and would be read again for an unknown bound.
        for column in {column for name, column in wanted if name != "count"}:
            bounds = None if column in self.char_lengths else scan.known_bounds(column)
            if bounds is None:
                return None
            known[column] = bounds
        return [
            pa.scalar(scan.count(), pa.int64())
            if name == "count"
            else known[column][name == "max"].cast(dict(self.columns)[column])
            for name, column in wanted
        ]

    def scan(self, columns: Sequence[str], conditions: Sequence[Any], limit: int | None, progress: Progress) -> Scan:
        """Return the scan of some columns and rows."""
        from workbench.expr.expressions import conjunction

        parts = [part for part in map(self._resolved, conditions) if part is not None]
        return self.table.scan(list(columns), conjunction(parts) if parts else None, limit, progress)

    def _resolved(self, condition: Any) -> Expr | None:
        from workbench.expr.parse import from_tree
        from workbench.expr.resolve import resolve_predicate

        try:
            resolved = resolve_predicate(from_tree(condition), self.table.readable_schema.fields)
        except (InvalidExpression, ValueError):
            return None
        return resolved if _is_plain(resolved) else None


def _is_plain(expr: Expr) -> bool:
    from workbench.expr.tree import children

    return isinstance(expr, _PLAIN) and all(map(_is_plain, children(expr)))


def _spark_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return Spark's type for a column: timestamps in microseconds; one type each for strings, binary and arrays."""
    if pa.types.is_timestamp(arrow_type):
        return pa.timestamp("us", "UTC" if arrow_type.tz else None)
    if pa.types.is_large_string(arrow_type):
        return pa.string()
    if pa.types.is_large_binary(arrow_type) or pa.types.is_fixed_size_binary(arrow_type):
        return pa.binary()
    if pa.types.is_list(arrow_type) or pa.types.is_large_list(arrow_type):
        return pa.list_(_spark_type(arrow_type.value_type))
    if pa.types.is_map(arrow_type):
        return pa.map_(_spark_type(arrow_type.key_type), _spark_type(arrow_type.item_type))
    if pa.types.is_struct(arrow_type):
        fields = [arrow_type.field(index) for index in range(arrow_type.num_fields)]
        return pa.struct([pa.field(each.name, _spark_type(each.type)) for each in fields])
    return arrow_type


@dataclass
class Frame:
    """A data frame that the user registered by name."""

    rows: pa.Table
    qualifier: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name by which it was registered."""
        return self.qualifier[-1]

    @property
    def columns(self) -> Sequence[tuple[str, pa.DataType]]:
        """The columns with the Arrow types that Spark gives them."""
        return [(each.name, _spark_type(each.type)) for each in self.rows.schema]

    @property
    def char_lengths(self) -> dict[str, int]:
        """Empty: a frame has no columns of type CHAR."""
        return {}

    def accepts(self, condition: Any) -> bool:  # noqa: ARG002
        """Return False: the rows are in memory."""
        return False

    def totals(self, wanted: Any, conditions: Any) -> None:  # noqa: ARG002
        """Return None: there is no metadata."""
        return


@dataclass
class Stream:
    """The rows of a table for DuckDB, read when DuckDB fetches the first batch.

    ``error`` is the error that ended the stream, if there was one.
    """

    schema: pa.Schema
    batches: Any
    error: Exception | None = field(default=None, init=False)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a new stream; DuckDB opens three for each table and reads one."""
        return pa.RecordBatchReader.from_batches(self.schema, self._rows()).__arrow_c_stream__(requested_schema)

    def _rows(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self.batches():
                columns = [
                    column if column.type == each.type else column.cast(each.type, safe=False)
                    for column, each in zip(batch.columns, self.schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
        except Exception as error:
            # DuckDB passes on only the text of an error.
            self.error = error
            raise


def scan_stream(scan: Scan, schema: pa.Schema, progress: Progress, padded: Sequence[int | None] = ()) -> Stream:
    """Return the stream of a scan, with the names and types of ``schema``, and text ``padded`` to the lengths of CHAR
    columns."""

    def batches() -> Iterator[pa.RecordBatch]:
        from workbench.spark.tasks import for_spark

        for batch in for_spark(scan.to_batches()):
            progress.check()
            yield _with_padding(batch, padded)

    return Stream(schema, batches)


def _with_padding(batch: pa.RecordBatch, lengths: Sequence[int | None]) -> pa.RecordBatch:
    for position, length in enumerate(lengths):
        if length is not None:
            column = pc.utf8_rpad(batch.column(position), length, " ")
            batch = batch.set_column(position, batch.schema.field(position).name, column)
    return batch


@dataclass
class Tables:
    """The tables that a query opens: each is pinned when it is first named."""

    context: Context
    opened: dict[TableRef, LakeTable | Frame] = field(default_factory=dict)

    def open(self, ref: TableRef) -> LakeTable | Frame:
        """Return a table of the catalog or, if the catalog has no table of that name, a registered data frame.

        Raises:
            TableNotFound: If there is neither.
        """
        known = TableRef(ref.parts, ref.version)
        if known not in self.opened:
            self.opened[known] = self._open(known)
        return self.opened[known]

    def _open(self, ref: TableRef) -> LakeTable | Frame:
        frame = self.context.frame(ref)
        try:
            name = self.context.full_name(ref)
            table = self.context.readable(ref, self.context.version).pinned()
        except (TableNotFound, DatabaseNotFound, CatalogError):
            if frame is None:
                raise
            return Frame(frame, ref.parts)
        return LakeTable(table, (CATALOG_NAME, *name))

    def caption(self) -> str:
        """Return the names of the tables; the name of a single table is followed by its snapshot."""
        names = list(dict.fromkeys(each.name for each in self.opened.values()))
        if len(names) != 1:
            return ", ".join(names) or "Query"
        if self.snapshot is not None:
            return f"{names[0]}, snapshot {self.snapshot}"
        empty = [each for each in self.opened.values() if isinstance(each, LakeTable) and not each.is_metadata]
        return f"{names[0]}, empty" if empty else names[0]

    @property
    def snapshot(self) -> int | None:
        """The snapshot that the query reads, if it reads a single table."""
        tables = [each.table for each in self.opened.values() if isinstance(each, LakeTable)]
        versions = [table.version for table in tables]
        return versions[0].id if len(versions) == 1 and versions[0] is not None else None


def find_frame(context: Context, table: TableRef) -> Frame | None:
    """Return the data frame that is registered under a name; None if there is none, or if a table has the name."""
    if context.frame(table) is None:
        return None
    opened = Tables(context).open(table)
    return opened if isinstance(opened, Frame) else None
