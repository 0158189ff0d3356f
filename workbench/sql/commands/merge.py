"""MERGE INTO: its source is a query, which an engine runs; the library merges the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError
from workbench.base.modules import exp
from workbench.expr.parse import from_tree
from workbench.format.spec.snapshot import Operation
from workbench.format.types import RowType
from workbench.sql.commands.assignments import Path, add_assignment, assignment_path, whole_columns
from workbench.sql.commands.on_spark import is_view_of_session, merging_options, run_change
from workbench.sql.commands.relations import Names, column_of, names_of, path_below, refuse_hidden
from workbench.sql.commands.rows import changed, is_default
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.engines.choice import for_pipeline
from workbench.sql.frames import arrow_rows
from workbench.sql.grid import count_text
from workbench.sql.parts import parse_tree, select_of, table_ref
from workbench.sql.query import query_rows
from workbench.sql.result import Result
from workbench.sql.statements import Select, TableRef
from workbench.table.dml.merge import check_keys_stay
from workbench.table.dml.rules import check_engine
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from workbench.format.types import DataField, DataType
    from workbench.table.dml.clauses import Clause
    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table

# The aliases of the table and of the source in the library's MERGE.
_TABLE, _SOURCE = "t", "s"
# The prefix of the names of metadata columns.
_METADATA = "__paimon_"


@dataclass(frozen=True)
class When:
    """One WHEN clause: ``kind`` is 'matched', 'not matched' or 'not matched by source'; ``values`` are assignments by
    column, '*' for all columns, or None for DELETE."""

    kind: str
    values: Mapping[Path, exp.Expression] | str | None
    condition: exp.Expression | None


@dataclass(frozen=True)
class MergeInto:
    """``MERGE INTO table [AS alias] USING source [AS alias] ON condition WHEN …``."""

    text: str
    table: TableRef
    source: Select
    tree: exp.Merge = field(compare=False)
    on: exp.Expression = field(compare=False)
    whens: tuple[When, ...] = field(compare=False)

    def run(self, context: Context) -> Result:
        """Merge the rows."""
        return _statement(self.text, self.tree, self.source, context)._run(context)

    def _run(self, context: Context) -> Result:
        table = context.table_to_change(self.table)
        # Spark plans a MERGE that only inserts as an append, which every merge engine supports.
        check_engine(table.schema, Operation.MERGE, updates=True, assigns=False)
        self._check_keys(table)
        self._check_columns(table)
        with context.timed() as took, context.progress.step(f"MERGE INTO {table.name}", unit="rows"):
            evolves = self._names_more_than(table) and self._merging(context, table).schema.core.write_merge_schema
            changes = run_change(
                context,
                table,
                None,
                lambda: self._change(context, table, evolves),
                _refuse_again,
                tables=(self.table, *self.source.tables),
                prefers_spark=self._is_of_query(context),
                only_library=evolves,
            )
            return changed(context, f"Merged into {table.name}: {_counts(changes)}", changes, took())

    def _change(self, context: Context, table: Table, evolves: bool) -> RowChanges:
        on = from_tree(self.on)
        source = for_pipeline(context, self.source) if self._is_of_query(context) else context
        frame = query_rows(source, self.source)[0]
        if evolves:
            # Only attached sessions have the options; their queries return DataFrames.
            frame = self._evolved(self._merging(context, table), frame)
            table = context.table_to_change(self.table)
        rows = arrow_rows(frame)
        whens = [_spelled_out(when, rows.schema, table.schema.fields) if evolves else when for when in self.whens]
        clauses = [_clause(when, table.schema.fields) for when in whens]
        return table.merge(rows, on, clauses, progress=context.progress, properties=context.snapshot_properties)

    def _check_keys(self, table: Table) -> None:
        """Refuse an update that assigns columns of the primary key, unless ON compares the whole key.

        Raises:
            SchemaMismatch: If a clause assigns such a column.
        """
        sides = [side for each in self.on.find_all(exp.EQ) for side in (each.this, each.expression)]
        compared = {side.name.lower() for side in sides if isinstance(side, exp.Column) and side.table != _SOURCE}
        if {name.lower() for name in table.primary_key} <= compared:
            return
        for when in self.whens:
            if isinstance(when.values, Mapping) and when.kind != "not matched":
                assigned = whole_columns(when.values, table.schema.fields, _TABLE)
                check_keys_stay(table.schema, [name for name in assigned if name in table.primary_key])

    def _check_columns(self, table: Table) -> None:
        """Refuse metadata columns of the table, which Spark's planner does not keep in a MERGE.

        Raises:
            Unsupported: If the statement names a metadata column of the table outside of its source.
        """
        values = [value for when in self.whens if isinstance(when.values, Mapping) for value in when.values.values()]
        conditions = [when.condition for when in self.whens if when.condition is not None]
        for column in (column for each in (self.on, *conditions, *values) for column in each.find_all(exp.Column)):
            name = column.name.lower()
            if column.table != _SOURCE and name.startswith(_METADATA) and name not in _lowered(table):
                raise Unsupported(
                    f"MERGE does not know the metadata column '{column.name}' of its table.",
                    "Use UPDATE or DELETE, or let the source select the column.",
                )

    def _merging(self, context: Context, table: Table) -> Table:
        """Return the table with the session's options that merge the schema of written rows into the table's schema."""
        options = merging_options(context, self.table)
        return with_dynamic_options(table, options) if options else table

    def _names_more_than(self, table: Table) -> bool:
        """Return whether the clauses may name columns that the table lacks."""
        return any(when.values == "*" for when in self.whens) or bool(self._assigned - _lowered(table))

    @property
    def _assigned(self) -> set[str]:
        """The columns that the clauses assign by name, in lower case."""
        values = [when.values for when in self.whens if isinstance(when.values, Mapping)]
        return {path[0].lower() for each in values for path in each}

    def _evolved(self, table: Table, frame: DataFrame) -> DataFrame:
        """Add the source columns that the clauses name to the table, and return the source's rows with column names
        spelled as in the table."""
        from workbench.spark.storing.assignment import is_case_sensitive, with_names_of
        from workbench.spark.types import arrow_schema

        frame = with_names_of(frame, table.schema.fields)
        added = self._assigned - _lowered(table)
        has_star = any(when.values == "*" for when in self.whens)
        named = [each for each in frame.schema.fields if has_star or each.name.lower() in added]
        table.merge_schema(arrow_schema(type(frame.schema)(named)), case_sensitive=is_case_sensitive(frame))
        return frame

    def _is_of_query(self, context: Context) -> bool:
        """Return whether the source is a query or a temporary view, rather than a table."""
        return not isinstance(self.tree.args["using"], exp.Table) or any(
            is_view_of_session(context, each) for each in self.source.tables
        )


def _lowered(table: Table) -> set[str]:
    return {name.lower() for name in table.schema.field_names}


def _refuse_again(refusal: WorkbenchError) -> RowChanges:
    raise refusal


def merge(text: str) -> MergeInto:
    """Parse MERGE INTO.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If the statement has WITH SCHEMA EVOLUTION, or refers to a struct whose name is the library's alias
            for the table or the source.
    """
    cursor = Cursor(text)
    if cursor.accept("MERGE", "WITH", "SCHEMA", "EVOLUTION"):
        raise Unsupported(
            "MERGE WITH SCHEMA EVOLUTION is not supported.", "Add the columns with ALTER TABLE … ADD COLUMN first."
        )
    tree = parse_tree(text)
    if not isinstance(tree, exp.Merge) or tree.args.get("with_") is not None:
        raise InvalidExpression("The MERGE statement cannot be parsed.", "Write MERGE INTO t USING s ON … WHEN …")
    return _statement(text, tree, _source(cursor))


def _statement(text: str, tree: exp.Merge, source: Select, context: Context | None = None) -> MergeInto:
    """Return a statement whose column qualifiers are resolved in the context or, without one, taken as written."""
    of_table, of_source = names_of(tree.this, context), names_of(tree.args["using"], context)
    if of_table == of_source:
        raise InvalidExpression("The table and the source of MERGE have the same name.", "Give each an alias.")
    names = {_TABLE: of_table - of_source, _SOURCE: of_source - of_table}
    whens = tuple(_when(each, names) for each in tree.args["whens"].expressions)
    return MergeInto(text, table_ref(tree.this), source, tree, _renamed(tree.args["on"], names), whens)


def _source(cursor: Cursor) -> Select:
    cursor.text_until("USING")
    cursor.expect("USING")
    query = f"SELECT * FROM {cursor.text_until('ON')}"
    return select_of(parse_tree(query), query)


def _spelled_out(when: When, source: pa.Schema, fields: Sequence[DataField]) -> When:
    """Return a clause with ``*`` expanded to the columns, and nested fields, that the source has.

    An update keeps all other columns and fields; an insert sets them to NULL or to their default.
    """
    if when.values != "*":
        return when
    known = {field.name.lower(): field for field in fields}
    values: dict[Path, exp.Expression] = {}
    for column in source:
        field = known[column.name.lower()]
        value = exp.column(exp.to_identifier(column.name, quoted=True), table=_SOURCE)
        _assign(values, (field.name,), value, column.type, field.type, keeps=when.kind == "matched")
    return replace(when, values=values)


def _assign(
    values: dict[Path, exp.Expression],
    path: Path,
    value: exp.Expression,
    given: pa.DataType,
    target: DataType,
    *,
    keeps: bool,
) -> None:
    """Assign a value, or only the fields that it has if its type has fewer fields than the column's type."""
    has_all = not isinstance(target, RowType) or {each.name for each in given} >= {each.name for each in target.fields}
    if has_all or not isinstance(target, RowType):
        values[path] = value
        return
    present = {each.name: each.type for each in given}
    for each in target.fields:
        part = exp.Dot(this=value.copy(), expression=exp.to_identifier(each.name, quoted=True))
        if each.name in present:
            _assign(values, (*path, each.name), part, present[each.name], each.type, keeps=keeps)
        elif not keeps:
            values[(*path, each.name)] = exp.null()


