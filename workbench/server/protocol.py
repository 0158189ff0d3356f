"""The messages between server and worker, and the server extension as its handlers see it.

A message consists of the lengths of its header and its body, followed by the header, which is JSON, and the body.
"""

from __future__ import annotations

import json
import logging
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

LENGTHS = struct.Struct(">II")

# The operation that polls a watched table.
POLL = "newest"

Header = dict[str, Any]
SessionCatalogs = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Request:
    """A request to the worker.

    ``operation`` is the name of an endpoint and ``arguments`` the fields of its request. ``entity_tags`` identify the
    answers that the client already has; ``session_catalogs`` are the options of the catalogs added to the server.
    """

    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    entity_tags: tuple[str, ...] = ()
    session_catalogs: SessionCatalogs = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """An HTTP status and a JSON body. ``seconds`` is how long the worker needed."""

    status: int
    body: bytes
    entity_tag: str | None = None
    seconds: float = 0.0


class Worker(Protocol):
    """Answers requests in another process."""

    async def ask(self, request: Request) -> Answer:
        """Return the answer, or an answer that says why the request failed."""
        ...


class Workbench(Protocol):
    """The server extension."""

    log: logging.Logger
    session_catalogs: dict[str, Mapping[str, str]]

    @property
    def worker(self) -> Worker:
        """The worker process."""
        ...

    @property
    def poll_interval(self) -> float:
        """Seconds between two polls of a watched table."""
        ...


def frame(header: Header, body: bytes = b"") -> bytes:
    """Encode a message."""
    head = json.dumps(header).encode()
    return LENGTHS.pack(len(head), len(body)) + head + body


def read_frame(source: BinaryIO) -> tuple[Header, bytes] | None:
    """Read the next message; None at the end of the stream."""
    lengths = source.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    head_length, body_length = LENGTHS.unpack(lengths)
    head, body = source.read(head_length), source.read(body_length)
    return (json.loads(head), body) if len(body) == body_length and len(head) == head_length else None


def request_frame(number: int, request: Request) -> bytes:
    """Encode a request under the number that its answer will carry."""
    header = {
        "number": number,
        "operation": request.operation,
        "arguments": request.arguments,
        "entity_tags": request.entity_tags,
        "session_catalogs": request.session_catalogs,
    }
    return frame(header)


def cancel_frame(number: int) -> bytes:
    """Encode the cancellation of a request. The worker answers a cancelled request, too."""
    return frame({"number": number, "cancel": True})


def request_of(header: Header) -> Request:
    """Decode a request."""
    return Request(header["operation"], header["arguments"], tuple(header["entity_tags"]), header["session_catalogs"])


def answer_frame(number: int, answer: Answer) -> bytes:
    """Encode the answer to a request."""
    header = {
        "number": number,
        "status": answer.status,
        "entity_tag": answer.entity_tag,
        "seconds": answer.seconds,
    }
    return frame(header, answer.body)


def answer_of(header: Header, body: bytes) -> Answer:
    """Decode an answer."""
    return Answer(header["status"], body, header["entity_tag"], header["seconds"])
