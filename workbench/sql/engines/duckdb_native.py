"""Runs queries of DuckDB's own dialect, as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp, sqlglot
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_connection import connection, fetch, require_duckdb
from workbench.sql.engines.duckdb_translated import prepare_expanded
from workbench.sql.engines.footer import Reading, explainable, footer
from workbench.sql.engines.tables import Frame, LakeTable, Stream, Tables, scan_stream
from workbench.sql.engines.views import query_with_full_names, used_view
from workbench.sql.parts import select_of
from workbench.sql.result import Result
from workbench.sql.statements import Select, TableRef, quote_name
from workbench.sql.translate.values import NotTranslated

if TYPE_CHECKING:
    import duckdb


def prepare_native(context: Context, select: Select) -> Native:
    """Return the query unchanged; DuckDB parses it when it runs."""
    require_duckdb()
    return Native(context, select.text)


@dataclass
class Native:
    """A query in DuckDB's dialect."""

    context: Context
    text: str
    readings: list[Reading] = field(default_factory=list)
    _rows: pa.Table | None = None

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.rows().num_columns)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result; the query runs for it."""
        return self.rows().schema

    def rows(self) -> pa.Table:
        """Run the query and return its rows."""
        if self._rows is None:
            self._rows = self._run(Tables(self.context))
        return self._rows

    def result(self) -> Result:
        """Run the query and return its result."""
        clock, tables = self.context.clock, Tables(self.context)
        begin = clock.monotonic()
        rows = self._run(tables)
        line = footer("DuckDB", clock.monotonic() - begin, tables.snapshot, self.readings, rows, self.context.choice)
        reads = explainable(self.readings)
        return Result(
            tables.caption(), rows, rows.num_rows, self.context.limit, engine="duckdb", notes=(line,), reads=reads
        )

    def _run(self, tables: Tables) -> pa.Table:
        progress = self.context.progress
        columns = _named_columns(self.text)
        with progress.step("Running the query on DuckDB"), connection(progress) as opened:
            streams: dict[str, Stream] = {}
            for number, name in enumerate(sorted(_table_names(opened, self.text))):
                stream, reading = self._stream(tables, name, columns)
                self.readings.append(reading)
                streams[f"workbench_{number}"] = stream
                opened.register(f"workbench_{number}", stream)
                if len(name) == 3:
                    opened.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_quoted(name[0])}")
                if len(name) > 1:
                    opened.execute(f"CREATE SCHEMA IF NOT EXISTS {'.'.join(map(_quoted, name[:-1]))}")
                opened.execute(f"CREATE VIEW {'.'.join(map(_quoted, name))} AS SELECT * FROM workbench_{number}")
            try:
                return fetch(opened, self.text, streams, progress)
            except NotTranslated as error:
                raise InvalidExpression(f"DuckDB says: {error.__cause__}".splitlines()[0]) from error

    def _stream(self, tables: Tables, name: tuple[str, ...], named: frozenset[str] | None) -> tuple[Stream, Reading]:
        if used_view(self.context, TableRef(name)) is not None:
            return self._view(name), Reading()
        opened = tables.open(TableRef(name))
        fields = [pa.field(*each) for each in opened.columns]
        wanted = [each for each in fields if named is None or each.name.lower() in named] or fields[:1]
        if isinstance(opened, Frame):
            rows = opened.rows.select([each.name for each in wanted])
            return Stream(pa.schema(wanted), lambda: rows.to_batches()), Reading()
        assert isinstance(opened, LakeTable)
        scan = opened.scan([each.name for each in wanted], (), None, self.context.progress)
        return scan_stream(scan, pa.schema(wanted), self.context.progress), Reading(scan, opened.table)

    def _view(self, name: tuple[str, ...]) -> Stream:
        """Return the rows of a view, whose query is in Spark's dialect."""
        text = f"SELECT * FROM {'.'.join(map(quote_name, name))}"
        try:
            rows = prepare_expanded(self.context, query_with_full_names(self.context, text)).rows()
        except NotTranslated as refusal:
            message = f"View {'.'.join(name)} cannot be read on DuckDB: {refusal.message}"
            raise Unsupported(message, "Write the query in Spark's dialect, without --engine duckdb.") from refusal
        return Stream(rows.schema, lambda: rows.to_batches())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table_names(opened: duckdb.DuckDBPyConnection, text: str) -> set[tuple[str, ...]]:
    """Return the names of the tables that a query reads, as DuckDB finds them."""
    library = require_duckdb()
    try:
        found: Any = opened.get_table_names(text, qualified=True)
    except library.BinderException as error:
        # DuckDB looks for the columns of USING in tables that it does not have yet.
        return _parsed_table_names(text, error)
    except library.Error as error:
        raise InvalidExpression(f"DuckDB says: {str(error).splitlines()[0]}") from error
    # Newer versions of DuckDB write the alias and the sample of a table after its name.
    tables: Any = (sqlglot.parse_one(f"FROM {each}", dialect="duckdb").find(exp.Table) for each in found)
    return {tuple(part.name for part in table.parts) for table in tables}


def _parsed_table_names(text: str, error: Exception) -> set[tuple[str, ...]]:
    """Return the names of the tables in a query. If it cannot be parsed, the error of DuckDB is raised."""
    try:
        tree: Any = sqlglot.parse_one(text, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        tree = None
    is_query: bool = isinstance(tree, exp.Query)
    if not is_query:
        raise InvalidExpression(f"DuckDB says: {str(error).splitlines()[0]}") from error
    return {table.parts for table in select_of(tree, text).tables}


def _named_columns(text: str) -> frozenset[str] | None:
    """Return every name that may be a column, in lower case; None if the query may read all columns."""
    try:
        tree: Any = sqlglot.parse_one(text, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return None
    stars = [star for star in tree.find_all(exp.Star) if not isinstance(star.parent, exp.Count)]
    if stars or not isinstance(tree, exp.Query) or tree.find(exp.Columns, exp.Pivot, exp.Join) is not None:
        return None
    names = {part.name.lower() for column in tree.find_all(exp.Column) for part in column.parts}
    tables = {table.alias_or_name.lower() for table in tree.find_all(exp.Table)}
    return None if names & tables or not tree.args.get("expressions") else frozenset(names)
