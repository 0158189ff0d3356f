"""What a procedure is: parameters, result columns, and how it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

from workbench.base.errors import InvalidRequest
from workbench.metadata.definition.fixed_options import check_fixed_options
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor

TEXT, INT, BIGINT, BOOLEAN = pa.string(), pa.int32(), pa.int64(), pa.bool_()
RESULT: tuple[tuple[str, pa.DataType], ...] = (("result", BOOLEAN),)
# The end of the description of a loss.
FINAL = "; this cannot be undone"
Values: TypeAlias = Mapping[str, Any]
SUCCESS: tuple[tuple[Any, ...], ...] = ((True,),)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a procedure."""

    name: str
    type: pa.DataType = TEXT
    required: bool = False


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call by parameter name; an argument that was not passed, or is NULL, is None."""

    context: Context
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    def table(self, name: str = "table") -> Any:
        """Open the table that an argument names, with the table options of the argument ``options``."""
        return self.opened(self.values[name])

    def opened(self, name: str) -> Any:
        """Open a table by its name, with the table options of the argument ``options``."""
        cursor = Cursor(name)
        reference = cursor.table()
        cursor.expect_end()
        table = self.context.table_to_change(reference)
        given = options_of(self["options"])
        check_fixed_options(
            table.store.schema,
            given,
            "a call",
            "Set it in TBLPROPERTIES of new tables; CALL sys.rescale changes the number of buckets.",
        )
        if given:
            from workbench.table.read_options import with_dynamic_options

            return with_dynamic_options(table, given)
        return table


@dataclass(frozen=True)
class Procedure:
    """A procedure.

    Args:
        name: The name after ``sys.``.
        parameters: The parameters in their order.
        run: Runs a call and returns the rows of its result.
        columns: The names and types of the result's columns.
        loss: Takes the arguments by name. Returns a description of what a call permanently deletes, or None; cells
            require a confirmation.
    """

    name: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Arguments], Iterable[Sequence[Any]]]
    columns: tuple[tuple[str, pa.DataType], ...] = RESULT
    loss: Callable[[Values], str | None] = field(default=lambda _values: None)


TABLE = Parameter("table", required=True)
OPTIONS = Parameter("options")


def options_of(text: str | None) -> dict[str, str]:
    """Return the table options in a string such as ``k1=v1,k2=v2``.

    Raises:
        InvalidRequest: If a part is not a key and a value.
    """
    found: dict[str, str] = {}
    for part in _parts(text, ","):
        key, separator, value = part.partition("=")
        if not separator:
            raise InvalidRequest(f"'{part}' is not an option with a value.", "Write options => 'key=value,key=value'.")
        found[key.strip()] = value.strip()
    return found


def partitions_of(text: str | None) -> list[dict[str, str]]:
    """Return the partitions in a string such as ``dt=1,h=2;dt=3``.

    Raises:
        InvalidRequest: If a part is not a column and a value.
    """
    partitions = []
    for partition in _parts(text, ";"):
        try:
            partitions.append(options_of(partition))
        except InvalidRequest as error:
            raise InvalidRequest(
                f"'{partition}' is not a partition.", "Write 'column=value,column=value;column=value'."
            ) from error
    return partitions


def names_of(text: str | None) -> list[str]:
    """Return the names in a string such as ``a, b``."""
    return _parts(text, ",")


def partition_condition(partitions: str | None, where: str | None) -> str | None:
    """Return the condition that selects partitions; at most one of the two arguments may be given.

    Raises:
        InvalidRequest: If both are given.
    """
    if partitions and where:
        raise InvalidRequest("The arguments partitions and where are mutually exclusive.", "Pass only one of them.")
    if not partitions:
        return where or None
    return " OR ".join(
        "(" + " AND ".join(f"`{name}` = '{_escaped(value)}'" for name, value in each.items()) + ")"
        for each in partitions_of(partitions)
    )


def _parts(text: str | None, separator: str) -> list[str]:
    return [part.strip() for part in (text or "").split(separator) if part.strip()]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")
