"""Columns that say where a row is stored: file, position in the file, partition and bucket."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql import types as spark

from workbench.base.errors import Unsupported
from workbench.format.spec.row_tracking import TRACKING_COLUMNS
from workbench.scan.split import is_raw
from workbench.spark.bucket import quoted
from workbench.spark.reading.overflow_reports import overflows_of_tasks
from workbench.spark.reading.reader import one_task_each, rows_of
from workbench.spark.session import map_in_arrow
from workbench.spark.tasks import ReadTask
from workbench.spark.types import spark_schema, to_spark

if TYPE_CHECKING:
    from workbench.base.arrays import Int64Array
    from workbench.expr.expressions import Expr
    from workbench.format.spec.data_file import DataFileMeta
    from workbench.format.spec.schema import TableSchema
    from workbench.scan.scan import Scan
    from workbench.scan.split import Split
    from workbench.table.readable_table import ReadableTable

FILE_PATH, ROW_INDEX = "__paimon_file_path", "__paimon_row_index"
PARTITION, BUCKET = "__paimon_partition", "__paimon_bucket"
ROW = "__paimon_row"
"""The whole row, by which changes identify the rows of a primary-key table."""
USER_METADATA_COLUMNS = (FILE_PATH, ROW_INDEX, PARTITION, BUCKET, *TRACKING_COLUMNS)
"""The metadata columns that users may name."""
NOT_NULL = (FILE_PATH, ROW_INDEX, BUCKET, ROW)
_PLACES: dict[str, tuple[spark.DataType, pa.DataType]] = {
    FILE_PATH: (spark.StringType(), pa.string()),
    ROW_INDEX: (spark.LongType(), pa.int64()),
    BUCKET: (spark.IntegerType(), pa.int32()),
}


def metadata_columns(schema: TableSchema) -> dict[str, spark.DataType]:
    """Return the metadata columns of a table and their types."""
    partition = [spark.StructField(each.name, to_spark(each.type)) for each in schema.partition_fields]
    found: dict[str, spark.DataType] = {
        FILE_PATH: spark.StringType(),
        ROW_INDEX: spark.LongType(),
        PARTITION: spark.StructType(partition),
        BUCKET: spark.IntegerType(),
    }
    if schema.core.row_tracking_enabled:
        found |= {name: spark.LongType() for name in TRACKING_COLUMNS}
    if schema.is_primary_key_table:
        found[ROW] = spark_schema(schema.fields)
    return found


def with_metadata_columns(
    table: ReadableTable, columns: Sequence[str], session: SparkSession, where: Expr | None = None
) -> DataFrame:
    """Return the rows of a table with the given columns, some of which are metadata columns.

    Args:
        table: The table at its version.
        columns: The names of the columns, and of metadata columns.
        session: The Spark session.
        where: A condition; rows that do not satisfy it may be left out.

    Raises:
        Unsupported: If files have to be merged, so that a row has no file or position.
    """
    schema = table.schema
    places = [name for name in columns if name in _PLACES]
    stored = [name for name in columns if name not in (*_PLACES, PARTITION, ROW)]
    if ROW in columns:
        stored = list(schema.field_names)
    if PARTITION in columns:
        stored += [name for name in schema.partition_keys if name not in stored]
    stored = stored or [schema.field_names[0]]
    scan = table.scan(stored, where)
    fields = [scan.schema.field(name) for name in stored]
    frame = _placed(scan, places, spark_schema(fields), session) if places else rows_of(scan, session)
    if PARTITION in columns:
        keys = [functions.col(quoted(name)) for name in schema.partition_keys]
        frame = frame.withColumn(PARTITION, functions.struct(*keys))
    if ROW in columns:
        row = functions.struct(*(functions.col(quoted(name)) for name in schema.field_names))
        frame = frame.withColumn(ROW, row)
    return frame.select(*map(quoted, columns))


def _placed(scan: Scan, places: Sequence[str], stored: spark.StructType, session: SparkSession) -> DataFrame:
    splits = list(_parts(scan, by_file=FILE_PATH in places or ROW_INDEX in places))
    overflows = overflows_of_tasks(session)
    read = ReadTask(scan.store, scan.schema, scan.reader.columns, snapshot=scan.snapshot, overflows=overflows)
    added = [spark.StructField(name, _PLACES[name][0]) for name in places]
    wanted = spark.StructType([*stored.fields, *added])
    if not splits:
        return session.createDataFrame([], wanted)
    return map_in_arrow(one_task_each(session, splits), _PlacedRead(read, tuple(places)).run, wanted)


def _parts(scan: Scan, *, by_file: bool) -> Iterator[Split]:
    """Yield splits; with ``by_file``, each split has a single file, so that the file of a row is known."""
    for split in scan.plan():
        if split.waiting:
            raise Unsupported(
                f"Rows of {scan.store.name} that wait for a bucket have no metadata columns.",
                "Run CALL sys.compact first, or set option 'postpone.merge-on-read' to 'false'.",
            )
        if not by_file:
            yield split
            continue
        for section in split.sections:
            if not is_raw(section):
                raise Unsupported(
                    f"Rows of {scan.store.name} that are merged from several files have no {FILE_PATH} or {ROW_INDEX}.",
                    "Run CALL sys.compact first, or leave these columns out.",
                )
            for file in section[0]:
                yield one_file(split, file)


def one_file(split: Split, file: DataFileMeta) -> Split:
    """Return a split with only one of its files."""
    return replace(split, sections=(((file,),),))


@dataclass(frozen=True)
class _PlacedRead:
    """Reads splits, and adds the columns that say where their rows are stored."""

    read: ReadTask
    places: tuple[str, ...]

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of the pickled splits in column 0, for `DataFrame.mapInArrow`."""
        for batch in batches:
            for text in batch.column(0):
                yield from self._rows(pickle.loads(text.as_py()), text.as_py())

    def _rows(self, split: Split, text: bytes) -> Iterator[pa.RecordBatch]:
        positions = self._positions(split) if ROW_INDEX in self.places else None
        first = 0
        for batch in self.read.read(text):
            count = batch.num_rows
            for name in self.places:
                batch = batch.append_column(name, self._place(name, split, count, positions, first))
            yield batch
            first += count

    def _place(self, name: str, split: Split, rows: int, positions: Int64Array | None, first: int) -> pa.Array:
        if name == ROW_INDEX:
            assert positions is not None
            return pa.array(positions[first : first + rows])
        value = split.bucket if name == BUCKET else split.path(split.files[0])
        return pa.repeat(pa.scalar(value, _PLACES[name][1]), rows)

    def _positions(self, split: Split) -> Int64Array:
        (file,) = split.files
        deletion = split.deletions.get(file.file_name)
        if deletion is None:
            return np.arange(file.row_count, dtype=np.int64)
        return np.flatnonzero(deletion.read(self.read.store, file).kept(0, file.row_count))
