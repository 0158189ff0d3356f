"""ALTER TABLE and COMMENT ON TABLE: changes of columns, properties, the comment, the name and the partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp
from workbench.format.types import DataType, RowType
from workbench.sql.commands.alter_partitions import (
    add_new_partitions,
    add_partitions,
    drop_existing_partitions,
    drop_partitions,
)
from workbench.sql.commands.databases import WORDS, alter_database
from workbench.sql.commands.protocol import Command
from workbench.sql.commands.tags import alter_tags
from workbench.sql.commands.views import alter_view
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.ddl import column_of, default_text, paimon_type
from workbench.sql.parts import parse_tree
from workbench.sql.result import Result, done
from workbench.sql.statements import TableRef

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema
    from workbench.table.schema_changes.changes import SchemaChange


@dataclass(frozen=True)
class AlterTable:
    """``ALTER TABLE table …`` and ``COMMENT ON TABLE``: changes that make one new schema."""

    text: str
    table: TableRef
    changes: tuple[SchemaChange, ...]

    def run(self, context: Context) -> Result:
        """Change the schema."""
        name = ".".join(context.full_name(self.table))
        schema = context.table(self.table).schema
        changes = [_keeping_nullability(change, schema) for change in self.changes]
        alteration = context.catalog.alter_table(name, *changes)
        return done(f"ALTER TABLE {name}: schema {alteration.schema.id}")


@dataclass(frozen=True)
class UnsetProperties:
    """``ALTER TABLE table UNSET TBLPROPERTIES [IF EXISTS] ('key', …)``."""

    text: str
    table: TableRef
    keys: tuple[str, ...]

    def run(self, context: Context) -> Result:
        """Reset the properties that are set, and ignore the rest."""
        from workbench.table.schema_changes.changes import RemoveOption, UpdateComment
        from workbench.table.schema_changes.options import can_unset

        schema = context.table(self.table).schema
        changes: tuple[SchemaChange, ...] = tuple(RemoveOption(key) for key in self.keys if can_unset(schema, key))
        if "comment" in self.keys and schema.comment is not None:
            changes = (*changes, UpdateComment(None))
        if not changes:
            return done(f"ALTER TABLE {self.table}: none of the properties is set, unchanged")
        return AlterTable(self.text, self.table, changes).run(context)


@dataclass(frozen=True)
class DropColumns:
    """``ALTER TABLE table DROP COLUMNS [IF EXISTS] …``."""

    text: str
    table: TableRef
    columns: tuple[tuple[str, ...], ...]
    if_exists: bool = False

    def run(self, context: Context) -> Result:
        """Drop the columns."""
        from workbench.table.schema_changes.changes import DropColumn

        known = {name.lower() for name in context.table(self.table).schema.field_names}
        columns = [path for path in self.columns if not self.if_exists or path[0].lower() in known]
        if not columns:
            return done(f"ALTER TABLE {self.table}: none of the columns exist, unchanged")
        changes = tuple(DropColumn(column_path(path)) for path in columns)
        return AlterTable(self.text, self.table, changes).run(context)


@dataclass(frozen=True)
class RenameTable:
    """``ALTER TABLE table RENAME TO name``; if ``name`` has no database, the table stays in its database."""

    text: str
    table: TableRef
    new_name: TableRef

    def run(self, context: Context) -> Result:
        """Rename the table."""
        database, name = context.full_name(self.table)
        parts = self.new_name.parts
        new = f"{database}.{parts[0]}" if len(parts) == 1 else ".".join(context.full_name(self.new_name))
        context.catalog.rename_table(f"{database}.{name}", new)
        return done(f"ALTER TABLE {database}.{name}: renamed to {new}")


def alter(text: str) -> Command:
    """Parse ALTER.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If Spark has the statement but this library does not run it.
    """
    cursor = Cursor(text)
    cursor.expect("ALTER")
    if cursor.accept("VIEW"):
        return alter_view(cursor)
    if cursor.choose(*WORDS) is not None:
        return alter_database(cursor)
    if not cursor.accept("TABLE"):
        raise Unsupported(f"ALTER {cursor.peek()} is not supported.", "Supported are ALTER TABLE, VIEW and DATABASE.")
    table = cursor.table()
    command = alter_tags(cursor, table) or _alter_table(cursor, table)
    cursor.expect_end()
    return command


def comment_on(text: str) -> Command:
    """Parse COMMENT ON TABLE."""
    from workbench.table.schema_changes.changes import UpdateComment

    cursor = Cursor(text)
    cursor.expect("COMMENT", "ON", "TABLE")
    table = cursor.table()
    cursor.expect("IS")
    comment = None if cursor.accept("NULL") else cursor.string()
    cursor.expect_end()
    return AlterTable(text, table, (UpdateComment(comment),))


def _keeping_nullability(change: SchemaChange, schema: TableSchema) -> SchemaChange:
    """Return the change; a new type keeps the column's NOT NULL, because a type in SQL does not specify nullability."""
    from workbench.table.schema_changes.changes import UpdateColumnType
    from workbench.table.schema_changes.fields import changed_type

    if not isinstance(change, UpdateColumnType):
        return change
    path = change.name.split(".") if isinstance(change.name, str) else change.name
    found: list[DataType] = []
    changed_type(RowType(tuple(schema.fields)), path, lambda current: found.append(current) or current)  # type: ignore[func-returns-value]
    return change if found[0].nullable else replace(change, type=f"{change.type} NOT NULL")


