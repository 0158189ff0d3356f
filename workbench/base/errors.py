"""The one family of errors. Each message is a short sentence that names the thing and says what to do."""

# ruff: noqa: N818 - users read these names: each says what happened, not that it is an error.

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Names and paths come from tables: they must not break a line or steer a terminal.
_SHOWN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}


class WorkbenchError(Exception):
    """Base of all errors that users meet. ``str(error)`` is the whole message; ``hint`` is what to do, or None."""

    code = "workbench_error"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message.translate(_SHOWN)
        self.hint = None if hint is None else hint.translate(_SHOWN)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class CatalogError(WorkbenchError):
    """A warehouse or a catalog name that cannot be used."""

    code = "catalog_error"


class CatalogNotFound(CatalogError):
    """No catalog has such a name."""

    code = "catalog_not_found"


class DatabaseNotFound(WorkbenchError):
    """The catalog has no such database."""

    code = "database_not_found"


class TableNotFound(WorkbenchError):
    """The database has no such table."""

    code = "table_not_found"


class AlreadyExists(WorkbenchError):
    """A database, table, tag or branch of that name is there already."""

    code = "already_exists"


class SnapshotNotFound(WorkbenchError):
    """The version asked for does not exist, or has expired."""

    code = "snapshot_not_found"


class SchemaMismatch(WorkbenchError):
    """Data that does not fit the table. The message names column and types."""

    code = "schema_mismatch"


class InvalidSchema(WorkbenchError):
    """A table definition that cannot be: unknown type, missing key column, option that contradicts another."""

    code = "invalid_schema"


class InvalidExpression(WorkbenchError):
    """A predicate or statement that cannot be understood. The message quotes the part that is wrong."""

    code = "invalid_expression"


class CorruptFile(WorkbenchError):
    """A file of the table that is missing, truncated or garbled. ``path`` is its full path."""

    code = "corrupt_file"

    def __init__(self, path: str, reason: str, hint: str | None = None) -> None:
        super().__init__(f"Cannot read {path}: {reason.strip().rstrip('.')}.", hint)
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type[CorruptFile], tuple[str, str, str | None]]:
        return type(self), (self.path, self.reason, self.hint)


class MergeError(WorkbenchError):
    """Rows that cannot be merged: a delete that the merge engine of their table does not take, a sum that overflows,
    several rows of a source for one row of the table."""

    code = "merge_error"


class InvalidRequest(WorkbenchError):
    """What a page, a bucket or a version is asked for with is in no form that can be understood."""

    code = "invalid_request"


class CommitConflict(WorkbenchError):
    """Another writer changed the same files first; nothing of this commit is visible."""

    code = "commit_conflict"


class Unsupported(WorkbenchError):
    """Something Paimon has and this library does not do. The message names it and its value."""

    code = "unsupported"


class UnknownOption(WorkbenchError):
    """An option that no one knows. The message names the nearest one that exists."""

    code = "unknown_option"


class Cancelled(WorkbenchError):
    """The user stopped the work; nothing of it is visible."""

    code = "cancelled"

    def __init__(self, message: str = "Cancelled.", hint: str | None = None) -> None:
        super().__init__(message, hint)


def near_match(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, or None where nothing comes near: for 'did you mean …' hints."""
    found = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A ready hint, ``Did you mean 'x'?``, or None."""
    near = near_match(name, known)
    return f"Did you mean '{near}'?" if near else None
