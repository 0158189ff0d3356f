"""The columns of a data file: those of the table and, in primary-key tables, the key, the sequence number and the row
kind (format §12.2).
"""

from __future__ import annotations

from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataField

KEY_PREFIX = "_KEY_"


SEQUENCE_NUMBER = "_SEQUENCE_NUMBER"


VALUE_KIND = "_VALUE_KIND"


SYSTEM_ID_START = 1_073_741_823


SEQUENCE_NUMBER_FIELD = DataField(2_147_483_646, SEQUENCE_NUMBER, AtomicType("BIGINT", nullable=False))


VALUE_KIND_FIELD = DataField(2_147_483_645, VALUE_KIND, AtomicType("TINYINT", nullable=False))


def key_field(field: DataField) -> DataField:
    """Return the ``_KEY_`` copy of a column of the trimmed primary key."""
    return DataField(field.id + SYSTEM_ID_START, KEY_PREFIX + field.name, field.type)


def data_file_fields(schema: TableSchema, thin: bool = False) -> tuple[DataField, ...]:
    """Return the columns of a data file in file order: key copies (not in thin files), sequence number, kind, then
    values.

    Files of an append table have only the columns of the table.
    """
    if not schema.key_fields:
        return tuple(schema.fields)
    keys = () if thin else tuple(key_field(field) for field in schema.key_fields)
    return (*keys, SEQUENCE_NUMBER_FIELD, VALUE_KIND_FIELD, *schema.fields)
