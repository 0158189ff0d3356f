"""The LSM tree of each bucket: the sorted runs of its levels, their files, and where key ranges overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

from workbench.base.errors import CorruptFile
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.format.types import DataField
from workbench.lens.buckets import (
    BucketFiles,
    BucketKey,
    bucket_id,
    bucket_order,
    collect_files,
    merged_runs,
    parse_bucket_id,
    run_count,
)
from workbench.lens.catalog import check_limit
from workbench.lens.health.thresholds import ThresholdsValue, thresholds_of
from workbench.lens.texts import epoch_millis, partition_label, row_text
from workbench.lens.wire import Int64
from workbench.lsm.levels import KeyOf, Levels, key_of_schema
from workbench.table.readable_table import ReadableTable

_Described = TypeVar("_Described")
_LINEAR_TYPES = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})


@dataclass(frozen=True)
class LevelTotalsValue:
    """The totals of one level of a bucket: stored rows before any merge, and bytes. On level 0, each file is a run."""

    level: int
    runs: int
    files: int
    rows: Int64
    size: Int64


@dataclass(frozen=True)
class BucketTotalsValue:
    """The totals of one bucket. ``partition`` is '' for a table without partitions; ``levels`` are those with files.

    ``deletes`` counts delete rows, None if a writer did not record them.
    """

    id: str
    partition: str
    bucket: int
    runs: int
    files: int
    rows: Int64
    deletes: Int64 | None
    size: Int64
    levels: tuple[LevelTotalsValue, ...]


@dataclass(frozen=True)
class FileValue:
    """A data file. ``start`` and ``end`` are the positions of its smallest and largest key on the bucket's axis, from 0
    to 1; sizes are in bytes.

    ``deletes`` counts delete rows, None if the writer did not record them; ``time_millis`` is the creation time. Files
    of tables without a primary key have no keys: ``min_key`` and ``max_key`` are None, and the axis is the order of the
    files.
    """

    name: str
    level: int
    rows: Int64
    size: Int64
    deletes: Int64 | None
    min_key: str | None
    max_key: str | None
    start: float
    end: float
    min_sequence: Int64
    max_sequence: Int64
    time_millis: Int64 | None


@dataclass(frozen=True)
class RunValue:
    """A sorted run: files whose key ranges do not overlap. On level 0, each file is a run."""

    level: int
    files: tuple[FileValue, ...]

    @property
    def rows(self) -> int:
        """Stored rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class BucketValue:
    """One bucket: its runs, the newest first. ``partition`` is '' for a table without partitions.

    ``to_scale`` is whether distances on the axis are proportional to those between keys; otherwise, the axis only shows
    the order of the keys. ``merged_runs`` is how many runs a read merges at most: those whose key ranges overlap.
    """

    id: str
    partition: str
    bucket: int
    to_scale: bool
    runs: tuple[RunValue, ...]
    merged_runs: int

    @property
    def files(self) -> tuple[FileValue, ...]:
        """All files, those of the newest run first."""
        return tuple(file for run in self.runs for file in run.files)

    @property
    def label(self) -> str:
        """``bucket 0``, or ``dt=2026-11-01, bucket 0``."""
        return f"{self.partition}, bucket {self.bucket}" if self.partition else f"bucket {self.bucket}"


@dataclass(frozen=True)
class LevelsValue:
    """The buckets of one version: the totals of a page of buckets, and the files of one bucket.

    ``snapshot`` is None for a table never written. ``keys`` names the key columns. ``buckets`` are sorted by partition
    and number; ``total`` counts all, ``next`` is the cursor of the next page, None on the last one. ``bucket`` is the
    requested one; by default, or if this version does not have it, the one with the most runs, then the most bytes.
    """

    table: str
    snapshot: Int64 | None
    keys: tuple[str, ...]
    buckets: tuple[BucketTotalsValue, ...]
    total: int
    next: str | None
    bucket: BucketValue | None
    thresholds: ThresholdsValue


@dataclass(frozen=True)
class BucketsValue:
    """All buckets of one version with all their files."""

    table: str
    snapshot: Int64 | None
    keys: tuple[str, ...]
    buckets: tuple[BucketValue, ...]

    @property
    def files(self) -> tuple[FileValue, ...]:
        """All files of all buckets."""
        return tuple(file for bucket in self.buckets for file in bucket.files)

    @property
    def runs(self) -> int:
        """The number of sorted runs in the fullest bucket."""
        return max((len(bucket.runs) for bucket in self.buckets), default=0)

    @property
    def merged_runs(self) -> int:
        """How many sorted runs a read merges at most in any bucket."""
        return max((bucket.merged_runs for bucket in self.buckets), default=0)


