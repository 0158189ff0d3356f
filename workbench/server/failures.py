"""Errors as the browser gets them: an HTTP status and ``{code, message, hint}``."""

from __future__ import annotations

import json

from workbench.server.protocol import Answer

INVALID_REQUEST = "invalid_request"


def failure(status: int, code: str, message: str, hint: str | None = None) -> Answer:
    """An answer that tells of an error."""
    return Answer(status, json.dumps({"code": code, "message": message, "hint": hint}).encode())


def out_of_memory(megabytes: int) -> Answer:
    """The worker has come to its cap."""
    return failure(
        503,
        "out_of_memory",
        f"This needs more than the {megabytes:,} MB that reading may use.",
        "Raise c.PaimonWorkbench.memory_megabytes in the server's configuration.",
    )


def too_slow(seconds: float) -> Answer:
    """No answer in time."""
    return failure(
        504,
        "timeout",
        f"There was no answer within {seconds:g} seconds.",
        "Try again, or raise c.PaimonWorkbench.request_timeout in the server's configuration.",
    )


def worker_died() -> Answer:
    """The worker ended while it answered, and did so again when asked once more."""
    return failure(
        503,
        "worker_died",
        "The process that reads tables ended twice while it worked on this.",
        "Try again. If it stays so, the server's log tells more.",
    )
