"""The buckets of a version and the files in them: reading, naming, ordering and counting them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from workbench.base.errors import InvalidRequest
from workbench.format.binary_row import decode_row
from workbench.format.data_file import EMPTY_ROW, DataFileMeta
from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.table.manifests import ManifestFiles
from workbench.table.store import TableStore

BucketKey: TypeAlias = tuple[bytes, int]
"""A serialized partition and the number of a bucket in it."""
BucketFiles: TypeAlias = Mapping[BucketKey, Sequence[DataFileMeta]]

_ID = re.compile(r"((?:[0-9a-f]{2})*):(-?[0-9]{1,10})")


def gather_files(store: TableStore, snapshot: Snapshot | None) -> BucketFiles:
    """The data files of a version by bucket, none of a table never written; reads metadata only."""
    found: dict[BucketKey, list[DataFileMeta]] = {}
    for entry in ManifestFiles(store).live_files(snapshot) if snapshot is not None else ():
        found.setdefault((entry.partition, entry.bucket), []).append(entry.file)
    return found


def run_count(schema: TableSchema, files: Sequence[DataFileMeta]) -> int:
    """How many sorted runs files of one bucket form: each file of level 0 is one, and each level above.

    Files without keys are never merged, so that all of them together count as one.
    """
    if not schema.is_primary_key_table:
        return 1 if files else 0
    above = {file.level for file in files if file.level > 0}
    return sum(1 for file in files if file.level == 0) + len(above)


def bucket_id(schema: TableSchema, key: BucketKey) -> str:
    """A bucket's name in links and cursors: ``<hex of the partition>:<bucket>``, ``:<bucket>`` without partitions."""
    partition, bucket = key
    return f"{partition.hex() if schema.partition_keys else ''}:{bucket}"


def parse_bucket_id(schema: TableSchema, text: str) -> BucketKey:
    """The bucket that `bucket_id` named.

    Raises:
        InvalidRequest: no bucket of this table can have such a name.
    """
    said = _ID.fullmatch(text)
    if said is None or bool(said[1]) != bool(schema.partition_keys):
        raise _no_bucket(text)
    key = (bytes.fromhex(said[1]) or EMPTY_ROW, int(said[2]))
    try:
        bucket_order(schema)(key)
    except ValueError as error:
        raise _no_bucket(text) from error
    return key


def _no_bucket(text: str) -> InvalidRequest:
    return InvalidRequest(f"'{text[:60]}' is no bucket of this table.", "Take the id of one from its levels.")


def bucket_order(schema: TableSchema) -> Callable[[BucketKey], tuple[Any, ...]]:
    """What buckets are sorted by: the values of the partition, null first, then the number of the bucket.

    It raises ValueError for bytes that are no partition of the table.
    """
    types = [field.type for field in schema.partition_fields]

    @cache
    def values(partition: bytes) -> tuple[tuple[int, Any], ...]:
        return tuple(map(_comparable, decode_row(partition, types))) if types else ()

    # Partitions of equal values may differ in bytes, but writers disagree on how to write that there is none.
    return lambda key: (*values(key[0]), key[0] if types else b"", key[1])


def _comparable(value: Any) -> tuple[int, Any]:
    if value is None:
        return (0, 0)
    if isinstance(value, float) and math.isnan(value):
        return (2, 0)
    return (1, value)
