"""The sub-commands of `%paimon`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import CatalogError, DatabaseNotFound, InvalidExpression, did_you_mean
from workbench.notebook.cells.losses import confirmation, rollback_loss, truncate_loss
from workbench.notebook.command import Command, Request, only_word, table_of
from workbench.notebook.explore import explore
from workbench.notebook.help import help_view
from workbench.notebook.jobs.background import require_running
from workbench.notebook.view_definitions import VIEWS
from workbench.notebook.views import names_view
from workbench.sql.frames import arrow_rows
from workbench.sql.grid import Shown, count_text
from workbench.sql.result import done, rows_result

_TRUNCATE, _ROLLBACK = "truncate <table> [--yes]", "rollback <table>@3 [--yes]"
_USE = "use <database>"
_OPTION = re.compile(r"[\w.-]+=")
_CANCEL, _WAIT = "cancel <job>", "wait [job]"
_REGISTER = "register <name> {frame}"


def _connect(request: Request) -> Shown:
    from workbench.catalog.connect import connect
    from workbench.catalog.named import is_path

    if not request.words:
        hint = "Pass a directory, a URL or a name: %paimon connect /data/warehouse."
        raise CatalogError("%paimon connect takes a warehouse.", hint)
    # A catalog may be given by its options alone.
    only_options = _OPTION.match(str(request.words[0])) is not None
    target, pairs = (None, request.words) if only_options else (request.words[0], request.words[1:])
    session = request.session
    options: dict[str, Any] = dict(_pair(str(word)) for word in pairs)
    catalog: Any = target if hasattr(target, "get_table") else connect(target, **options)
    target = catalog.warehouse if target is None else target
    session.catalog, session.label, session.database = catalog, str(target), None
    # With additional options, it is no longer the catalog that the catalog file names.
    session.name = target if isinstance(target, str) and not is_path(target) and not options else None
    try:
        databases = catalog.list_databases()
    except CatalogError as error:
        # A directory that does not exist yet may become a warehouse, so the error is only reported.
        return done(f"Connected to {target}. {error}")
    session.database = "default" if "default" in databases else databases[0] if len(databases) == 1 else None
    current = f"database {session.database}" if session.database else "no default database"
    return done(f"Connected to {target}: {count_text(len(databases), 'database')}, {current}.")


def _pair(word: str) -> tuple[str, str]:
    key, separator, value = word.partition("=")
    if not separator:
        raise CatalogError(f"'{word}' is not an option.", "Write options as key=value.")
    # The argument `read_only` takes a bool; the option of that name takes a string.
    return "read-only" if key == "read_only" else key, value


def _use(request: Request) -> Shown:
    name = only_word(request, _USE, "a database").strip("`")
    known = request.session.require_catalog().list_databases()
    if name not in known:
        raise DatabaseNotFound(f"Database '{name}' does not exist.", did_you_mean(name, known))
    request.session.database = name
    return done(f"Using database {name}.")


def _databases(request: Request) -> Shown:
    return names_view("database", request.session.require_catalog().list_databases(), "Databases")


def _tables(request: Request) -> Shown:
    catalog = request.session.require_catalog()
    database = str(request.words[0]).strip("`") if request.words else request.session.database
    if database is None:
        hint = "Write %paimon tables <database>, or %paimon use <database>."
        raise CatalogError("%paimon tables needs a database, because none is in use.", hint)
    return names_view("table", catalog.list_tables(database), f"Tables in {database}")


def _explore(request: Request) -> Shown:
    if request.words:
        raise InvalidExpression("%paimon explore takes no arguments.", "Write %paimon summary <table> for one table.")
    return explore(request.session.require_catalog())


def _register(request: Request) -> Shown:
    if len(request.words) != 2 or isinstance(request.words[1], str):
        raise InvalidExpression("%paimon register takes a name and a data frame.", f"Write %paimon {_REGISTER}.")
    name, frame = str(request.words[0]), request.words[1]
    rows = arrow_rows(frame)
    request.session.frames[name] = rows
    return done(f"Queries can read {name}: {count_text(rows.num_rows)}.")


def _jobs(request: Request) -> Shown:
    jobs = request.session.jobs.all()
    rows = pa.table(
        {
            "job": pa.array([job.number for job in jobs], pa.int32()),
            "state": pa.array([job.state for job in jobs], pa.string()),
            "seconds": pa.array([round(job.work.seconds, 1) for job in jobs], pa.float64()),
            "statement": pa.array([job.work.title for job in jobs], pa.string()),
        }
    )
    return rows_result(rows, "Jobs in the background", request.limit)


def _cancel(request: Request) -> Shown:
    job = request.session.jobs.job(only_word(request, _CANCEL, "the number of a job"))
    require_running(job)
    job.work.progress.cancel()
    return done(f"Job {job.number} is being canceled.")


def _wait(request: Request) -> Shown:
    jobs = request.session.jobs
    if request.words:
        job = jobs.job(only_word(request, _WAIT, "the number of a job"))
        job.wait(request.progress)
        return job.work.result()
    for each in jobs.all():
        each.wait(request.progress)
    return done("No job is running.")


def _help(request: Request) -> Shown:
    return help_view(request.session, commands())


def _truncate(request: Request) -> Shown:
    table = table_of(request, _TRUNCATE)
    table.truncate(progress=request.progress)
    return done(f"Deleted all rows of {table.name}: snapshot {table.snapshot().id:,}.")


def _rollback(request: Request) -> Shown:
    table, snapshot = _table_and_snapshot(request)
    rollback = table.rollback_to(snapshot)
    removed = f"{counted(len(rollback.snapshots), 'snapshots')} and {counted(len(rollback.tags), 'tags')} removed"
    return done(f"Rolled back {table.name} to snapshot {snapshot:,}: {removed}.")


def _table_and_snapshot(request: Request) -> tuple[Any, int]:
    name, _, snapshot = only_word(request, _ROLLBACK, "a table and a snapshot").rpartition("@")
    if not name or not snapshot.isdecimal():
        raise InvalidExpression(f"'{request.words[0]}' does not name a snapshot.", "Write %paimon rollback table@3.")
    return request.session.table(name), int(snapshot)


_CATALOG_COMMANDS = {
    "connect": Command("connect [path, URL or name] [key=value …]", "open a catalog", _connect, "catalog"),
    "use": Command(_USE, "set the default database", _use, "database"),
    "databases": Command("databases", "list databases", _databases),
    "tables": Command("tables [database]", "list tables", _tables, "database"),
    "explore": Command("explore", "the tree of the catalog and its tables", _explore),
}
_OTHER_COMMANDS = {
    "truncate": Command(
        _TRUNCATE, "delete all rows", _truncate, "table", lambda request: truncate_loss(table_of(request, _TRUNCATE))
    ),
    "rollback": Command(
        _ROLLBACK,
        "make snapshot 3 the newest, and remove later ones",
        _rollback,
        "table",
        lambda request: rollback_loss(*_table_and_snapshot(request)),
    ),
    "register": Command(
        _REGISTER, "make a data frame available to queries by a name; tables take precedence", _register
    ),
    "jobs": Command("jobs", "jobs in the background and their states", _jobs),
    "cancel": Command(_CANCEL, "cancel a job in the background", _cancel),
    "wait": Command(_WAIT, "wait for a job, or for all, and show the result", _wait),
    "help": Command("help", "this list", _help),
}


def commands() -> dict[str, Command]:
    """Return all sub-commands by name, with those of the registered views."""
    views = {word: command for view in VIEWS.values() for word, command in view.commands.items()}
    return {**_CATALOG_COMMANDS, **views, **_OTHER_COMMANDS}


def takes_text(name: str) -> bool:
    """Return whether the words after a sub-command are one text, such as a query."""
    command = commands().get(name)
    return command is not None and command.takes_text


def run_command(name: str, request: Request) -> Shown:
    """Run a sub-command.

    Raises:
        InvalidExpression: there is no such sub-command.
        ConfirmationRequired: it deletes something, and the user has to confirm that.
    """
    known = commands()
    if name not in known:
        words = f"Sub-commands: {', '.join(known)}. See %paimon help."
        raise InvalidExpression(f"Unknown command %paimon {name}.", did_you_mean(name.lower(), known) or words)
    command = known[name]
    loss = command.loss(request) if request.confirm and command.loss else None
    if loss is not None:
        raise confirmation(loss, f"%paimon {name} {' '.join(map(str, request.words))} --yes")
    return command.run(request)


def refuse_words(words: Sequence[str]) -> None:
    """Refuse words other than flags in the first line of a `%%paimon` cell: the statement belongs below it."""
    if words:
        raise InvalidExpression(f"%%paimon does not take '{' '.join(words)}'.", "Write the statement below that line.")
