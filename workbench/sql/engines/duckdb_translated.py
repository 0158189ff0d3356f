"""Runs queries in Spark's dialect on DuckDB if their translation is known to have the same meaning."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any

import pyarrow as pa

from workbench.base.session import session_options
from workbench.format.types.arrow_types import with_char_length
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_connection import connection, fetch, require_duckdb
from workbench.sql.engines.footer import Reading, explainable, footer
from workbench.sql.engines.spark_views import is_spark_view
from workbench.sql.engines.tables import Frame, LakeTable, Stream, Tables, scan_stream
from workbench.sql.engines.views import with_views_expanded
from workbench.sql.parts import table_ref
from workbench.sql.reads import TableRead
from workbench.sql.result import Result
from workbench.sql.statements import Select
from workbench.sql.translate import types
from workbench.sql.translate.dialect import plain_tree
from workbench.sql.translate.moments import Now
from workbench.sql.translate.queries import Translator
from workbench.sql.translate.relations import Query
from workbench.sql.translate.sources import TableUse
from workbench.sql.translate.values import NotTranslated


def prepare_translated(context: Context, select: Select) -> Translated:
    """Return the query translated to DuckDB's dialect.

    Raises:
        NotTranslated: If a construct is not in the allow-list.
        WorkbenchError: If a table or a column does not exist.
    """
    require_duckdb()
    tables = Tables(context)

    def open_table(node: Any) -> LakeTable | Frame:
        ref = table_ref(node)
        if is_spark_view(context, ref):
            raise NotTranslated(f"`{ref}`", "it is a temporary view of the Spark session")
        return tables.open(ref)

    translator = Translator(open_table, Now(context.now, session_options.zone()))
    query = translator.query(plain_tree(select.text), {})
    return Translated(context, tables, query, translator.tables)


def prepare_expanded(context: Context, select: Select) -> Translated:
    """Return the query, with views replaced by their queries, translated to DuckDB's dialect.

    Raises:
        NotTranslated: If a construct is not in the allow-list.
        WorkbenchError: If a table, a view or a column does not exist.
    """
    expanded = with_views_expanded(context, select, lambda inner, query: prepare_translated(inner, query).width)
    return prepare_translated(context, expanded.select)


@dataclass
class Translated:
    """A query that DuckDB runs as Spark would."""

    context: Context
    tables: Tables
    query: Query
    uses: list[TableUse]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.query.names)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result, with the names and types of Spark."""
        columns = zip(self.query.names, self.query.types, self.query.chars or repeat(None), strict=False)
        return pa.schema([with_char_length(pa.field(name, data_type), length) for name, data_type, length in columns])

    def rows(self) -> pa.Table:
        """Run the query and return its rows."""
        return self._run()[0]

    def result(self) -> Result:
        """Run the query and return its result."""
        clock = self.context.clock
        begin = clock.monotonic()
        rows, readings = self._run()
        self.context.progress.check()
        line = footer("DuckDB", clock.monotonic() - begin, self.tables.snapshot, readings, rows, self.context.choice)
        return Result(
            self.tables.caption(),
            rows,
            rows.num_rows,
            self.context.limit,
            engine="duckdb",
            notes=(line,),
            reads=explainable(readings),
        )

    def reads(self) -> tuple[TableRead, ...]:
        """Return the reads of data files, without running the query."""
        # The columns to read are known only after the text of the query is rendered.
        self.query.render(range(self.width))
        return explainable([self._stream(use)[1] for use in self.uses if use.is_read])

    def _run(self) -> tuple[pa.Table, list[Reading]]:
        text = self.query.render(range(self.width))
        progress = self.context.progress
        streams: dict[str, Stream] = {}
        readings: list[Reading] = []
        for use in self.uses:
            if use.is_read:
                streams[use.alias], reading = self._stream(use)
                readings.append(reading)
        with progress.step("Running the query on DuckDB"), connection(progress) as opened:
            return self._typed(fetch(opened, text, streams, progress)), readings

    def _stream(self, use: TableUse) -> tuple[Stream, Reading]:
        columns = [column for column in use.columns if column in use.used]
        schema = pa.schema([(column.sql.rpartition(".")[2], column.type) for column in columns])
        names = [column.name for column in columns]
        if isinstance(use.table, Frame):
            rows = use.table.rows.select([use.columns.index(column) for column in columns])
            return Stream(schema, lambda: rows.to_batches()), Reading()
        assert isinstance(use.table, LakeTable)
        scan = use.table.scan(names, use.conditions, use.limit, self.context.progress)
        lengths = [column.char for column in columns]
        return scan_stream(scan, schema, self.context.progress, lengths), Reading(scan, use.table.table)

    def _typed(self, rows: pa.Table) -> pa.Table:
        """Return the rows with the schema of Spark's result."""
        arrays = [
            pa.chunked_array([pa.nulls(rows.num_rows)]) if data_type == types.NULL else column.cast(data_type)
            for column, data_type in zip(rows.columns, self.query.types, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self.schema)
