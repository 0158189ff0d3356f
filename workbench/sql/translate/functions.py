"""The entries of the allow-list of functions: functions with their names and the kinds of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from workbench.expr.cells import type_name
from workbench.sql.translate.casts import widened
from workbench.sql.translate.kinds import Kind
from workbench.sql.translate.values import NotTranslated, Typed, combined

Arguments: TypeAlias = Sequence[Typed]


@dataclass(frozen=True)
class Function:
    """A function of the allow-list.

    ``result`` is the type of its result, or computes it. ``emit`` is DuckDB's text with ``{0}`` for the first argument,
    or computes it. If either one computes None, the function does not take the arguments. With ``repeats``, the last
    parameter takes any number of arguments.
    """

    name: str
    parameters: tuple[Kind, ...]
    result: pa.DataType | Callable[[Arguments], pa.DataType | None]
    emit: str | Callable[[Arguments], str | None]
    repeats: bool = False

    def accepts(self, given: Arguments) -> bool:
        """Return whether the function takes arguments of this number and these kinds."""
        expected = self.expanded(len(given))
        return expected is not None and all(kind.accepts(value) for kind, value in zip(expected, given, strict=True))

    def expanded(self, count: int) -> tuple[Kind, ...] | None:
        """Return the kinds of ``count`` arguments, or None if the function does not take that many."""
        if self.repeats and count >= len(self.parameters):
            return (*self.parameters, *(self.parameters[-1:] * (count - len(self.parameters))))
        return self.parameters if count == len(self.parameters) else None


def call(allowed: Sequence[Function], name: str, given: Arguments, construct: str) -> Typed:
    """Return the call of a function.

    Raises:
        NotTranslated: If the function is not in the allow-list for arguments of these types.
    """
    overloads = [function for function in allowed if function.name == name]
    if not overloads:
        raise NotTranslated(f"`{name}`", "the function is not supported on DuckDB")
    for function in overloads:
        if not function.accepts(given):
            continue
        expected = function.expanded(len(given)) or ()
        values = [
            value if kind.cast_to is None else widened(value, kind.cast_to, construct)
            for kind, value in zip(expected, given, strict=True)
        ]
        result = function.result(values) if callable(function.result) else function.result
        written = function.emit.format(*(value.sql for value in values)) if isinstance(function.emit, str) else None
        sql = function.emit(values) if callable(function.emit) else written
        if result is not None and sql is not None:
            return combined(sql, result, values)
    listed = ", ".join(type_name(value.type) for value in given)
    raise NotTranslated(f"`{construct}`", f"`{name}` of {listed or 'no argument'} is not supported on DuckDB")
