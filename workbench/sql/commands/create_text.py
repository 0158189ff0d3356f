"""The CREATE statement of an existing table or view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType
from workbench.sql.commands.spark_types import ddl_type
from workbench.sql.statements import quote_if_needed, quote_text

if TYPE_CHECKING:
    from workbench.catalog.descriptions import View

_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
_PLAIN_VALUE = re.compile(r"-?\d+(?:\.\d+)?|true|false", re.IGNORECASE)


def create_table_text(schema: TableSchema, name: Sequence[str]) -> str:
    """Return a statement that creates an empty table with the same columns, keys, comment and options.

    Args:
        schema: The schema of the table.
        name: The parts of the new table's name: database and table, optionally preceded by the catalog.
    """
    path = ".".join(quote_if_needed(part) for part in name)
    text = f"CREATE TABLE {path} {_listed(map(_column, schema.fields))}USING paimon\n"
    if schema.partition_keys:
        text += f"PARTITIONED BY ({', '.join(quote_if_needed(key) for key in schema.partition_keys)})\n"
    if schema.comment:
        text += f"COMMENT {quote_text(schema.comment)}\n"
    # Spark sets the owner of a new table itself.
    options = {key: value for key, value in schema.options.items() if key != "owner"}
    if schema.primary_keys:
        options["primary-key"] = ",".join(schema.primary_keys)
    if options:
        text += f"TBLPROPERTIES {_listed(map(_property, sorted(options.items())))}"
    return text


def create_view_text(view: View, name: Sequence[str]) -> str:
    """Return a statement that creates a view with the same columns, comments, properties and query.

    Args:
        view: The view.
        name: The parts of its name.
    """
    text = f"CREATE VIEW {'.'.join(map(quote_if_needed, name))} "
    text += _listed(quote_if_needed(each.name) + _comment(each.description) for each in view.fields)
    if view.comment:
        text += f"COMMENT {quote_text(view.comment)}\n"
    if view.options:
        text += f"TBLPROPERTIES {_listed(map(_property, sorted(view.options.items())))}"
    return f"{text}AS\n{view.query_for('spark')}\n"


def _listed(lines: Iterable[str]) -> str:
    return "(\n" + ",\n".join(f"  {line}" for line in lines) + ")\n"


def _property(item: tuple[str, str]) -> str:
    return " = ".join(map(quote_text, item))


def _comment(text: str | None) -> str:
    return f" COMMENT {quote_text(text)}" if text else ""


def _column(field: Any) -> str:
    text = f"{quote_if_needed(field.name)} {ddl_type(field.type)}"
    if not field.type.nullable:
        text += " NOT NULL"
    if field.default_value is not None:
        text += f" DEFAULT {_default(field)}"
    return text + _comment(field.description)


def _default(field: Any) -> str:
    """Return the default of a column as a literal; the default of a numeric or BOOLEAN column needs no quotes."""
    text: str = field.default_value
    is_plain = isinstance(field.type, AtomicType) and field.type.root in _PLAIN and _PLAIN_VALUE.fullmatch(text)
    return text if is_plain else quote_text(text)
