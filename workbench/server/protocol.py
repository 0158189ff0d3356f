"""What server and worker say to each other over pipes: a JSON header and a body, each with its length before it."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

LENGTHS = struct.Struct(">II")

# The operation that looks at a watched table, again and again.
POLL = "newest"

Header = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What to read. ``entity_tags`` are those of answers that the client still has."""

    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    entity_tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """An HTTP status and the JSON text to send with it. ``seconds``: how long the worker was at it."""

    status: int
    body: bytes
    entity_tag: str | None = None
    seconds: float = 0.0


def frame(header: Header, body: bytes = b"") -> bytes:
    """One message."""
    head = json.dumps(header).encode()
    return LENGTHS.pack(len(head), len(body)) + head + body


def read_frame(source: BinaryIO) -> tuple[Header, bytes] | None:
    """The next message; None at the end, where the other side is gone."""
    lengths = source.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    head_length, body_length = LENGTHS.unpack(lengths)
    head, body = source.read(head_length), source.read(body_length)
    return (json.loads(head), body) if len(body) == body_length and len(head) == head_length else None


def request_frame(number: int, request: Request) -> bytes:
    """A request under the number that its answer will carry."""
    header = {
        "number": number,
        "operation": request.operation,
        "arguments": request.arguments,
        "entity_tags": request.entity_tags,
    }
    return frame(header)


def cancel_frame(number: int) -> bytes:
    """The wish that a request be given up; it is answered all the same."""
    return frame({"number": number, "cancel": True})


def request_of(header: Header) -> Request:
    """The request in a header."""
    return Request(header["operation"], header["arguments"], tuple(header["entity_tags"]))


def answer_frame(number: int, answer: Answer) -> bytes:
    """The answer to a request."""
    header = {
        "number": number,
        "status": answer.status,
        "entity_tag": answer.entity_tag,
        "seconds": answer.seconds,
    }
    return frame(header, answer.body)


def answer_of(header: Header, body: bytes) -> Answer:
    """The answer in a message."""
    return Answer(header["status"], body, header["entity_tag"], header["seconds"])
