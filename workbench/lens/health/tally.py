"""The facts about each bucket, counted from the metadata of its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens.buckets import BucketFiles, BucketKey, bucket_id, run_count
from workbench.lens.health.facts import BucketFacts
from workbench.lens.health.thresholds import ThresholdsValue, thresholds_of
from workbench.lens.texts import partition_label


def tally_buckets(
    schema: TableSchema,
    files: BucketFiles,
    total_buckets: Mapping[BucketKey, int] | None = None,
    marked: Mapping[str, int] | None = None,
) -> tuple[BucketFacts, ...]:
    """Count the files of each bucket.

    Args:
        schema: The schema of the version.
        files: The data files by bucket.
        total_buckets: The number of buckets that the files of each bucket were written with.
        marked: The number of rows that deletion vectors mark, by the name of the data file.
    """
    limits = thresholds_of(schema)
    labels: dict[bytes, str] = {}
    for partition, _ in files:
        if partition not in labels:
            labels[partition] = partition_label(partition, schema.partition_fields)
    return tuple(
        _tally(schema, limits, key, each, labels[key[0]], (total_buckets or {}).get(key, 0), marked or {})
        for key, each in files.items()
        if each
    )


def _tally(
    schema: TableSchema,
    limits: ThresholdsValue,
    key: BucketKey,
    files: Sequence[DataFileMeta],
    partition: str,
    total_buckets: int,
    marked: Mapping[str, int],
) -> BucketFacts:
    keyed = schema.is_primary_key_table
    size = sum(file.file_size for file in files)
    small = [file.file_size for file in files if file.file_size < limits.small_file]
    return BucketFacts(
        id=bucket_id(schema, key),
        partition=key[0],
        bucket=key[1],
        label=f"{partition}, bucket {key[1]}" if partition else f"bucket {key[1]}",
        total_buckets=total_buckets,
        runs=run_count(schema, files),
        files=len(files),
        small=len(small),
        tiny=sum(file.file_size < limits.tiny_file for file in files),
        # Compactions of an append table leave full files as they are.
        full_files=limits.full_files(len(files), size)
        if keyed
        else len(files) - len(small) + limits.full_files(len(small), sum(small)),
        size=size,
        largest_run=_largest_run(files) if keyed else size,
        rows=sum(file.row_count for file in files),
        deletes=sum(file.delete_row_count or 0 for file in files) if keyed else 0,
        marked=sum(marked.get(file.file_name, 0) for file in files) if marked else 0,
        hidden=sum(file.row_count for file in files if file.level == 0) if schema.kind.hides_level_0 else 0,
        formats=Counter(file.file_name.rpartition(".")[2] for file in files),
    )


def _largest_run(files: Sequence[DataFileMeta]) -> int:
    """Return the bytes of the largest sorted run: one per file of level 0, and one per level above."""
    levels: Counter[int] = Counter()
    largest = 0
    for file in files:
        if file.level == 0:
            largest = max(largest, file.file_size)
        else:
            levels[file.level] += file.file_size
    return max(largest, max(levels.values(), default=0))
