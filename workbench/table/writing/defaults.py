"""What is written where a row has no value for a column (Java ``DefaultValueUtils``)."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.format.types import AtomicType, DataField
from workbench.table.casts.rules import cast_values
from workbench.table.casts.values import CastError

_STRING = AtomicType("STRING")


def default_value(field: DataField) -> pa.Scalar | None:
    """The default of a column in its Arrow type; None where it has none. Single quotes around the text are taken off.

    Raises:
        SchemaMismatch: the text is no value of the column's type.
    """
    text = field.default_value
    if text is None:
        return None
    if len(text) > 1 and text.startswith("'") and text.endswith("'"):
        text = text[1:-1]
    message = f"The default '{field.default_value}' of column '{field.name}' is no {field.type.as_nullable()}"
    try:
        values = cast_values(pa.array([text], pa.string()), _STRING, field.type)
    except Unsupported as error:
        raise SchemaMismatch(f"{message}.", "Columns of this type cannot have a default here.") from error
    except CastError as error:
        raise SchemaMismatch(f"{message}: {error}.") from error
    if values.null_count:
        raise SchemaMismatch(f"{message}.")
    return values[0]
