"""``wb.spark.cdc``: change events of databases, as JSON strings, become upserts and deletes in a table.

Everything is computed in the JVM by column expressions: one aggregation finds the columns and the values that do not
fit, and one write follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql import types as spark

from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest, SchemaMismatch
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER
from workbench.spark.bucket import quoted
from workbench.spark.streaming.events import event_format
from workbench.spark.streaming.sink import QUERY_ID, stream_user
from workbench.spark.types import arrow_schema, to_spark
from workbench.spark.writing.writer import write
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.table.table import Table

_KIND, _ROW, _OLD, _VALUES = "__workbench_kind", "__workbench_row", "__workbench_old", "__workbench_values"
_TEXTS = "map<string,string>"


@checked(table="workbench.Table")
def cdc(
    frame: DataFrame,
    table: Table,
    format: str = "debezium-json",
    *,
    column: str = "value",
    checkpoint: str | None = None,
    trigger: dict[str, Any] | None = None,
) -> Any:
    """Apply change events to a primary-key table, in their order.

    Columns that the table lacks are added to it, and columns of smaller integer types become BIGINT where necessary.

    Args:
        frame: The events, one JSON string per row, as Spark's Kafka source and ``readStream.text`` return them. A
            streaming DataFrame starts a query.
        table: The table.
        format: ``debezium-json``, ``canal-json`` or ``maxwell-json``.
        column: The column with the events, STRING or BINARY. NULL, a tombstone of Kafka, is skipped.
        checkpoint: The directory of the query's checkpoint; required for a streaming DataFrame.
        trigger: The arguments of Spark's ``trigger`` of the query, such as ``{"availableNow": True}``.

    Returns:
        The commit of a batch, or the running query of a streaming DataFrame.

    Raises:
        InvalidRequest: The format is unknown, or the checkpoint is missing.
        SchemaMismatch: An event does not have the format, or a value does not fit its column; nothing is committed.
        Unsupported: The table has no primary key.

    Example:
        >>> events = spark.readStream.text("/data/events")
        >>> query = wb.spark.cdc(events, orders, "maxwell-json", checkpoint="/data/checkpoints/orders")
    """
    event_format(format)
    if not frame.isStreaming:
        return _apply(frame, table, format, column, BATCH_COMMIT_IDENTIFIER, None)
    if checkpoint is None:
        raise InvalidRequest("A stream of change events requires a checkpoint.", "Pass checkpoint='/data/…'.")

    def apply(batch: DataFrame, number: int) -> None:
        query = batch.sparkSession.sparkContext.getLocalProperty(QUERY_ID)
        assert query is not None
        _apply(batch, table, format, column, number, stream_user(table.store, query))

    writer = frame.writeStream.foreachBatch(apply).option("checkpointLocation", checkpoint)
    return (writer if trigger is None else writer.trigger(**trigger)).start()


def _apply(frame: DataFrame, table: Table, format: str, column: str, identifier: int, user: str | None) -> Any:
    text = functions.col(quoted(column)).cast("string")
    events = frame.where(text.isNotNull()).select(functions.inline(event_format(format)(text)))
    kinds, rows, olds = (functions.col(name) for name in ("kind", "row", "old"))
    changes = events.select(kinds.alias(_KIND), rows.alias(_ROW), olds.alias(_OLD)).persist()
    try:
        _evolve(changes, table)
        shown = _moved(changes, table.primary_key)
        fields = [_value(each).alias(each.name) for each in _fields(table)]
        written = shown.select(*fields, functions.col(_KIND))
        return write(written, table, row_kind=_KIND, identifier=identifier, commit_user=user)
    finally:
        changes.unpersist()


def _fields(table: Table) -> list[spark.StructField]:
    return [spark.StructField(field.name, to_spark(field.type)) for field in table.schema.fields]


def _evolve(changes: DataFrame, table: Table) -> None:
    """Check all events, and add or widen the table's columns so that they can hold the events."""
    row = functions.col(_ROW)
    values = changes.where(functions.col(_KIND).isNotNull()).withColumn(_VALUES, _texts(row))
    wrong = changes.where(functions.col(_KIND).isNull()).select(_ROW).first()
    if wrong is not None:
        raise SchemaMismatch(f"An event cannot be read: {str(wrong[0])[:200]}", "Check the format of the events.")
    known = _fields(table)
    misfits = [functions.max(_misfit(each)).alias(f"_{at}") for at, each in enumerate(known)]
    found = values.agg(functions.expr(f"schema_of_variant_agg(parse_json({_ROW}))").alias("schema"), *misfits).first()
    assert found is not None
    widened = [_widened(each, found[f"_{at}"]) for at, each in enumerate(known) if found[f"_{at}"] is not None]
    names = {each.name for each in known}
    added = [each for each in _columns(found["schema"]) if each.name not in names]
    if added or widened:
        schema = arrow_schema(spark.StructType([*widened, *added]))
        with_dynamic_options(table, {"write.merge-schema.type-widening": "true"}).merge_schema(
            schema, case_sensitive=True
        )
        table.merge_schema(schema, case_sensitive=True)


