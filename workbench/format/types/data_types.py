"""Paimon's data types as values (format §3.1); import them from `types`."""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self, cast

from workbench.base.errors import InvalidSchema, did_you_mean
from workbench.base.lazy import cached_property
from workbench.base.markup import printable

MAX_LENGTH = 2_147_483_647
MAX_DECIMAL_PRECISION = 38

_ALIASES = {"INTEGER": "INT", "NUMERIC": "DECIMAL", "DEC": "DECIMAL"}
_UNBOUNDED = {"STRING": "VARCHAR", "BYTES": "VARBINARY"}
_WITH_LENGTH = ("CHAR", "VARCHAR", "BINARY", "VARBINARY")
_TIME_PRECISION = {"TIME": 0, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}
TIMES = ("TIMESTAMP", "TIMESTAMP_LTZ")
_GEO = ("GEOMETRY", "GEOGRAPHY")
_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "VARIANT", "BLOB")
ATOMIC_ROOTS = (*_WITH_LENGTH, *_PLAIN, "DECIMAL", *_TIME_PRECISION, *_GEO)
NESTED_ROOTS = ("ARRAY", "MAP", "MULTISET", "ROW", "VECTOR")
TYPE_NAMES = (*ATOMIC_ROOTS, *NESTED_ROOTS, *_ALIASES, *_UNBOUNDED)

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class DataType(ABC):
    """A column's type; immutable and hashable. ``str()`` is its SQL text, such as ``BIGINT NOT NULL``."""

    root: str
    nullable: bool

    def with_nullability(self, nullable: bool) -> Self:
        """Return this type, nullable or not; types inside it are unchanged."""
        if self.nullable == nullable:
            return self
        return cast(Self, dataclasses.replace(cast(Any, self), nullable=nullable))

    def not_null(self) -> Self:
        """Return this type as NOT NULL."""
        return self.with_nullability(False)

    def as_nullable(self) -> Self:
        """Return this type as nullable."""
        return self if self.nullable else cast(Self, self._nullable)

    @cached_property
    def _nullable(self) -> DataType:
        # Kept, as types are compared for each column of each file.
        return self.with_nullability(True)

    def children(self) -> tuple[DataType, ...]:
        """Return the types directly inside this one."""
        return ()

    @abstractmethod
    def sql(self) -> str:
        """Return the SQL text without nullability."""

    def __str__(self) -> str:
        return self.sql() if self.nullable else f"{self.sql()} NOT NULL"

    def __repr__(self) -> str:
        return printable(str(self))


@dataclass(frozen=True, repr=False)
class AtomicType(DataType):
    """A type that contains no others. Missing parameters have Paimon's defaults: ``DECIMAL`` is ``DECIMAL(10, 0)``.

    ``length`` belongs to CHAR, VARCHAR, BINARY, VARBINARY; ``precision`` to DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ;
    ``scale`` to DECIMAL; ``crs`` and ``algorithm`` to GEOMETRY and GEOGRAPHY. ``STRING`` and ``BYTES`` become VARCHAR
    and VARBINARY of the maximum length.

    Raises:
        InvalidSchema: If the type does not exist, or a parameter is out of range.
    """

    root: str
    nullable: bool = True
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    crs: str | None = None
    algorithm: str | None = None

    def __post_init__(self) -> None:
        name = self.root.upper()
        if name in _UNBOUNDED and self.length is None:
            self._set(root=_UNBOUNDED[name], length=MAX_LENGTH)
        else:
            self._set(root=_ALIASES.get(name, name))
        if self.root not in ATOMIC_ROOTS:
            raise InvalidSchema(f"'{self.root}' is not a data type.", did_you_mean(self.root, TYPE_NAMES))
        self._refuse_foreign_parameters()
        if self.root in _WITH_LENGTH:
            self._set(length=self._checked("length", self.length, 1, 1, MAX_LENGTH))
        elif self.root == "DECIMAL":
            precision = self._checked("precision", self.precision, 10, 1, MAX_DECIMAL_PRECISION)
            self._set(precision=precision, scale=self._checked("scale", self.scale, 0, 0, precision))
        elif self.root in _TIME_PRECISION:
            self._set(precision=self._checked("precision", self.precision, _TIME_PRECISION[self.root], 0, 9))
        elif self.root in _GEO:
            self._set(crs=self.crs or "OGC:CRS84")
            if self.root == "GEOGRAPHY":
                self._set(algorithm=self.algorithm or "spherical")

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _refuse_foreign_parameters(self) -> None:
        takes = {
            "length": self.root in _WITH_LENGTH,
            "precision": self.root == "DECIMAL" or self.root in _TIME_PRECISION,
            "scale": self.root == "DECIMAL",
            "crs": self.root in _GEO,
            "algorithm": self.root == "GEOGRAPHY",
        }
        for name, allowed in takes.items():
            if not allowed and getattr(self, name) is not None:
                raise InvalidSchema(f"Type {self.root} has no parameter '{name}'.")

    def _checked(self, what: str, value: int | None, default: int, low: int, high: int) -> int:
        number = default if value is None else value
        if not low <= number <= high:
            raise InvalidSchema(f"The {what} of {self.root} must be between {low} and {high}, not {number}.")
        return number

    def sql(self) -> str:
        """Return the SQL text without nullability, as Java writes it."""
        if self.root in _WITH_LENGTH:
            unbounded = {plain: name for name, plain in _UNBOUNDED.items()}
            if self.length == MAX_LENGTH and self.root in unbounded:
                return unbounded[self.root]
            return f"{self.root}({self.length})"
        if self.root == "DECIMAL":
            return f"DECIMAL({self.precision}, {self.scale})"
        if self.root == "TIMESTAMP_LTZ":
            return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"
        if self.root in _TIME_PRECISION:
            return f"{self.root}({self.precision})"
        if self.root == "GEOMETRY":
            return f"GEOMETRY({self.crs})"
        if self.root == "GEOGRAPHY":
            return f"GEOGRAPHY({self.crs}, {self.algorithm})"
        return self.root


