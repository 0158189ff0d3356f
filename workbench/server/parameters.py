"""What stands in an address or a body, checked before anybody works with it. All raise InvalidRequest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.base.errors import CatalogError, InvalidRequest
from workbench.catalog.identifier import check_name
from workbench.catalog.named import absolute_warehouse, check_catalog_name

MOST_ITEMS = 1000
DEFAULT_ITEMS = 200
DEFAULT_BUCKETS = 500

_NUMBER = re.compile(r"[0-9]{1,19}")
_MOST_TEXT = 1000
# The token of a request without a cookie, and the marks that clients add so that nobody keeps an old answer.
_OF_THE_SERVER = re.compile(r"token|no_track_activity|\d+")


def check_known(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that mean nothing here: they are slips."""
    allowed = set(known)
    unknown = [name for name in given if name not in allowed and not _OF_THE_SERVER.fullmatch(name)]
    if unknown:
        hint = f"There are: {', '.join(sorted(allowed))}." if allowed else "There are none."
        raise InvalidRequest(f"'{unknown[0][:100]}' is no parameter of this address.", hint)


def catalog_name(text: str) -> str:
    """The name of a catalog."""
    try:
        return check_catalog_name(text)
    except CatalogError as error:
        raise InvalidRequest(error.message, error.hint) from error


def warehouse(text: str) -> str:
    """A directory or a URL, in a form that means the same in every process. The error does not repeat it: a URL may
    hold a password."""
    try:
        return absolute_warehouse(text)
    except CatalogError as error:
        raise InvalidRequest("'warehouse' is no directory and no URL of one store.", error.hint) from error


def name_part(text: str, what: str) -> str:
    """The name of a database or table."""
    try:
        return check_name(text, what)
    except CatalogError as error:
        raise InvalidRequest(error.message, error.hint) from error


def short_text(name: str, text: str) -> str:
    """A cursor, a bucket, a tag or what is searched for."""
    if len(text) > _MOST_TEXT:
        raise InvalidRequest(f"'{name}' is too long.", f"Give at most {_MOST_TEXT} characters.")
    return text


def limit_of(text: str | None, default: int) -> int:
    """How many items a page has."""
    if text is None:
        return default
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= MOST_ITEMS:
        raise InvalidRequest(f"{text[:100]!r} is no limit.", f"Give a number from 1 to {MOST_ITEMS}.")
    return int(text)


def snapshot_id(text: str) -> int:
    """The id of a snapshot."""
    if not _NUMBER.fullmatch(text):
        raise InvalidRequest(f"{text[:100]!r} is no snapshot.", "Give its number.")
    return int(text)


def json_object(body: str | bytes) -> dict[str, Any]:
    """The object that a request carries."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The body is not JSON.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The body is no JSON object.")
    return value


def text_of(body: Mapping[str, Any], key: str) -> str:
    """A text in a body."""
    value = body.get(key)
    if not isinstance(value, str):
        raise InvalidRequest(f"'{key}' is missing, or no text.")
    return value


def option_texts(value: Any) -> dict[str, str]:
    """Paimon's catalog options in a body."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise InvalidRequest("'options' is no object of texts.")
    return value
