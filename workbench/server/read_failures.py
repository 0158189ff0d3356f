"""How errors raised while reading are reported to the browser."""

from __future__ import annotations

import errno
import logging

from workbench.base.errors import WorkbenchError
from workbench.base.secrets import without_credentials, without_secrets
from workbench.lens.error import describe_error
from workbench.server.failures import INVALID_REQUEST, failure
from workbench.server.protocol import Answer

_STATUS = {INVALID_REQUEST: 400, "already_exists": 409, "cancelled": 503}
_CAUSES = {
    errno.EACCES: ("you have no permission", "Ask for the right to read it, or choose another directory."),
    errno.EPERM: ("you have no permission", "Ask for the right to read it, or choose another directory."),
    errno.ELOOP: ("its symbolic links form a loop", "Correct the links, or choose another directory."),
}
_NOT_FOUND, _UNPROCESSABLE = 404, 422
_INVALID_NAME = {errno.ENAMETOOLONG, errno.EINVAL}


def failure_of(error: Exception, log: logging.Logger) -> Answer:
    """Return an error as an answer.

    Unexpected errors are logged in full; the browser learns only their type.
    """
    if isinstance(error, WorkbenchError):
        value = describe_error(error)
        status = _NOT_FOUND if value.code.endswith("_not_found") else _STATUS.get(value.code, _UNPROCESSABLE)
        return failure(status, value.code, value.message, value.hint, value.file)
    if isinstance(error, OSError):
        return _failure_of_storage(error, log)
    log.error("Paimon workbench: an unexpected error", exc_info=error)
    message = f"The workbench failed with an unexpected error ({type(error).__name__})."
    return failure(500, "internal_error", message, "See the server's log for details.")


def _failure_of_storage(error: OSError, log: logging.Logger) -> Answer:
    if error.errno in _INVALID_NAME:
        return failure(400, INVALID_REQUEST, "The storage does not allow this name.", "It is too long or malformed.")
    log.warning("Paimon workbench: the storage failed", exc_info=error)
    path = without_credentials(error.filename) if isinstance(error.filename, str) else "The storage"
    cause, hint = _CAUSES.get(error.errno or 0, (error.strerror, "Check that the warehouse is reachable."))
    reason = f": {cause}" if cause else ""
    return failure(503, "storage_error", without_secrets(f"{path} cannot be read{reason}."), hint)
