"""How the rows of a DataFrame reach the tasks that write them.

Each bucket of a primary-key table, or of an append table with a bucket key, is written by one task. `choose_placement`
decides how this is achieved, based only on the table and on whether the input is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.base.errors import Unsupported
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import BucketMode
from workbench.spark.bucket import binary_row_expression, binary_row_sql, bucket_expression, quoted
from workbench.spark.interrupts import unless_cancelled
from workbench.spark.progress import classic_context
from workbench.spark.storing.value_limits import with_limits
from workbench.spark.table_columns import check_columns, has_columns_of, table_columns
from workbench.spark.writing.tasks import ORDER
from workbench.write.elsewhere.assigned import BUCKET

PLACE = "__workbench_place"
_MAX_TASKS = 200
_ROWS_BETWEEN_CHECKS = 1 << 14
_SMALL_BYTES = 64 << 20


class Placement(Enum):
    """Which rows are in one task."""

    ANY = "the rows of the DataFrame's own tasks"
    BUCKET = "the rows of a bucket, which the JVM computes"
    PARTITION = "the rows of a partition, for which a task assigns buckets and writes them"
    TABLE = "all rows, for which a task assigns buckets and writes them"
    ASSIGNED = "the rows of a bucket, which tasks of an earlier stage have assigned"
    KEY = "the rows of a key, which wait for their bucket"


def choose_placement(schema: TableSchema, *, is_small: bool) -> Placement:
    """Return how rows reach the tasks that write them. ``is_small``: the rows are few, so that one shuffle is faster
    than two."""
    mode = schema.kind.bucket_mode
    if mode is BucketMode.BUCKET_UNAWARE:
        return Placement.ANY
    if mode is BucketMode.POSTPONE_MODE:
        return Placement.PARTITION if schema.core.postpone_batch_write_fixed_bucket else Placement.KEY
    if mode is BucketMode.HASH_FIXED:
        return _by_bucket(schema)
    if not is_small and _hashes_keys(schema):
        return Placement.ASSIGNED
    return Placement.TABLE if mode is BucketMode.KEY_DYNAMIC else Placement.PARTITION


def _by_bucket(schema: TableSchema) -> Placement:
    try:
        bucket_of(schema)
    except Unsupported:
        return Placement.ASSIGNED
    return Placement.BUCKET


def _hashes_keys(schema: TableSchema) -> bool:
    try:
        binary_row_sql(schema.key_fields)
    except Unsupported:
        return False
    return True


def is_small(frame: DataFrame, limit: int = _SMALL_BYTES) -> bool:
    """Return whether Spark expects rows of at most ``limit`` bytes; False if the size is unknown."""
    if classic_context(frame.sparkSession) is None:
        return False
    size = frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    return int(size) <= limit


def project_to_table(frame: DataFrame, schema: TableSchema, row_kind: str | None = None) -> DataFrame:
    """Return the rows with the table's columns and the column of the row kinds.

    Raises:
        SchemaMismatch: If the columns of the DataFrame do not fit the table.
    """
    return with_limits(_table_rows(frame, schema, row_kind), schema.fields)


def _table_rows(frame: DataFrame, schema: TableSchema, row_kind: str | None) -> DataFrame:
    extra = [] if row_kind is None else [row_kind]
    check_columns(frame.schema, schema.fields, extra)
    if not extra and has_columns_of(frame.schema, schema.fields):
        return frame
    kept = [functions.col(quoted(name)) for name in extra]
    return frame.select(*table_columns(frame.schema, schema.fields), *kept)


def distributed(rows: DataFrame, schema: TableSchema, placement: Placement) -> DataFrame:
    """Return the rows of `project_to_table`, with rows that belong together in one task, in the DataFrame's order."""
    if placement is Placement.ANY:
        return rows
    names = [quoted(name) for name in rows.columns]
    numbered = _numbered(rows)
    if placement is Placement.TABLE:
        return numbered.coalesce(1).sortWithinPartitions(ORDER).select(*names)
    tasks = task_count(rows.sparkSession, schema, placement)
    return _shuffled(numbered, _place(schema, placement, tasks), tasks).select(*names)


