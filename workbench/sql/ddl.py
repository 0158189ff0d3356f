"""Parses CREATE TABLE: translates the columns, keys and options of Spark's DDL to Paimon's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import InvalidExpression, InvalidSchema, Unsupported
from workbench.base.modules import exp
from workbench.format.types import field_text
from workbench.sql.literals import literal_value
from workbench.sql.parts import inner_select, table_ref
from workbench.sql.statements import Column, CreateTable, CreateTableLike

# Keys are Spark's type names as sqlglot spells them. Spark's TIMESTAMP has a time zone, Paimon's does not.
_TYPES = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "SMALLINT": "SMALLINT",
    "INT": "INT",
    "BIGINT": "BIGINT",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "TEXT": "STRING",
    "BINARY": "BYTES",
    "DATE": "DATE",
    "TIME": "TIME(0)",
    "TIMESTAMPTZ": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "TIMESTAMPLTZ": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "TIMESTAMPNTZ": "TIMESTAMP(6)",
    "DECIMAL": "DECIMAL(10, 0)",
    "VARIANT": "VARIANT",
}
_WITH_LENGTH = {
    "VARCHAR": "VARCHAR({0})",
    "CHAR": "CHAR({0})",
    "BINARY": "BINARY({0})",
    "VARBINARY": "VARBINARY({0})",
    "TIME": "TIME({0})",
    "TIMESTAMPTZ": "TIMESTAMP({0}) WITH LOCAL TIME ZONE",
    "TIMESTAMPLTZ": "TIMESTAMP({0}) WITH LOCAL TIME ZONE",
    "TIMESTAMPNTZ": "TIMESTAMP({0})",
    "DECIMAL": "DECIMAL({0}, {1})",
}


def paimon_type(sql_type: exp.DataType) -> str:
    """Return a Spark column type in Paimon's type grammar: ``STRUCT<a: INT>`` becomes ``ROW<`a` INT>``.

    Raises:
        Unsupported: If Paimon does not have the type.
    """
    name = getattr(sql_type.this, "name", str(sql_type.this))
    inner = sql_type.expressions
    if name == "ARRAY" and inner:
        return f"ARRAY<{paimon_type(inner[0])}>"
    if name == "MAP" and len(inner) == 2:
        return f"MAP<{paimon_type(inner[0])}, {paimon_type(inner[1])}>"
    if name == "STRUCT" and inner:
        return f"ROW<{', '.join(_row_field(part) for part in inner)}>"
    sizes = [part.name for part in inner]
    if sizes and name in _WITH_LENGTH:
        return _WITH_LENGTH[name].format(*sizes, *(["0"] if len(sizes) == 1 else []))
    if not sizes and name in _TYPES:
        return _TYPES[name]
    raise Unsupported(f"The column type {sql_type.sql(dialect='spark')} is not supported.")


def _row_field(part: exp.Expression) -> str:
    column = column_of(part)
    if column.default is not None:
        raise Unsupported(
            f"Nested field '{column.name}' cannot have a DEFAULT.", "Give the column a default, such as struct(1, 'a')."
        )
    return field_text(column.name, column.type + ("" if column.nullable else " NOT NULL"), column.comment)


def column_of(node: exp.Expression) -> Column:
    """Return a column definition as a value.

    Raises:
        InvalidSchema: If it has no name or no type.
        Unsupported: If it has a clause that is not supported.
    """
    sql_type = node.args.get("kind")
    if not isinstance(node, exp.ColumnDef) or sql_type is None:
        raise InvalidSchema(f"'{node.sql(dialect='spark')}' needs a column name and a type.")
    nullable, comment, default = True, None, None
    for constraint in node.args.get("constraints") or ():
        rule = constraint.kind
        if isinstance(rule, exp.NotNullColumnConstraint):
            nullable = bool(rule.args.get("allow_null"))
        elif isinstance(rule, exp.CommentColumnConstraint):
            comment = rule.this.name
        elif isinstance(rule, exp.DefaultColumnConstraint):
            default = _default(rule.this)
        else:
            text = constraint.sql(dialect="spark")
            raise Unsupported(f"'{text}' on column '{node.name}' is not supported in CREATE TABLE.")
    return Column(node.name, paimon_type(sql_type), nullable, comment, default)


def _default(node: exp.Expression) -> str | None:
    """Return the default of a column: the text of a value, or the SQL text of an array, a map or a row."""
    if isinstance(node, exp.Struct):
        # Drop the field names that sqlglot adds; the column's type provides them.
        values = (part.expression if isinstance(part, exp.PropertyEQ) else part.unalias() for part in node.expressions)
        return f"struct({', '.join(value.sql(dialect='spark') for value in values)})"
    if isinstance(node, exp.Array | exp.Map | exp.VarMap | exp.Anonymous):
        return str(node.sql(dialect="spark"))
    return default_text(literal_value(node))


def default_text(value: Any) -> str | None:
    """Return the value of a literal as the text of a column's default."""
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def create_table(tree: exp.Create, body: str) -> CreateTable | CreateTableLike:
    """Return the statement as a value.

    Raises:
        InvalidSchema: If two primary keys differ or a partition column is given twice.
        Unsupported: If the statement has LOCATION, OR REPLACE, TEMPORARY, a provider other than paimon, or
            bucket transforms.
    """
    if tree.args.get("replace"):
        raise Unsupported("CREATE OR REPLACE TABLE is not supported.", "Drop the table first, or use IF NOT EXISTS.")
    target = tree.this
    like = tree.find(exp.LikeProperty)
    if like is not None:
        return _create_like(tree, like, body)
    columns: list[Column] = []
    key: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        for node in target.expressions:
            if isinstance(node, exp.PrimaryKey):
                key = tuple(part.name for part in node.expressions)
            else:
                columns.append(column_of(node))
        target = target.this
    options, comment, partitions, extra = _properties(tree)
    columns.extend(extra)
    listed = _names(options.pop("primary-key", ""))
    if listed and key and listed != key:
        raise InvalidSchema("PRIMARY KEY and the option 'primary-key' name different columns.", "Remove one of them.")
    by_option = _names(options.pop("partition", ""))
    query = inner_select(tree.expression, body) if isinstance(tree.expression, exp.Query) else None
    return CreateTable(
        body,
        table_ref(target),
        tuple(columns),
        key or listed,
        partitions or by_option,
        options,
        comment,
        bool(tree.args.get("exists")),
        query,
    )