def collect_levels(
    table: ReadableTable, bucket: str | None = None, cursor: str | None = None, limit: int | None = None
) -> LevelsValue:
    """Return the levels of a table's version; reads metadata only.

    Args:
        table: The table, at its version.
        bucket: The id of the bucket whose files to return.
        cursor: The id of the last bucket of the previous page.
        limit: The size of the page.

    Raises:
        InvalidRequest: no bucket of this table can have the id, or the limit is below 1.
        CorruptFile: the manifests contain invalid partitions or keys.
    """
    check_limit(limit)
    requested = None if bucket is None else parse_bucket_id(table.schema, bucket)
    after = None if cursor is None else parse_bucket_id(table.schema, cursor)
    return _described(table, partial(describe_levels, requested=requested, after=after, limit=limit))


def collect_buckets(table: ReadableTable) -> BucketsValue:
    """Return all buckets of a table's version with all their files; reads metadata only."""
    return _described(table, describe_buckets)


def each_bucket(table: ReadableTable) -> Iterator[BucketValue]:
    """Yield the buckets of a table's version with all their files, sorted by partition and number. Each is computed
    when it is consumed."""
    files = _described(table, lambda _name, schema, _snapshot, files: (sorted(files, key=bucket_order(schema)), files))
    for key in files[0]:
        yield _bucket(table.schema, key, files[1][key])


def _described(
    table: ReadableTable, describe: Callable[[str, TableSchema, int | None, BucketFiles], _Described]
) -> _Described:
    snapshot = table.version
    files = collect_files(table.store, snapshot)
    try:
        return describe(table.name, table.schema, None if snapshot is None else snapshot.id, files)
    except ValueError as error:
        reason = "its manifests contain invalid partitions or keys"
        raise CorruptFile(table.location, reason) from error


def describe_levels(
    name: str,
    schema: TableSchema,
    snapshot: int | None,
    files: BucketFiles,
    requested: BucketKey | None = None,
    after: BucketKey | None = None,
    limit: int | None = None,
) -> LevelsValue:
    """Return the totals of at most ``limit`` buckets after ``after``, and the files of the ``requested`` bucket."""
    order = bucket_order(schema)
    keys = sorted(files, key=order)
    rest = keys if after is None else keys[bisect_right(keys, order(after), key=order) :]
    page = rest[:limit]
    label = cache(lambda partition: partition_label(partition, schema.partition_fields))
    by_id = {bucket_id(schema, key): key for key in keys}
    shown = None if requested is None else by_id.get(bucket_id(schema, requested))
    if shown is None:
        shown = max(keys, key=lambda key: _fullness(schema, files[key]), default=None)
    return LevelsValue(
        table=name,
        snapshot=snapshot,
        keys=tuple(field.name for field in schema.key_fields),
        buckets=tuple(_totals(schema, key, label(key[0]), files[key]) for key in page),
        total=len(keys),
        next=bucket_id(schema, page[-1]) if len(page) < len(rest) else None,
        bucket=None if shown is None else _bucket(schema, shown, files[shown]),
        thresholds=thresholds_of(schema),
    )


def describe_buckets(name: str, schema: TableSchema, snapshot: int | None, files: BucketFiles) -> BucketsValue:
    """Return all buckets of files, by partition and number."""
    keys = sorted(files, key=bucket_order(schema))
    key_names = tuple(field.name for field in schema.key_fields)
    return BucketsValue(name, snapshot, key_names, tuple(_bucket(schema, key, files[key]) for key in keys))


# --- totals -------------------------------------------------------------------------------------------------------


def _fullness(schema: TableSchema, files: Sequence[DataFileMeta]) -> tuple[int, int]:
    return run_count(schema, files), sum(file.file_size for file in files)


def _totals(schema: TableSchema, key: BucketKey, label: str, files: Sequence[DataFileMeta]) -> BucketTotalsValue:
    levels: dict[int, list[DataFileMeta]] = {}
    for file in files:
        levels.setdefault(file.level, []).append(file)
    deletes = [file.delete_row_count for file in files]
    return BucketTotalsValue(
        id=bucket_id(schema, key),
        partition=label,
        bucket=key[1],
        runs=run_count(schema, files),
        files=len(files),
        rows=sum(file.row_count for file in files),
        deletes=None if None in deletes else sum(each or 0 for each in deletes),
        size=sum(file.file_size for file in files),
        levels=tuple(_level_totals(schema, level, levels[level]) for level in sorted(levels)),
    )


