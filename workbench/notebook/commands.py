"""The sub-commands of `%paimon`: what is said on the line, what it calls, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.errors import CatalogError, DatabaseNotFound, InvalidExpression, did_you_mean
from workbench.base.progress import Progress
from workbench.lens.diff import gather_diff
from workbench.lens.levels import gather_buckets
from workbench.lens.summary import gather_summary
from workbench.lens.timeline import gather_timeline
from workbench.notebook.views import View, diff_view, levels_view, names_view, summary_view, timeline_view
from workbench.sql.context import Context
from workbench.sql.grid import Shown, count_text
from workbench.sql.result import done
from workbench.sql.statements import TableRef, Version

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog

_RANGE = re.compile(r"(?P<table>.+?)@(?P<start>\d+)\.\.(?P<end>\d+)")


@dataclass
class Session:
    """What `%paimon` remembers between cells. ``label`` is how the user spoke of the catalog, ``name`` its name in a
    catalog file where that is how it was opened."""

    catalog: FileSystemCatalog | None = None
    label: str = ""
    name: str | None = None
    database: str | None = None

    def require_catalog(self) -> FileSystemCatalog:
        """The catalog. Raises CatalogError before the first connect."""
        if self.catalog is None:
            raise CatalogError("No catalog is open.", "Open one: %paimon connect /path/to/warehouse.")
        return self.catalog

    def table(self, name: str, version: Version | None = None) -> Any:
        """A table by one to three parts, with back quotes around a part that holds dots."""
        parts = tuple(part.replace("``", "`") for part in re.findall(r"(?<=`)(?:[^`]|``)+(?=`)|[^`.]+", name))
        return Context(self.require_catalog(), self.database).table(TableRef(parts), version)


@dataclass(frozen=True)
class Request:
    """A sub-command's words (texts, or values of variables) and flags, and what it may use."""

    words: tuple[Any, ...]
    session: Session
    progress: Progress
    limit: int
    version: Version | None = None


@dataclass(frozen=True)
class Command:
    """A sub-command: how it is written, what it does, and whether its argument is a table or a database."""

    usage: str
    help: str
    run: Callable[[Request], Shown]
    argument: str = ""


def _connect(request: Request) -> Shown:
    from workbench.catalog.connect import connect
    from workbench.catalog.named import is_path

    if not request.words:
        raise CatalogError("Connect to what?", "Give a directory, a URL or a name: %paimon connect /data/warehouse.")
    target, *pairs = request.words
    session = request.session
    options = dict(_pair(str(word)) for word in pairs)
    catalog: Any = target if hasattr(target, "get_table") else connect(target, **options)
    session.catalog, session.label, session.database = catalog, str(target), None
    # Options beside a name make it another catalog than the one of that name.
    session.name = target if isinstance(target, str) and not is_path(target) and not options else None
    try:
        databases = catalog.list_databases()
    except CatalogError as error:
        # The place for a new warehouse is a fine thing to connect to, if it is said that it is one.
        return done(f"Connected to {target}. {error}")
    session.database = "default" if "default" in databases else databases[0] if len(databases) == 1 else None
    current = f"database {session.database}" if session.database else "no database chosen"
    return done(f"Connected to {target}: {count_text(len(databases), 'database')}, {current}.")


def _pair(word: str) -> tuple[str, str]:
    key, separator, value = word.partition("=")
    if not separator:
        raise CatalogError(f"'{word}' is no option.", "Options are written key=value.")
    return key, value


def _use(request: Request) -> Shown:
    name = _one(request, "use", "a database").strip("`")
    known = request.session.require_catalog().list_databases()
    if name not in known:
        raise DatabaseNotFound(f"There is no database '{name}'.", did_you_mean(name, known))
    request.session.database = name
    return done(f"Using database {name}.")


def _databases(request: Request) -> Shown:
    return names_view("database", request.session.require_catalog().list_databases(), "Databases")


def _tables(request: Request) -> Shown:
    catalog = request.session.require_catalog()
    database = str(request.words[0]).strip("`") if request.words else request.session.database
    if database is None:
        raise CatalogError("Tables of which database?", "Write %paimon tables <database>, or %paimon use <database>.")
    return names_view("table", catalog.list_tables(database), f"Tables in {database}")


def _describe(request: Request) -> Shown:
    return summary_view(gather_summary(_table(request, "describe")))


def _snapshots(request: Request) -> Shown:
    return timeline_view(gather_timeline(_table(request, "snapshots")), request.limit)


def _levels(request: Request) -> Shown:
    return levels_view(gather_buckets(_table(request, "levels")), request.limit)


def _table(request: Request, command: str) -> Any:
    return request.session.table(_one(request, command, "a table"), request.version)


def _diff(request: Request) -> View:
    said = _RANGE.fullmatch(_one(request, "diff", "a table and two snapshots"))
    if said is None:
        raise InvalidExpression(f"'{request.words[0]}' is no range of snapshots.", "Write %paimon diff table@3..7.")
    table = request.session.table(said["table"])
    return diff_view(gather_diff(table, int(said["start"]), int(said["end"]), request.progress), request.limit)


def _one(request: Request, command: str, what: str) -> str:
    if len(request.words) != 1:
        raise InvalidExpression(f"%paimon {command} takes {what}.", f"Write %paimon {COMMANDS[command].usage}.")
    return str(request.words[0])


def _help(request: Request) -> Shown:
    from workbench.notebook.help import help_view

    return help_view(request.session)


COMMANDS: dict[str, Command] = {
    "connect": Command("connect <path, URL or name> [key=value …]", "open a catalog", _connect),
    "use": Command("use <database>", "choose the database that names without one are looked up in", _use, "database"),
    "databases": Command("databases", "list databases", _databases),
    "tables": Command("tables [database]", "list tables", _tables, "database"),
    "describe": Command("describe <table>", "keys, columns, options, size", _describe, "table"),
    "snapshots": Command("snapshots <table>", "versions, newest first, and why compactions ran", _snapshots, "table"),
    "levels": Command("levels <table>", "sorted runs and files of each bucket", _levels, "table"),
    "diff": Command("diff <table>@3..7", "rows that changed after snapshot 3 up to 7", _diff, "table"),
    "help": Command("help", "this list", _help),
}


def run_command(name: str, request: Request) -> Shown:
    """Run a sub-command.

    Raises:
        InvalidExpression: there is none of that name.
    """
    if name not in COMMANDS:
        raise InvalidExpression(f"There is no %paimon {name}.", did_you_mean(name, COMMANDS) or "See %paimon help.")
    return COMMANDS[name].run(request)


def need_no_words(words: Sequence[str]) -> None:
    """Refuse words beside the flags of a `%%paimon` cell: the statement belongs below its first line."""
    if words:
        raise InvalidExpression(f"%%paimon does not take '{' '.join(words)}'.", "Write the statement below that line.")
