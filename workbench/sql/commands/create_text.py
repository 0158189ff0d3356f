"""The CREATE TABLE statement of an existing table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType
from workbench.sql.commands.spark_types import ddl_type
from workbench.sql.statements import quote_if_needed, quote_text

_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
_PLAIN_VALUE = re.compile(r"-?\d+(?:\.\d+)?|true|false", re.IGNORECASE)


def create_table_text(schema: TableSchema, name: Sequence[str]) -> str:
    """Return a statement that creates an empty table with the same columns, keys, comment and options.

    Args:
        schema: The schema of the table.
        name: The parts of the new table's name: database and table, optionally preceded by the catalog.
    """
    columns = ",\n".join(f"  {_column(field)}" for field in schema.fields)
    path = ".".join(quote_if_needed(part) for part in name)
    text = f"CREATE TABLE {path} (\n{columns})\nUSING paimon\n"
    if schema.partition_keys:
        text += f"PARTITIONED BY ({', '.join(quote_if_needed(key) for key in schema.partition_keys)})\n"
    if schema.comment:
        text += f"COMMENT {quote_text(schema.comment)}\n"
    # Spark sets the owner of a new table itself.
    options = {key: value for key, value in schema.options.items() if key != "owner"}
    if schema.primary_keys:
        options["primary-key"] = ",".join(schema.primary_keys)
    if options:
        listed = ",\n".join(f"  {quote_text(key)} = {quote_text(value)}" for key, value in sorted(options.items()))
        text += f"TBLPROPERTIES (\n{listed})\n"
    return text


def _column(field: Any) -> str:
    text = f"{quote_if_needed(field.name)} {ddl_type(field.type)}"
    if not field.type.nullable:
        text += " NOT NULL"
    if field.default_value is not None:
        text += f" DEFAULT {_default(field)}"
    return text + (f" COMMENT {quote_text(field.description)}" if field.description else "")


def _default(field: Any) -> str:
    """Return the default of a column as a literal; the default of a numeric or BOOLEAN column needs no quotes."""
    text: str = field.default_value
    is_plain = isinstance(field.type, AtomicType) and field.type.root in _PLAIN and _PLAIN_VALUE.fullmatch(text)
    return text if is_plain else quote_text(text)
