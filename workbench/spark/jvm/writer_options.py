"""Passes what a DataFrame's writer does to the catalog in the JVM: option ``write.merge-schema``, and ``saveAsTable``.

Spark has to know whether a table takes any columns when it loads the table, and passes the options of the writer only
afterwards. It replaces a table for ``saveAsTable`` as for CREATE OR REPLACE TABLE. So the writers of PySpark
note both, for their own thread, while they run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from workbench.spark.jvm.options import MERGE_SCHEMA, SAVES
from workbench.spark.progress import classic_context

# Bridge.java knows this property, too.
_PROPERTY = "workbench.writer"
_NOTED = "_workbench_merges_schema"


def note_writer_options() -> None:
    """Let the writers of this process note what they do; further calls change nothing.

    Writes by position do not change a schema: ``insertInto`` ignores the option.
    """
    from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2

    _extend(DataFrameWriter, ("saveAsTable",), SAVES)
    _extend(DataFrameWriterV2, ("append", "overwrite", "overwritePartitions"))


def _extend(writer: type, actions: tuple[str, ...], *notes: str) -> None:
    if hasattr(writer, _NOTED):
        return
    setattr(writer, _NOTED, False)
    writer.option = _noting(writer.option, lambda key, value: {key: value})  # type: ignore[attr-defined]
    writer.options = _noting(writer.options, lambda **given: given)  # type: ignore[attr-defined]
    for name in actions:
        setattr(writer, name, _telling(getattr(writer, name), notes))


def _noting(method: Callable[..., Any], options: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    @wraps(method)
    def noting(self: Any, *positional: Any, **named: Any) -> Any:
        _note(self, options(*positional, **named))
        return method(self, *positional, **named)

    return noting


def _telling(action: Callable[..., Any], notes: tuple[str, ...]) -> Callable[..., Any]:
    @wraps(action)
    def telling(self: Any, *positional: Any, **named: Any) -> Any:
        _note(self, named)
        noted = (*notes, *((MERGE_SCHEMA,) if getattr(self, _NOTED) else ()))
        context = classic_context(self._spark)
        if context is None or not noted:
            return action(self, *positional, **named)
        context.setLocalProperty(_PROPERTY, ",".join(noted))
        try:
            return action(self, *positional, **named)
        finally:
            context.setLocalProperty(_PROPERTY, None)

    return telling


def _note(writer: Any, options: dict[str, Any]) -> None:
    for key, value in options.items():
        if key.lower() == MERGE_SCHEMA:
            setattr(writer, _NOTED, str(value).lower() == "true")
