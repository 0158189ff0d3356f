"""The commands of a DataFrame's writers that name a table of an attached catalog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.connect import proto
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.expressions import LiteralExpression
from pyspark.sql.connect.plan import LogicalPlan

from workbench.base.errors import AlreadyExists, SchemaMismatch, TableNotFound, Unsupported
from workbench.spark.storing.assignment import by_name, by_position
from workbench.sql.session.connect.merge import merge_into
from workbench.sql.session.connect.position import Position
from workbench.sql.session.connect.writes import EVERYTHING, Target, equal_to

if TYPE_CHECKING:
    from collections.abc import Sequence


_V1, _V2 = proto.WriteOperation, proto.WriteOperationV2
_INSERT_INTO = _V1.SaveTable.TABLE_SAVE_METHOD_INSERT_INTO


class WritingSession(Protocol):
    """The interface that commands need from the session that sends them."""

    position: Position

    def target(self, name: str) -> Target | None:
        """Return the table of an attached catalog that a writer names; None if it names another table."""

    @property
    def overwrites_dynamically(self) -> bool:
        """Whether an overwrite replaces only the partitions that the new rows are in."""


def run_command(session: WritingSession, command: Any) -> bool:
    """Run a command if it writes a table of an attached catalog, and return whether it does.

    Args:
        session: The session of the DataFrame.
        command: The command that the writer would send to the server.

    Raises:
        Unsupported: If the command cannot be run here.
        WorkbenchError: If the write fails.
    """
    kind = command.WhichOneof("command_type")
    if kind == "write_operation" and command.write_operation.HasField("table"):
        target = session.target(command.write_operation.table.table_name)
        if target is not None:
            _save(session, command.write_operation, target)
            return True
    elif kind == "write_operation_v2":
        target = session.target(command.write_operation_v2.table_name)
        if target is not None:
            _MODES[command.write_operation_v2.mode](session, command.write_operation_v2, target)
            return True
    elif kind == "create_dataframe_view":
        # The server creates the view, which hides a table of the same name.
        session.position.views[command.create_dataframe_view.name.lower()] = None
    elif kind == "merge_into_table_command":
        target = session.target(command.merge_into_table_command.target_table_name)
        if target is not None:
            merging = command.merge_into_table_command
            merge_into(target, merging, _rows(session, merging.source_table_plan))
            return True
    return False


def with_known_sink(session: WritingSession, command: Any) -> Any:
    """Return a command with the format ``paimon``, which the server knows, as the sink of a stream to a table of an
    attached catalog; other commands as they are.

    Raises:
        TableNotFound: If the catalog has no such table; streams do not create tables.
    """
    if command.WhichOneof("command_type") != "write_stream_operation_start":
        return command
    start = command.write_stream_operation_start
    target = session.target(start.table_name) if start.WhichOneof("sink_destination") == "table_name" else None
    if target is None:
        return command
    target.existing()
    changed = proto.Command()
    changed.CopyFrom(command)
    changed.write_stream_operation_start.format = "paimon"
    # The two are alternatives in the message.
    changed.write_stream_operation_start.path = target.name
    return changed


class _Given(LogicalPlan):
    """A plan that already has the form in which plans are sent to the server."""

    def __init__(self, relation: Any) -> None:
        super().__init__(None)
        self._relation = relation

    @property
    def _plan_id(self) -> int:
        """The ID by which columns of the DataFrame refer to the plan."""
        return int(self._relation.common.plan_id)

    def plan(self, session: Any) -> Any:  # noqa: ARG002
        return self._relation


def _rows(session: WritingSession, relation: Any) -> DataFrame:
    sender: Any = session
    return DataFrame(_Given(relation), sender)


def _save(session: WritingSession, operation: Any, target: Target) -> None:
    """Run ``insertInto`` or ``saveAsTable``."""
    frame, options, mode = _rows(session, operation.input), dict(operation.options), operation.mode
    replaces = mode == _V1.SAVE_MODE_OVERWRITE
    if operation.table.save_method == _INSERT_INTO:
        columns = target.existing().schema.fields
        filters = EVERYTHING if replaces else None
        dynamic = replaces and session.overwrites_dynamically
        rows = frame if target.merges_schema() else by_position(frame, columns)
        target.write(rows, "dynamic" if dynamic else "overwrite" if replaces else "append", filters, options)
        return
    table = target.table()
    if table is None:
        properties = {**options, "provider": operation.source or "parquet"}
        target.create(frame, operation.partitioning_columns, properties)
    elif replaces:
        _replace_rows(target, frame, options)
    elif mode == _V1.SAVE_MODE_APPEND:
        _append(target, frame, options)
    elif mode != _V1.SAVE_MODE_IGNORE:
        raise AlreadyExists(f"Table {table.name} already exists.", "Use mode 'append', 'overwrite' or 'ignore'.")


def _replace_rows(target: Target, frame: DataFrame, options: dict[str, str]) -> None:
    """Replace the rows of a table, and keep its definition, as Paimon's connector does."""
    # Other options would apply only to a new table.
    of_write = {key: value for key, value in options.items() if key.startswith("write.")}
    rows = frame if target.merges_schema(options) else by_name(frame, target.existing().schema.fields)
    target.write(rows, "overwrite", EVERYTHING, of_write)