def placed_by_key(rows: DataFrame, schema: TableSchema, parts: int) -> DataFrame:
    """Return the rows of `project_to_table`, with the column `ORDER`, for the tasks that assign their buckets.

    A task gets all rows of some parts of the keys, see `AssignerOptions`. If the bucket depends only on the row, there
    is no shuffle.
    """
    if schema.core.bucket > 0:
        return _numbered(rows)
    part = binary_row_expression(schema.key_fields, f"cast(abs(cast(hash({{}}) AS BIGINT)) % {parts} AS INT)")
    place = part if schema.kind.crosses_partitions else spread(schema, part, parts)
    return _shuffled(_numbered(rows), place, parts).drop(PLACE)


def placed_by_bucket(rows: DataFrame, schema: TableSchema) -> DataFrame:
    """Return assigned rows, with all rows of a bucket in one task and in their order."""
    tasks = parallelism(rows.sparkSession)
    place = spread(schema, functions.col(BUCKET), tasks)
    return rows.withColumn(PLACE, place).repartitionById(tasks, PLACE).sortWithinPartitions(ORDER).drop(PLACE)


def _numbered(rows: DataFrame) -> DataFrame:
    return rows.withColumn(ORDER, functions.monotonically_increasing_id())


def _shuffled(numbered: DataFrame, place: Column, tasks: int) -> DataFrame:
    """Return numbered rows, each in the task ``place``, in their order."""
    order = functions.col(ORDER)
    place = unless_cancelled(numbered.sparkSession, place, order, _ROWS_BETWEEN_CHECKS)
    return numbered.withColumn(PLACE, place).repartitionById(tasks, PLACE).sortWithinPartitions(ORDER)


def task_count(session: SparkSession, schema: TableSchema, placement: Placement) -> int:
    """Return the number of tasks for a placement."""
    wanted = parallelism(session)
    if placement is Placement.BUCKET:
        buckets = max(schema.core.bucket, 1)
        wanted = max(buckets, 2 * wanted) if schema.partition_keys else buckets
    elif placement is Placement.PARTITION and not schema.partition_keys:
        wanted = 1
    return min(wanted, _MAX_TASKS)


def parallelism(session: SparkSession) -> int:
    """Return the number of tasks that run at the same time, as far as it is known."""
    try:
        return min(int(session.sparkContext.defaultParallelism), _MAX_TASKS)
    except PySparkException:
        return min(int(session.conf.get("spark.sql.shuffle.partitions") or _MAX_TASKS), _MAX_TASKS)


def _place(schema: TableSchema, placement: Placement, tasks: int) -> Column:
    """Return the task of each row."""
    if placement is Placement.BUCKET:
        return spread(schema, bucket_of(schema), tasks)
    if placement is Placement.PARTITION:
        return spread(schema, functions.lit(0), tasks)
    return functions.pmod(functions.hash(*_columns(schema.primary_keys)), functions.lit(tasks))


def spread(schema: TableSchema, number: Column, tasks: int) -> Column:
    """Return the task of each row from its partition and a number, such as its bucket. Rows with the same partition and
    number are in one task; different numbers of a partition are spread over the tasks."""
    if not schema.partition_keys:
        return functions.pmod(number, functions.lit(tasks)).cast("int")
    partition = functions.hash(*_columns(schema.partition_keys))
    return functions.pmod(partition.cast("bigint") + number, functions.lit(tasks)).cast("int")


def bucket_of(schema: TableSchema) -> Column:
    """Return the bucket of each row. Raises Unsupported if the JVM cannot compute it."""
    buckets, function = schema.core.bucket, schema.core.bucket_function
    if buckets <= 1:
        return functions.lit(0)
    if function not in _BUCKET_FUNCTIONS:
        raise Unsupported(f"Option 'bucket-function.type' = '{function}' has no expression in Spark.")
    return _BUCKET_FUNCTIONS[function](schema, buckets)


def _default(schema: TableSchema, buckets: int) -> Column:
    return bucket_expression([schema.field(name) for name in schema.bucket_keys], buckets)


def _mod(schema: TableSchema, buckets: int) -> Column:
    (key,) = _columns(schema.bucket_keys)
    return functions.pmod(functions.coalesce(key.cast("bigint"), functions.lit(0)), functions.lit(buckets)).cast("int")


_BUCKET_FUNCTIONS = {"default": _default, "mod": _mod}


def _columns(names: Sequence[str]) -> list[Column]:
    return [functions.col(quoted(name)) for name in names]
