"""Identifiers as a value that tests can set: the only module that creates random ones."""

from __future__ import annotations

import itertools
from typing import Protocol

from workbench.base.modules import uuid


class IdSource(Protocol):
    """The source of file names, snapshot UUIDs and commit users."""

    def uuid(self) -> str:
        """Return a new identifier, unique among all writers."""
        ...


class RandomIds:
    """Random UUIDs."""

    def uuid(self) -> str:
        """Return a random UUID as text."""
        return str(uuid.uuid4())


class CountingIds:
    """Identifiers 1, 2, 3 … in UUID form, for tests with stable names."""

    def __init__(self, start: int = 1) -> None:
        # `next` on an `itertools.count` is a single step of the interpreter: two threads never get the same number.
        self._numbers = itertools.count(start)

    def uuid(self) -> str:
        """Return the next identifier."""
        return str(uuid.UUID(int=next(self._numbers)))
