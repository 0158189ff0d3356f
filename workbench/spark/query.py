"""Runs SQL over tables of a catalog: each table becomes a view of only the columns that the query names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from workbench.base.errors import DatabaseNotFound, InvalidExpression, TableNotFound, Unsupported
from workbench.base.modules import exp, scopes, sqlglot
from workbench.base.progress import Progress
from workbench.expr.dialect import statement_dialect, tokens_of, with_selects
from workbench.expr.expressions import And, Expr, conjunction
from workbench.expr.parse import from_tree
from workbench.expr.resolve import resolve_predicate
from workbench.expr.tree import referenced_columns, walk
from workbench.spark.bucket import quoted
from workbench.spark.interrupts import stopping_when_cancelled
from workbench.spark.named_frames import named_frames
from workbench.spark.reading.condition import spark_condition
from workbench.spark.reading.metadata_columns import metadata_columns, with_metadata_columns
from workbench.spark.reading.reader import rows_of
from workbench.spark.reading.watched_frames import watched
from workbench.spark.storing.value_limits import with_char_types
from workbench.spark.zone import has_statement_zone

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable

_DEFAULT_DATABASE = "default"
# Spark evaluates the whole condition anyway, and a second one of this size takes long to compile.
_MOST_PUSHED_NODES = 2_000


def query(text: str, catalog: Catalog, *, session: SparkSession, progress: Progress) -> DataFrame:
    """Return a query over the tables of a catalog, and over views of the session, as a lazy DataFrame.

    The DataFrame raises TableNotFound when it is used after one of its tables was dropped, renamed or created again.

    Raises:
        Unsupported: If the statement is not a query.
        InvalidExpression: If the text cannot be parsed.
        TableNotFound: If neither the catalog nor Spark has a table of that name.
    """
    return query_of(text, _CatalogTables(catalog, session), session=session, progress=progress)


class Tables(Protocol):
    """The scope in which the table names of a query are resolved."""

    def open(self, parts: tuple[str, ...], version: tuple[str, str] | None) -> ReadableTable | DataFrame | None:
        """Return the table or the rows that a name refers to; None if only Spark knows the name.

        Args:
            parts: The parts of the name.
            version: VERSION or TIMESTAMP, and the value after AS OF; None without one.

        Raises:
            TableNotFound: If there is no such table.
        """


def query_of(
    text: str,
    tables: Tables,
    *,
    session: SparkSession,
    progress: Progress,
    args: dict[str, Any] | list[Any] | None = None,
) -> DataFrame:
    """Return a query as a lazy DataFrame.

    Args:
        text: The query.
        tables: The scope in which its table names are resolved.
        session: The Spark session.
        progress: Receives reports of the planning, and cancels it.
        args: The values of parameters, as in ``SparkSession.sql``.

    Raises:
        Unsupported: If the statement is not a query.
        InvalidExpression: If the text cannot be parsed.
        TableNotFound: If a name is unknown.
    """
    text = with_selects(text)
    tree = _parsed(text)
    cuts = list(_column_cuts(tree))
    loops = _may_loop(tree)
    with progress.step("Planning the query"), named_frames(session) as views:
        sources, stores = list(_sources(tree)), []
        for source in sources:
            progress.check()
            table: Any = tables.open(source.parts, source.version)
            if table is None:
                continue
            if not is_frame(table):
                stores.append(table.store)
            if source.columns is None and len(sources) == 1 and (hidden := _hidden_columns(source, table)):
                names = table.schema.field_names
                cuts += _star_cuts(text, ", ".join(map(quoted, names)))
                source = replace(source, columns=frozenset(name.lower() for name in (*names, *hidden)))
            frame = _read_pruned(source, table, session)
            if loops:
                frame = stopping_when_cancelled(frame)
            name = views.create(frame)
            cuts.append((*source.span, source.replacement(name)))
        return watched(views.query(_cut(text, cuts), args), stores)


@dataclass(frozen=True)
class _Source:
    """A mention of a table in a query: its position, its name or alias, and what the query uses of it."""

    parts: tuple[str, ...]
    alias: str
    has_alias: bool
    version: tuple[str, str] | None
    span: tuple[int, int]
    columns: frozenset[str] | None
    mentioned: frozenset[str]
    where: Any

    def replacement(self, view: str) -> str:
        return quoted(view) if self.has_alias else f"{quoted(view)} AS {quoted(self.parts[-1])}"


def _parsed(query: str) -> Any:
    try:
        trees: list[Any] = [tree for tree in sqlglot.parse(query, dialect=statement_dialect()) if tree is not None]
    except sqlglot.errors.SqlglotError as error:
        raise InvalidExpression(f"The query cannot be parsed: {str(error).splitlines()[0]}") from error
    if len(trees) != 1:
        raise InvalidExpression("Pass one query at a time.")
    if not isinstance(trees[0], exp.Query):
        raise Unsupported(
            f"{trees[0].key.upper()} is not a query.", "Pass a SELECT to wb.spark.sql; use wb.spark.write to write."
        )
    return trees[0]


def _sources(tree: Any) -> Iterator[_Source]:
    """Yield the tables that the query reads, without common table expressions and table functions."""
    columns = _named_columns(tree)
    mentioned = frozenset(part.name.lower() for column in tree.find_all(exp.Column) for part in column.parts)
    seen: set[int] = set()
    for scope in scopes.traverse_scope(tree):
        for alias, source in scope.sources.items():
            if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier) or id(source) in seen:
                continue
            seen.add(id(source))
            parts, version = source.parts, source.args.get("version")
            last = version.expression if version is not None else parts[-1]
            yield _Source(
                parts=tuple(part.name for part in parts),
                alias=alias,
                has_alias=bool(source.alias),
                version=(version.name, version.expression.name) if version is not None else None,
                span=(parts[0].meta["start"], last.meta["end"] + 1),
                columns=columns,
                mentioned=mentioned,
                where=_where_of(scope.expression, source),
            )


def _named_columns(tree: Any) -> frozenset[str] | None:
    """Return every name, in lower case, that may be a column; None if the query selects all columns of something."""
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return None
    names = {part.name.lower() for column in tree.find_all(exp.Column) for part in column.parts}
    for join in tree.find_all(exp.Join):
        if join.args.get("method") == "NATURAL":
            return None
        names.update(key.name.lower() for key in join.args.get("using") or ())
    rows = {table.alias_or_name.lower() for table in tree.find_all(exp.Table)}
    whole_rows = {column.name.lower() for column in tree.find_all(exp.Column)} & rows
    return None if whole_rows else frozenset(names)


def _where_of(select: Any, source: Any) -> Any:
    """Return the condition of a query that reads only this table, without the table's name before the columns."""
    where = select.args.get("where")
    if where is None or select.args.get("joins") or select.args.get("laterals") or source.args.get("joins"):
        return None
    condition = where.this.copy()
    if condition.find(exp.Query) is not None:
        return None
    for column in list(condition.find_all(exp.Column)):
        if column.table and column.table.lower() == source.alias_or_name.lower():
            column.set("table", None)
            column.set("db", None)
    return condition


