"""Validation of the values in request URLs and bodies. Every check raises InvalidRequest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from workbench.base.errors import CatalogError, InvalidRequest
from workbench.catalog.identifier import check_name
from workbench.catalog.named import check_catalog_name
from workbench.lens.wire import Int64

MAX_ITEMS = 1000
DEFAULT_ITEMS = 200
DEFAULT_BUCKETS = 500
DEFAULT_ROWS = 100

_INTEGER = re.compile(r"[0-9]{1,19}")
_MAX_LENGTH = 1000
# The token of a request without a cookie, and the timestamps that clients add to bypass caches.
_OF_THE_SERVER = re.compile(r"token|no_track_activity|\d+")


@dataclass(frozen=True)
class Parse:
    """The parser of a request field, given as ``Annotated[type, Parse(parser)]``.

    ``parser`` takes the field's name and its value in the URL or the JSON body, and returns the checked value.
    """

    parser: Callable[[str, Any], Any]


def check_known(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse unknown parameters: they are most likely misspelled."""
    allowed = set(known)
    unknown = [name for name in given if name not in allowed and not _OF_THE_SERVER.fullmatch(name)]
    if unknown:
        hint = f"Known parameters: {', '.join(sorted(allowed))}." if allowed else "It takes no parameters."
        raise InvalidRequest(f"Unknown parameter '{unknown[0][:100]}'.", hint)


def check_length(name: str, text: str) -> str:
    """Return a query parameter if it is not too long."""
    if len(text) > _MAX_LENGTH:
        raise InvalidRequest(f"'{name}' is too long.", f"Pass at most {_MAX_LENGTH} characters.")
    return text


def json_object(body: str | bytes) -> dict[str, Any]:
    """Return the JSON object in a request body or a websocket message."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The body is not valid JSON.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return value


def text_in(body: Mapping[str, Any], name: str) -> str:
    """Return a required string of a JSON object."""
    return _text(name, body.get(name))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"'{name}' must be a string.")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidRequest(f"'{name}' must be true or false.")
    return value


def _query_flag(name: str, value: Any) -> bool:
    if value not in ("true", "false"):
        raise InvalidRequest(f"'{name}' must be true or false.")
    return bool(value == "true")


def _position(name: str, value: Any) -> int:
    text = _text(name, value)
    if not _INTEGER.fullmatch(text):
        raise InvalidRequest(f"{text[:100]!r} is not a valid '{name}'.", "Pass an integer of 0 or more.")
    return int(text)


def _limit(name: str, value: Any) -> int:
    text = _text(name, value)
    if not _INTEGER.fullmatch(text) or not 1 <= int(text) <= MAX_ITEMS:
        raise InvalidRequest(f"{text[:100]!r} is not a valid limit.", f"Pass an integer from 1 to {MAX_ITEMS}.")
    return int(text)


def _snapshot_id(name: str, value: Any) -> int:
    text = _text(name, value)
    if not _INTEGER.fullmatch(text):
        raise InvalidRequest(f"{text[:100]!r} is not a snapshot id.", "Pass an integer.")
    return int(text)


def _catalog_name(name: str, value: Any) -> str:
    try:
        return check_catalog_name(_text(name, value))
    except CatalogError as error:
        raise InvalidRequest(error.message, error.hint) from error


def _identifier(name: str, value: Any) -> str:
    try:
        return check_name(_text(name, value), name)
    except CatalogError as error:
        raise InvalidRequest(error.message, error.hint) from error


def _options(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise InvalidRequest(f"'{name}' must be an object whose values are strings.")
    return value


Text = Annotated[str, Parse(_text)]
Flag = Annotated[bool, Parse(_flag)]
QueryFlag = Annotated[bool, Parse(_query_flag)]
Limit = Annotated[int, Parse(_limit)]
Position = Annotated[int, Parse(_position)]
SnapshotId = Annotated[Int64, Parse(_snapshot_id)]
CatalogName = Annotated[str, Parse(_catalog_name)]
Name = Annotated[str, Parse(_identifier)]
CatalogOptions = Annotated[dict[str, str], Parse(_options)]
