"""The changes of a table's schema, as users write them for ``alter_table`` (Java ``SchemaChange``).

A column is named by its name, a field inside of it by a path with dots: ``address.street``. The element of an ARRAY is
``element``, the value of a MAP is ``value``: ``lines.element.price``. Where a name itself has a dot, give the path as a
tuple: ``("a.b", "c")``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from workbench.base.errors import InvalidSchema
from workbench.format.types import DataType

Path: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True)
class AddColumn:
    """A new column, or a new field of a ROW: the last one, the ``first``, or right ``after`` another one.

    It is null in rows that are there already, so it must be nullable.
    """

    name: Path
    type: str | DataType
    comment: str | None = None
    first: bool = False
    after: str | None = None

    def __post_init__(self) -> None:
        if self.first and self.after is not None:
            raise InvalidSchema(f"Column '{shown(self.name)}' cannot be first and after '{self.after}'.")


@dataclass(frozen=True)
class DropColumn:
    """Take a column away. Its values are gone from sight for good, also for a later column of the same name."""

    name: Path


@dataclass(frozen=True)
class RenameColumn:
    """Give a column another name; ``new_name`` is that of the field alone, without a path."""

    name: Path
    new_name: str


@dataclass(frozen=True)
class UpdateColumnType:
    """Give a column another type. ``type`` is taken whole: what does not say NOT NULL becomes nullable."""

    name: Path
    type: str | DataType


@dataclass(frozen=True)
class UpdateColumnNullability:
    """Allow or forbid NULL in a column."""

    name: Path
    nullable: bool


@dataclass(frozen=True)
class UpdateColumnComment:
    """Describe a column anew; None takes the description away."""

    name: Path
    comment: str | None


@dataclass(frozen=True)
class UpdateColumnDefault:
    """What is written where a row has no value for the column; None: NULL. Rows that are there stay as they are."""

    name: Path
    value: str | int | float | bool | None


@dataclass(frozen=True)
class MoveColumn:
    """Put a column first, or right after another one."""

    name: str
    first: bool = False
    after: str | None = None

    def __post_init__(self) -> None:
        if self.first == (self.after is not None):
            raise InvalidSchema(f"Moving '{self.name}' needs a place.", "Give first=True or after='…'.")


@dataclass(frozen=True)
class SetOption:
    """Set an option of the table."""

    key: str
    value: str | int | float | bool


@dataclass(frozen=True)
class RemoveOption:
    """Set an option back to its default."""

    key: str


@dataclass(frozen=True)
class UpdateComment:
    """Describe the table anew; None takes the description away."""

    comment: str | None


ColumnChange: TypeAlias = (
    AddColumn
    | DropColumn
    | RenameColumn
    | UpdateColumnType
    | UpdateColumnNullability
    | UpdateColumnComment
    | UpdateColumnDefault
    | MoveColumn
)
SchemaChange: TypeAlias = ColumnChange | SetOption | RemoveOption | UpdateComment


def shown(name: Path) -> str:
    """A path as messages show it."""
    return name if isinstance(name, str) else ".".join(name)
