"""Where UPDATE, DELETE and MERGE run: in the library, or as a Spark job.

The job runs in the attached session of the statement. A notebook statement has no attached session; if Spark may run
it, the job runs in a copy of the user's session that knows the notebook's catalog.

The library runs a statement if its table is small and the library supports all of its expressions, because starting a
Spark job costs more than such a change. A job runs all other statements: those with expressions or sources that only
Spark supports, and those that have to read many bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression, SchemaMismatch, Unsupported, WorkbenchError
from workbench.base.modules import exp
from workbench.expr.parse import from_tree
from workbench.sql.commands.value_casts import with_value_casts
from workbench.sql.context import Context
from workbench.sql.engines.choice import for_work_on, spark_is_installed
from workbench.sql.engines.spark_views import is_spark_view
from workbench.sql.engines.tables import find_frame
from workbench.sql.procedures.runners import LARGE_BYTES, stored_bytes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.sql.statements import TableRef
    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table

# The prefix of the error conditions that Spark's planner raises about plans, rather than about the text.
_PLANNER = "_LEGACY_ERROR_TEMP_"


def run_change(
    context: Context,
    table: Table,
    where: exp.Expression | None,
    in_library: Callable[[], RowChanges],
    otherwise: Callable[[WorkbenchError], RowChanges],
    *,
    tables: Sequence[TableRef] = (),
    prefers_spark: bool = False,
    only_library: bool = False,
) -> RowChanges:
    """Run a statement in the library or as a Spark job.

    Args:
        context: The context of the statement.
        table: The changed table.
        where: The condition on its rows, if the statement has one.
        in_library: Runs the statement in the library.
        otherwise: Runs a statement that the library refused and no job can run; its argument is the refusal.
        tables: The tables and views that the statement names.
        prefers_spark: Whether a job runs the statement although the table is small.
        only_library: Whether only the library can run the statement.

    Raises:
        WorkbenchError: If the statement fails.
    """
    job = None if only_library else _job_of(context, table, tables)
    if context.only_spark is not None:
        return otherwise(_only_spark(context.only_spark)) if job is None else _run_job(job)
    if job is not None and (prefers_spark or job.context.is_chosen_by_user or _is_large(table, where)):
        return _run_job(job)
    try:
        return in_library()
    except (Unsupported, InvalidExpression) as refusal:
        return otherwise(refusal) if job is None else _run_job_if_possible(job, refusal, otherwise)
    except SchemaMismatch as refusal:
        if job is None:
            raise
        with job.session() as session:
            return _run_job_with_casts(job, session, refusal)


@dataclass(frozen=True)
class _Job:
    """A statement that a Spark job can run, with the tables that it names."""

    context: Context
    tables: Sequence[TableRef]

    @contextmanager
    def session(self) -> Iterator[SparkSession]:
        """Yield the session of the statement or, in a notebook, a copy of the user's session that knows the notebook's
        catalog and data frames."""
        context = self.context
        if context.session is not None:
            yield context.session
            return
        from workbench.spark.frames import frame_of_rows
        from workbench.spark.private_session import private_session

        with private_session(context.catalog, context.database, context.progress) as session:
            for table in self.tables:
                frame = find_frame(context, table)
                if frame is not None:
                    frame_of_rows(session, frame.rows).createOrReplaceTempView(table.parts[0])
            context.note_spark()
            yield session


def _job_of(context: Context, table: Table, tables: Sequence[TableRef]) -> _Job | None:
    """Return the job that can run a statement; None if no job can."""
    chosen = context if context.session is not None else for_work_on(context, table)
    if chosen.engine != "spark" or chosen.run_query is not None or not spark_is_installed():
        return None
    from workbench.spark.changes.choice import why_not_on_spark

    if why_not_on_spark(table.schema) is not None:
        return None
    if chosen.session is None:
        from workbench.spark.private_session import can_have_private_session

        # The copy of the user's session knows the catalog by another name.
        if any(len(each.parts) > 2 for each in tables) or not can_have_private_session():
            return None
    return _Job(chosen, tables)


def merging_options(context: Context, table: TableRef) -> dict[str, str]:
    """Return the session's options that allow statements to add columns to a table and to change column types."""
    if context.settings is None:
        return {}
    from workbench.spark.jvm.options import MERGE_SCHEMA, settings_of

    found = settings_of(context.settings(), context.catalog_name, ".".join(context.full_name(table)))
    return {key: value for key, value in found.items() if key.startswith(MERGE_SCHEMA)}


