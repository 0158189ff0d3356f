"""What the errors of reads become on their way to the browser."""

from __future__ import annotations

import errno
import logging

from workbench.base.errors import WorkbenchError
from workbench.lens.error import tell_error
from workbench.server.failures import INVALID_REQUEST, failure
from workbench.server.protocol import Answer

_STATUS = {INVALID_REQUEST: 400, "already_exists": 409, "cancelled": 503}
_NOT_FOUND, _UNUSABLE = 404, 422
_IMPOSSIBLE_NAME = {errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP}


def failure_of(error: Exception, log: logging.Logger) -> Answer:
    """An error as an answer. What nobody foresaw goes to the log; the browser hears only of what kind it is."""
    if isinstance(error, WorkbenchError):
        told = tell_error(error)
        status = _NOT_FOUND if told.code.endswith("_not_found") else _STATUS.get(told.code, _UNUSABLE)
        return failure(status, told.code, told.message, told.hint)
    if isinstance(error, OSError):
        return _failure_of_store(error, log)
    log.error("Paimon workbench: an unexpected error", exc_info=error)
    message = f"This went wrong in the workbench itself ({type(error).__name__})."
    return failure(500, "internal_error", message, "The server's log tells more.")


def _failure_of_store(error: OSError, log: logging.Logger) -> Answer:
    if error.errno in _IMPOSSIBLE_NAME:
        return failure(400, INVALID_REQUEST, "The store cannot have this name.", "It is too long, or malformed.")
    log.warning("Paimon workbench: a store fails", exc_info=error)
    reason = f": {error.strerror}" if error.strerror else ""
    hint = "Check that the warehouse can be reached, and that you may read it."
    return failure(503, "storage_error", f"The store cannot be read{reason}.", hint)
