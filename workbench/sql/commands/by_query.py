"""UPDATE and DELETE whose expressions the library does not evaluate: Spark evaluates them in a query.

The query returns the keys of the rows that change and their new values; a merge applies them in one commit. If the
table has no key, rows are identified by the columns that the expressions use: rows with equal values in these columns
change in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.base.modules import exp
from workbench.sql.context import Context
from workbench.sql.frames import arrow_rows
from workbench.sql.parts import parse_tree, select_of
from workbench.sql.query import query_rows
from workbench.sql.statements import TableRef, quote_name

if TYPE_CHECKING:
    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table

# Functions whose value differs between equal rows.
_RANDOM = ("RAND", "RANDN", "RANDOM", "UUID", "SHUFFLE", "MONOTONICALLY_INCREASING_ID")


def change_by_query(
    context: Context,
    reference: TableRef,
    alias: str,
    assignments: Mapping[str, exp.Expression] | None,
    where: exp.Expression | None,
    refusal: WorkbenchError,
) -> RowChanges:
    """Update rows, or delete them if ``assignments`` is None, with expressions that Spark evaluates.

    Args:
        context: The context of the statement.
        reference: The table.
        alias: The name by which the expressions refer to the table.
        assignments: The new values by column.
        where: The condition; all rows change without it.
        refusal: Why the library does not run the statement.

    Raises:
        WorkbenchError: The refusal, if the engine is not Spark.
        Unsupported: If an expression is random, or a MAP column is needed to identify rows.
        InvalidExpression: If Spark does not know an expression either.
    """
    from workbench.table.dml.clauses import WhenMatched

    if context.engine != "spark":
        raise refusal
    table = context.table_to_change(reference)
    expressions = [*(assignments or {}).values(), *([] if where is None else [where])]
    keys = _keys(table, expressions)
    values = {name: f"value_{number}" for number, name in enumerate(assignments or {})}
    rows = _rows(context, _query(reference, alias, keys, assignments or {}, where))
    matching = " AND ".join(f"t.{quote_name(name)} <=> s.key_{number}" for number, name in enumerate(keys)) or "true"
    update: dict[str, Any] = {name: f"s.{value}" for name, value in values.items()}
    clause = WhenMatched(update) if assignments is not None else WhenMatched(delete=True)
    return table.merge(rows, matching, [clause], progress=context.progress, properties=context.snapshot_properties)


def _keys(table: Table, expressions: list[exp.Expression]) -> list[str]:
    """Return the columns that identify the changed rows."""
    if table.primary_key:
        return list(table.primary_key)
    for expression in expressions:
        for part in expression.walk():
            if isinstance(part, exp.Func | exp.Anonymous) and _name_of(part) in _RANDOM:
                raise Unsupported(
                    f"The expression '{expression.sql(dialect='spark')}' is random, and {table.name} has no key.",
                    "Write the rows with INSERT OVERWRITE.",
                )
    used = {column.name.lower() for each in expressions for column in each.find_all(exp.Column)}
    used |= {column.parts[0].name.lower() for each in expressions for column in each.find_all(exp.Column)}
    return [name for name in table.schema.field_names if name.lower() in used]


def _name_of(function: Any) -> str:
    return str(function.name.upper() if isinstance(function, exp.Anonymous) else function.sql_name())


def _query(
    reference: TableRef,
    alias: str,
    keys: list[str],
    assignments: Mapping[str, exp.Expression],
    where: exp.Expression | None,
) -> str:
    named = quote_name(alias)
    columns = [f"{named}.{quote_name(name)} AS key_{number}" for number, name in enumerate(keys)]
    columns += [
        f"({value.sql(dialect='spark')}) AS value_{number}" for number, value in enumerate(assignments.values())
    ]
    source = ".".join(map(quote_name, reference.parts))
    condition = "" if where is None else f" WHERE {where.sql(dialect='spark')}"
    return f"SELECT DISTINCT {', '.join(columns) or '1 AS one'} FROM {source} AS {named}{condition}"


def _rows(context: Context, text: str) -> Any:
    rows, _ = query_rows(replace(context, engine="spark"), select_of(parse_tree(text), text))
    return arrow_rows(rows)
