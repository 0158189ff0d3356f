"""The LSM tree of each bucket: which level holds which sorted runs, which files form a run, and where keys overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.base.errors import CorruptFile
from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.format.types import DataField
from workbench.lens.buckets import (
    BucketFiles,
    BucketKey,
    bucket_id,
    bucket_order,
    gather_files,
    parse_bucket_id,
    run_count,
)
from workbench.lens.catalog import check_limit
from workbench.lens.texts import epoch_millis, partition_label, row_text
from workbench.lens.wire import Int64
from workbench.lsm.levels import KeyOf, Levels, comparable_keys

if TYPE_CHECKING:
    from workbench.table.table import Table

_Told = TypeVar("_Told")
_MEASURED = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})


@dataclass(frozen=True)
class LevelTotalsValue:
    """What one level of a bucket holds: stored rows before any merge, bytes. On level 0 every file is a run."""

    level: int
    runs: int
    files: int
    rows: Int64
    size: Int64


@dataclass(frozen=True)
class BucketTotalsValue:
    """What one bucket holds. ``partition`` is '' for a table without partitions; ``levels`` are those with files.

    ``deletes`` are rows that only say a key is gone, None where a writer did not count them.
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
    """A data file. ``start`` and ``end`` place its keys on the bucket's axis, 0 to 1; sizes are bytes.

    ``deletes`` are rows that only say a key is gone, None where the writer did not count them; ``time_millis`` is when
    it was made. Files of tables without a primary key have no keys: both texts are None, and the axis is the order of
    the files.
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
    """A sorted run: files whose key ranges do not overlap. On level 0 every file is a run of its own."""

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

    ``to_scale``: distances on the axis are those of the values; otherwise only the order of keys counts.
    """

    id: str
    partition: str
    bucket: int
    to_scale: bool
    runs: tuple[RunValue, ...]

    @property
    def files(self) -> tuple[FileValue, ...]:
        """All files, the newest run's first."""
        return tuple(file for run in self.runs for file in run.files)

    @property
    def label(self) -> str:
        """``bucket 0``, or ``dt=2026-11-01, bucket 0``."""
        return f"{self.partition}, bucket {self.bucket}" if self.partition else f"bucket {self.bucket}"


@dataclass(frozen=True)
class LevelsValue:
    """The buckets of one version: totals of a page of them, and the files of one.

    ``snapshot`` is None for a table never written. ``keys`` names the key columns. ``buckets`` go by partition and
    number; ``total`` counts all, ``next`` is the cursor of the next page, None on the last one. ``bucket`` is the one
    asked for; where none is, or this version does not have it, the one of most runs, then most bytes.
    """

    table: str
    snapshot: Int64 | None
    keys: tuple[str, ...]
    buckets: tuple[BucketTotalsValue, ...]
    total: int
    next: str | None
    bucket: BucketValue | None


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
        """How many sorted runs there are in the fullest bucket: what a read of a key has to merge."""
        return max((len(bucket.runs) for bucket in self.buckets), default=0)


def gather_levels(
    table: Table, bucket: str | None = None, cursor: str | None = None, limit: int | None = None
) -> LevelsValue:
    """The levels of the version that ``table`` stands at; reads metadata only.

    ``bucket`` is the id of the one whose files to show, ``cursor`` that of the last one of the page before.

    Raises:
        InvalidRequest: no bucket of this table can have such an id, or the limit is below 1.
        CorruptFile: what the manifests say of partitions or keys is garbled.
    """
    check_limit(limit)
    asked = None if bucket is None else parse_bucket_id(table.schema, bucket)
    after = None if cursor is None else parse_bucket_id(table.schema, cursor)
    return _told(table, partial(tell_levels, asked=asked, after=after, limit=limit))


def gather_buckets(table: Table) -> BucketsValue:
    """All buckets of the version that ``table`` stands at with all their files; reads metadata only."""
    return _told(table, tell_buckets)


def _told(table: Table, tell: Callable[[str, TableSchema, int | None, BucketFiles], _Told]) -> _Told:
    snapshot = table.version
    files = gather_files(table.store, snapshot)
    try:
        return tell(table.name, table.schema, None if snapshot is None else snapshot.id, files)
    except ValueError as error:
        reason = "what the manifests say of the partitions or keys of its files is garbled"
        raise CorruptFile(table.location, reason) from error


