"""``CALL [catalog.]sys.procedure(…)``: arguments by position or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import InvalidRequest, did_you_mean
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.procedures.protocol import Arguments, Parameter, Procedure
from workbench.sql.procedures.registry import procedure_named
from workbench.sql.result import Result, rows_result
from workbench.sql.statements import names_procedure

# The maximum number of rows that are displayed.
_ALL = 1000


@dataclass(frozen=True)
class Call:
    """A procedure call with its arguments by parameter name."""

    text: str
    procedure: Procedure = field(compare=False)
    values: Mapping[str, Any]
    catalog: str | None = None

    def run(self, context: Context) -> Result:
        """Run the procedure."""
        if self.catalog not in (None, context.catalog_name):
            raise InvalidRequest(
                f"'{self.catalog}' is not the name of this catalog.", f"Write CALL sys.{self.procedure.name}(…)."
            )
        with context.progress.step(f"CALL sys.{self.procedure.name}"):
            rows = list(self.procedure.run(Arguments(context, self.values)))
        arrays = [
            pa.array([row[at] for row in rows], data_type) for at, (_, data_type) in enumerate(self.procedure.columns)
        ]
        table = pa.table(arrays, names=[name for name, _ in self.procedure.columns])
        return rows_result(table, f"CALL sys.{self.procedure.name}", _ALL, tuple(context.notes))

    @property
    def loss(self) -> str | None:
        """A description of what the call would permanently delete, or None."""
        return self.procedure.loss(self.values)


def call(text: str) -> Call:
    """Parse CALL.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        InvalidRequest: If there is no such procedure or parameter, or an argument is missing or has the wrong type.
        Unsupported: If Paimon has the procedure but this library does not.
    """
    cursor = Cursor(text)
    cursor.expect("CALL")
    path = cursor.path()
    if not names_procedure(path) or len(path) > 3:
        raise InvalidRequest(f"'{'.'.join(path)}' is not a procedure.", f"Write CALL sys.{path[-1]}(…).")
    procedure = procedure_named(path[-1])
    positional, named = _arguments(cursor)
    cursor.expect_end()
    return Call(text, procedure, _bound(procedure, positional, named), path[0] if len(path) > 2 else None)


def _arguments(cursor: Cursor) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    cursor.expect("(")
    while cursor.peek() != ")" or cursor.has_string():
        if cursor.is_named_argument:
            name = cursor.name()
            cursor.expect("=>")
            if name.lower() in named:
                cursor.fail(f"the argument {name} is passed twice")
            named[name.lower()] = cursor.literal(",", ")")
        elif named:
            cursor.fail("arguments without a name come first")
        else:
            positional.append(cursor.literal(",", ")"))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return positional, named


def _bound(procedure: Procedure, positional: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    parameters = procedure.parameters
    if len(positional) > len(parameters):
        raise InvalidRequest(
            f"sys.{procedure.name} has {counted(len(parameters), 'parameters')}, but the call has "
            f"{counted(len(positional), 'arguments')}.",
            _signature(procedure),
        )
    by_name = {parameter.name.lower(): parameter for parameter in parameters}
    for name in named:
        if name not in by_name:
            raise InvalidRequest(
                f"sys.{procedure.name} has no parameter '{name}'.", did_you_mean(name, by_name) or _signature(procedure)
            )
    values = dict(zip(parameters, positional, strict=False))
    for name, value in named.items():
        if by_name[name] in values:
            raise InvalidRequest(f"The argument {name} of sys.{procedure.name} is passed twice.", "Pass it once.")
        values[by_name[name]] = value
    for parameter in parameters:
        if parameter.required and values.get(parameter) in (None, ""):
            raise InvalidRequest(
                f"The argument {parameter.name} of sys.{procedure.name} is missing.", _signature(procedure)
            )
    return {parameter.name: _converted(procedure, parameter, value) for parameter, value in values.items()}


def _converted(procedure: Procedure, parameter: Parameter, value: Any) -> Any:
    """Return a value converted to the type of its parameter, as Spark casts arguments."""
    if value is None:
        return None
    try:
        if pa.types.is_string(parameter.type):
            return str(value).lower() if isinstance(value, bool) else str(value)
        if pa.types.is_boolean(parameter.type):
            return value if isinstance(value, bool) else {"true": True, "false": False}[str(value).lower()]
        if isinstance(value, bool):
            raise ValueError(value)
        return int(value)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(
            f"{value!r} is not a value of the argument {parameter.name} of sys.{procedure.name}.", _signature(procedure)
        ) from error


def _signature(procedure: Procedure) -> str:
    parameters = (each.name if each.required else f"[{each.name}]" for each in procedure.parameters)
    return f"Write CALL sys.{procedure.name}({', '.join(parameters)})."
