"""Errors of a REST service, as the errors that users of any catalog meet."""

from __future__ import annotations

import json
from typing import Any

from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    DatabaseNotFound,
    InvalidSchema,
    NoAnswer,
    SchemaMismatch,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.base.secrets import without_credentials

_TOKEN_OPTIONS = "Check options 'token.provider' and 'token' (or 'dlf.*')."
_MISSING: dict[str, type[WorkbenchError]] = {
    "DATABASE": DatabaseNotFound,
    "TABLE": TableNotFound,
    "VIEW": TableNotFound,
    "FUNCTION": TableNotFound,
    "BRANCH": TableNotFound,
    "SNAPSHOT": SnapshotNotFound,
    "TAG": SnapshotNotFound,
    "COLUMN": SchemaMismatch,
    "DIALECT": TableNotFound,
    "DEFINITION": TableNotFound,
}
_LONGEST = 500


class ServiceFailedError(NoAnswer):
    """The service answered that it failed, perhaps after it did what was requested."""


def error_of(status: int, body: bytes, service: str, resource: str) -> WorkbenchError:
    """Return the error that an answer means.

    Args:
        status: The HTTP status of the answer.
        body: Its body, which may be empty or of another program.
        service: What messages call the service.
        resource: What was requested, without the parameters, which may contain secrets.
    """
    document = _document(body)
    message = without_credentials(str(document.get("message") or "")[:_LONGEST])
    given = document.get("code")
    code = given if isinstance(given, int) else status
    said = f": {message}" if message else "."
    if code == 401:
        return CatalogError(f"{service} did not accept the credentials of this client{said}", _TOKEN_OPTIONS)
    if code == 403:
        return CatalogError(f"{service} does not permit this{said}", f"Ask for permission. {_TOKEN_OPTIONS}")
    if code == 404:
        return _missing(document, message, service, resource)
    if code == 409:
        return AlreadyExists(message or f"{service} already has {document.get('resourceName') or resource}.")
    if code == 400:
        return InvalidSchema(f"{service} refused the request as invalid{said}")
    if code == 501:
        return Unsupported(f"{service} does not support this{said}")
    if code == 429:
        return ServiceFailedError(f"{service} is busy (status 429){said}", "Try again later.")
    if code >= 500:
        return ServiceFailedError(
            f"{service} failed with status {code}{said}", "Try again, or see the log of the service."
        )
    return CatalogError(f"{service} answered with status {code}{said}")


def _missing(document: dict[str, Any], message: str, service: str, resource: str) -> WorkbenchError:
    kind = str(document.get("resourceType") or "")
    if kind in _MISSING:
        name = document.get("resourceName") or resource
        return _MISSING[kind](message or f"{service} has no {kind.lower()} '{name}'.")
    # A service of this protocol names what is missing, so another program answered.
    return CatalogError(f"{service} has nothing at {resource}.", "Check options 'uri', 'prefix' and 'warehouse'.")


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
