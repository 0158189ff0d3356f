"""The files of a bucket through the versions of its table: where it began, and what each commit added and removed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.base.parallel import parallel_map
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.buckets import BucketKey, bucket_id, collect_files, parse_bucket_id, run_count
from workbench.lens.compaction.collect import readable_deltas
from workbench.lens.compaction.deltas import BucketDelta, FileId, file_id
from workbench.lens.compaction.value import ReplayStep, ReplayValue
from workbench.lens.levels import describe_states
from workbench.lens.texts import partition_label
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

DEFAULT_STEPS = 200
_CHUNK = 128
_READERS = 8


@dataclass(frozen=True)
class _Change:
    snapshot: Snapshot
    delta: BucketDelta


def collect_replay(
    table: ReadableTable, bucket: str | None = None, limit: int = DEFAULT_STEPS, seconds: float | None = None
) -> ReplayValue | None:
    """Return the replay of a bucket over the newest commits that changed it, at most ``limit``; reads metadata only.

    Args:
        table: The table; at a fixed version, the replay ends at that version.
        bucket: The id of the bucket, by default the one with the most runs.
        limit: The number of commits.
        seconds: The time after which older commits are left out; None reads all.

    Returns:
        The replay; None for a table without files.

    Raises:
        InvalidRequest: no bucket of this table can have the id.
    """
    version = table.version
    if version is None:
        return None
    requested = None if bucket is None else parse_bucket_id(table.schema, bucket)
    buckets = collect_files(table.store, version)
    key = requested or max(
        buckets, key=lambda each: (run_count(table.schema, buckets[each]), len(buckets[each])), default=None
    )
    if key is None:
        return None
    same = next((each for each in buckets if bucket_id(table.schema, each) == bucket), key)
    changes, older = _changes(table.store, same, version.id, limit, seconds)
    try:
        return describe_replay(table.name, table.schema, same, buckets.get(same, ()), changes, older=older)
    except ValueError as error:
        raise CorruptFile(table.location, "its manifests contain invalid partitions or keys") from error


def _changes(
    store: TableStore, key: BucketKey, newest: int, limit: int, seconds: float | None
) -> tuple[list[_Change], bool]:
    """Return the newest commits that changed a bucket, the newest first, and whether there may be older ones.

    The list ends before a commit whose manifests are damaged, since the files before it are not known.
    """
    if limit < 1:
        raise InvalidRequest(f"{limit} is not a valid limit.", "Pass an integer of 1 or more.")
    deadline = None if seconds is None else time.monotonic() + seconds
    found: list[_Change] = []
    cursor: int | None = newest + 1
    while cursor is not None:
        page = Snapshots(store).newest(_CHUNK, cursor)
        deltas = parallel_map(lambda each: _delta(store, each, key), page.snapshots, _READERS)
        for snapshot, delta in zip(page.snapshots, deltas, strict=True):
            if delta is None:
                return found, False
            if delta.added or delta.removed:
                found.append(_Change(snapshot, delta))
            if len(found) == limit:
                return found, snapshot.id > page.snapshots[-1].id or page.next is not None
        cursor = page.next
        if deadline is not None and time.monotonic() > deadline:
            return found, cursor is not None
    return found, False


def _delta(store: TableStore, snapshot: Snapshot, key: BucketKey) -> BucketDelta | None:
    if snapshot.commit_kind == CommitKind.ANALYZE:
        return BucketDelta()
    deltas = readable_deltas(store, snapshot)
    return None if deltas is None else deltas.get(key, BucketDelta())


def describe_replay(
    name: str,
    schema: TableSchema,
    key: BucketKey,
    files: Sequence[DataFileMeta],
    changes: Sequence[_Change],
    *,
    older: bool = False,
) -> ReplayValue:
    """Return the replay of a bucket from its files now, and the commits that changed it, the newest first."""
    everything: dict[FileId, DataFileMeta] = {file_id(file): file for file in files}
    begin = set(everything)
    for change in changes:
        begin.difference_update(map(file_id, change.delta.added))
        begin.update(map(file_id, change.delta.removed))
        for file in (*change.delta.added, *change.delta.removed):
            everything[file_id(file)] = file
    (bucket,) = describe_states(schema, key, list(everything.values()))
    values = bucket.files
    position = {(file.name, file.level): number for number, file in enumerate(values)}
    steps = [
        ReplayStep(
            snapshot=change.snapshot.id,
            kind=str(change.snapshot.commit_kind),
            time_millis=change.snapshot.time_millis,
            removed=tuple(sorted(position[file_id(file)] for file in change.delta.removed)),
            added=tuple(sorted(position[file_id(file)] for file in change.delta.added)),
        )
        for change in reversed(changes)
    ]
    return ReplayValue(
        table=name,
        bucket_id=bucket.id,
        partition=partition_label(key[0], schema.partition_fields),
        bucket=key[1],
        to_scale=bucket.to_scale,
        keys=tuple(field.name for field in schema.key_fields),
        files=values,
        begin=tuple(sorted(position[each] for each in begin)),
        steps=tuple(steps),
        older=older,
    )