def column_path(path: tuple[str, ...]) -> str | tuple[str, ...]:
    """Return the path of a column in the form that schema changes take."""
    return path[0] if len(path) == 1 and "." not in path[0] else path


def _alter_table(cursor: Cursor, table: TableRef) -> Command:
    parse = next((parse for words, parse in _FORMS if cursor.accept(*words)), None)
    if parse is not None:
        return parse(cursor, table)
    return cursor.fail("ALTER TABLE supports SET, UNSET, RENAME, ADD, DROP, ALTER, CHANGE and tags")


def _set_properties(cursor: Cursor, table: TableRef) -> Command:
    from workbench.table.schema_changes.changes import SetOption, UpdateComment

    changes: list[SchemaChange] = []
    for key, value in cursor.properties().items():
        changes.append(UpdateComment(value) if key == "comment" else SetOption(key, value))
    return AlterTable(cursor.text, table, tuple(changes))


def _unset_properties(cursor: Cursor, table: TableRef) -> Command:
    cursor.accept("IF", "EXISTS")
    return UnsetProperties(cursor.text, table, tuple(cursor.keys()))


def _rename(cursor: Cursor, table: TableRef) -> Command:
    return RenameTable(cursor.text, table, cursor.table())


def _rename_column(cursor: Cursor, table: TableRef) -> Command:
    from workbench.table.schema_changes.changes import RenameColumn

    path = cursor.path()
    cursor.expect("TO")
    return AlterTable(cursor.text, table, (RenameColumn(column_path(path), cursor.name()),))


def _add_columns(cursor: Cursor, table: TableRef) -> Command:
    in_parentheses = cursor.accept("(")
    changes = [_added_column(cursor)]
    while cursor.accept(","):
        changes.append(_added_column(cursor))
    if in_parentheses:
        cursor.expect(")")
    return AlterTable(cursor.text, table, tuple(changes))


def _added_column(cursor: Cursor) -> SchemaChange:
    from workbench.table.schema_changes.changes import AddColumn

    path = cursor.path()
    column = column_of(_definition(path[-1], cursor.type_text(",", ")", "FIRST", "AFTER")))
    if not column.nullable:
        raise Unsupported(
            f"Column '{path[-1]}' cannot be added with NOT NULL: it is NULL in existing rows.", "Remove NOT NULL."
        )
    first, after = _position(cursor)
    return AddColumn(column_path(path), column.type, column.comment, first, after)


def _definition(name: str, rest: str) -> exp.Expression:
    tree = parse_tree(f"CREATE TABLE t (`{name.replace('`', '``')}` {rest})")
    return tree.this.expressions[0]  # type: ignore[no-any-return]


def _position(cursor: Cursor) -> tuple[bool, str | None]:
    if cursor.accept("FIRST"):
        return True, None
    return False, cursor.name() if cursor.accept("AFTER") else None


def _drop_columns(cursor: Cursor, table: TableRef) -> Command:
    if_exists = cursor.accept("IF", "EXISTS")
    in_parentheses = cursor.accept("(")
    columns = [cursor.path()]
    while cursor.accept(","):
        columns.append(cursor.path())
    if in_parentheses:
        cursor.expect(")")
    return DropColumns(cursor.text, table, tuple(columns), if_exists)


def _alter_column(cursor: Cursor, table: TableRef) -> Command:
    changes = _column_changes(cursor)
    while cursor.accept(","):
        changes += _column_changes(cursor)
    return AlterTable(cursor.text, table, tuple(changes))