def tell_levels(
    name: str,
    schema: TableSchema,
    snapshot: int | None,
    files: BucketFiles,
    asked: BucketKey | None = None,
    after: BucketKey | None = None,
    limit: int | None = None,
) -> LevelsValue:
    """The levels of files: totals of at most ``limit`` buckets behind ``after``, and the files of the one ``asked``."""
    order = bucket_order(schema)
    keys = sorted(files, key=order)
    rest = keys if after is None else keys[bisect_right(keys, order(after), key=order) :]
    page = rest[:limit]
    label = cache(lambda partition: partition_label(partition, schema.partition_fields))
    by_id = {bucket_id(schema, key): key for key in keys}
    shown = None if asked is None else by_id.get(bucket_id(schema, asked))
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
    )


def tell_buckets(name: str, schema: TableSchema, snapshot: int | None, files: BucketFiles) -> BucketsValue:
    """All buckets of files, by partition and number."""
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
    keyed = schema.is_primary_key_table
    return BucketValue(
        id=bucket_id(schema, key),
        partition=partition_label(key[0], schema.partition_fields),
        bucket=key[1],
        to_scale=not keyed or _is_whole_number(schema.key_fields),
        runs=_keyed_runs(schema, files) if keyed else _plain_run(files),
    )


def _keyed_runs(schema: TableSchema, files: Sequence[DataFileMeta]) -> tuple[RunValue, ...]:
    # Neighbouring files share few keys, but each key is asked for several times.
    key_of = cache(comparable_keys([field.type for field in schema.key_fields]))
    text_of = cache(lambda key: row_text(key, schema.key_fields))
    places = _places(files, key_of, to_scale=_is_whole_number(schema.key_fields))
    return tuple(
        RunValue(
            run.level,
            tuple(
                _file(
                    file,
                    (text_of(file.min_key), text_of(file.max_key)),
                    (places[key_of(file.min_key)], places[key_of(file.max_key)]),
                )
                for file in run.files
            ),
        )
        for run in Levels(files, max(2, schema.core.num_levels), key_of).runs()
    )


def _is_whole_number(fields: Sequence[DataField]) -> bool:
    """Whether a key is one integer, date or time, so that distances between keys mean something."""
    return len(fields) == 1 and fields[0].type.root in _MEASURED


def _places(files: Sequence[DataFileMeta], key_of: KeyOf, *, to_scale: bool) -> Mapping[Any, float]:
    """Where each file's end keys lie on the axis: by value, or evenly by rank."""
    keys = sorted({key for file in files for key in (key_of(file.min_key), key_of(file.max_key))})
    if len(keys) < 2:
        return dict.fromkeys(keys, 0.0)
    if to_scale:
        low, high = keys[0][0], keys[-1][0]
        return {key: (key[0] - low) / (high - low) for key in keys}
    return {key: rank / (len(keys) - 1) for rank, key in enumerate(keys)}


def _plain_run(files: Sequence[DataFileMeta]) -> tuple[RunValue, ...]:
    """Files without keys, side by side in the order of writing, as wide as they have rows."""
    ordered = sorted(files, key=lambda file: file.min_sequence_number)
    total = sum(file.row_count for file in ordered) or 1
    values, begin = [], 0
    for file in ordered:
        values.append(_file(file, (None, None), (begin / total, (begin + file.row_count) / total)))
        begin += file.row_count
    return (RunValue(0, tuple(values)),) if values else ()


def _file(file: DataFileMeta, keys: tuple[str | None, str | None], place: tuple[float, float]) -> FileValue:
    return FileValue(
        name=file.file_name,
        level=file.level,
        rows=file.row_count,
        size=file.file_size,
        deletes=file.delete_row_count,
        min_key=keys[0],
        max_key=keys[1],
        start=place[0],
        end=place[1],
        min_sequence=file.min_sequence_number,
        max_sequence=file.max_sequence_number,
        time_millis=None if file.creation_time is None else epoch_millis(file.creation_time),
    )
