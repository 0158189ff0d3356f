"""Data files of another program, such as Hive, that become files of an append table (Java ``FileMetaUtils``).

They are described where they are: nothing is written or moved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

import pyarrow as pa

from workbench.base.errors import CorruptFile, SchemaMismatch, Unsupported
from workbench.base.modules import pq
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.datafile.file_format import FileContent
from workbench.datafile.formats.parquet import PARQUET
from workbench.datafile.formats.registry import find_file_format
from workbench.datafile.layout import file_layout
from workbench.datafile.protocol import DataFile
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec import paths
from workbench.format.spec.data_file import (
    EMPTY_ROW,
    EMPTY_STATS,
    CommitMessage,
    DataFileMeta,
    FileSource,
    SimpleStats,
)
from workbench.format.spec.stats import StatsCollector
from workbench.format.types import field_to_arrow
from workbench.metadata.errors import reading
from workbench.metadata.schemas import writer_schema
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileIO, join
from workbench.write.elsewhere.adopted_files import DescribedParquet, ForeignFile
from workbench.write.static_partition import partition_array

_UNAWARE_BUCKET, _UNAWARE_BUCKETS = 0, -1
_BATCH_ROWS = 1 << 16
_SAMPLE_ROWS = 1 << 10
_Stats: TypeAlias = tuple[SimpleStats, tuple[str, ...] | None]


@dataclass(frozen=True)
class HiveFile:
    """A data file of a table in a Hive Metastore."""

    path: str
    """Where it is."""

    format: str
    """The name of its format."""

    partition: Mapping[str, str | None]
    """The values of its partition columns as text; None for NULL."""


@dataclass(frozen=True)
class DescribedFile:
    """A file as the manifest entry of a table that does not have it yet."""

    source: str
    """Where it is."""

    target: str
    """Where it is expected in the table."""

    partition: bytes
    """Its partition."""

    meta: DataFileMeta
    """The manifest entry."""


def describe_files(
    store: TableStore, storage_of: Callable[[str], FileIO], files: Sequence[HiveFile], progress: Progress
) -> list[DescribedFile]:
    """Describe files as those of an append table with unaware buckets; files without rows are left out. Footers of
    Parquet files are read, and all rows of other files.

    Args:
        store: The table.
        storage_of: Returns the storage of a path.
        files: The files.
        progress: Reports progress, and can cancel.

    Raises:
        SchemaMismatch: A file has none of the columns of the table, or one with another name or type.
        CorruptFile: A file cannot be read.
        Unsupported: A format cannot be read.
    """

    def describe(file: HiveFile) -> DescribedFile | None:
        # A reader opens paths on the storage of its table.
        elsewhere = replace(store, runtime=replace(store.runtime, file_io=storage_of(file.path)))
        described = _Description(elsewhere, file).described(store)
        progress.advance()
        return described

    with progress.step(f"Reading files for {store.name}", len(files)):
        found = parallel_map(describe, files)
    return [each for each in found if each is not None]


def messages_of(store: TableStore, files: Iterable[DescribedFile]) -> list[CommitMessage]:
    """Return what is committed once all files are where they are expected."""
    ordered = sorted(files, key=lambda each: each.partition)
    schema = writer_schema(store)
    return [
        CommitMessage(partition, _UNAWARE_BUCKET, _UNAWARE_BUCKETS, tuple(each.meta for each in found), schema=schema)
        for partition, found in groupby(ordered, key=lambda each: each.partition)
    ]


class _Description:
    """The description of one file; ``store`` is the table on the storage of the file."""

    def __init__(self, store: TableStore, file: HiveFile) -> None:
        self._store, self._file = store, file
        self._format = find_file_format(file.format, f"Data file {file.path}")
        fields = store.partition_fields
        self._constants = {
            each.name: pa.nulls(1, field_to_arrow(each).type)
            if file.partition[each.name] is None
            else partition_array(file.partition[each.name], each)
            for each in fields
        }
        columns = list(self._constants.values())
        self._partition = encode_columns(columns, [each.type for each in fields]).to_bytes(0) if columns else EMPTY_ROW

    def described(self, table: TableStore) -> DescribedFile | None:
        """Return the description; None if the file has no rows."""
        path = self._file.path
        status = self._store.file_io.status(path)
        if status is None:
            raise CorruptFile(path, "it does not exist any more")
        content = self._content(path)
        if not content.rows:
            return None
        self._check_names(content)
        meta = self._meta(content, status.size)
        target = join(table.bucket_directory(self._partition, _UNAWARE_BUCKET), meta.file_name)
        return DescribedFile(path, target, self._partition, meta)

    def _content(self, path: str) -> FileContent:
        if self._format.inspect is None:
            raise Unsupported(f"Data file {path} has the format '{self._file.format}', which cannot be taken over.")
        with reading(path), self._store.file_io.open_input(path) as opened:
            return self._format.inspect(opened, path)

    def _check_names(self, content: FileContent) -> None:
        """Check that the columns are found by their names, as the readers of all engines look for them."""
        wanted = [each.name for each in self._store.schema.fields if each.name not in self._constants]
        present = set(content.names)
        lower = {each.lower(): each for each in content.names}
        for each in wanted:
            other = lower.get(each.lower())
            if each not in present and other is not None:
                raise SchemaMismatch(
                    f"{self._file.path} has the column '{other}', which the table has as '{each}': Paimon would read "
                    "NULL.",
                    "Write the rows of the table instead: INSERT INTO a new table SELECT them with Spark or Hive.",
                )
        if not present.intersection(wanted):
            raise SchemaMismatch(
                f"{self._file.path} has the columns {', '.join(content.names)}, none of which the table has: Paimon "
                "reads columns by their names.",
                "Write the rows of the table instead: INSERT INTO a new table SELECT them with Spark or Hive.",
            )

    def _meta(self, content: FileContent, size: int) -> DataFileMeta:
        """Return the manifest entry, after reading rows with the reader of the table."""
        schema = self._store.schema
        missing = {each.name for each in schema.fields} - {*content.names, *self._constants}
        plain = DataFileMeta(
            file_name=paths.data_file_name(
                schema.core.data_file_prefix, self._store.ids.uuid(), 0, self._format.traits.name
            ),
            file_size=size,
            row_count=content.rows,
            min_key=EMPTY_ROW,
            max_key=EMPTY_ROW,
            key_stats=EMPTY_STATS,
            value_stats=EMPTY_STATS,
            min_sequence_number=0,
            max_sequence_number=content.rows - 1,
            schema_id=schema.id,
            level=0,
            creation_time=self._store.clock.local_wall_millis(),
            delete_row_count=0,
            file_source=FileSource.APPEND,
            write_cols=tuple(each for each in schema.field_names if each not in missing) if missing else None,
        )
        rows = self._format.open_reader(self._store, self._file.path, plain, schema, None)
        collect = _STATISTICS.get(self._format.traits.name, _Description._by_rows)
        stats, columns = collect(self, plain, rows)
        if columns is None and missing:
            # Otherwise, statistics are those of the written columns here, and those of all columns in Java.
            columns = tuple(schema.field_names)
        return replace(plain, value_stats=stats, value_stats_cols=columns)

    def _by_rows(self, plain: DataFileMeta, rows: DataFile) -> _Stats:
        """Return the statistics of all rows."""
        schema, traits = self._store.schema, self._format.traits
        collector = StatsCollector(
            schema.fields,
            file_layout(schema, 0, is_changelog=False).value_modes,
            counts_nested_nulls=traits.counts_nested_nulls,
            has_binary_bounds=traits.has_binary_bounds,
        )
        columns = self._columns(plain)
        for batch in rows.batches(columns, _BATCH_ROWS):
            for position, each in enumerate(schema.fields):
                if each.name in columns:
                    values = batch.column(each.name)
                    collector.update_column(position, values, values.null_count)
                else:
                    value = self._constants.get(each.name, pa.nulls(1, field_to_arrow(each).type))
                    collector.update_column(position, value, value.null_count * batch.num_rows)
        dense = (schema.core.text("metadata.stats-dense-store") or "false").lower() == "true"
        return collector.value_stats(dense)

    def _by_footer(self, plain: DataFileMeta, rows: DataFile) -> _Stats:
        """Return the statistics of a Parquet file by its footer, after reading a few rows."""
        for _ in rows.batches(self._columns(plain), _SAMPLE_ROWS):
            break
        layout = file_layout(self._store.schema, 0, is_changelog=False)
        path = self._file.path
        with reading(path), self._store.file_io.open_input(path) as opened:
            described = DescribedParquet(
                self._store,
                layout,
                ForeignFile(path, _UNAWARE_BUCKET),
                pq.ParquetFile(opened),
                plain.file_size,
                self._partition,
                self._constants,
            )
            described.read()
            meta = described.meta(plain.file_name, 0, 0)
        return meta.value_stats, meta.value_stats_cols

    def _columns(self, plain: DataFileMeta) -> list[str]:
        """Return the columns of the table that the file has."""
        written = plain.write_cols or self._store.schema.field_names
        return [each for each in written if each not in self._constants]


_STATISTICS: Mapping[str, Callable[[_Description, DataFileMeta, DataFile], _Stats]] = {
    PARQUET.traits.name: _Description._by_footer
}
"""How statistics are collected, by the format; of others, by all rows."""