def _column_changes(cursor: Cursor) -> list[SchemaChange]:
    from workbench.table.schema_changes import changes as made

    path = cursor.path()
    name = column_path(path)
    changes: list[SchemaChange] = []
    while not cursor.is_at_end and cursor.peek() != ",":
        if cursor.accept("TYPE"):
            changes.append(made.UpdateColumnType(name, _type(cursor, ",", "COMMENT", "FIRST", "AFTER")))
        elif cursor.accept("COMMENT"):
            changes.append(made.UpdateColumnComment(name, cursor.string()))
        elif cursor.accept("SET", "NOT", "NULL"):
            changes.append(made.UpdateColumnNullability(name, nullable=False))
        elif cursor.accept("DROP", "NOT", "NULL"):
            changes.append(made.UpdateColumnNullability(name, nullable=True))
        elif cursor.accept("SET", "DEFAULT"):
            changes.append(made.UpdateColumnDefault(name, default_text(cursor.literal(","))))
        elif cursor.accept("DROP", "DEFAULT"):
            changes.append(made.UpdateColumnDefault(name, None))
        elif cursor.peek() in ("FIRST", "AFTER"):
            first, after = _position(cursor)
            changes.append(made.MoveColumn(".".join(path), first=first, after=after))
        else:
            cursor.fail("expected TYPE, COMMENT, SET, DROP, FIRST or AFTER")
    if not changes:
        cursor.fail("expected TYPE, COMMENT, SET, DROP, FIRST or AFTER")
    return changes


def _change_column(cursor: Cursor, table: TableRef) -> Command:
    """Parse Hive's form: ``CHANGE [COLUMN] name [name type] [COMMENT '…'] [FIRST | AFTER …]``."""
    from workbench.table.schema_changes import changes as made

    cursor.accept("COLUMN")
    path = cursor.path()
    name = column_path(path)
    changes: list[SchemaChange] = []
    if cursor.peek() not in ("COMMENT", "FIRST", "AFTER"):
        if cursor.name().lower() != path[-1].lower():
            raise Unsupported("CHANGE COLUMN with another name is not supported.", "Write RENAME COLUMN a TO b.")
        changes = [made.UpdateColumnType(name, _type(cursor, "COMMENT", "FIRST", "AFTER"))]
    if cursor.accept("COMMENT"):
        changes.append(made.UpdateColumnComment(name, cursor.string()))
    first, after = _position(cursor)
    if first or after:
        changes.append(made.MoveColumn(".".join(path), first=first, after=after))
    return AlterTable(cursor.text, table, tuple(changes))


def _type(cursor: Cursor, *ends: str) -> str:
    node = _definition("c", cursor.type_text(*ends)).args.get("kind")
    if node is None:
        raise InvalidExpression("The statement names no type.", "Write ALTER COLUMN c TYPE BIGINT.")
    return paimon_type(node)


def _refused(what: str, advice: str) -> Callable[[Cursor, TableRef], Command]:
    def refuse(_cursor: Cursor, _table: TableRef) -> Command:
        raise Unsupported(f"ALTER TABLE … {what} is not supported.", advice)

    return refuse


_FORMS: tuple[tuple[tuple[str, ...], Callable[[Cursor, TableRef], Command]], ...] = (
    (("SET", "TBLPROPERTIES"), _set_properties),
    (("UNSET", "TBLPROPERTIES"), _unset_properties),
    (("RENAME", "TO"), _rename),
    (("RENAME", "COLUMN"), _rename_column),
    (("ADD", "COLUMNS"), _add_columns),
    (("ADD", "COLUMN"), _add_columns),
    (("ADD", "PARTITION"), add_partitions),
    (("ADD", "IF", "NOT", "EXISTS", "PARTITION"), add_new_partitions),
    (("DROP", "COLUMNS"), _drop_columns),
    (("DROP", "COLUMN"), _drop_columns),
    (("DROP", "PARTITION"), drop_partitions),
    (("DROP", "IF", "EXISTS", "PARTITION"), drop_existing_partitions),
    (("ALTER", "COLUMN"), _alter_column),
    (("ALTER",), _alter_column),
    (("CHANGE",), _change_column),
    (("SET", "LOCATION"), _refused("SET LOCATION", "The catalog determines the location of its tables.")),
    (("REPLACE", "COLUMNS"), _refused("REPLACE COLUMNS", "Use ADD COLUMN, DROP COLUMN and ALTER COLUMN.")),
    (("PARTITION",), _refused("PARTITION", "Partitions are named by their values.")),
)
