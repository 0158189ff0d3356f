"""The types to which a column may be changed (Java ``DataTypeCasts``, ``SchemaManager``)."""

from __future__ import annotations

from workbench.base.errors import InvalidSchema
from workbench.datafile.casts.rules import can_cast
from workbench.format.options.core_options import CoreOptions
from workbench.format.types import AtomicType, DataType, holds

_SMALLER = {
    "TINYINT": ("TINYINT",),
    "SMALLINT": ("TINYINT", "SMALLINT"),
    "INT": ("TINYINT", "SMALLINT", "INT"),
    "BIGINT": ("TINYINT", "SMALLINT", "INT", "BIGINT"),
}
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
# The casts that Java considers lossless, which 'disable-explicit-type-casting' still allows.
_IMPLICIT: dict[str, tuple[str, ...]] = {
    **_SMALLER,
    "FLOAT": (*_SMALLER["BIGINT"], "FLOAT", "DECIMAL"),
    "DOUBLE": _NUMBERS,
    "DECIMAL": _NUMBERS,
    "VARCHAR": ("CHAR", "VARCHAR"),
    "VARBINARY": ("BINARY", "VARBINARY"),
    "DATE": ("DATE", "TIMESTAMP"),
    "TIME": ("TIME", "TIMESTAMP"),
    "TIMESTAMP": ("TIMESTAMP", "TIMESTAMP_LTZ"),
    "TIMESTAMP_LTZ": ("TIMESTAMP", "TIMESTAMP_LTZ"),
}


def check_type_change(path: str, source: DataType, target: DataType, core: CoreOptions) -> None:
    """Check that old values can be converted to the new type.

    Raises:
        InvalidSchema: They cannot; the message names the column, both types and the option that forbids it, if any.
    """
    check_nullability_change(path, source.nullable, target.nullable, core)
    both = f"Column '{path}' of type {source} cannot become {target}."
    if holds(source, "BLOB") or holds(target, "BLOB"):
        raise InvalidSchema(both, "The type of a BLOB column cannot be changed.")
    if not isinstance(target, AtomicType):
        raise InvalidSchema(both, "Change, add or drop its fields one by one, by names such as 'column.field'.")
    if not can_cast(source, target):
        raise InvalidSchema(both, "There is no conversion between these types.")
    option = "disable-explicit-type-casting"
    if core.value(option) and (not is_implicit_cast(source, target) or (source.nullable and not target.nullable)):
        raise InvalidSchema(both, f"Values may be lost, which option '{option}' forbids.")


def is_implicit_cast(source: DataType, target: DataType) -> bool:
    """Return whether Java considers the cast lossless."""
    return source.root == target.root or source.root in _IMPLICIT.get(target.root, ())


def check_nullability_change(path: str, before: bool, after: bool, core: CoreOptions) -> None:
    """Raise InvalidSchema for NOT NULL on a nullable column, unless an option allows it."""
    option = "alter-column-null-to-not-null.disabled"
    if before and not after and core.value(option):
        raise InvalidSchema(
            f"Column '{path}' may hold NULL, so it cannot become NOT NULL.",
            f"If you know that it holds none, set option '{option}' to 'false' first.",
        )