def _when(node: exp.Expression, names: Mapping[str, Names]) -> When:
    then, condition = node.args["then"], node.args.get("condition")
    if node.args.get("matched"):
        kind = "matched"
    else:
        kind = "not matched by source" if node.args.get("source") else "not matched"
    if isinstance(then, exp.Insert) != (kind == "not matched"):
        allowed = "INSERT" if kind == "not matched" else "UPDATE or DELETE"
        raise InvalidExpression(f"WHEN {kind.upper()} allows only {allowed}.", f"Write THEN {allowed}.")
    return When(kind, _values(then, names), None if condition is None else _renamed(condition, names))


def _values(then: Any, names: Mapping[str, Names]) -> Mapping[Path, exp.Expression] | str | None:
    if isinstance(then, exp.Var):
        return None
    if isinstance(then, exp.Insert) and isinstance(then.this, exp.Star):
        return "*"
    if isinstance(then, exp.Update) and any(isinstance(each, exp.Star) for each in then.expressions):
        return "*"
    found: dict[Path, exp.Expression] = {}
    for column, value in _assignments(then):
        add_assignment(found, assignment_path(column, names[_TABLE]), _renamed(value, names))
    return found


def _assignments(then: Any) -> Iterator[tuple[exp.Expression, exp.Expression]]:
    if isinstance(then, exp.Update):
        yield from ((each.this, each.expression) for each in then.expressions)
        return
    if then.this is None:
        raise InvalidExpression("INSERT of MERGE has no columns.", "Write INSERT * or INSERT (column, …) VALUES (…).")
    columns, values = then.this.expressions, then.expression.expressions
    if len(columns) != len(values):
        raise InvalidExpression(
            f"INSERT of MERGE has {counted(len(columns), 'columns')} and {counted(len(values), 'values')}.",
            "Give each column one value.",
        )
    yield from zip(columns, values, strict=True)


