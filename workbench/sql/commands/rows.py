"""The statements that change rows: UPDATE, DELETE and TRUNCATE TABLE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp
from workbench.expr.expressions import Expr
from workbench.expr.parse import from_tree
from workbench.sql.commands.assignments import Path, add_assignment, assignment_path, whole_columns
from workbench.sql.commands.by_query import change_by_query
from workbench.sql.commands.on_spark import run_change
from workbench.sql.commands.relations import Names, column_of, names_of, path_below
from workbench.sql.commands.subqueries import without_subqueries
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.grid import count_text
from workbench.sql.insert import named_snapshots
from workbench.sql.partitions import with_own_names
from workbench.sql.parts import parse_tree, table_ref
from workbench.sql.result import Result, written
from workbench.sql.statements import TableRef
from workbench.table.dml.merge import check_keys_stay

if TYPE_CHECKING:
    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table


@dataclass(frozen=True)
class Update:
    """``UPDATE table [AS alias] SET column = expression, … [WHERE condition]``."""

    text: str
    table: TableRef
    tree: exp.Update = field(compare=False)

    def assignments(self, names: Names) -> Mapping[Path, exp.Expression]:
        """Return the assigned values by column; ``names`` are the names that may qualify the table's columns."""
        found: dict[Path, exp.Expression] = {}
        for each in self.tree.expressions:
            if not isinstance(each, exp.EQ):
                raise InvalidExpression(
                    f"'{each.sql(dialect='spark')}' is not an assignment.", "Write column = expression."
                )
            add_assignment(found, assignment_path(each.this, names), unqualified(each.expression, names))
        return found

    def run(self, context: Context) -> Result:
        """Update the rows; Spark evaluates expressions that the library does not know."""
        table, names = context.table_to_change(self.table), names_of(self.tree.this, context)
        where, alias = _condition(self.tree, names), str(self.tree.this.alias_or_name)
        with context.timed() as took, context.progress.step(f"UPDATE {table.name}", unit="rows"):
            assignments = whole_columns(self.assignments(names), table.schema.fields)
            check_keys_stay(table.schema, assignments)
            changes = run_change(
                context,
                table,
                where,
                lambda: _updated(context, table, assignments, where),
                lambda refusal: change_by_query(context, self.table, alias, assignments, where, refusal),
            )
            return changed(context, f"Updated {count_text(changes.updated)} in {table.name}", changes, took())


@dataclass(frozen=True)
class Delete:
    """``DELETE FROM table [AS alias] [WHERE condition]``."""

    text: str
    table: TableRef
    tree: exp.Delete = field(compare=False)

    @property
    def is_of_all_rows(self) -> bool:
        """Whether the statement has no condition, or the condition TRUE."""
        where = self.tree.args.get("where")
        return where is None or _is_true(where.this)

    def run(self, context: Context) -> Result:
        """Delete the rows; Spark evaluates a condition that the library does not know."""
        table = context.table_to_change(self.table)
        where, alias = _condition(self.tree, names_of(self.tree.this, context)), str(self.tree.this.alias_or_name)
        with context.timed() as took, context.progress.step(f"DELETE FROM {table.name}", unit="rows"):
            changes = run_change(
                context,
                table,
                where,
                lambda: _deleted(context, table, where),
                lambda refusal: change_by_query(context, self.table, alias, None, where, refusal),
            )
            rows = "all rows of some partitions" if changes.deleted is None else count_text(changes.deleted)
            return changed(context, f"Deleted {rows} from {table.name}", changes, took())


@dataclass(frozen=True)
class Truncate:
    """``TRUNCATE TABLE table [PARTITION (column = value, …)]``."""

    text: str
    table: TableRef
    partition: Mapping[str, Any] | None = None

    def run(self, context: Context) -> Result:
        """Remove the rows."""
        table = context.table_to_change(self.table)
        with context.timed() as took, context.progress.step(f"TRUNCATE TABLE {table.name}"):
            noted = context.snapshot_properties
            partition = None if self.partition is None else with_own_names(table, self.partition)
            changes = table.truncate(partition, progress=context.progress, properties=noted)
            return changed(context, f"Removed all rows of {table.name}{_of(self.partition)}", changes, took())


