"""Errors as values, for those who are told of them elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import WorkbenchError
from workbench.lens.credentials import without_credentials


@dataclass(frozen=True)
class ErrorValue:
    """What went wrong. ``code`` names the kind of error, ``hint`` says what to do."""

    code: str
    message: str
    hint: str | None


def tell_error(error: WorkbenchError) -> ErrorValue:
    """An error, with no credentials in the locations that it names."""
    hint = None if error.hint is None else without_credentials(error.hint)
    return ErrorValue(error.code, without_credentials(error.message), hint)