def is_view_of_session(context: Context, table: TableRef) -> bool:
    """Return whether a name is that of a temporary view in the statement's session or, if it has none, in the running
    session."""
    if context.session is None:
        return is_spark_view(context, table)
    if len(table.parts) > 1:
        return False
    from workbench.spark.session import has_temporary_view

    return has_temporary_view(context.session, table.parts[0])


def _only_spark(setting: str) -> Unsupported:
    return Unsupported(
        f"Only Spark evaluates statements of a session with {setting}, and it cannot run this one.",
        "RESET the setting, or use Table.update, Table.delete or Table.merge.",
    )


def _is_large(table: Table, where: exp.Expression | None) -> bool:
    """Return whether the files that the condition selects are too large for this process."""
    if not table.scan().has_plan or stored_bytes(table.scan()) < LARGE_BYTES:
        return False
    try:
        selected = table.scan(where=None if where is None else from_tree(where))
        return stored_bytes(selected) >= LARGE_BYTES
    except (Unsupported, InvalidExpression):
        # Only Spark knows the condition, so every file is read.
        return True


def _run_job_if_possible(
    job: _Job,
    refusal: WorkbenchError,
    otherwise: Callable[[WorkbenchError], RowChanges],
) -> RowChanges:
    from pyspark.errors import AnalysisException

    try:
        return _run_job(job)
    except AnalysisException as error:
        if not (error.getCondition() or "").startswith(_PLANNER):
            raise
        # Spark's planner cannot change rows with some correlated subqueries.
        try:
            return otherwise(refusal)
        except WorkbenchError:
            raise error from None


def _run_job(job: _Job) -> RowChanges:
    """Plan and run the statement in Spark, with casts of its values if necessary.

    Raises:
        WorkbenchError: If the library refuses the change or cannot write it.
        PySparkException: If Spark does not know a part of the statement, or an expression fails.
    """
    from pyspark.errors import AnalysisException

    from workbench.spark.jvm.writer_options import CANNOT_CAST

    with job.session() as session:
        try:
            return _run_text(job.context, session, job.context.statement)
        except AnalysisException as error:
            if error.getCondition() != CANNOT_CAST or not job.context.adds_casts:
                raise
            return _run_job_with_casts(job, session, error)


def _run_job_with_casts(job: _Job, session: SparkSession, refusal: Exception) -> RowChanges:
    """Run a statement whose values were refused because of their types, with casts around the values that need them.

    Raises:
        Exception: The refusal, if Spark refuses the statement, too.
    """
    from pyspark.errors import AnalysisException, PySparkException
    from pyspark.sql import SparkSession

    context = job.context
    try:
        text = with_value_casts(context.statement, lambda query: SparkSession.sql(session, query).schema)
        if text is not None:
            return _run_text(context, session, text)
    except AnalysisException:
        # No such cast exists; the refusal of the user's own statement says so.
        raise refusal from None
    try:
        return _run_text(context, session, context.statement)
    except (PySparkException, WorkbenchError):
        raise refusal from None


def _run_text(context: Context, session: SparkSession, text: str) -> RowChanges:
    """Run the text of a statement in Spark, which passes the changed rows back to the library."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    from workbench.spark.changes.running import RunningStatement, statement_running
    from workbench.spark.jvm.row_changes import notes_of_change
    from workbench.spark.jvm.writer_options import noted

    statement = RunningStatement(context.progress, context.snapshot_properties)
    # Spark does not resolve expressions if the table accepts any columns, so note that this statement adds none.
    with statement_running(session.sparkContext, statement), noted(session, notes_of_change(text)):
        try:
            SparkSession.sql(session, text)
        except PySparkException:
            if statement.failure is not None:
                raise statement.failure from None
            raise
    return statement.changes()