def _append(target: Target, frame: DataFrame, options: dict[str, str]) -> None:
    table = target.existing()
    if target.merges_schema(options):
        target.write(frame, "append", options=options)
        return
    missing = {field.name.lower() for field in table.schema.fields} - {name.lower() for name in frame.columns}
    if missing:
        raise SchemaMismatch(f"The rows have no column '{min(missing)}'.", "Add it to the DataFrame.")
    target.write(by_name(frame, table.schema.fields), "append", options=options)


def _append_v2(session: WritingSession, operation: Any, target: Target) -> None:
    _append(target, _rows(session, operation.input), dict(operation.options))


def _overwrite(session: WritingSession, operation: Any, target: Target) -> None:
    frame = by_name(_rows(session, operation.input), target.existing().schema.fields)
    target.write(frame, "overwrite", [_filter(operation.overwrite_condition)], dict(operation.options))


def _overwrite_partitions(session: WritingSession, operation: Any, target: Target) -> None:
    frame = by_name(_rows(session, operation.input), target.existing().schema.fields)
    target.write(frame, "dynamic", EVERYTHING, dict(operation.options))


def _create(*, creates: bool, replaces: bool) -> Callable[[WritingSession, Any, Target], None]:
    def run(session: WritingSession, operation: Any, target: Target) -> None:
        exists = target.table() is not None
        if exists and not replaces:
            raise AlreadyExists(f"Table {target.name} already exists.", "Use createOrReplace.")
        if not exists and not creates:
            raise TableNotFound(f"There is no table '{target.name}'.", "Use create or createOrReplace.")
        columns = [_column(each) for each in operation.partitioning_columns]
        properties = {**operation.options, **operation.table_properties, "provider": operation.provider or "paimon"}
        target.create(_rows(session, operation.input), columns, properties, replace=exists)

    return run


_MODES: dict[int, Callable[[WritingSession, Any, Target], None]] = {
    _V2.MODE_APPEND: _append_v2,
    _V2.MODE_OVERWRITE: _overwrite,
    _V2.MODE_OVERWRITE_PARTITIONS: _overwrite_partitions,
    _V2.MODE_CREATE: _create(creates=True, replaces=False),
    _V2.MODE_REPLACE: _create(creates=False, replaces=True),
    _V2.MODE_CREATE_OR_REPLACE: _create(creates=True, replaces=True),
}


def _filter(expression: Any) -> list[Any]:
    """Return the condition of an overwrite as the catalog in the JVM describes it.

    Raises:
        Unsupported: If it does not compare columns with constants.
    """
    function = expression.unresolved_function
    name, arguments = function.function_name.lower(), list(function.arguments)
    if expression.WhichOneof("expr_type") == "literal" and expression.literal.boolean:
        return EVERYTHING[0]
    if name == "and":
        return ["and", _filter(arguments[0]), _filter(arguments[1])]
    if name in ("isnull", "isnotnull"):
        return ["null" if name == "isnull" else "not null", _column(arguments[0]), None]
    if name in ("==", "=", "<=>", "<", "<=", ">", ">="):
        _, *compared = equal_to(_column(arguments[0]), _constant(arguments))
        return ["=" if name == "==" else name, *compared]
    raise Unsupported(
        "An overwrite by this condition is not supported on Spark Connect.", "Compare columns with constants."
    )


def _column(expression: Any) -> str:
    if expression.WhichOneof("expr_type") != "unresolved_attribute":
        raise Unsupported("An expression is not supported in place of a column.", "Name a column of the table.")
    return str(expression.unresolved_attribute.unparsed_identifier).strip("`")


def _constant(arguments: Sequence[Any]) -> Any:
    if arguments[1].WhichOneof("expr_type") != "literal":
        raise Unsupported("An overwrite by this condition is not supported.", "Compare columns with constants.")
    return LiteralExpression._to_value(arguments[1].literal)
