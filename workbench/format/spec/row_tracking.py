"""Row tracking: an id and a sequence number for every row, in columns outside the schema (format §26, Java
``SpecialFields``).
"""

from __future__ import annotations

from dataclasses import replace

from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD
from workbench.format.spec.schema import TableSchema
from workbench.format.types.data_types import AtomicType, DataField

ROW_ID = "_ROW_ID"
ROW_ID_FIELD = DataField(2_147_483_642, ROW_ID, AtomicType("BIGINT", nullable=False))
TRACKING_FIELDS = (ROW_ID_FIELD, SEQUENCE_NUMBER_FIELD)
TRACKING_COLUMNS = (ROW_ID, SEQUENCE_NUMBER)


def readable_schema(schema: TableSchema) -> TableSchema:
    """Return the schema including the columns that are read only by name: those of row tracking, if it is enabled."""
    if not schema.core.row_tracking_enabled or ROW_ID in schema.field_names:
        return schema
    return replace(schema, fields=(*schema.fields, *TRACKING_FIELDS))


def tracked_schema(schema: TableSchema, *, changed: bool) -> TableSchema:
    """Return the schema of a file of rewritten rows.

    ``changed``: some of the rows changed. Their sequence number is NULL in the file; it is that of the version to be
    committed.
    """
    sequence = replace(SEQUENCE_NUMBER_FIELD, type=SEQUENCE_NUMBER_FIELD.type.with_nullability(changed))
    return replace(schema, fields=(*schema.fields, ROW_ID_FIELD, sequence))