def _renamed(node: exp.Expression, names: Mapping[str, Names]) -> exp.Expression:
    """Return an expression in which the table and the source have the aliases that the library uses.

    Raises:
        Unsupported: If it refers to a struct whose name is the library's alias for the table or the source.
    """

    def rename(part: exp.Expression) -> exp.Expression:
        if not isinstance(part, exp.Column) or not part.table:
            return part
        for side, known in names.items():
            if (below := path_below(part, known)) is not None:
                return column_of(below, side)
        refuse_hidden(part, names)
        return part

    return node.transform(rename)


def _clause(when: When, fields: Sequence[DataField]) -> Clause:
    from workbench.table.dml.clauses import WhenMatched, WhenNotMatched, WhenNotMatchedBySource

    condition = None if when.condition is None else from_tree(when.condition)
    values: Any = when.values
    if isinstance(values, Mapping):
        # Writing NULL to a column with a default stores the default.
        whole = whole_columns(values, fields, _TABLE)
        values = {name: None if is_default(value) else from_tree(value) for name, value in whole.items()}
    if when.kind == "matched":
        return WhenMatched(values, delete=values is None, condition=condition)
    if when.kind == "not matched by source":
        return WhenNotMatchedBySource(values, delete=values is None, condition=condition)
    return WhenNotMatched(values, condition=condition)


def _counts(changes: RowChanges) -> str:
    parts = (("updated", changes.updated), ("inserted", changes.inserted), ("deleted", changes.deleted or 0))
    return ", ".join(f"{count_text(rows)} {verb}" for verb, rows in parts)
