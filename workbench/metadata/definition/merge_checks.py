"""Checks whether the rows of a table can be merged."""

from __future__ import annotations

from workbench.format.spec.schema import TableSchema
from workbench.lsm.merge_engine import merge_function_for
from workbench.metadata.definition.option_checks import check_supported


def check_can_be_merged(schema: TableSchema) -> None:
    """Raise the error that writing or merging rows of a table with this schema would raise because of its options.

    Raises:
        Unsupported, InvalidSchema: An option is unsupported or invalid; the message names it.
    """
    check_supported(schema, for_write=True)
    if schema.is_primary_key_table:
        merge_function_for(schema, schema.field_names)
