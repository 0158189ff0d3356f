"""Informs the catalog in the JVM about a write: option ``write.merge-schema``, ``saveAsTable``, and writes by position.

When Spark loads a table, it has to know whether the table accepts arbitrary columns, but it passes the options of the
writer only later. For ``saveAsTable``, it replaces the table as for CREATE OR REPLACE TABLE. Therefore, the writers of
PySpark note both the option and the kind of write for their own thread while they run.

Spark also loads the table of a writer in the active session of the thread, which may be another one than that of the
rows. The writers of PySpark make their own session the active one while they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from workbench.spark.guest_session import as_active_session
from workbench.spark.jvm.options import CASTS, KEEPS_COLUMNS, MERGE_SCHEMA, SAVES
from workbench.spark.progress import classic_context

# Bridge.java knows this property, too.
_PROPERTY = "workbench.writer"
_NOTED = "_workbench_merges_schema"
CANNOT_CAST = "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
"""The error condition that Spark reports for a value that needs a cast."""


def note_writer_options() -> None:
    """Make the writers of this process note what they do; further calls have no effect.

    Writes by position do not change a schema: ``insertInto`` ignores option ``write.merge-schema``.
    """
    from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    if _extend(DataFrameWriter, "saveAsTable", notes=[SAVES]):
        DataFrameWriter.insertInto = _by_position(DataFrameWriter.insertInto)  # type: ignore[method-assign]
        for writer, name in ((DataFrameWriter, "save"), (DataStreamWriter, "start"), (DataStreamWriter, "toTable")):
            setattr(writer, name, _in_own_session(getattr(writer, name)))
    _extend(DataFrameWriterV2, "append", "overwrite", "overwritePartitions")


@contextmanager
def noted(session: Any, notes: Sequence[str]) -> Iterator[None]:
    """Note what this thread does while it writes with a session in this process; other sessions need no notes."""
    context = classic_context(session)
    if context is None or not notes:
        yield
        return
    context.setLocalProperty(_PROPERTY, ",".join(notes))
    try:
        yield
    finally:
        context.setLocalProperty(_PROPERTY, None)


def _extend(writer: type, *actions: str, notes: Sequence[str] = ()) -> bool:
    if hasattr(writer, _NOTED):
        return False
    setattr(writer, _NOTED, False)
    writer.option = _recording_options(writer.option, lambda key, value: {key: value})  # type: ignore[attr-defined]
    writer.options = _recording_options(writer.options, lambda **given: given)  # type: ignore[attr-defined]
    for name in actions:
        setattr(writer, name, _with_notes(getattr(writer, name), notes))
    return True


def _by_position(action: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(action)
    def by_position(self: Any, *positional: Any, **named: Any) -> Any:
        return _run(self, action, [KEEPS_COLUMNS], positional, named)

    return by_position


def _in_own_session(action: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(action)
    def in_own_session(self: Any, *positional: Any, **named: Any) -> Any:
        with as_active_session(self._spark):
            return action(self, *positional, **named)

    return in_own_session


def _recording_options(method: Callable[..., Any], options: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    @wraps(method)
    def recording(self: Any, *positional: Any, **named: Any) -> Any:
        _note(self, options(*positional, **named))
        return method(self, *positional, **named)

    return recording


def _with_notes(action: Callable[..., Any], notes: Sequence[str]) -> Callable[..., Any]:
    @wraps(action)
    def noted_action(self: Any, *positional: Any, **named: Any) -> Any:
        _note(self, named)
        merges = [MERGE_SCHEMA] if getattr(self, _NOTED) else []
        return _run(self, action, [*notes, *merges], positional, named)

    return noted_action


def _run(writer: Any, action: Callable[..., Any], notes: Sequence[str], positional: Any, named: Any) -> Any:
    """Run an action of a writer, and repeat it with casts if Spark refuses to store values of these types."""
    from pyspark.errors import AnalysisException

    try:
        with as_active_session(writer._spark), noted(writer._spark, notes):
            return action(writer, *positional, **named)
    except AnalysisException as error:
        if error.getCondition() != CANNOT_CAST or classic_context(writer._spark) is None:
            raise
        with as_active_session(writer._spark), noted(writer._spark, [*notes, CASTS]):
            return action(writer, *positional, **named)


def _note(writer: Any, options: dict[str, Any]) -> None:
    for key, value in options.items():
        if key.lower() == MERGE_SCHEMA:
            setattr(writer, _NOTED, str(value).lower() == "true")
