"""UPDATE, DELETE and MERGE of the session's catalog: Spark computes the changed rows and hands them over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from workbench.base.errors import Unsupported
from workbench.expr.dialect import tokens_of
from workbench.format.spec.snapshot import Operation
from workbench.metadata.snapshots import Snapshots
from workbench.spark.changes.change_writer import change_writer
from workbench.spark.changes.choice import why_not_on_spark
from workbench.spark.changes.running import running_statement
from workbench.spark.jvm.options import KEEPS_COLUMNS, PADS_CHAR, PINNED, selects_version, table_options
from workbench.spark.jvm.writes import written_table
from workbench.spark.reading.metadata_columns import USER_METADATA_COLUMNS, metadata_columns
from workbench.table.dml.rules import check_engine
from workbench.table.system.system_table import ReadOnlyTable

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

_Request = Mapping[str, Any]
# The prefix of the notes for the metadata columns that a statement names.
_NAMES = "workbench.names-column."


def notes_of_change(text: str) -> list[str]:
    """Return the notes for an UPDATE, DELETE or MERGE that Spark runs: that it adds no columns, that it compares padded
    values of CHAR, and which metadata columns it names.

    Args:
        text: The statement.

    Example:
        >>> notes_of_change("DELETE FROM t WHERE __paimon_bucket = 0")
        ['workbench.keeps-columns', 'workbench.pads-char', 'workbench.names-column.__paimon_bucket']
    """
    words = {str(token.text).lower() for token in tokens_of(text)}
    return [KEEPS_COLUMNS, PADS_CHAR, *(f"{_NAMES}{name}" for name in USER_METADATA_COLUMNS if name.lower() in words)]


def begin_change(catalog: Catalog, request: _Request) -> dict[str, Any]:
    """Fix the version that a statement reads, and return the columns that identify its rows.

    Raises:
        Unsupported: The table does not support the statement, or not as a Spark job.
    """
    with running_statement(request.get("statement")).recording_failure():
        return _begun(catalog, request)


def _begun(catalog: Catalog, request: _Request) -> dict[str, Any]:
    reading, operation = request["reading"], Operation[request["command"]]
    table = written_table(catalog, request["writing"])
    if isinstance(table, ReadOnlyTable):
        raise Unsupported(f"{table.name} is read-only.")
    if selects_version(table_options(reading)):
        raise Unsupported(f"{operation} changes the newest version only.", "Remove the options that select another.")
    reason = why_not_on_spark(table.schema)
    if reason is not None:
        raise Unsupported(
            f"Spark cannot change rows of {table.name}: {reason}.", "Use Table.update, Table.delete or Table.merge."
        )
    updates = operation is not Operation.DELETE
    check_engine(table.schema, operation, updates=updates, assigns=updates)
    newest = Snapshots(table.store).latest()
    pinned = {} if newest is None else {PINNED: str(newest.id)}
    identity = list(change_writer(table.schema, operation).identity)
    named = [name for name in metadata_columns(table.schema) if f"{_NAMES}{name}" in request["settings"]]
    places = [name for name in named if name not in identity]
    return {"reading": {**reading, **pinned, PADS_CHAR: "true"}, "identity": identity, "places": places}


def change_rows(catalog: Catalog, request: _Request, rows: DataFrame) -> None:
    """Write changed rows, which have the columns of the table and the columns from `begin_change`."""
    table, operation = written_table(catalog, request["writing"]), Operation[request["command"]]
    running = running_statement(request.get("statement"))
    with running.recording_failure():
        pinned = request["reading"].get(PINNED)
        snapshot = None if pinned is None else Snapshots(table.store).get(int(pinned))
        writer = change_writer(table.schema, operation)
        running.finish(writer.write(table, snapshot, rows, operation, running.progress, running.properties))
