"""Errors as values of the contract."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import CorruptFile, WorkbenchError
from workbench.base.secrets import without_credentials, without_secrets


@dataclass(frozen=True)
class ErrorValue:
    """An error. ``code`` names its kind, ``hint`` says what to do, ``file`` is the path of a damaged file."""

    code: str
    message: str
    hint: str | None
    file: str | None = None


def describe_error(error: WorkbenchError) -> ErrorValue:
    """Return the value of an error, without secrets."""
    hint = None if error.hint is None else without_secrets(error.hint)
    file = without_credentials(error.path) if isinstance(error, CorruptFile) else None
    return ErrorValue(error.code, without_secrets(error.message), hint, file)
