"""Requests to a REST service: connections, headers, retries, and errors by the answers."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.base.errors import CatalogError, NoAnswer
from workbench.base.secrets import without_credentials
from workbench.base.texts import without_error_number
from workbench.catalog.rest.auth import AuthProvider, Request
from workbench.catalog.rest.errors import error_of
from workbench.catalog.rest.paths import encoded
from workbench.catalog.waits import waits

if TYPE_CHECKING:
    import requests

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 6.0
# A service copies, moves and deletes files before it answers a change.
_PATIENCE = 10
RETRIES = 5
RETRY_SECONDS = 60.0
_BUSY = (429, 503)
_POOL = 16


class RestClient:
    """Sends requests to a service. Those that change nothing, or the same thing however often they are sent, are sent
    again if the service is busy.

    Args:
        uri: The address of the service.
        headers: Headers of all requests.
        auth: What proves who sends the requests.
        answer_seconds: How long an answer may take; ten times as long if the service may copy, move or delete files.
    """

    def __init__(
        self, uri: str, headers: Mapping[str, str], auth: AuthProvider, answer_seconds: float = ANSWER_SECONDS
    ) -> None:
        address = uri.rstrip("/")
        self._address = address if address.startswith(("http://", "https://")) else f"http://{address}"
        self._headers = headers
        self._auth = auth
        self._answer_seconds = answer_seconds
        self.service = f"The catalog service at {without_credentials(self._address)}"
        """What messages call the service."""

    def __repr__(self) -> str:
        return f"<RestClient of {without_credentials(self._address)}>"

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Return the document at a path."""
        return self._sent(Request("GET", path, query or {}), True, self._answer_seconds)

    def post(self, path: str, body: Mapping[str, Any], *, repeatable: bool = False, patience: int = _PATIENCE) -> Any:
        """Send a document, and return the answer; None if it is empty."""
        # The fewest characters, because they are signed and sent.
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return self._sent(Request("POST", path, body=text), repeatable, patience * self._answer_seconds)

    def delete(self, path: str) -> None:
        """Delete what is at a path."""
        self._sent(Request("DELETE", path), True, _PATIENCE * self._answer_seconds)

    def _sent(self, request: Request, repeatable: bool, seconds: float) -> Any:
        deadline = time.monotonic() + RETRY_SECONDS
        with waits.waiting(f"Waiting for {without_credentials(self._address)}"):
            for attempt in range(RETRIES + 1):
                # A repeated deletion would not find what the first one has deleted.
                may_repeat = repeatable and attempt == 0 and request.method != "DELETE"
                answer = self._once(request, may_repeat, seconds)
                if answer is None:
                    continue
                if answer.status_code not in _BUSY or not repeatable or attempt == RETRIES:
                    break
                pause = _pause(answer, attempt)
                if time.monotonic() + pause > deadline:
                    break
                time.sleep(pause)
        assert answer is not None
        return self._document(answer, request)

    def _once(self, request: Request, may_repeat: bool, seconds: float) -> requests.Response | None:
        """Return the answer to a request; None if the connection was an old one that the service had closed."""
        import requests

        session = _session(os.getpid())
        query = "&".join(f"{encoded(key)}={encoded(value)}" for key, value in request.query.items())
        url = f"{self._address}{request.path}{f'?{query}' if query else ''}"
        content = {"Content-Type": "application/json"} if request.body is not None else {}
        headers = {**self._headers, **content, **self._auth.headers(request)}
        _check(headers)
        prepared = session.prepare_request(
            requests.Request(request.method, url, headers=headers, data=(request.body or "").encode())
        )
        # As it is signed: the library would decode some characters.
        prepared.url = url
        settings = session.merge_environment_settings(url, {}, None, None, None)
        try:
            return session.send(prepared, timeout=(CONNECT_SECONDS, seconds), allow_redirects=False, **settings)
        except requests.ConnectTimeout:
            raise self._no_answer(f"cannot be reached within {CONNECT_SECONDS:.0f} seconds") from None
        except requests.Timeout:
            raise self._no_answer(f"does not answer within {seconds:.0f} seconds") from None
        except requests.ConnectionError as error:
            if may_repeat and "aborted" in str(error).lower():
                return None
            raise self._no_answer(f"cannot be reached: {_cause(error)}") from None
        except requests.RequestException as error:
            raise self._no_answer(f"cannot be used: {_cause(error)}") from None

    def _no_answer(self, what: str) -> NoAnswer:
        return NoAnswer(f"{self.service} {what}.", "Check option 'uri', and that the service is running.")

    def _document(self, answer: requests.Response, request: Request) -> Any:
        if 300 <= answer.status_code < 400:
            raise CatalogError(f"{self.service} is at another address now.", "Set option 'uri' to that address.")
        if answer.status_code >= 400:
            raise error_of(answer.status_code, answer.content, self.service, request.path)
        if not answer.content.strip():
            return None
        try:
            return answer.json()
        except ValueError:
            # The answer may contain credentials, so it is not shown.
            raise NoAnswer(f"{self.service} answered {request.path} with something other than JSON.") from None


@lru_cache(maxsize=2)
def _session(process: int) -> requests.Session:  # noqa: ARG001
    """Return the connections of this process: a child process must not use those of its parent."""
    try:
        import requests
        from requests.adapters import HTTPAdapter
    except ImportError as error:
        raise CatalogError(
            "Catalogs of kind rest require the package 'requests'.", "Install it: pip install 'paimon-workbench[rest]'."
        ) from error
    session = requests.Session()
    adapter = HTTPAdapter(pool_connections=_POOL, pool_maxsize=_POOL)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    # Without one, the library would send the password of a file .netrc instead of the token.
    session.auth = _unchanged
    return session


def _check(headers: Mapping[str, str]) -> None:
    """Raise CatalogError if a header cannot be sent. The library would show its value, which may be a secret."""
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable() and value == value.strip()):
            raise CatalogError(
                f"The header '{name}' contains characters that cannot be sent.",
                "Remove line breaks, outer spaces and characters other than ASCII from its option.",
            )


def _unchanged(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _pause(answer: requests.Response, attempt: int) -> float:
    """Return after how many seconds a busy service is sent the request again: as it says, or longer each time."""
    text = answer.headers.get("Retry-After", "")
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return float(0.25 * 2**attempt * (1 + random.random() / 10))


def _cause(error: BaseException) -> str:
    """Return the reason at the root of an error of the library, without addresses of objects."""
    root: Any = error
    while True:
        inner = getattr(root, "reason", None) or next(
            (each for each in reversed(getattr(root, "args", ())) if isinstance(each, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            break
        root = inner
    text = getattr(root, "strerror", None) or str(root).rpartition(": ")[2] or type(root).__name__
    return without_error_number(without_credentials(str(text)))
