"""Data files with the columns of a table's files that another program has written, such as Spark's own Parquet writer.

They are described by their footers; few of their rows are read. Then they are moved into the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch
from workbench.base.lazy import cached_property
from workbench.base.modules import pq
from workbench.base.parallel import parallel_map
from workbench.datafile.data_file_writer import FileNames
from workbench.datafile.external_paths import DataFilePathFactory
from workbench.datafile.layout import FileLayout, file_layout
from workbench.format.parquet.schema import from_parquet
from workbench.format.parquet.statistics import Bounds, ChunkStatistics, bounds, read_statistics
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec.data_file import EMPTY_ROW, CommitMessage, DataFileMeta, FileSource
from workbench.format.spec.stats import ModeOf, StatsCollector
from workbench.format.types import DataField, field_to_arrow
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.errors import reading
from workbench.metadata.ids import BucketId
from workbench.metadata.schemas import writer_schema
from workbench.metadata.store import TableStore
from workbench.write.routers import router_for
from workbench.write.routing import distinct_partitions
from workbench.write.sequence_numbers import SequenceNumbers


@dataclass(frozen=True)
class ForeignFile:
    """A Parquet file to adopt, with rows of one partition and bucket. In a primary-key table, the rows are sorted by
    the key, and each key occurs once."""

    path: str
    bucket: int


@dataclass
class AdoptedFiles:
    """Moves files into a table, and describes them in messages.

    ``sequence``: the sequence number of all rows in primary-key tables. One number is enough, since a key occurs once.
    """

    store: TableStore
    buckets: BucketStates
    sequence: int = 0
    _moved: list[str] = field(default_factory=list)

    def messages(self, files: Sequence[ForeignFile]) -> list[CommitMessage]:
        """Move the files, in the order of their rows, and return a message for each bucket.

        Raises:
            SchemaMismatch: A column that is NOT NULL has nulls. Nothing is moved then.
        """
        described = [each for each in parallel_map(self._described, files) if each.rows]
        names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        numbers = SequenceNumbers(self.buckets)
        router = router_for(self.store, self.buckets)
        found: dict[BucketId, list[DataFileMeta]] = {}
        for each in described:
            bucket = (each.partition, each.file.bucket)
            router.total_buckets(each.partition)  # Raises CommitConflict if the number of buckets differs.
            first = numbers.take(bucket, each.rows, None if self.store.schema.core.bucket > 0 else 0)
            meta = each.meta(names.next(self._layout), self.sequence, first)
            self._move(each, bucket, meta)
            found.setdefault(bucket, []).append(meta)
        schema, base = writer_schema(self.store), self.buckets.base
        return [
            CommitMessage(*bucket, router.total_buckets(bucket[0]), tuple(metas), schema=schema, base=base)
            for bucket, metas in found.items()
        ]

    def abort(self) -> None:
        """Delete the files that were moved into the table."""
        for path in self._moved:
            self.store.discard(path)
        self._moved.clear()

    def _move(self, described: DescribedParquet, bucket: BucketId, meta: DataFileMeta) -> None:
        target = DataFilePathFactory(self.store, *bucket).next(meta.file_name).path
        self.store.file_io.rename(described.file.path, target)
        self._moved.append(target)

    def _described(self, file: ForeignFile) -> DescribedParquet:
        status = self.store.file_io.status(file.path)
        with reading(file.path), self.store.file_io.open_input(file.path) as opened:
            described = DescribedParquet(
                self.store, self._layout, file, pq.ParquetFile(opened), status.size if status else 0
            )
            described.read()
        return described

    @cached_property
    def _layout(self) -> FileLayout:
        return file_layout(self.store.schema, 0, is_changelog=False)


@dataclass
class DescribedParquet:
    """The metadata of a file; ``read`` collects it while the file is open.

    The file has all columns of the table, and the ``partition`` is that of its first row; unless ``constants`` are
    given: then so is the partition, and columns that the file does not have are these, with one row each, or NULL.
    """

    store: TableStore
    layout: FileLayout
    file: ForeignFile
    opened: pq.ParquetFile
    size: int
    partition: bytes = EMPTY_ROW
    constants: Mapping[str, pa.Array] | None = None
    min_key: bytes = EMPTY_ROW
    max_key: bytes = EMPTY_ROW

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.opened.metadata.num_rows)

    def read(self) -> None:
        """Collect the metadata."""
        if not self.rows:
            return
        schema = self.store.schema
        self._values = self._collected(schema.fields, self.layout.value_modes)
        self._keys = self._collected(schema.key_fields, self.layout.key_modes)
        names = [*schema.partition_keys, *(each.name for each in schema.key_fields)]
        if not names or self.constants is not None:
            return
        first = self._row(0, names, is_last=False)
        (self.partition,) = distinct_partitions(self.store, first)[0]
        if schema.key_fields:
            last = self._row(self.opened.metadata.num_row_groups - 1, names, is_last=True)
            self.min_key, self.max_key = self._key(first), self._key(last)

    def meta(self, name: str, sequence: int, first: int) -> DataFileMeta:
        """Describe the file under its new name."""
        schema = self.store.schema
        keyed = schema.is_primary_key_table
        dense = (schema.core.text("metadata.stats-dense-store") or "false").lower() == "true"
        value_stats, columns = self._values.value_stats(dense)
        return DataFileMeta(
            file_name=name,
            file_size=self.size,
            row_count=self.rows,
            min_key=self.min_key,
            max_key=self.max_key,
            key_stats=self._keys.stats(),
            value_stats=value_stats,
            min_sequence_number=sequence if keyed else first,
            max_sequence_number=sequence if keyed else first + self.rows - 1,
            schema_id=schema.id,
            level=0,
            creation_time=self.store.clock.local_wall_millis(),
            delete_row_count=0,
            file_source=FileSource.APPEND,
            value_stats_cols=columns,
        )

    def _collected(self, fields: Sequence[DataField], modes: ModeOf) -> StatsCollector:
        traits = self.layout.format.traits
        collector = StatsCollector(
            fields, modes, counts_nested_nulls=traits.counts_nested_nulls, has_binary_bounds=traits.has_binary_bounds
        )
        for position, each in enumerate(fields):
            if self.constants is not None and each.name not in self.opened.schema_arrow.names:
                value = self.constants.get(each.name, pa.nulls(1, field_to_arrow(each).type))
                collector.update_column(position, value, value.null_count * self.rows)
                continue
            if each.name not in self._leaves:
                continue  # Nested columns have no statistics.
            values, nulls = self._bounds(each)
            if nulls and not each.type.nullable:
                raise SchemaMismatch(
                    f"Column '{each.name}' is {each.type}, but contains {counted(nulls, 'NULL values')}."
                )
            collector.update_column(position, values, nulls)
        return collector

    def _bounds(self, column: DataField) -> tuple[pa.Array | pa.ChunkedArray, int]:
        """Return values that include the minimum and maximum of a column, and the number of nulls."""
        known = self._stated(column.name)
        counts = known.null_count
        groups = [self.opened.metadata.row_group(group).num_rows for group in range(len(counts))]
        if known.minimum is not None and known.maximum is not None and not counts.null_count:
            found = zip(known.minimum, counts, groups, strict=True)
            if all(low.is_valid or nulls.as_py() == rows for low, nulls, rows in found):
                both = pa.concat_arrays([known.minimum, known.maximum])
                return from_parquet(both, column.type), sum(counts.to_pylist())
        # The writer omits long bounds, and the bounds of columns with NaN.
        values = from_parquet(self.opened.read([column.name]).column(0), column.type)
        return values, values.null_count

    def _stated(self, name: str) -> Bounds:
        position = self._leaves[name]
        arrow_type = self.opened.schema_arrow.field(name).type
        return bounds([group[position] for group in self._statistics], arrow_type)

    @cached_property
    def _statistics(self) -> Sequence[Sequence[ChunkStatistics]]:
        with BytesIO() as out:
            self.opened.metadata.write_metadata_file(out)
            return read_statistics(out.getvalue())

    @cached_property
    def _leaves(self) -> dict[str, int]:
        """The position of each column that is a single Parquet leaf."""
        schema = self.opened.metadata.schema
        flat = {each.name for each in self.opened.schema_arrow if not each.type.num_fields}
        paths = {schema.column(position).path: position for position in range(len(schema))}
        return {name: paths[name] for name in flat}

    def _row(self, group: int, names: Sequence[str], *, is_last: bool) -> pa.Table:
        """Return the first or the last row of a row group."""
        names = list(dict.fromkeys(names))
        if is_last:
            rows = self.opened.read_row_group(group, names)
            rows = rows.slice(rows.num_rows - 1)
        else:
            batches = self.opened.iter_batches(1, row_groups=[group], columns=names)
            rows = pa.Table.from_batches([next(batches)])
        schema = self.store.schema
        return pa.table({name: from_parquet(rows.column(name), schema.field(name).type) for name in names})

    def _key(self, row: pa.Table) -> bytes:
        fields = self.store.schema.key_fields
        return encode_columns([row.column(each.name) for each in fields], [each.type for each in fields]).to_bytes(0)


def discard_directory(store: TableStore, path: str) -> None:
    """Delete a directory that no version refers to. If the storage fails, the directory is left for orphan cleaning."""
    with suppress(OSError):
        store.file_io.delete_directory(path)
