"""Changes of a column's type that preserve every value and the order of values.

Properties of the values, such as bounds, then also hold under the new type.
"""

from __future__ import annotations

from workbench.expr.kinds import decimal_shape, family, integer_range, timestamp_precision
from workbench.format.types import AtomicType, DataType


def keeps_values(written: DataType, read: DataType) -> bool:
    """Return whether values of type ``written`` keep their value and order when they are read as type ``read``."""
    if written.as_nullable() == read.as_nullable():
        return True
    if not isinstance(written, AtomicType) or not isinstance(read, AtomicType):
        return False
    one, two = family(written), family(read)
    if one in ("integer", "decimal") and two == "decimal":
        (precision, scale), (other_precision, other_scale) = decimal_shape(written), decimal_shape(read)
        return scale <= other_scale and precision - scale <= other_precision - other_scale
    if one == "date":
        return two == "timestamp"
    if one != two:
        return False
    match one:
        case "integer":
            return integer_range(written)[1] <= integer_range(read)[1]
        case "float":
            return read.root == "DOUBLE"
        case "string" | "binary":
            return read.root.startswith("VAR") and (written.length or 0) <= (read.length or 0)
        case "timestamp" | "timestamp_ltz":
            return timestamp_precision(written) <= timestamp_precision(read)
    return False


def keeps_keys(written: DataType, read: DataType) -> bool:
    """Return whether a file index of type ``written`` stores the values of type ``read`` in the same form."""
    same_form = family(written) == family(read) and family(written) in ("integer", "string", "binary")
    return written.as_nullable() == read.as_nullable() or (same_form and keeps_values(written, read))
