"""Default values for columns that a row does not set (Java ``DefaultValueUtils``)."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.datafile.casts.rules import cast_values
from workbench.datafile.casts.values import CastError
from workbench.format.types import AtomicType, DataField

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
