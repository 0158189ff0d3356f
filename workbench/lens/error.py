"""Errors as values of the contract."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import WorkbenchError
from workbench.lens.credentials import without_credentials


@dataclass(frozen=True)
class ErrorValue:
    """An error. ``code`` names its kind, ``hint`` says what to do."""

    code: str
    message: str
    hint: str | None


def describe_error(error: WorkbenchError) -> ErrorValue:
    """Return the value of an error, without the credentials in its URLs."""
    hint = None if error.hint is None else without_credentials(error.hint)
    return ErrorValue(error.code, without_credentials(error.message), hint)