def _create_like(tree: exp.Create, like: exp.LikeProperty, body: str) -> CreateTableLike:
    like.pop()
    options, _, partitions, _ = _properties(tree)
    if partitions or isinstance(tree.this, exp.Schema):
        raise InvalidSchema("CREATE TABLE LIKE takes the columns and keys of the source.", "Remove them.")
    return CreateTableLike(body, table_ref(tree.this), table_ref(like.this), options, bool(tree.args.get("exists")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _properties(tree: exp.Create) -> tuple[dict[str, str], str | None, tuple[str, ...], list[Column]]:
    """Return the options, the comment, the partition columns, and the columns that only PARTITIONED BY declares."""
    options: dict[str, str] = {}
    in_options: dict[str, str] = {}
    comment: str | None = None
    partitions: tuple[str, ...] = ()
    extra: list[Column] = []
    given = tree.args.get("properties")
    for node in given.expressions if given else ():
        if isinstance(node, exp.SchemaCommentProperty):
            comment = node.this.name
        elif isinstance(node, exp.FileFormatProperty) and node.name.lower() == "paimon":
            continue
        elif isinstance(node, exp.PartitionedByProperty):
            partitions, extra = _partitions(node.this)
        elif isinstance(node, exp.OptionsProperty):
            _add_options(in_options, node.expressions)
        elif type(node) is exp.Property:
            _add_options(options, [node])
        else:
            raise Unsupported(f"'{node.sql(dialect='spark')}' is not supported in CREATE TABLE.")
    return {**in_options, **options}, comment, partitions, extra


def _add_options(found: dict[str, str], nodes: Sequence[exp.Expression]) -> None:
    """Add the properties of one clause.

    Raises:
        InvalidExpression: If a property is set twice.
    """
    for key, text in map(_option, nodes):
        if key in found:
            raise InvalidExpression(f"The property '{key}' is set twice.", "Keep one of its values.")
        found[key] = text


def _partitions(node: exp.Expression) -> tuple[tuple[str, ...], list[Column]]:
    extra = []
    for part in node.expressions:
        if isinstance(part, exp.ColumnDef):
            extra.append(column_of(part))
        elif not isinstance(part, exp.Identifier | exp.Column):
            raise Unsupported(
                f"PARTITIONED BY {part.sql(dialect='spark')} is not supported.", "Paimon partitions by plain columns."
            )
    return tuple(part.name for part in node.expressions), extra


def _option(node: Any) -> tuple[str, str]:
    key = node.this.sql() if isinstance(node.this, exp.Dot) else node.this.name
    value = node.args["value"]
    text = str(value.this).lower() if isinstance(value, exp.Boolean) else value.name
    return key, text
