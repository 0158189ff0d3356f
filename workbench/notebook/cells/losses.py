"""What statements and sub-commands would delete, in words, and the question whether to run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from workbench.base.confirmation import YES_VARIABLE
from workbench.base.counting import counted
from workbench.base.errors import (
    CatalogError,
    ConfirmationRequired,
    DatabaseNotFound,
    TableNotFound,
    WorkbenchError,
)
from workbench.base.texts import size_text
from workbench.catalog.identifier import Identifier
from workbench.lens.buckets import collect_files
from workbench.notebook.cells.use import database_of_use
from workbench.notebook.command import Session
from workbench.sql.commands.alter import DropColumns
from workbench.sql.commands.alter_partitions import DropPartitions
from workbench.sql.commands.call import Call
from workbench.sql.commands.copy_into import CopyRows
from workbench.sql.commands.rows import Delete, Truncate
from workbench.sql.commands.tags import DeleteTags
from workbench.sql.commands.views import DropView
from workbench.sql.context import Context
from workbench.sql.parse import parse
from workbench.sql.procedures.protocol import FINAL
from workbench.sql.statements import DropDatabase, DropTable

S = TypeVar("S")
_MOST_NAMES = 8
_KEPT = "older snapshots keep them until they expire"


def require_confirmation(statements: Sequence[str], session: Session, flags: str, *, as_written: bool = False) -> None:
    """Refuse a cell that would delete something. ``flags`` are the flags in its first line. An engine that runs
    statements ``as_written`` runs them on tables that this library does not know, so the error can show only the
    statement.

    Raises:
        ConfirmationRequired: One of the statements would delete something; the message says what.
    """
    find = _losses_as_written if as_written else _losses
    losses: list[str] = []
    seen = replace(session)
    for text in statements:
        losses += find(text, seen)
        # The database in which the following statements look for their tables.
        seen.database = database_of_use(text) or seen.database
    if losses:
        raise confirmation(
            "; and ".join(losses), f"%%paimon {f'{flags} ' if flags else ''}--yes", ";\n".join(statements)
        )


def confirmation(loss: str, line: str, statements: str = "") -> ConfirmationRequired:
    """Return the error that says what would be deleted, with the cell that deletes it."""
    return ConfirmationRequired(
        f"This would delete {loss}.",
        f"Run this cell to do it; jobs may set {YES_VARIABLE}=1:",
        f"{line}\n{statements}".strip(),
    )


def drop_table_loss(table: Any) -> str:
    """Return what dropping a table deletes."""
    return f"table {table.name} with {_contents(table)}{FINAL}"


def truncate_loss(table: Any) -> str:
    """Return what truncating a table deletes."""
    return f"all rows of {table.name} ({_or_unreadable(lambda: _stored(table))}); {_KEPT}"


def rollback_loss(table: Any, snapshot: int) -> str | None:
    """Return what a rollback deletes, None if the snapshot is the newest."""
    newest = table.snapshot().id
    if snapshot >= newest:
        return None
    tags = [name for name, tag in table.tags().items() if tag.snapshot.id > snapshot]
    return f"{_range(snapshot + 1, newest).removeprefix(', ')} of {table.name}{_named('tags', tags)}{FINAL}"


@dataclass(frozen=True)
class _Loss(Generic[S]):
    """What a kind of statement deletes. ``applies`` judges by the statement alone; ``describe`` looks at the tables,
    and returns None if there is nothing to delete."""

    applies: Callable[[S], bool]
    describe: Callable[[S, Session], str | None]


def _losses(text: str, session: Session) -> list[str]:
    """Return what a statement deletes. A statement that cannot be parsed, or whose names are unknown, deletes nothing:
    it raises an error when it is run."""
    try:
        statement = parse(text)
    except WorkbenchError:
        return []
    loss = _LOSSES.get(type(statement))
    if loss is None or not loss.applies(statement):
        return []
    try:
        found = loss.describe(statement, session)
    except (CatalogError, DatabaseNotFound, TableNotFound):
        return []
    except WorkbenchError as error:
        found = f"{_named_by(text)}, whose contents are unknown ({error.message})"
    return [] if found is None else [found]


def _losses_as_written(text: str, _session: Session) -> list[str]:
    try:
        statement = parse(text)
    except WorkbenchError:
        # Other engines know more statements than this library.
        deletes = text.split()[0].upper() in _DELETING_WORDS
    else:
        loss = _LOSSES.get(type(statement))
        deletes = loss is not None and loss.applies(statement)
    return [_named_by(text)] if deletes else []


def _named_by(text: str) -> str:
    return f"what this statement names: {' '.join(text.split())}"


def _of_drop_table(statement: DropTable, session: Session) -> str | None:
    catalog = session.require_catalog()
    name = ".".join(Context(catalog, session.database).full_name(statement.table))
    try:
        table = catalog.get_table(name)
    except TableNotFound:
        return None
    except WorkbenchError as error:
        return f"table {name}, whose contents are unknown ({error.message})"
    if _is_external(catalog, name):
        return f"external table {name} from the catalog; its files in {table.location} are kept"
    return drop_table_loss(table)


def _of_drop_database(statement: DropDatabase, session: Session) -> str | None:
    catalog = session.require_catalog()
    tables, views = catalog.list_tables(statement.name), catalog.list_views(statement.name)
    if not tables and not views:
        return None
    kept = [each for each in tables if _is_external(catalog, f"{statement.name}.{each}")]
    deleted = [each for each in tables if each not in kept]
    lost = [
        f"{before}{counted(len(names), kind)}: {_names(names)}{after}"
        for before, kind, names, after in (
            ("all data of ", "tables", deleted, ""),
            ("", "views", views, ""),
            ("", "external tables", kept, ", whose files are kept"),
        )
        if names
    ]
    return f"database {statement.name} with {' and '.join(lost)}{FINAL}"


def _is_external(catalog: Any, name: str) -> bool:
    """Return whether the files of a table are kept when it is dropped; False if its catalog cannot describe it."""
    if not catalog.metastore.has_external_tables:
        return False
    try:
        description = catalog.metastore.get_table(Identifier.parse(name, whole=True))
    except WorkbenchError:
        return False
    return description is not None and bool(description.is_external)


def _of_drop_view(statement: DropView, session: Session) -> str | None:
    context = Context(session.require_catalog(), session.database)
    if context.find_view(statement.view) is None:
        return None
    return f"view {'.'.join(context.full_name(statement.view))} with its query{FINAL}"


def _of_truncate(statement: Truncate, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    if statement.partition is None:
        return truncate_loss(table)
    return _partitions_loss(table, [statement.partition])


def _of_drop_partitions(statement: DropPartitions, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    return _partitions_loss(table, statement.partitions)


def _of_delete(statement: Delete, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    return None if table.version is None else truncate_loss(table)


def _of_drop_columns(statement: DropColumns, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    known = {name.lower() for name in table.schema.field_names}
    columns = [".".join(path) for path in statement.columns if path[0].lower() in known]
    if table.version is None or not columns:
        return None
    return f"all values of {_named('columns', columns).removeprefix(', ')} of {table.name}; {_KEPT}"


def _of_delete_tags(statement: DeleteTags, session: Session) -> str | None:
    table = Context(session.require_catalog(), session.database).table(statement.table)
    tags = [name for name in statement.names if name in table.tags()]
    return f"{_named('tags', tags).removeprefix(', ')} of {table.name}{FINAL}" if tags else None


def _partitions_loss(table: Any, partitions: Sequence[Mapping[str, Any]]) -> str:
    named = ["/".join(f"{column}={value}" for column, value in partition.items()) for partition in partitions]
    return f"all rows of {table.name} in {_names(named)}; {_KEPT}"


def _always(_statement: Any) -> bool:
    return True


# INSERT OVERWRITE and UPDATE are not listed: they write the rows that take the place of others, and jobs repeat them.
_LOSSES: Mapping[type, _Loss[Any]] = {
    DropTable: _Loss(_always, _of_drop_table),
    DropView: _Loss(_always, _of_drop_view),
    DropDatabase: _Loss[DropDatabase](lambda statement: statement.cascade, _of_drop_database),
    Truncate: _Loss(_always, _of_truncate),
    Delete: _Loss[Delete](lambda statement: statement.is_of_all_rows, _of_delete),
    DropPartitions: _Loss(_always, _of_drop_partitions),
    DropColumns: _Loss(_always, _of_drop_columns),
    DeleteTags: _Loss(_always, _of_delete_tags),
    CopyRows: _Loss[CopyRows](
        lambda statement: statement.overwrite, lambda statement, _session: f"the files in '{statement.path}'{FINAL}"
    ),
    Call: _Loss[Call](lambda call: call.loss is not None, lambda call, _session: call.loss),
}
_DELETING_WORDS = ("DROP", "TRUNCATE")


def _contents(table: Any) -> str:
    return _or_unreadable(
        lambda: f"{_stored(table)}{_named('tags', list(table.tags()))}{_named('branches', table.branches())}"
    )


def _or_unreadable(read: Callable[[], str]) -> str:
    try:
        return read()
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
