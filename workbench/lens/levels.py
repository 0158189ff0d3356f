"""The LSM tree of each bucket: which level holds which sorted runs, which files form a run, and where keys overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.format.types import DataField
from workbench.lens.texts import partition_label, row_text
from workbench.lsm.levels import KeyOf, Levels, LevelSortedRun, comparable_keys

if TYPE_CHECKING:
    from workbench.table.table import Table

_MEASURED = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})


@dataclass(frozen=True)
class FileView:
    """A data file. ``start`` and ``end`` place its keys on the bucket's axis, 0 to 1; sizes are bytes.

    ``deletes`` are rows that only say a key is gone, None where the writer did not count them. Files of tables without
    a primary key have no keys: both texts are None, and the axis is the order of the files.
    """

    name: str
    level: int
    rows: int
    size: int
    deletes: int | None
    min_key: str | None
    max_key: str | None
    start: float
    end: float
    min_sequence: int
    max_sequence: int


@dataclass(frozen=True)
class RunView:
    """A sorted run: files whose key ranges do not overlap. On level 0 every file is a run of its own."""

    level: int
    files: tuple[FileView, ...]

    @property
    def rows(self) -> int:
        """Stored rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class BucketView:
    """One bucket: its runs, the newest first. ``partition`` is '' for a table without partitions.

    ``to_scale``: distances on the axis are those of the values; otherwise only the order of keys counts.
    """

    partition: str
    bucket: int
    runs: tuple[RunView, ...]
    to_scale: bool = True

    @property
    def files(self) -> tuple[FileView, ...]:
        """All files, the newest run's first."""
        return tuple(file for run in self.runs for file in run.files)

    @property
    def label(self) -> str:
        """``bucket 0``, or ``dt=2026-11-01, bucket 0``."""
        return f"{self.partition}, bucket {self.bucket}" if self.partition else f"bucket {self.bucket}"


@dataclass(frozen=True)
class LevelsView:
    """The buckets of one version. ``snapshot`` is None for a table never written. ``keys`` names the key columns."""

    table: str
    snapshot: int | None
    keys: tuple[str, ...]
    buckets: tuple[BucketView, ...]

    @property
    def files(self) -> tuple[FileView, ...]:
        """All files of all buckets."""
        return tuple(file for bucket in self.buckets for file in bucket.files)

    @property
    def runs(self) -> int:
        """How many sorted runs there are in the fullest bucket: what a read of a key has to merge."""
        return max((len(bucket.runs) for bucket in self.buckets), default=0)


def gather_levels(table: Table) -> LevelsView:
    """The levels of the version that ``table`` stands at; reads metadata only."""
    scan = table.scan()
    snapshot = scan.snapshot
    buckets: dict[tuple[bytes, int], list[DataFileMeta]] = {}
    for split in scan.plan():
        buckets.setdefault((split.partition, split.bucket), []).extend(split.files)
    return tell_levels(table.name, table.schema, None if snapshot is None else snapshot.id, buckets)


def tell_levels(
    name: str,
    schema: TableSchema,
    snapshot: int | None,
    buckets: Mapping[tuple[bytes, int], Iterable[DataFileMeta]],
) -> LevelsView:
    """The view of files that are grouped by serialized partition and bucket."""
    tell = _keyed_bucket if schema.is_primary_key_table else _plain_bucket
    to_scale = not schema.is_primary_key_table or _is_whole_number(schema.key_fields)
    views = [
        BucketView(partition_label(partition, schema.partition_fields), bucket, tell(schema, tuple(files)), to_scale)
        for (partition, bucket), files in buckets.items()
    ]
    views.sort(key=lambda view: (view.partition, view.bucket))
    return LevelsView(name, snapshot, tuple(field.name for field in schema.key_fields), tuple(views))


def _keyed_bucket(schema: TableSchema, files: Sequence[DataFileMeta]) -> tuple[RunView, ...]:
    key_of = comparable_keys([field.type for field in schema.key_fields])
    runs = Levels(files, max(2, schema.core.num_levels), key_of).runs()
    places = _places(files, key_of, to_scale=_is_whole_number(schema.key_fields))
    return tuple(_run_view(schema, run, key_of, places) for run in runs)


def _run_view(schema: TableSchema, run: LevelSortedRun, key_of: KeyOf, places: Mapping[Any, float]) -> RunView:
    return RunView(
        run.level,
        tuple(
            _file_view(
                file,
                (row_text(file.min_key, schema.key_fields), row_text(file.max_key, schema.key_fields)),
                (places[key_of(file.min_key)], places[key_of(file.max_key)]),
            )
            for file in run.files
        ),
    )


def _is_whole_number(fields: Sequence[DataField]) -> bool:
    """Whether a key is one integer, date or time, so that distances between keys mean something."""
    return len(fields) == 1 and fields[0].type.root in _MEASURED


def _places(files: Sequence[DataFileMeta], key_of: KeyOf, *, to_scale: bool) -> dict[Any, float]:
    """Where each file's end keys lie on the axis: by value, or evenly by rank."""
    keys = sorted({key for file in files for key in (key_of(file.min_key), key_of(file.max_key))})
    if len(keys) < 2:
        return dict.fromkeys(keys, 0.0)
    if to_scale:
        low, high = keys[0][0], keys[-1][0]
        return {key: (key[0] - low) / (high - low) for key in keys}
    return {key: rank / (len(keys) - 1) for rank, key in enumerate(keys)}


def _plain_bucket(_schema: TableSchema, files: Sequence[DataFileMeta]) -> tuple[RunView, ...]:
    """Files without keys, side by side in the order of writing, as wide as they have rows."""
    ordered = sorted(files, key=lambda file: file.min_sequence_number)
    total = sum(file.row_count for file in ordered) or 1
    views, begin = [], 0
    for file in ordered:
        views.append(_file_view(file, (None, None), (begin / total, (begin + file.row_count) / total)))
        begin += file.row_count
    return (RunView(0, tuple(views)),) if views else ()


def _file_view(file: DataFileMeta, keys: tuple[str | None, str | None], place: tuple[float, float]) -> FileView:
    return FileView(
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
    )