def update(text: str) -> Update:
    """Parse UPDATE.

    Raises:
        InvalidExpression: If the text cannot be parsed, or a column is assigned twice.
        Unsupported: If the statement has FROM or ORDER BY.
    """
    tree = parse_tree(text)
    if not isinstance(tree, exp.Update) or not isinstance(tree.this, exp.Table) or tree.this.args.get("joins"):
        raise InvalidExpression("The UPDATE statement cannot be parsed.", "Write UPDATE t SET c = … WHERE ….")
    _refuse(tree, "UPDATE", ("from_", "order", "limit", "returning", "with_"))
    found = Update(text, table_ref(tree.this), tree)
    found.assignments(names_of(tree.this))
    return found


def delete(text: str) -> Delete:
    """Parse DELETE FROM.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If the statement has USING, ORDER BY or LIMIT.
    """
    tree = parse_tree(text)
    if not isinstance(tree, exp.Delete) or not isinstance(tree.this, exp.Table):
        raise InvalidExpression("The DELETE statement cannot be parsed.", "Write DELETE FROM t WHERE ….")
    _refuse(tree, "DELETE", ("using", "order", "limit", "returning", "with_", "tables"))
    return Delete(text, table_ref(tree.this), tree)


def truncate(text: str) -> Truncate:
    """Parse TRUNCATE TABLE."""
    cursor = Cursor(text)
    cursor.expect("TRUNCATE", "TABLE")
    table = cursor.table()
    partition = cursor.partition() if cursor.accept("PARTITION") else None
    cursor.expect_end()
    return Truncate(text, table, partition)


def library_expression(node: exp.Expression, context: Context) -> Expr:
    """Return an expression of a statement in the library's own form, with its subqueries evaluated."""
    return from_tree(without_subqueries(node.copy(), context))


def is_default(node: exp.Expression) -> bool:
    """Return whether a value is the keyword DEFAULT."""
    return isinstance(node, exp.Column) and not node.table and not node.this.quoted and node.name.upper() == "DEFAULT"


def unqualified(node: exp.Expression, names: Names) -> exp.Expression:
    """Return an expression in which the table's ``names`` are removed from qualified columns outside of subqueries."""

    def bare(part: exp.Expression) -> exp.Expression:
        below = path_below(part, names) if isinstance(part, exp.Column) else None
        return column_of(below) if below is not None and part.find_ancestor(exp.Query) is None else part

    return node.copy().transform(bare)


def changed(context: Context, sentence: str, changes: RowChanges, took: str) -> Result:
    """Return the result of a statement that changed rows."""
    snapshots = tuple(changes.snapshots)
    message = " ".join([f"{sentence}: {named_snapshots(snapshots)}.{took}", *context.notes])
    return written(message, changes.table, snapshots, "spark" if context.notes else "local")


def _updated(
    context: Context, table: Table, assignments: Mapping[str, exp.Expression], where: exp.Expression | None
) -> RowChanges:
    values = {
        # Writing NULL to a column with a default stores the default.
        name: None if is_default(value) else library_expression(value, context)
        for name, value in assignments.items()
    }
    condition = None if where is None else library_expression(where, context)
    return table.update(values, condition, progress=context.progress, properties=context.snapshot_properties)


def _deleted(context: Context, table: Table, where: exp.Expression | None) -> RowChanges:
    if where is None or _is_true(where):
        return table.truncate(progress=context.progress, properties=context.snapshot_properties)
    condition = library_expression(where, context)
    return table.delete(condition, progress=context.progress, properties=context.snapshot_properties)


def _is_true(condition: exp.Expression) -> bool:
    return isinstance(condition, exp.Boolean) and bool(condition.this)


def _condition(tree: exp.Expression, names: Names) -> exp.Expression | None:
    where = tree.args.get("where")
    return None if where is None else unqualified(where.this, names)


def _refuse(tree: exp.Expression, what: str, clauses: tuple[str, ...]) -> None:
    for clause in clauses:
        if tree.args.get(clause):
            raise Unsupported(f"{what} with {clause.strip('_').upper()} is not supported.")


def _of(partition: Mapping[str, Any] | None) -> str:
    if partition is None:
        return ""
    return " with " + ", ".join(f"{name} = {value}" for name, value in partition.items())
