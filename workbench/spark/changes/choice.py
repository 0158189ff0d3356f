"""Whether a Spark job can change the rows of a table, or the library has to in its own process."""

from __future__ import annotations

from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataType, MultisetType, RowType

_MICROSECONDS = 6
_OTHER_FORM = ("TIME", "BLOB", "VARIANT", "VECTOR")


def why_not_on_spark(schema: TableSchema) -> str | None:
    """Return why a Spark job cannot change rows of a table; None if it can.

    Args:
        schema: The schema of the table.

    Example:
        >>> why_not_on_spark(table.schema)
        'its rows keep ids, which Spark does not assign'
    """
    core = schema.core
    if core.row_tracking_enabled or core.data_evolution_enabled:
        return "its rows keep ids, which Spark does not assign"
    names = [name.lower() for name in schema.field_names]
    if len(set(names)) < len(names):
        return "Spark cannot distinguish the names of its columns"
    for field in schema.fields:
        if not _is_kept(field.type):
            return f"Spark does not keep all values of column '{field.name}', which is {field.type}"
    return None


def _is_kept(data_type: DataType) -> bool:
    """Return whether a value is the same after it has passed through Spark."""
    if isinstance(data_type, MultisetType):
        return False
    if isinstance(data_type, AtomicType):
        is_finer = data_type.root.startswith("TIMESTAMP") and (data_type.precision or 0) > _MICROSECONDS
        return data_type.root not in _OTHER_FORM and not is_finer
    inner = [each.type for each in data_type.fields] if isinstance(data_type, RowType) else data_type.children()
    return all(map(_is_kept, inner))
