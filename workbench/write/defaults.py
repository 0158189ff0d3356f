"""Default values for columns that a row does not set (Java ``DefaultValueUtils``)."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.datafile.casts.rules import cast_values
from workbench.datafile.casts.values import CastError
from workbench.format.types import ArrayType, AtomicType, DataField, DataType, MapType, RowType
from workbench.format.types.arrow_types import to_arrow

_STRING = AtomicType("STRING")


def default_value(field: DataField) -> pa.Scalar | None:
    """Return the default of a column in its Arrow type; None if it has none. Single quotes around the text are removed.

    Raises:
        SchemaMismatch: The text is not a value of the column's type.
    """
    text = field.default_value
    if text is None:
        return None
    if len(text) > 1 and text.startswith("'") and text.endswith("'"):
        text = text[1:-1]
    if isinstance(field.type, ArrayType | MapType | RowType):
        from workbench.write.nested_defaults import nested_value

        return pa.scalar(nested_value(text, field.type, _cast), to_arrow(field.type))
    message = f"The default '{field.default_value}' of column '{field.name}' is not a valid {field.type.as_nullable()}"
    try:
        values = cast_values(pa.array([text], pa.string()), _STRING, field.type)
    except Unsupported as error:
        raise SchemaMismatch(f"{message}.", "Defaults for columns of this type are not supported.") from error
    except CastError as error:
        raise SchemaMismatch(f"{message}: {error}.") from error
    if values.null_count:
        raise SchemaMismatch(f"{message}.")
    return values[0]


def _cast(text: str, data_type: DataType) -> object:
    """Return the Python value of a text inside an array, map or row."""
    try:
        return cast_values(pa.array([text], pa.string()), _STRING, data_type)[0].as_py()
    except (CastError, Unsupported) as error:
        raise SchemaMismatch(f"'{text}' is not a valid {data_type}: {error}.") from error
