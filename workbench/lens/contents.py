"""What a version of a table holds, from its manifests: files, rows, bytes, and the condition they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.buckets import BucketFiles, collect_files, run_count
from workbench.lens.row_count import RowCountValue
from workbench.lens.verdict import VerdictValue, describe_verdict
from workbench.lens.wire import Int64
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class ContentsValue:
    """The data files of a version. ``stored_rows`` are their rows before any merge, ``size`` their bytes.

    ``partitions`` and ``buckets`` count those with files, ``runs`` is the largest number of sorted runs in a bucket.
    ``count`` is the number of rows as a read returns them, None if only merging the files determines it. ``verdict`` is
    None without files.
    """

    partitions: int
    buckets: int
    files: Int64
    stored_rows: Int64
    size: Int64
    runs: int
    count: RowCountValue | None
    verdict: VerdictValue | None


def collect_contents(store: TableStore, snapshot: Snapshot | None) -> ContentsValue:
    """Return what a version holds, nothing for a table never written; reads metadata only.

    Raises:
        CorruptFile: A manifest is missing or damaged.
    """
    vectors = [vector for entry in index_entries(store, snapshot) for vector in entry.vectors]
    marked = {vector.data_file: vector.cardinality for vector in vectors}
    return describe_contents(store.schema, collect_files(store, snapshot), marked)


def describe_contents(
    schema: TableSchema, files: BucketFiles, marked: Mapping[str, int | None] | None = None
) -> ContentsValue:
    """Return the totals of files by bucket.

    ``marked`` has, by the name of the data file, the number of rows that a deletion vector marks, None if the writer
    did not record it.
    """
    marks = marked or {}
    stored = sum(file.row_count for bucket in files.values() for file in bucket)
    is_exact = None not in marks.values() and _merges_nothing(schema, files)
    exact = stored - sum(count or 0 for count in marks.values()) if is_exact else None
    return ContentsValue(
        partitions=len({partition for partition, _ in files}),
        buckets=len(files),
        files=sum(map(len, files.values())),
        stored_rows=stored,
        size=sum(file.file_size for bucket in files.values() for file in bucket),
        runs=max((run_count(schema, bucket) for bucket in files.values()), default=0),
        count=None if exact is None else RowCountValue(exact, True, stored),
        verdict=describe_verdict(schema, files, {name: count or 0 for name, count in marks.items()}),
    )


def _merges_nothing(schema: TableSchema, files: BucketFiles) -> bool:
    """Return whether a read returns all stored rows, except those that deletion vectors mark.

    This is the case for append tables, unless their files may hold different columns of the same rows, and for
    primary-key tables if each bucket is a single sorted run without deletes or hidden rows. It is never the case for a
    table that is read from two branches.
    """
    if schema.core.other_branches:
        return False
    if not schema.is_primary_key_table:
        return not schema.core.data_evolution_enabled
    return all(_is_merged(schema, bucket, each) for (_, bucket), each in files.items())


def _is_merged(schema: TableSchema, bucket: int, files: Sequence[DataFileMeta]) -> bool:
    is_hidden = bucket == POSTPONE_BUCKET or (schema.kind.hides_level_0 and any(file.level == 0 for file in files))
    return not is_hidden and run_count(schema, files) <= 1 and not any(file.delete_row_count for file in files)
