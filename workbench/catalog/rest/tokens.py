"""Credentials for the files of one table, which the service gives for a limited time (Java ``RESTTokenFileIO``)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from workbench.base.errors import CatalogError
from workbench.base.secrets import keep_out_of_messages, names_a_secret
from workbench.catalog.rest.api import api_for
from workbench.storage.file_io import FileIO, InputFile
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")
_RENEWED_BEFORE = 3600.0
_ENDPOINT, _DLF_ENDPOINT = "fs.oss.endpoint", "dlf.oss-endpoint"


@dataclass(frozen=True)
class Token:
    """Options with credentials. Times are in seconds since the epoch."""

    options: Mapping[str, str] = field(repr=False)
    renewed_at: float
    expires: float


class TableTokens:
    """The credentials of one table in this process.

    Args:
        load: Requests credentials and when they expire.
    """

    def __init__(self, load: Callable[[], tuple[Mapping[str, str], float]]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._token: Token | None = None

    def current(self) -> Token:
        """Return valid credentials. They are renewed an hour before they expire, as in Java, or in the middle of their
        time if that is shorter.

        Raises:
            CatalogError: The service does not give any, and the former ones have expired.
        """
        with self._lock:
            if self._token is None or time.time() >= self._token.renewed_at:
                try:
                    self._token = self._requested()
                except CatalogError:
                    # The next use tries again.
                    if self._token is None or time.time() >= self._token.expires:
                        raise
            return self._token

    def _requested(self) -> Token:
        began = time.time()
        options, expires = self._load()
        keep_out_of_messages(value for name, value in options.items() if names_a_secret(name))
        return Token(options, expires - min(_RENEWED_BEFORE, max(0.0, expires - began) / 2), expires)


def tokens_of(options: Mapping[str, str], database: str, table: str, uuid: str) -> TableTokens:
    """Return the credentials of a table, the same for all who open it in this process. A table that was dropped and
    created again, which its ``uuid`` shows, gets others."""
    return _tokens(frozenset(options.items()), database, table, uuid, os.getpid())


@lru_cache(maxsize=4096)
def _tokens(
    options: frozenset[tuple[str, str]],
    database: str,
    table: str,
    uuid: str,  # noqa: ARG001
    process: int,  # noqa: ARG001
) -> TableTokens:
    given = dict(options)

    def load() -> tuple[Mapping[str, str], float]:
        values, expires = api_for(given).token(database, table)
        if given.get(_DLF_ENDPOINT):
            values[_ENDPOINT] = given[_DLF_ENDPOINT]
        return values, expires

    return TableTokens(load)


class TokenFileIO(DelegatingFileIO):
    """The storage of a table, opened again whenever its credentials are renewed. Files that are open keep those with
    which they were opened, which are valid for another hour.

    Args:
        tokens: The credentials.
        opener: Opens the storage with credentials.
    """

    def __init__(self, tokens: TableTokens, opener: Callable[[Mapping[str, str]], FileIO]) -> None:
        self._tokens = tokens
        self._opener = opener
        self._lock = threading.Lock()
        self._token = tokens.current()
        super().__init__(opener(self._token.options))

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access, without a wrapper around its reads."""
        return self._run(Operation("open_input", path), lambda: self.inner.open_input(path))

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        # What is written to a file that is open does not change its credentials.
        if operation.name not in ("write", "close_output"):
            token = self._tokens.current()
            with self._lock:
                if token is not self._token:
                    self.inner = self._opener(token.options)
                    self._token = token
        return call()
