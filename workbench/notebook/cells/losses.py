"""What statements and sub-commands would delete, in words, and the question whether to run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import ConfirmationRequired, TableNotFound, WorkbenchError
from workbench.base.texts import size_text
from workbench.lens.buckets import collect_files
from workbench.notebook.command import Session
from workbench.sql.commands.alter_partitions import DropPartitions
from workbench.sql.commands.call import Call
from workbench.sql.commands.rows import Truncate
from workbench.sql.context import Context
from workbench.sql.parse import parse
from workbench.sql.statements import DropDatabase, DropTable

_MOST_NAMES = 8
_FINAL = "; this cannot be undone"


def is_interactive(shell: Any) -> bool:
    """Return whether a person runs the cell. Tools that execute notebooks, such as nbconvert, send cells to the kernel
    with a flag that forbids input."""
    kernel = getattr(shell, "kernel", None)
    return kernel is not None and bool(getattr(kernel, "_allow_stdin", False))


def require_confirmation(statements: Sequence[str], session: Session, flags: str, *, as_written: bool = False) -> None:
    """Refuse a cell that would delete something. ``flags`` are the flags in its first line. An engine that runs
    statements ``as_written`` runs them on tables that this library does not know, so the error can show only the
    statement.

    Raises:
        ConfirmationRequired: One of the statements would delete something; the message says what.
    """
    find = _losses_as_written if as_written else _losses
    losses = [loss for text in statements for loss in find(text, session)]
    if losses:
        raise confirmation(
            "; and ".join(losses), f"%%paimon {f'{flags} ' if flags else ''}--yes", ";\n".join(statements)
        )


def confirmation(loss: str, line: str, statements: str = "") -> ConfirmationRequired:
    """Return the error that says what would be deleted, with the cell that deletes it."""
    return ConfirmationRequired(
        f"This would delete {loss}.", "Run this cell to do it:", f"{line}\n{statements}".strip()
    )


def drop_table_loss(table: Any) -> str:
    """Return what dropping a table deletes."""
    return f"table {table.name} with {_contents(table)}{_FINAL}"


def truncate_loss(table: Any) -> str:
    """Return what truncating a table deletes."""
    return f"all rows of {table.name} ({_stored(table)}); older snapshots keep them until they expire"


def rollback_loss(table: Any, snapshot: int) -> str | None:
    """Return what a rollback deletes, None if the snapshot is the newest."""
    newest = table.snapshot().id
    if snapshot >= newest:
        return None
    tags = [name for name, tag in table.tags().items() if tag.snapshot.id > snapshot]
    return f"{_range(snapshot + 1, newest).removeprefix(', ')} of {table.name}{_named('tags', tags)}{_FINAL}"


def _losses(text: str, session: Session) -> list[str]:
    """Return what a statement deletes. A statement that cannot be parsed, or whose names are unknown, deletes nothing:
    it raises an error when it is run."""
    try:
        statement = parse(text)
        find = _LOSSES.get(type(statement))
        loss = None if find is None else find(statement, session)
    except WorkbenchError:
        return []
    return [] if loss is None else [loss]


def _losses_as_written(text: str, _session: Session) -> list[str]:
    try:
        deletes = type(parse(text)) in _LOSSES
    except WorkbenchError:
        return []
    return [f"what this statement names: {' '.join(text.split())}"] if deletes else []


def _of_drop_table(statement: DropTable, session: Session) -> str | None:
    catalog = session.require_catalog()
    name = ".".join(Context(catalog, session.database).full_name(statement.table))
    try:
        table = catalog.get_table(name)
    except TableNotFound:
        return None
    except WorkbenchError as error:
        return f"table {name}, whose contents are unknown ({error.message})"
    return drop_table_loss(table)


def _of_drop_database(statement: DropDatabase, session: Session) -> str | None:
    tables = session.require_catalog().list_tables(statement.name)
    if not statement.cascade or not tables:
        return None
    return f"database {statement.name} with all data of {counted(len(tables), 'tables')}: {_names(tables)}{_FINAL}"


def _of_truncate(statement: Truncate, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    if statement.partition is None:
        return truncate_loss(table)
    return _partitions_loss(table, [statement.partition])


def _of_drop_partitions(statement: DropPartitions, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    return _partitions_loss(table, statement.partitions)


def _of_call(statement: Call, session: Session) -> str | None:
    return statement.loss(Context(session.require_catalog(), session.database))


def _partitions_loss(table: Any, partitions: Sequence[Mapping[str, Any]]) -> str:
    named = ["/".join(f"{column}={value}" for column, value in partition.items()) for partition in partitions]
    return f"all rows of {table.name} in {_names(named)}; older snapshots keep them until they expire"


_LOSSES: Mapping[type, Callable[[Any, Session], str | None]] = {
    DropTable: _of_drop_table,
    DropDatabase: _of_drop_database,
    Truncate: _of_truncate,
    DropPartitions: _of_drop_partitions,
    Call: _of_call,
}


def _contents(table: Any) -> str:
    try:
        return f"{_stored(table)}{_named('tags', list(table.tags()))}{_named('branches', table.branches())}"
    except (WorkbenchError, OSError) as error:
        return f"contents that cannot be read ({error})"


def _stored(table: Any) -> str:
    if table.version is None:
        return "no rows"
    files = [file for bucket in collect_files(table.store, table.version).values() for file in bucket]
    rows = counted(sum(file.row_count for file in files), "stored rows")
    stored = f"{rows} in {counted(len(files), 'files')} of {size_text(sum(file.file_size for file in files))}"
    return f"{stored}{_range(table.store.snapshots.earliest_id(), table.version.id)}"


def _range(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    return f", snapshot {last:,}" if first == last else f", snapshots {first:,} to {last:,}"


def _named(what: str, names: Sequence[str]) -> str:
    return f", {counted(len(names), what)} ({_names(names)})" if names else ""


def _names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
