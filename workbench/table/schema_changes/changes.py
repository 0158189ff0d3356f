"""The changes of a table's schema, as users write them for ``alter_table`` (Java ``SchemaChange``).

A column is given by its name, a nested field by a path with dots: ``address.street``. The element of an ARRAY is
``element``, the value of a MAP is ``value``: ``lines.element.price``. Where a name itself contains a dot, pass the path
as a tuple: ``("a.b", "c")``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from workbench.base.arguments import checked
from workbench.base.errors import InvalidSchema
from workbench.format.types import DataType

Path: TypeAlias = str | tuple[str, ...]


class SchemaChange:
    """A change of a column, an option or the comment: `AddColumn`, `DropColumn`, `RenameColumn`, `MoveColumn`,
    `UpdateColumnType`, `UpdateColumnNullability`, `UpdateColumnComment`, `UpdateColumnDefault`, `SetOption`,
    `RemoveOption` or `UpdateComment`."""


@checked
@dataclass(frozen=True)
class AddColumn(SchemaChange):
    """Add a column, or a field of a ROW.

    It is NULL in existing rows, so it must be nullable.

    Args:
        name: The name or path of the new column.
        type: Its type, as SQL or as a `DataType`.
        comment: Its comment.
        first: Whether it becomes the first column; it is the last one by default.
        after: The column that it follows.

    Raises:
        InvalidSchema: Both ``first`` and ``after`` are given.

    Example:
        >>> catalog.alter_table("shop.orders", wb.AddColumn("note", "STRING", after="id"))
    """

    name: Path
    type: str | DataType
    comment: str | None = None
    first: bool = False
    after: str | None = None

    def __post_init__(self) -> None:
        if self.first and self.after is not None:
            raise InvalidSchema(
                f"Column '{shown(self.name)}' cannot be first and after '{self.after}'.", "Pass only one."
            )


@checked
@dataclass(frozen=True)
class DropColumn(SchemaChange):
    """Drop a column or nested field. Its values stay hidden, even from a later column of the same name.

    Args:
        name: The name or path of the column.

    Example:
        >>> wb.DropColumn("note")
    """

    name: Path


@checked
@dataclass(frozen=True)
class RenameColumn(SchemaChange):
    """Rename a column or nested field.

    Args:
        name: The name or path of the column.
        new_name: The new name of the field itself, without a path.

    Example:
        >>> wb.RenameColumn("address.street", "road")
    """

    name: Path
    new_name: str


@checked
@dataclass(frozen=True)
class UpdateColumnType(SchemaChange):
    """Change the type of a column.

    Args:
        name: The name or path of the column.
        type: The complete new type; it is nullable unless it includes NOT NULL.

    Example:
        >>> wb.UpdateColumnType("qty", "BIGINT")
    """

    name: Path
    type: str | DataType


@checked
@dataclass(frozen=True)
class UpdateColumnNullability(SchemaChange):
    """Allow or forbid NULL in a column.

    Args:
        name: The name or path of the column.
        nullable: Whether the column may contain NULL.

    Example:
        >>> wb.UpdateColumnNullability("qty", nullable=True)
    """

    name: Path
    nullable: bool


@checked
@dataclass(frozen=True)
class UpdateColumnComment(SchemaChange):
    """Set or remove the comment of a column.

    Args:
        name: The name or path of the column.
        comment: The comment; None removes it.

    Example:
        >>> wb.UpdateColumnComment("qty", "ordered pieces")
    """

    name: Path
    comment: str | None


@checked
@dataclass(frozen=True)
class UpdateColumnDefault(SchemaChange):
    """Set the default that is written where a row has no value for the column. Existing rows do not change.

    Args:
        name: The name or path of the column.
        value: The default; None means NULL.

    Example:
        >>> wb.UpdateColumnDefault("qty", 1)
    """

    name: Path
    value: str | int | float | bool | None


@checked
@dataclass(frozen=True)
class MoveColumn(SchemaChange):
    """Move a column.

    Args:
        name: The name of the column.
        first: Whether it becomes the first column.
        after: The column that it follows instead.

    Raises:
        InvalidSchema: Not exactly one of ``first`` and ``after`` is given.

    Example:
        >>> wb.MoveColumn("note", after="id")
    """

    name: str
    first: bool = False
    after: str | None = None

    def __post_init__(self) -> None:
        if self.first == (self.after is not None):
            raise InvalidSchema(f"Moving '{self.name}' requires a position.", "Pass either first=True or after='…'.")


@checked
@dataclass(frozen=True)
class SetOption(SchemaChange):
    """Set an option of the table.

    Args:
        key: The name of the option.
        value: Its value.

    Example:
        >>> wb.SetOption("snapshot.num-retained.max", 10)
    """

    key: str
    value: str | int | float | bool


@checked
@dataclass(frozen=True)
class RemoveOption(SchemaChange):
    """Reset an option to its default.

    Args:
        key: The name of the option.

    Example:
        >>> wb.RemoveOption("snapshot.num-retained.max")
    """

    key: str


@checked
@dataclass(frozen=True)
class UpdateComment(SchemaChange):
    """Set or remove the comment of the table.

    Args:
        comment: The comment; None removes it.

    Example:
        >>> wb.UpdateComment("All orders since 2020")
    """

    comment: str | None


def shown(name: Path) -> str:
    """Return a path as messages show it."""
    return name if isinstance(name, str) else ".".join(name)
