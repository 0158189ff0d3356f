"""DataFrames that a query refers to by name."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from workbench.spark.bucket import quoted
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_Arguments = dict[str, Any] | list[Any] | None


class NamedFrames(Protocol):
    """Names of DataFrames, and queries that use them."""

    def create(self, frame: DataFrame) -> str:
        """Return a new name for a DataFrame."""

    def query(self, text: str, args: _Arguments) -> DataFrame:
        """Return the query as a DataFrame."""


@contextmanager
def named_frames(session: SparkSession) -> Iterator[NamedFrames]:
    """Give names to DataFrames while a query is analyzed.

    Args:
        session: The Spark session.
    """
    if classic_context(session) is None:
        yield _FrameArguments(session)
        return
    views = _TemporaryViews(session)
    try:
        yield views
    finally:
        views.drop()


class _TemporaryViews:
    """Temporary views, which are dropped once the query is analyzed: its plan no longer needs their names."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._names: list[str] = []

    def create(self, frame: DataFrame) -> str:
        name = _new_name()
        frame.createOrReplaceTempView(name)
        self._names.append(name)
        return name

    def query(self, text: str, args: _Arguments) -> DataFrame:
        return self._session.sql(text, args)

    def drop(self) -> None:
        for name in self._names:
            self._session.catalog.dropTempView(name)


class _FrameArguments:
    """Arguments that a query keeps, because Spark Connect analyzes the text of a query each time it runs."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._frames: dict[str, DataFrame] = {}

    def create(self, frame: DataFrame) -> str:
        name = _new_name()
        self._frames[name] = frame
        return name

    def query(self, text: str, args: _Arguments) -> DataFrame:
        if not self._frames:
            return self._session.sql(text, args)
        text = text.replace("{", "{{").replace("}", "}}")
        for name in self._frames:
            text = text.replace(quoted(name), f"{{{name}}}")
        return self._session.sql(text, args, **self._frames)


def _new_name() -> str:
    return f"workbench_{uuid.uuid4().hex}"
