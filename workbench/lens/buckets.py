"""The buckets of a version and their files: reading, naming, ordering and counting them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from workbench.base.errors import InvalidRequest
from workbench.format.rows.binary_row import decode_row
from workbench.format.spec.data_file import EMPTY_ROW, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import KeyOf, key_of_schema
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore

BucketKey: TypeAlias = tuple[bytes, int]
"""A serialized partition and the number of a bucket in it."""
BucketFiles: TypeAlias = Mapping[BucketKey, Sequence[DataFileMeta]]

_ID = re.compile(r"((?:[0-9a-f]{2})*):(-?[0-9]{1,10})")


def collect_files(store: TableStore, snapshot: Snapshot | None) -> BucketFiles:
    """Return the data files of a version by bucket, none for a table never written; reads metadata only."""
    files: dict[BucketKey, list[DataFileMeta]] = {}
    for entry in ManifestFiles(store).live_files(snapshot) if snapshot is not None else ():
        files.setdefault((entry.partition, entry.bucket), []).append(entry.file)
    return files


def run_count(schema: TableSchema, files: Sequence[DataFileMeta]) -> int:
    """Return the number of sorted runs in a bucket: one per file of level 0, and one per level above.

    Files without keys are never merged, so all of them count as one run.
    """
    if not schema.is_primary_key_table:
        return 1 if files else 0
    above = {file.level for file in files if file.level > 0}
    return sum(1 for file in files if file.level == 0) + len(above)


def merged_runs(schema: TableSchema, files: Sequence[DataFileMeta], key_of: KeyOf | None = None) -> int:
    """Return how many sorted runs of a bucket a read merges at most: those whose key ranges overlap.

    ``key_of`` makes the serialized keys comparable, if the caller has such a function.
    """
    if run_count(schema, files) < 2 or schema.kind.hides_level_0:
        return min(len(files), 1)
    return max(map(len, partition_into_sections(files, key_of or key_of_schema(schema))))


def most_merged_runs(schema: TableSchema, buckets: BucketFiles) -> int:
    """Return how many sorted runs a read merges at most in any bucket."""
    most = 0
    for files in sorted(buckets.values(), key=lambda files: run_count(schema, files), reverse=True):
        # The keys of the other buckets need not be decoded.
        if run_count(schema, files) <= most:
            break
        most = max(most, merged_runs(schema, files))
    return most


def bucket_id(schema: TableSchema, key: BucketKey) -> str:
    """Return a bucket's id: ``<hex of the partition>:<bucket>``, or ``:<bucket>`` without partitions."""
    partition, bucket = key
    return f"{partition.hex() if schema.partition_keys else ''}:{bucket}"


def parse_bucket_id(schema: TableSchema, text: str) -> BucketKey:
    """Return the bucket of an id that `bucket_id` returned.

    Raises:
        InvalidRequest: no bucket of this table can have this id.
    """
    match = _ID.fullmatch(text)
    if match is None or bool(match[1]) != bool(schema.partition_keys):
        raise _no_bucket(text)
    key = (bytes.fromhex(match[1]) or EMPTY_ROW, int(match[2]))
    try:
        bucket_order(schema)(key)
    except ValueError as error:
        raise _no_bucket(text) from error
    return key


def _no_bucket(text: str) -> InvalidRequest:
    return InvalidRequest(f"'{text[:60]}' is not a bucket id of this table.", "Use the id of a bucket in its levels.")


def bucket_order(schema: TableSchema) -> Callable[[BucketKey], tuple[Any, ...]]:
    """Return the sort key of buckets: the partition values, null first, then the bucket number.

    The key function raises ValueError for bytes that are not a partition of the table.
    """
    types = [field.type for field in schema.partition_fields]

    @cache
    def values(partition: bytes) -> tuple[tuple[int, Any], ...]:
        return tuple(map(_comparable, decode_row(partition, types))) if types else ()

    # Partitions of equal values may differ in bytes; for unpartitioned tables, writers disagree on the bytes.
    return lambda key: (*values(key[0]), key[0] if types else b"", key[1])


def _comparable(value: Any) -> tuple[int, Any]:
    if value is None:
        return (0, 0)
    if isinstance(value, float) and math.isnan(value):
        return (2, 0)
    return (1, value)
