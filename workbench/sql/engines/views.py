"""Views of the catalog in queries: each becomes its query, in the names that the catalog gives its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from workbench.base.errors import (
    CatalogError,
    DatabaseNotFound,
    InvalidExpression,
    SchemaMismatch,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.base.modules import exp
from workbench.catalog.descriptions import View
from workbench.catalog.identifier import Identifier
from workbench.expr.dialect import with_selects
from workbench.sql.context import Context
from workbench.sql.parts import parse_tree, select_of
from workbench.sql.statements import Select, TableRef, quote_name, with_full_names

DIALECT = "spark"
"""The name of the dialect of Spark among the dialects of a view, as Java's connector for Spark uses it."""

# The errors of queries that an engine does not accept.
_OF_QUERIES: tuple[type[WorkbenchError], ...] = (
    TableNotFound,
    DatabaseNotFound,
    CatalogError,
    InvalidExpression,
    SchemaMismatch,
    Unsupported,
)

Width = Callable[[Context, Select], int]
_Cut = tuple[int, int, str]


@dataclass(frozen=True)
class UsedView:
    """A view that a query reads, and its query with full names of tables, to be run in ``context``."""

    identifier: Identifier
    view: View
    context: Context
    select: Select


@dataclass(frozen=True)
class Expanded:
    """A query without names of views, and the views that it reads; inner ones come first."""

    select: Select
    views: tuple[UsedView, ...] = ()


def with_views_expanded(context: Context, select: Select, width: Width) -> Expanded:
    """Return a query in which each view of the catalog is replaced by the view's query.

    Args:
        context: The context of the query.
        select: The query.
        width: Returns the number of columns of a query, which is not run for it.

    Raises:
        InvalidExpression: If views refer to each other in a circle, or the query of a view cannot be parsed.
        Unsupported: If a version of a view is read.

    Example:
        >>> with_views_expanded(context, parse("SELECT id FROM shop.large"), width).select.text
        'SELECT id FROM (SELECT id FROM `shop`.`orders` WHERE qty > 9\\n) AS `large`(`id`)'
    """
    if select.tree is None or not context.catalog.has_views:
        return Expanded(select)
    return _Expansion(width).expanded(context, select, ())


def used_view(context: Context, table: TableRef) -> UsedView | None:
    """Return the view of the catalog that a name refers to; None if it is the name of anything else.

    Raises:
        InvalidExpression: If the query of the view cannot be parsed.
        CatalogError: If the query names a table of another catalog.
    """
    found = context.find_view(table)
    if found is None:
        return None
    identifier, view = found
    try:
        # A view does not read the data frames and the current database of the user.
        inner = replace(context, database=identifier.database, frames={}, statement=view.query_for(DIALECT))
        return UsedView(identifier, view, inner, query_with_full_names(inner, inner.statement))
    except (CatalogError, InvalidExpression, Unsupported) as error:
        raise _about(identifier, error) from error


def query_with_full_names(context: Context, text: str) -> Select:
    """Return a query in which each table has the name of its database and, in sessions, of the catalog.

    Raises:
        InvalidExpression: If the text is not a query.
        CatalogError: If a table is in another catalog.
    """
    body = with_selects(text)
    tree = parse_tree(body)
    if not isinstance(tree, exp.Query):
        raise InvalidExpression(f"'{text}' is not a query.", "Write a SELECT statement.")
    plain = select_of(tree, body)
    catalog = () if context.session is None and context.run_query is None else (context.catalog_name,)
    full = with_full_names(plain, {table: (*catalog, *context.full_name(table)) for table in plain.tables})
    return select_of(parse_tree(full), full)


def check_reads_no(identifier: Identifier, context: Context, select: Select) -> None:
    """Check that a query does not read a view, not even through other views.

    Raises:
        InvalidExpression: If it does.
    """
    pending = [(context, table) for table in select.tables]
    seen: set[Identifier] = set()
    while pending:
        used = used_view(*pending.pop())
        if used is None or used.identifier in seen:
            continue
        if used.identifier == identifier:
            raise InvalidExpression(f"View {identifier} cannot read itself.", "Name the tables that it reads.")
        seen.add(used.identifier)
        pending += [(used.context, table) for table in used.select.tables]


