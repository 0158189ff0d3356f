"""``mergeInto`` of a DataFrame on Spark Connect: Spark computes the changed rows of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions
from pyspark.sql.connect.column import Column
from pyspark.sql.connect.expressions import Expression
from pyspark.sql.connect.proto import MergeAction
from pyspark.sql.window import Window

from workbench.base.errors import SchemaMismatch, Unsupported, did_you_mean
from workbench.base.progress import Progress
from workbench.format.spec.snapshot import Operation
from workbench.metadata.snapshots import Snapshots
from workbench.spark.bucket import quoted
from workbench.spark.changes.change_writer import change_writer
from workbench.spark.changes.choice import why_not_on_spark
from workbench.spark.changes.tasks import DELETE, INSERT, OPERATION, UPDATE
from workbench.spark.jvm.options import PATH, PINNED
from workbench.spark.jvm.reads import open_table
from workbench.spark.reading.metadata_columns import with_metadata_columns
from workbench.spark.storing.assignment import assigned_value, is_case_sensitive
from workbench.spark.table_columns import missing_value
from workbench.spark.types import arrow_schema
from workbench.sql.cursor import Cursor
from workbench.table.dml.rules import check_engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.format.spec.schema import TableSchema
    from workbench.sql.session.connect.writes import Target

_IN_TABLE, _IN_SOURCE = "__workbench_in_table", "__workbench_in_source"
_CLAUSE, _VALUE = "__workbench_clause", "__workbench_value_"
_OPERATIONS = {
    MergeAction.ACTION_TYPE_DELETE: DELETE,
    MergeAction.ACTION_TYPE_UPDATE: UPDATE,
    MergeAction.ACTION_TYPE_UPDATE_STAR: UPDATE,
    MergeAction.ACTION_TYPE_INSERT: INSERT,
    MergeAction.ACTION_TYPE_INSERT_STAR: INSERT,
}
_STARS = (MergeAction.ACTION_TYPE_UPDATE_STAR, MergeAction.ACTION_TYPE_INSERT_STAR)
_TWICE = (
    "[MERGE_CARDINALITY_VIOLATION] The ON search condition of the MERGE statement matched a single row from the target "
    "table with multiple rows of the source table."
)


def merge_into(target: Target, command: Any, source: DataFrame) -> None:
    """Run a merge.

    Args:
        target: The table.
        command: The command that the writer would send to the server.
        source: The rows of the source.

    Raises:
        Unsupported: If the table does not support MERGE, or does not support it in Spark.
        SchemaMismatch: If a column is unknown.
        WorkbenchError: If the write fails.
    """
    if command.with_schema_evolution:
        raise Unsupported("withSchemaEvolution is not supported.", "Set option 'write.merge-schema' to 'true'.")
    clauses = _Clauses(*(tuple(map(_Clause.of, each)) for each in _actions(command)))
    table = target.existing()
    check_engine(table.schema, Operation.MERGE, updates=True, assigns=True)
    reason = why_not_on_spark(table.schema)
    if reason is not None:
        raise Unsupported(f"Spark cannot change rows of {table.name}: {reason}.", "Use Table.merge.")
    if target.merges_schema() and any(clause.is_star for clause in clauses.all):
        table.merge_schema(arrow_schema(source.schema), case_sensitive=is_case_sensitive(source))
        table = target.existing()
    snapshot = Snapshots(table.store).latest()
    reading = {PATH: target.name, **({} if snapshot is None else {PINNED: str(snapshot.id)})}
    fields = table.schema.field_names
    writer = change_writer(table.schema, Operation.MERGE)
    identity = list(writer.identity)
    rows = with_metadata_columns(open_table(target.catalog, reading), [*fields, *identity], source.sparkSession)
    # Columns refer to the table by its plain name, as in Spark.
    named = Cursor(command.target_table_name).path()[-1]
    places = [f"{target.catalog_name}.{target.name}.", f"{target.name}."]
    for each in (command.merge_condition, *(action for part in _actions(command) for action in part)):
        _shorten_names(each, places, f"{named}.")
    merge = _Merge(table.schema, identity, rows.alias(named), source, _column(command.merge_condition), clauses)
    writer.write(table, snapshot, merge.changed(), Operation.MERGE, Progress(), {})


def _actions(command: Any) -> tuple[Any, Any, Any]:
    found = (command.match_actions, command.not_matched_actions, command.not_matched_by_source_actions)
    return tuple([each.merge_action for each in part] for part in found)  # type: ignore[return-value]


class _Given(Expression):
    """An expression that already has the form in which expressions are sent to the server."""

    def __init__(self, expression: Any) -> None:
        super().__init__()
        self._given = expression

    def to_plan(self, session: Any) -> Any:  # noqa: ARG002
        return self._given

    def __repr__(self) -> str:
        return "given"


def _column(expression: Any) -> Any:
    return Column(_Given(expression))


def _shorten_names(message: Any, places: Sequence[str], short: str) -> None:
    """Replace the table's qualified names by its plain name in all columns of an expression."""
    for descriptor, value in message.ListFields():
        if descriptor.name == "unresolved_attribute":
            for place in places:
                if value.unparsed_identifier.startswith(place):
                    value.unparsed_identifier = short + value.unparsed_identifier[len(place) :]
        elif descriptor.type == descriptor.TYPE_MESSAGE:
            for each in [value] if hasattr(value, "ListFields") else value:
                if hasattr(each, "ListFields"):
                    _shorten_names(each, places, short)