@dataclass(frozen=True, repr=False)
class ArrayType(DataType):
    """A list of values of one type."""

    element: DataType
    nullable: bool = True
    root: str = field(default="ARRAY", init=False, repr=False)

    def children(self) -> tuple[DataType, ...]:
        """Return the element."""
        return (self.element,)

    def sql(self) -> str:
        """Return the SQL text without nullability."""
        return f"ARRAY<{self.element}>"


@dataclass(frozen=True, repr=False)
class MultisetType(DataType):
    """A multiset: values of one type with the number of occurrences of each."""

    element: DataType
    nullable: bool = True
    root: str = field(default="MULTISET", init=False, repr=False)

    def children(self) -> tuple[DataType, ...]:
        """Return the element."""
        return (self.element,)

    def sql(self) -> str:
        """Return the SQL text without nullability."""
        return f"MULTISET<{self.element}>"


@dataclass(frozen=True, repr=False)
class VectorType(DataType):
    """An array of exactly ``length`` values of one type."""

    element: DataType
    length: int
    nullable: bool = True
    root: str = field(default="VECTOR", init=False, repr=False)

    def __post_init__(self) -> None:
        if self.length < 1:
            raise InvalidSchema(f"The length of VECTOR must be at least 1, not {self.length}.")

    def children(self) -> tuple[DataType, ...]:
        """Return the element."""
        return (self.element,)

    def sql(self) -> str:
        """Return the SQL text without nullability."""
        return f"VECTOR<{self.element}, {self.length}>"


@dataclass(frozen=True, repr=False)
class MapType(DataType):
    """A map from keys to values."""

    key: DataType
    value: DataType
    nullable: bool = True
    root: str = field(default="MAP", init=False, repr=False)

    def children(self) -> tuple[DataType, ...]:
        """Return the types of the key and the value."""
        return (self.key, self.value)

    def sql(self) -> str:
        """Return the SQL text without nullability."""
        return f"MAP<{self.key}, {self.value}>"


@dataclass(frozen=True, repr=False)
class DataField:
    """A column, or a field of a ROW. Its ``id`` is preserved by renames (format §3.2)."""

    id: int
    name: str
    type: DataType
    description: str | None = None
    default_value: str | None = None

    def __str__(self) -> str:
        return field_text(self.name, str(self.type), self.description)

    def __repr__(self) -> str:
        return printable(str(self))


@dataclass(frozen=True, repr=False)
class RowType(DataType):
    """Named fields, each with its own id."""

    fields: tuple[DataField, ...]
    nullable: bool = True
    root: str = field(default="ROW", init=False, repr=False)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for each in self.fields:
            if each.name in seen:
                raise InvalidSchema(f"Field '{each.name}' occurs twice in a ROW.")
            seen.add(each.name)

    def children(self) -> tuple[DataType, ...]:
        """Return the types of the fields."""
        return tuple(each.type for each in self.fields)

    def sql(self) -> str:
        """Return the SQL text without nullability and field ids."""
        return f"ROW<{', '.join(str(each) for each in self.fields)}>"


def field_text(name: str, type_text: str, description: str | None) -> str:
    """Return a field of a ROW as SQL text, such as ``a INT COMMENT 'number'``."""
    text = f"{quote_name(name)} {type_text}"
    if description is None:
        return text
    quoted = description.replace("'", "''")
    return f"{text} COMMENT '{quoted}'"


def quote_name(name: str) -> str:
    """Return a field name as SQL text: in backticks unless it is a plain word."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def char_length(data_type: DataType | None) -> int | None:
    """Return n of CHAR(n); None for another type."""
    return data_type.length if isinstance(data_type, AtomicType) and data_type.root == "CHAR" else None


def holds(data_type: DataType, *roots: str) -> bool:
    """Return whether a type is, or contains, a type with one of the ``roots``, such as ``VARIANT``."""
    return data_type.root in roots or any(holds(child, *roots) for child in data_type.children())


def walk_fields(data_type: DataType) -> Iterator[DataField]:
    """Yield every ROW field inside a type, depth first: a field before the fields inside it."""
    if isinstance(data_type, RowType):
        for each in data_type.fields:
            yield each
            yield from walk_fields(each.type)
    else:
        for child in data_type.children():
            yield from walk_fields(child)
