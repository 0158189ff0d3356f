"""Errors as answers to the browser: an HTTP status and ``{code, message, hint, file}``."""

from __future__ import annotations

import json

from workbench.server.protocol import Answer

INVALID_REQUEST = "invalid_request"


def failure(status: int, code: str, message: str, hint: str | None = None, file: str | None = None) -> Answer:
    """Return an answer that reports an error."""
    return Answer(status, json.dumps({"code": code, "message": message, "hint": hint, "file": file}).encode())


def out_of_memory(megabytes: int) -> Answer:
    """Return the answer for a worker that reached its memory limit."""
    return failure(
        503,
        "out_of_memory",
        f"The request needs more memory than the limit of {megabytes:,} MB.",
        "Raise c.PaimonWorkbench.memory_megabytes in the server's configuration.",
    )


def too_slow(seconds: float) -> Answer:
    """Return the answer for a request that timed out."""
    return failure(
        504,
        "timeout",
        f"The request took longer than {seconds:g} seconds.",
        "Try again, or raise c.PaimonWorkbench.request_timeout in the server's configuration.",
    )


def worker_died() -> Answer:
    """Return the answer for a request during which the worker ended twice."""
    return failure(
        503,
        "worker_died",
        "The process that reads tables ended twice while it worked on this request.",
        "Try again. If it happens again, see the server's log.",
    )
