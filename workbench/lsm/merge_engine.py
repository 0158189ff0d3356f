"""The merge functions of the registered merge engines, which combine the rows of each key (format §17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pkgutil import resolve_name
from typing import TypeAlias, cast

from workbench.format.spec.schema import TableSchema
from workbench.lsm.merge_function import MergeFunction

Factory: TypeAlias = Callable[[TableSchema, Sequence[str]], MergeFunction]


def merge_function_for(schema: TableSchema, columns: Sequence[str]) -> MergeFunction:
    """Return the merge function of a table, for the columns that are read.

    Raises:
        Unsupported: The engine is unknown, or a column is aggregated by a function that this library does not have.
        InvalidSchema: The options of the merge engine contradict each other or the columns.
    """
    return _factory(schema.core.engine.factory)(schema, columns)


@cache
def _factory(name: str) -> Factory:
    # Imported on first use, because plain reads do not need the modules of some engines.
    return cast(Factory, resolve_name(name))