def _level_totals(schema: TableSchema, level: int, files: Sequence[DataFileMeta]) -> LevelTotalsValue:
    rows, size = sum(file.row_count for file in files), sum(file.file_size for file in files)
    return LevelTotalsValue(level, run_count(schema, files), len(files), rows, size)


# --- the files of a bucket ----------------------------------------------------------------------------------------


def _bucket(schema: TableSchema, key: BucketKey, files: Sequence[DataFileMeta]) -> BucketValue:
    (bucket,) = describe_states(schema, key, files)
    return bucket


def describe_states(schema: TableSchema, key: BucketKey, *states: Sequence[DataFileMeta]) -> list[BucketValue]:
    """Return a bucket in several states, such as before and after a commit, on a common axis."""
    # Adjacent files share few keys, but each key is looked up several times.
    key_of = cache(key_of_schema(schema))
    runs = schema.kind.choose({KeyValueKind: _keyed_states, AppendOnlyKind: _plain_states})(schema, states, key_of)
    return [
        BucketValue(
            id=bucket_id(schema, key),
            partition=partition_label(key[0], schema.partition_fields),
            bucket=key[1],
            to_scale=not schema.key_fields or _is_whole_number(schema.key_fields),
            runs=each,
            merged_runs=merged_runs(schema, files, key_of),
        )
        for each, files in zip(runs, states, strict=True)
    ]


def _keyed_states(
    schema: TableSchema, states: Sequence[Sequence[DataFileMeta]], key_of: KeyOf
) -> list[tuple[RunValue, ...]]:
    text_of = cache(lambda key: row_text(key, schema.key_fields))
    different = {file.file_name: file for files in states for file in files}
    positions = _positions(list(different.values()), key_of, to_scale=_is_whole_number(schema.key_fields))
    return [_keyed_runs(schema, files, key_of, text_of, positions) for files in states]


def _keyed_runs(
    schema: TableSchema,
    files: Sequence[DataFileMeta],
    key_of: KeyOf,
    text_of: Callable[[bytes], str],
    positions: Mapping[Any, float],
) -> tuple[RunValue, ...]:
    return tuple(
        RunValue(
            run.level,
            tuple(
                _file(
                    file,
                    (text_of(file.min_key), text_of(file.max_key)),
                    (positions[key_of(file.min_key)], positions[key_of(file.max_key)]),
                )
                for file in run.files
            ),
        )
        for run in Levels(files, max(2, schema.core.num_levels), key_of).runs()
    )


def _is_whole_number(fields: Sequence[DataField]) -> bool:
    """Return whether a key is a single integer, date or time, so that distances between keys are meaningful."""
    return len(fields) == 1 and fields[0].type.root in _LINEAR_TYPES


def _positions(files: Sequence[DataFileMeta], key_of: KeyOf, *, to_scale: bool) -> Mapping[Any, float]:
    """Return the positions of the smallest and the largest key of each file on the axis: by value, or evenly spaced by
    rank."""
    keys = sorted({key for file in files for key in (key_of(file.min_key), key_of(file.max_key))})
    if len(keys) < 2:
        return dict.fromkeys(keys, 0.0)
    if to_scale:
        low, high = keys[0][0], keys[-1][0]
        return {key: (key[0] - low) / (high - low) for key in keys}
    return {key: rank / (len(keys) - 1) for rank, key in enumerate(keys)}


def _plain_states(_: TableSchema, states: Sequence[Sequence[DataFileMeta]], __: KeyOf) -> list[tuple[RunValue, ...]]:
    total = max((sum(file.row_count for file in files) for files in states), default=0) or 1
    return [_plain_run(files, total) for files in states]


def _plain_run(files: Sequence[DataFileMeta], total: int) -> tuple[RunValue, ...]:
    """Return files without keys as one run, in the order of writing; their width is their share of ``total`` rows."""
    ordered = sorted(files, key=lambda file: file.min_sequence_number)
    values, begin = [], 0
    for file in ordered:
        values.append(_file(file, (None, None), (begin / total, (begin + file.row_count) / total)))
        begin += file.row_count
    return (RunValue(0, tuple(values)),) if values else ()


def _file(file: DataFileMeta, keys: tuple[str | None, str | None], position: tuple[float, float]) -> FileValue:
    return FileValue(
        name=file.file_name,
        level=file.level,
        rows=file.row_count,
        size=file.file_size,
        deletes=file.delete_row_count,
        min_key=keys[0],
        max_key=keys[1],
        start=position[0],
        end=position[1],
        min_sequence=file.min_sequence_number,
        max_sequence=file.max_sequence_number,
        time_millis=None if file.creation_time is None else epoch_millis(file.creation_time),
    )