class _Expansion:
    """The expansion of one query."""

    def __init__(self, width: Width) -> None:
        self._width = width
        self._views: dict[Identifier, UsedView] = {}

    def expanded(self, context: Context, select: Select, outer: tuple[Identifier, ...]) -> Expanded:
        """Return a query without views. ``outer`` are the views whose queries contain it."""
        found = {table: used for table in select.tables if (used := used_view(context, table)) is not None}
        if not found:
            return Expanded(select)
        cuts: list[_Cut] = []
        for table, used in found.items():
            if table.version is not None:
                raise Unsupported(f"{used.identifier} is a view and has no versions.", "Read its tables at a version.")
            if used.identifier in outer:
                circle = " → ".join(map(str, (*outer[outer.index(used.identifier) :], used.identifier)))
                raise InvalidExpression(f"View {used.identifier} reads itself: {circle}.", "Alter one of the views.")
            inner = self.expanded(used.context, used.select, (*outer, used.identifier)).select
            self._views[used.identifier] = replace(used, select=inner)
            cuts += _cuts_of(select.tree, table, self._relation(self._views[used.identifier]), used.view)
        text = _cut(select.text, cuts)
        return Expanded(select_of(parse_tree(text), text), tuple(self._views.values()))

    def _relation(self, used: UsedView) -> str:
        """Return the query of a view in parentheses; columns that its tables got later are left out."""
        # The query may end with a comment, which ends at the end of its line.
        relation, names = f"({used.select.text}\n)", [each.name for each in used.view.fields]
        if not getattr(used.select.tree, "is_star", True):
            return relation
        width = self._width(used.context, used.select)
        if width <= len(names):
            return relation
        every = [*names, *(f"{names[0]} {number}" for number in range(width - len(names)))]
        return f"(SELECT {_listed(names)} FROM {relation} AS {quote_name(used.identifier.table)}({_listed(every)}))"


def _cuts_of(tree: Any, table: TableRef, relation: str, view: View) -> Iterator[_Cut]:
    """Yield the cuts that put a relation, with the columns of the view, in the place of one table."""
    columns = f"({_listed([each.name for each in view.fields])})"
    node = next(each for each in tree.find_all(exp.Table) if _start(each) == table.span[0])
    alias = node.args.get("alias")
    if alias is None or alias.this is None:
        yield *table.span, f"{relation} AS {quote_name(table.parts[-1])}{columns}"
        yield from _shorter_columns(tree, table)
        return
    yield *table.span, relation
    if not alias.args.get("columns"):
        end = alias.this.meta["end"] + 1
        yield end, end, columns


def _shorter_columns(tree: Any, table: TableRef) -> Iterator[_Cut]:
    """Yield cuts that remove the database before ``view.column``: the relation has only the view's name."""
    for column in tree.find_all(exp.Column):
        parts = column.parts
        named = tuple(part.name.lower() for part in parts[:-1])
        is_own = len(named) > 1 and named == tuple(part.lower() for part in table.parts[-len(named) :])
        if is_own and all("start" in part.meta for part in parts[:-1]):
            yield parts[0].meta["start"], parts[-2].meta["start"], ""


def _start(node: Any) -> int:
    return int(node.parts[0].meta.get("start", -1)) if node.parts else -1


def _listed(names: list[str]) -> str:
    return ", ".join(map(quote_name, names))


def _cut(text: str, cuts: list[_Cut]) -> str:
    pieces, begin = [], 0
    for start, end, new in sorted(set(cuts)):
        pieces += [text[begin:start], new]
        begin = end
    return "".join([*pieces, text[begin:]])


def naming_views(
    expanded: Expanded, error: WorkbenchError, check: Callable[[Context, Select], object]
) -> WorkbenchError:
    """Return the error of a query; it names the view whose own query raises an error, too.

    Args:
        expanded: The query.
        error: What the engine raised.
        check: Prepares a query on the same engine.
    """
    for used in expanded.views if isinstance(error, _OF_QUERIES) else ():
        try:
            check(used.context, used.select)
        except _OF_QUERIES as own:
            return _about(used.identifier, own)
    return error


def _about(identifier: Identifier, error: WorkbenchError) -> WorkbenchError:
    kind = next((kind for kind in _OF_QUERIES if isinstance(error, kind)), WorkbenchError)
    return kind(f"View {identifier} cannot be read: {error.message}", error.hint)