def _may_loop(tree: Any) -> bool:
    """Return whether a task may do much work for one row of a table: a join without equal keys compares it with all
    rows of the other table, and a generator turns it into many rows."""
    loops = any(not _has_equal_keys(join) for join in tree.find_all(exp.Join))
    return loops or tree.find(exp.Lateral, exp.Explode, exp.Unnest) is not None


def _has_equal_keys(join: Any) -> bool:
    if join.args.get("using") or join.args.get("method") == "NATURAL":
        return True
    condition = join.args.get("on")
    parts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    return any(
        isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column)
        for part in parts
    )


def _column_cuts(tree: Any) -> Iterator[tuple[int, int, str]]:
    """Yield cuts that remove the database of ``database.table.column``, as the view has only the table's name."""
    for column in tree.find_all(exp.Column):
        parts = column.parts
        if column.args.get("db") is not None and all("start" in part.meta for part in parts):
            yield parts[0].meta["start"], parts[-2].meta["start"], ""


def _hidden_columns(source: _Source, table: Any) -> list[str]:
    """Return the metadata columns of a table that the query names."""
    known = {} if is_frame(table) else metadata_columns(table.schema)
    return [name for name in known if name.lower() in source.mentioned]


def _star_cuts(text: str, columns: str) -> Iterator[tuple[int, int, str]]:
    """Yield cuts that replace ``*`` by the columns, because ``*`` does not include metadata columns."""
    tokens = tokens_of(text)
    for before, token in pairwise(tokens):
        if token.token_type.name == "STAR" and before.token_type.name in ("SELECT", "DISTINCT", "ALL", "COMMA"):
            yield token.start, token.end + 1, columns


