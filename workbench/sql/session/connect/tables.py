"""The tables of a query on Spark Connect, with the options that the session and the query give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import DatabaseNotFound, TableNotFound
from workbench.expr.dialect import tokens_of
from workbench.spark.jvm.incremental import changed_rows, is_incremental
from workbench.spark.jvm.options import PATH, settings_of
from workbench.spark.jvm.reads import check_reading, open_table
from workbench.sql.cursor import Cursor
from workbench.sql.session.connect.position import Position
from workbench.sql.statements import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.table.readable_table import ReadableTable

# Options of Spark's readers.
_OF_SPARK = {"versionAsOf": "scan.version", "timestampAsOf": "scan.timestamp"}


@dataclass
class SessionTables:
    """Tables of the attached catalogs; ``given`` are names that stand for a table with options."""

    session: Any
    position: Position
    settings: Mapping[str, str]
    given: dict[str, tuple[tuple[str, ...], dict[str, str]]] = field(default_factory=dict)

    def open(self, parts: tuple[str, ...], version: tuple[str, str] | None) -> ReadableTable | DataFrame | None:
        """Return a table, or the changes that its options select; None if it is in no attached catalog."""
        if version is None and len(parts) == 1 and parts[0].lower() in self.position.views:
            text = self.position.views[parts[0].lower()]
            return None if text is None else self.session.sql(text)
        parts, options = self.given.get(parts[0], (parts, {})) if len(parts) == 1 else (parts, {})
        if version is not None:
            options = {**options, **_selected(*version)}
        return self.read(parts, options)

    def read(self, parts: tuple[str, ...], options: Mapping[str, str]) -> ReadableTable | DataFrame | None:
        """Return a table with read options, or the changes that these options select.

        Raises:
            TableNotFound: If the attached catalog has no such table.
        """
        found = self.position.full_name(parts)
        if found is None:
            return None
        catalog, database, name = found
        path = f"{database}.{name}"
        named = {_OF_SPARK.get(key, key): value for key, value in options.items()}
        reading = {PATH: path, **settings_of(self.settings, catalog, path), **named}
        check_reading(reading)
        try:
            if is_incremental(reading):
                return changed_rows(self.position.catalogs[catalog], reading, self.session)
            return open_table(self.position.catalogs[catalog], reading)
        except (TableNotFound, DatabaseNotFound):
            if len(parts) == 1 and not options and self.session.catalog.has_view(parts[0]):
                return None
            raise

    def with_options_named(self, text: str) -> str:
        """Return a query in which new names stand for the tables with ``WITH ('option' = 'value', …)``."""
        tokens = tokens_of(text)
        pieces: list[str] = []
        copied = 0
        for at, token in enumerate(tokens[:-2]):
            following = [each.token_type.name for each in tokens[at + 1 : at + 3]]
            if str(token.text).upper() != "WITH" or following != ["L_PAREN", "STRING"]:
                continue
            begin = at - 1
            while begin > 1 and tokens[begin - 1].token_type.name == "DOT":
                begin -= 2
            end = next(place for place in range(at, len(tokens)) if tokens[place].token_type.name == "R_PAREN")
            options = Cursor(text[tokens[at + 1].start : tokens[end].end + 1]).properties()
            parts = Cursor(text[tokens[begin].start : tokens[at - 1].end + 1]).path()
            name = f"workbench_table_{len(self.given)}"
            self.given[name] = (parts, options)
            pieces += [text[copied : tokens[begin].start], name, _alias(tokens[end + 1 : end + 2], parts[-1])]
            copied = tokens[end].end + 1
        return "".join([*pieces, text[copied:]])


def _selected(kind: str, value: str) -> dict[str, str]:
    """Return the read option for a version or a time; a time may be given as seconds since 1970."""
    if kind.upper() == "VERSION":
        return {"scan.version": value}
    return {"scan.timestamp-millis": f"{value}000"} if value.isdigit() else {"scan.timestamp": value}


def _alias(following: list[object], name: str) -> str:
    """Return the alias to write after a table; '' if the query already has one."""
    kind = following[0].token_type.name if following else ""  # type: ignore[attr-defined]
    return "" if kind in ("ALIAS", "VAR", "IDENTIFIER") else f" AS {quote_name(name)}"
