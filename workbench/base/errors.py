"""The errors that users meet. Each message is a short sentence that names the subject and says what to do."""

# ruff: noqa: N818 - users read these names: each says what happened, not that it is an error.

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from workbench.base.failed_reads import FAILED_READS
from workbench.base.modules import difflib
from workbench.base.secrets import without_secrets

# Names and paths come from tables: they must not break a line or control a terminal.
_SHOWN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}

_ENDS = ".!?:…"


class WorkbenchError(Exception):
    """Base of all errors that users meet. ``str(error)`` is the whole message; ``hint`` says what to do, or is None.
    Both are without the secrets of catalogs, which libraries and services repeat in their messages.

    If the error is about a known part of a statement, ``span`` is the start and the exclusive end of that part, and
    ``excerpt`` is the line that contains it, followed by a line that marks it.
    """

    code = "workbench_error"
    span: tuple[int, int] | None = None
    excerpt: tuple[str, ...] = ()

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(without_secrets(message))
        shown = without_secrets(message).translate(_SHOWN)
        # Without a mark, a message that ends with a text of the user would run into its hint.
        self.message = f"{shown}." if hint and shown[-1:] not in _ENDS else shown
        self.hint = None if hint is None else without_secrets(hint).translate(_SHOWN)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message

    def at(self, start: int, end: int) -> Self:
        """Set ``span``, the part of the statement that the error is about, and return the error."""
        self.span = (start, end)
        return self

    def _render_traceback_(self) -> list[str]:
        """Return the traceback that IPython shows, without the frames of this library."""
        from workbench.base.tracebacks import render

        return render(self)


class CatalogError(WorkbenchError):
    """A warehouse or a catalog name cannot be used."""

    code = "catalog_error"


class NoAnswer(CatalogError):
    """The service of a catalog does not answer, or its answer was lost: whether it did what was requested is unknown.
    A later request may be successful although nothing has changed here."""

    code = "no_answer"


class CatalogNotFound(CatalogError):
    """There is no catalog of that name."""

    code = "catalog_not_found"


class DatabaseNotFound(WorkbenchError):
    """The catalog has no such database."""

    code = "database_not_found"


class TableNotFound(WorkbenchError):
    """The database has no such table."""

    code = "table_not_found"


class AlreadyExists(WorkbenchError):
    """A database, table, tag or branch of that name already exists."""

    code = "already_exists"


class SnapshotNotFound(WorkbenchError):
    """The requested version does not exist, or has expired."""

    code = "snapshot_not_found"


class SchemaMismatch(WorkbenchError):
    """Data does not fit the table. The message names the column and the types."""

    code = "schema_mismatch"


class InvalidSchema(WorkbenchError):
    """A table definition is invalid: an unknown type, a missing key column, or options that contradict each other."""

    code = "invalid_schema"


class InvalidExpression(WorkbenchError):
    """A predicate or statement cannot be parsed. The message quotes the incorrect part."""

    code = "invalid_expression"


class CorruptFile(WorkbenchError):
    """A file of the table is missing, truncated or corrupt. ``path`` is its full path.

    A ``transient`` error says nothing about the file itself, such as one of the network.
    """

    code = "corrupt_file"

    def __init__(self, path: str, reason: str, hint: str | None = None, transient: bool = False) -> None:
        super().__init__(f"Cannot read {path}: {reason.strip().rstrip('.')}.", hint)
        self.path = path
        self.reason = reason
        self.transient = transient
        if not transient:
            FAILED_READS.record(path, reason)

    def __reduce__(self) -> tuple[type[CorruptFile], tuple[str, str, str | None, bool]]:
        return type(self), (self.path, self.reason, self.hint, self.transient)


class MergeError(WorkbenchError):
    """Rows cannot be merged: the table's merge engine does not accept a delete, a sum overflows, or several source rows
    match one row of the table."""

    code = "merge_error"


class InvalidRequest(WorkbenchError):
    """An argument of a call or a parameter of a request has the wrong type or an invalid value."""

    code = "invalid_request"


class CommitConflict(WorkbenchError):
    """Another writer changed the same files first; none of this commit's changes are visible."""

    code = "commit_conflict"


class Unsupported(WorkbenchError):
    """A feature of Paimon that this library does not support. The message names it and its value."""

    code = "unsupported"


class ReadOnlyTableError(WorkbenchError, AttributeError):
    """A method that changes tables was called on a read-only one, such as a system table."""

    code = "read_only_table"


class ReadOnlyCatalogError(WorkbenchError):
    """A change was requested in a catalog that was opened read-only; nothing was changed."""

    code = "read_only_catalog"


class ConfirmationRequired(WorkbenchError):
    """A cell would permanently delete something. The message says what; ``cell`` is the text of a cell that does so."""

    code = "confirmation_required"

    def __init__(self, message: str, hint: str, cell: str) -> None:
        super().__init__(message, hint)
        self.cell = cell

    def __str__(self) -> str:
        return f"{super().__str__()} {self.cell}"

    def __reduce__(self) -> tuple[type[ConfirmationRequired], tuple[str, str | None, str]]:
        return type(self), (self.message, self.hint, self.cell)


class UnknownOption(WorkbenchError):
    """An unknown option. The message suggests the most similar one that exists."""

    code = "unknown_option"


class Cancelled(WorkbenchError):
    """The user canceled the operation; none of its changes are visible."""

    code = "cancelled"

    def __init__(self, message: str = "Canceled.", hint: str | None = None) -> None:
        super().__init__(message, hint)


def near_match(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to ``name``, or None if none is similar: for 'did you mean …' hints."""
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return the hint ``Did you mean 'x'?``, or None."""
    near = near_match(name, known)
    return f"Did you mean '{near}'?" if near else None


def misspelled(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` is meant to be: another one at a distance of two edits, or of one edit if it
    has fewer than six characters; None if there is none. An edit inserts, deletes or replaces a character.

    Example:
        >>> misspelled("wharehous", ["uri", "warehouse"])
        'warehouse'
    """
    near = ((_edits(name, each), each) for each in known)
    found = min((each for each in near if 0 < each[0] <= (1 if len(each[1]) < 6 else 2)), default=None)
    return None if found is None else found[1]


def _edits(first: str, second: str) -> int:
    """Return the number of edits between two texts."""
    before = list(range(len(second) + 1))
    for row, one in enumerate(first, 1):
        after = [row]
        for column, other in enumerate(second, 1):
            after.append(min(before[column] + 1, after[-1] + 1, before[column - 1] + (one != other)))
        before = after
    return before[-1]
