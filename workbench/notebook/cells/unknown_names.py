"""Names in SQL that the catalog does not know, with their positions: the editor underlines them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from workbench.base.errors import DatabaseNotFound, TableNotFound, WorkbenchError, did_you_mean
from workbench.base.modules import exp
from workbench.notebook.command import Session
from workbench.sql.context import Context
from workbench.sql.parse import split_script
from workbench.sql.parts import parse_tree, table_ref

# Statements whose first table need not exist.
_CREATES = ("CREATE", "DROP")
_HIDES_NAMES = ("CTE", "Subquery", "Lateral", "Unnest", "SetOperation")


@dataclass(frozen=True)
class UnknownName:
    """An unknown name, from ``start`` to ``end`` in the text; ``message`` says so and suggests a similar name."""

    start: int
    end: int
    message: str


def unknown_names_json(shell: Any, text: str) -> str:
    """Return the unknown names of a cell below its first line as JSON, for the editor of the notebook."""
    magic = shell.magics_manager.registry.get("PaimonMagic")
    found = [] if magic is None or magic.session.catalog is None else unknown_names(magic.session, text)
    return json.dumps([asdict(each) for each in found])


def unknown_names(session: Session, text: str) -> list[UnknownName]:
    """Return the unknown tables and columns in ``text``. Statements that cannot be parsed are not checked."""
    found: list[UnknownName] = []
    offset = 0
    try:
        statements = split_script(text)
    except WorkbenchError:
        return []
    for statement in statements:
        offset = text.index(statement, offset)
        if not statement.upper().startswith(_CREATES):
            found += [
                UnknownName(each.start + offset, each.end + offset, each.message) for each in _of(session, statement)
            ]
        offset += len(statement)
    return found


def _of(session: Session, statement: str) -> Iterator[UnknownName]:
    try:
        tree = parse_tree(statement)
        known = Context(session.require_catalog(), session.database)
    except WorkbenchError:
        return
    own = {each.alias_or_name.lower() for each in tree.find_all(exp.CTE)}
    columns: dict[str, list[str]] | None = {}
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier) or table.name.lower() in own:
            continue
        reference = table_ref(table)
        try:
            opened = known.table(reference)
        except (TableNotFound, DatabaseNotFound) as error:
            columns = None
            yield UnknownName(*reference.span, str(error))
        except WorkbenchError:
            columns = None
        else:
            if columns is not None:
                columns[table.alias_or_name.lower()] = [field.name for field in opened.readable_schema.fields]
    simple = not any(tree.find(getattr(exp, name)) for name in _HIDES_NAMES)
    if columns and simple and isinstance(tree, exp.Select):
        yield from _columns(tree, columns)


def _columns(tree: Any, tables: dict[str, list[str]]) -> Iterator[UnknownName]:
    """Yield the columns that no table of a query has; the query must have no sources other than tables."""
    aliases = {each.alias.lower() for each in tree.find_all(exp.Alias)}
    for column in tree.find_all(exp.Column):
        name = column.this
        if not isinstance(name, exp.Identifier) or "start" not in name.meta or len(column.parts) > 2:
            continue
        if column.table and column.table.lower() not in tables:
            continue  # A field of a structured column.
        names = tables[column.table.lower()] if column.table else [each for part in tables.values() for each in part]
        lower = {each.lower() for each in names} | (set() if column.table else aliases | set(tables))
        if column.name.lower() not in lower:
            hint = did_you_mean(column.name, names)
            message = f"There is no column '{column.name}'.{f' {hint}' if hint else ''}"
            yield UnknownName(name.meta["start"], name.meta["end"] + 1, message)