def _columns(inferred: str | None) -> list[spark.StructField]:
    """Return the columns of an inferred type, such as ``OBJECT<id: BIGINT>``; no columns if there are no rows."""
    if inferred is None or not inferred.startswith("OBJECT<"):
        return []
    described = inferred.replace("OBJECT<", "STRUCT<").removeprefix("STRUCT<").removesuffix(">")
    known = spark.StructType.fromDDL(described)
    assert isinstance(known, spark.StructType)
    return [spark.StructField(field.name, _new_type(field.dataType)) for field in known.fields]


def _texts(row: Column) -> Column:
    return functions.from_json(row, _TEXTS, {"mode": "FAILFAST"})


def _misfit(field: spark.StructField) -> Column:
    """Return the text of a value that does not fit its column, else NULL."""
    text = functions.col(_VALUES)[field.name]
    return functions.when(text.isNotNull() & _value(field).isNull(), text)


def _value(field: spark.StructField) -> Column:
    """Return the value of a column; NULL for a string that does not fit. A number is not accepted as a time."""
    text = functions.col(_VALUES)[field.name]
    kind = field.dataType
    if isinstance(kind, spark.StructType | spark.ArrayType | spark.MapType):
        return functions.from_json(text, kind)
    if isinstance(kind, spark.BinaryType):
        return functions.unbase64(text)
    if isinstance(kind, spark.DateType | spark.TimestampType | spark.TimestampNTZType):
        text = functions.when(~text.rlike("^-?[0-9]+$"), text)
    return text.try_cast(kind)


def _widened(field: spark.StructField, text: str) -> spark.StructField:
    whole = spark.ByteType | spark.ShortType | spark.IntegerType
    if isinstance(field.dataType, whole) and text.lstrip("-").isdigit() and abs(int(text)) < 1 << 63:
        return spark.StructField(field.name, spark.LongType())
    raise SchemaMismatch(
        f"Value '{text[:100]}' does not fit column '{field.name}' of type {field.dataType.simpleString()}.",
        "Alter the column, or correct the event.",
    )


def _new_type(kind: spark.DataType) -> spark.DataType:
    """Return the type of a new column, which is the type of its JSON values; nested values become strings."""
    if isinstance(kind, spark.LongType | spark.BooleanType | spark.DoubleType):
        return kind
    if isinstance(kind, spark.DecimalType):
        return spark.DecimalType(38, 0) if kind.scale == 0 else spark.DoubleType()
    return spark.StringType()


def _moved(changes: DataFrame, keys: list[str]) -> DataFrame:
    """Return the values of all changes; the old row is deleted before a change that gives it another key."""
    new, old = _texts(functions.col(_ROW)), _texts(functions.col(_OLD))
    merged = functions.map_concat(
        functions.map_filter(new, lambda name, _: ~functions.map_contains_key(old, name)), old
    )
    differs = functions.lit(False)
    for key in keys:
        differs = differs | ~merged[key].eqNullSafe(new[key])
    change = functions.struct(functions.col(_KIND).alias(_KIND), new.alias(_VALUES))
    delete = functions.struct(functions.lit("-D").alias(_KIND), merged.alias(_VALUES))
    moves = functions.col(_OLD).isNotNull() & differs
    both = functions.when(moves, functions.array(delete, change)).otherwise(functions.array(change))
    return changes.select(functions.inline(both))