def is_frame(value: Any) -> bool:
    """Return whether a value of `Tables.open` is a DataFrame, also one of Spark Connect."""
    return hasattr(value, "sparkSession")


@dataclass(frozen=True)
class _CatalogTables:
    """The tables of a catalog, and the views and tables that the session knows."""

    catalog: Catalog
    session: SparkSession

    def open(self, parts: tuple[str, ...], version: tuple[str, str] | None) -> ReadableTable | None:
        """Return the table at its version; None if only Spark knows the name."""
        if len(parts) > 2:
            raise TableNotFound(f"There is no table '{'.'.join(parts)}'.", "Name it database.table.")
        name = ".".join(parts if len(parts) == 2 else (_DEFAULT_DATABASE, *parts))
        try:
            table = self.catalog.open(name)
        except (TableNotFound, DatabaseNotFound):
            if version is None and self.session.catalog.tableExists(".".join(map(quoted, parts))):
                return None
            raise
        if version is None:
            return table
        kind, value = version
        return table.at(timestamp=value) if kind.upper() == "TIMESTAMP" else table.at(version=value)


def _read_pruned(source: _Source, table: Any, session: SparkSession) -> DataFrame:
    if is_frame(table):
        frame: DataFrame = table
        return frame
    names = table.schema.field_names
    columns = None
    if source.columns is not None:
        columns = [name for name in names if name.lower() in source.columns] or [names[0]]
        hidden = _hidden_columns(source, table)
        if hidden:
            return with_char_types(with_metadata_columns(table, [*columns, *hidden], session), table.schema.fields)
    rows = rows_of(table.scan(columns, _pushed_down(source.where, table, session)), session)
    return with_char_types(rows, table.schema.fields)


def _pushed_down(where: Any, table: ReadableTable, session: SparkSession) -> Expr | None:
    """Return the parts of a condition that mean the same here as in Spark, to prune files and rows early. Spark still
    evaluates the whole condition.
    """
    if where is None:
        return None
    try:
        condition = from_tree(where)
    except InvalidExpression:
        return None
    if sum(1 for _ in walk(condition)) > _MOST_PUSHED_NODES:
        return None
    parts = condition.operands if isinstance(condition, And) else (condition,)
    kept = [part for part in parts if _means_the_same(part, table, has_statement_zone(session))]
    return conjunction(kept) if kept else None


def _means_the_same(part: Expr, table: ReadableTable, same_zone: bool) -> bool:
    try:
        resolved = resolve_predicate(part, table.schema.fields)
    except InvalidExpression:
        return False
    timely = any(table.schema.field(name).type.root.startswith("TIMESTAMP") for name in referenced_columns(resolved))
    return (same_zone or not timely) and spark_condition(resolved) is not None


def _cut(text: str, cuts: list[tuple[int, int, str]]) -> str:
    """Return ``text`` with each span replaced; every other character stays as the user wrote it."""
    pieces, begin = [], 0
    for start, end, new in sorted(cuts):
        pieces += [text[begin:start], new]
        begin = end
    return "".join([*pieces, text[begin:]])
