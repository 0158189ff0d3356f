"""Whether a Spark job can change the rows of a table, or this library has to do so in its own process."""

from __future__ import annotations

from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataType, MultisetType, RowType

MICROSECONDS = 6
_OTHER_FORM = ("TIME", "BLOB", "VECTOR")


def why_not_on_spark(schema: TableSchema) -> str | None:
    """Return why a Spark job cannot change rows of a table; None if it can.

    Args:
        schema: The schema of the table.

    Example:
        >>> why_not_on_spark(table.schema)
        'its rows keep ids, which Spark does not assign'
    """
    core = schema.core
    if core.data_evolution_enabled:
        return "option 'data-evolution.enabled' is set"
    names = [name.lower() for name in schema.field_names]
    if len(set(names)) < len(names):
        return "Spark cannot distinguish the names of its columns"
    for field in schema.fields:
        # In append tables, times that do not change keep their full precision.
        if not _is_kept(field.type) and (schema.is_primary_key_table or not is_finer_time(field.type)):
            return f"Spark does not keep all values of column '{field.name}', which is {field.type}"
    return None


def is_finer_time(data_type: DataType) -> bool:
    """Return whether a timestamp type is more precise than Spark's, which has microseconds."""
    is_time = isinstance(data_type, AtomicType) and data_type.root.startswith("TIMESTAMP")
    return is_time and (data_type.precision or 0) > MICROSECONDS  # type: ignore[attr-defined]


def _is_kept(data_type: DataType) -> bool:
    """Return whether a value is the same after it has passed through Spark."""
    if isinstance(data_type, MultisetType):
        return False
    if isinstance(data_type, AtomicType):
        return data_type.root not in _OTHER_FORM and not is_finer_time(data_type)
    inner = [each.type for each in data_type.fields] if isinstance(data_type, RowType) else data_type.children()
    return all(map(_is_kept, inner))
