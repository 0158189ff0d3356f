"""The kinds of arguments that the allow-list distinguishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from workbench.sql.translate import types
from workbench.sql.translate.values import Typed


@dataclass(frozen=True)
class Kind:
    """A set of arguments: ``accepts`` checks type and value. ``cast_to`` is the type to which they are converted."""

    name: str
    accepts: Callable[[Typed], bool]
    cast_to: pa.DataType | None = None


def _of(name: str, *accepted: pa.DataType) -> Kind:
    return Kind(name, lambda value: value.type in accepted)


BOOLEAN = _of("BOOLEAN", types.BOOLEAN)
INTEGER = Kind("integer", lambda value: types.is_integer(value.type))
# INT and narrower types, which parameters of type INT accept.
INT = Kind("INT", lambda value: value.type in (types.TINYINT, types.SMALLINT, types.INT), types.INT)
BIGINT = _of("BIGINT", types.BIGINT)
DECIMAL = Kind("DECIMAL", lambda value: types.is_decimal(value.type))
FLOAT = _of("FLOAT", types.FLOAT)
DOUBLE = _of("DOUBLE", types.DOUBLE)
REAL = Kind("FLOAT or DOUBLE", lambda value: types.is_real(value.type))
# Numbers that are converted to DOUBLE, which parameters of type DOUBLE accept.
AS_DOUBLE = Kind("number", lambda value: types.is_number(value.type), types.DOUBLE)
STRING = _of("STRING", types.STRING)
BINARY = _of("BINARY", types.BINARY)
DATE = _of("DATE", types.DATE)
TIMESTAMP = _of("TIMESTAMP", types.TIMESTAMP)
TIMESTAMP_NTZ = _of("TIMESTAMP_NTZ", types.TIMESTAMP_NTZ)
SCALAR = Kind("scalar", lambda value: types.is_scalar(value.type))
ANY = Kind("any", lambda value: True)  # noqa: ARG005
ARRAY = Kind("ARRAY of scalars", lambda value: pa.types.is_list(value.type) and types.is_scalar(value.type.value_type))
MAP = Kind("MAP", lambda value: pa.types.is_map(value.type))
TEXT_LITERAL = Kind(
    "STRING literal", lambda value: value.type == types.STRING and value.is_constant and value.constant is not None
)
FULL_TEXT_LITERAL = Kind("STRING literal, not empty", lambda value: value.type == types.STRING and bool(value.constant))
INT_LITERAL = Kind("INT literal", lambda value: value.type == types.INT and isinstance(value.constant, int))