@dataclass(frozen=True)
class _Clause:
    """One clause: the operation, its condition, and assignments by column; a star clause has none."""

    operation: int
    is_star: bool
    condition: Any
    assignments: Sequence[tuple[tuple[str, ...], Any]] = ()

    @classmethod
    def of(cls, action: Any) -> _Clause:
        condition = _column(action.condition) if action.HasField("condition") else None
        assignments = [(_path(each.key), _column(each.value)) for each in action.assignments]
        return cls(_OPERATIONS[action.action_type], action.action_type in _STARS, condition, assignments)


def _path(key: Any) -> tuple[str, ...]:
    """Return the names in the key of an assignment."""
    if key.WhichOneof("expr_type") == "expression_string":
        return Cursor(key.expression_string.expression).path()
    return Cursor(key.unresolved_attribute.unparsed_identifier).path()


@dataclass(frozen=True)
class _Clauses:
    """The clauses of a merge, in order within each kind."""

    matched: Sequence[_Clause]
    not_matched: Sequence[_Clause]
    not_matched_by_source: Sequence[_Clause]

    @property
    def all(self) -> Iterator[_Clause]:
        """Every clause."""
        yield from (*self.matched, *self.not_matched, *self.not_matched_by_source)


@dataclass(frozen=True)
class _Merge:
    """A merge of DataFrames. ``identity`` are the columns of ``rows`` that identify the table's rows in changes."""

    schema: TableSchema
    identity: Sequence[str]
    rows: DataFrame
    source: DataFrame
    on: Any
    clauses: _Clauses
    _names: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", {name.lower(): name for name in self.schema.field_names})

    def changed(self) -> DataFrame:
        """Return the changed rows: the operation, the columns of the table, and what identifies the old row."""
        rows = self.rows.withColumn(_IN_TABLE, functions.lit(True))
        source = self.source.withColumn(_IN_SOURCE, functions.lit(True))
        parts = []
        if self.clauses.matched:
            both = self._once(rows.join(source, self.on, "inner"))
            parts.append(self._changes(both, self.clauses.matched, keeps=True))
        if self.clauses.not_matched:
            new = source.join(rows, self.on, "left_anti")
            parts.append(self._changes(new, self.clauses.not_matched, keeps=False))
        if self.clauses.not_matched_by_source:
            alone = rows.join(source, self.on, "left_anti")
            parts.append(self._changes(alone, self.clauses.not_matched_by_source, keeps=True))
        return reduce(lambda one, other: one.unionByName(other), parts)

    def _once(self, both: DataFrame) -> DataFrame:
        """Return matching pairs; it is an error if a row of the table occurs twice, unless it is deleted anyway."""
        keys = self.schema.primary_keys or self.identity
        of_row = Window.partitionBy(*(self.rows[quoted(name)] for name in keys))
        if len(self.clauses.matched) == 1 and self._only_deletes(self.clauses.matched[0]):
            number = functions.row_number().over(of_row.orderBy(functions.lit(1)))
            return both.withColumn(_CLAUSE, number).where(functions.col(_CLAUSE) == 1).drop(_CLAUSE)
        count = functions.count(functions.lit(1)).over(of_row)
        checked = functions.when(count > 1, functions.raise_error(_TWICE).cast("boolean")).otherwise(True)
        return both.withColumn(_CLAUSE, checked).where(_CLAUSE).drop(_CLAUSE)

    @staticmethod
    def _only_deletes(clause: _Clause) -> bool:
        return clause.operation == DELETE and clause.condition is None

    def _changes(self, frame: DataFrame, clauses: Sequence[_Clause], *, keeps: bool) -> DataFrame:
        """Return the changes that clauses make to rows; ``keeps`` says whether these are rows of the table."""
        number: Any = functions.lit(None).cast("int")
        for at, clause in reversed(list(enumerate(clauses))):
            condition = functions.lit(True) if clause.condition is None else clause.condition
            number = functions.when(condition, functions.lit(at)).otherwise(number)
        chosen = frame.withColumn(_CLAUSE, number).where(functions.col(_CLAUSE).isNotNull())
        # Only the values of the chosen clause are computed.
        values = {
            f"{_VALUE}{at}_{index}": (at, path, value)
            for at, clause in enumerate(clauses)
            for index, (path, value) in enumerate(self._assigned(clause))
        }
        guarded = {name: functions.when(functions.col(_CLAUSE) == at, value) for name, (at, _, value) in values.items()}
        computed = chosen.withColumns(guarded) if guarded else chosen
        given = {each.name: each.dataType for each in computed.schema.fields if each.name.startswith(_VALUE)}
        columns = []
        for each in self.schema.fields:
            old = self.rows[quoted(each.name)] if keeps else missing_value(each)
            column = old
            for name, (at, path, _) in values.items():
                if path[0] == each.name:
                    value = assigned_value(old, path[1:], functions.col(name), given[name], each)
                    column = functions.when(functions.col(_CLAUSE) == at, value).otherwise(column)
            columns.append(column.alias(each.name))
        operations = functions.array(*(functions.lit(clause.operation) for clause in clauses))
        operation = functions.element_at(operations, functions.col(_CLAUSE) + 1).alias(OPERATION)
        types = {each.name: each.dataType for each in self.rows.schema.fields}
        identity = [
            (self.rows[name] if keeps else functions.lit(None).cast(types[name])).alias(name) for name in self.identity
        ]
        return computed.select(operation, *columns, *identity)

    def _assigned(self, clause: _Clause) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield the paths of the columns that a clause assigns, and their values."""
        if clause.is_star:
            given = {name.lower(): name for name in self.source.columns}
            for name in self.schema.field_names:
                if name.lower() not in given:
                    raise SchemaMismatch(f"The source has no column '{name}'.", did_you_mean(name, given))
                yield (name,), self.source[quoted(given[name.lower()])]
            return
        for path, value in clause.assignments:
            start = 0 if path[0].lower() in self._names or len(path) == 1 else 1
            column = self._names.get(path[start].lower())
            if column is None:
                raise SchemaMismatch(
                    f"The table has no column '{path[start]}'.", did_you_mean(path[start], self._names)
                )
            yield (column, *path[start + 1 :]), value
