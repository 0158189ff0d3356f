"""Rescaling partitions to another number of buckets by rewriting their rows (Java ``RescaleAction``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.overwrite import Overwrite
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import deletion_files, index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.schemas import latest_schema_id
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.compaction.runner import CompactionRunner
from workbench.write.rewriting.rescale import BucketRescale
from workbench.write.static_partition import static_partition


def rescale(
    store: TableStore,
    latest: Snapshot | None,
    partition: Mapping[str, Any] | None,
    bucket: int | None,
    progress: Progress,
    runner: CompactionRunner | None = None,
) -> Commit:
    """Rewrite partitions into ``bucket`` buckets, by default the number that the newest schema defines.

    Postponed rows stay postponed. See `Table.rescale` for the errors.
    """
    store = store.with_schema(store.schema_of(latest_schema_id(store)))
    started = store.clock.monotonic()
    target = store.with_schema(_rescaled(store.schema, bucket))
    accepts = Overwrite(store, static_partition(store, partition)).accepts()
    base = [] if latest is None else _bucketed(store, latest, accepts)
    if latest is None or not base:
        return Commit(store.name, ())
    rewrite = BucketRescale(store, target, _smallest_sequences(base))
    messages = (runner or CompactionRunner()).rescaled(rewrite, base, deletion_files(store, latest), progress)
    rows = sum(file.row_count for message in messages for file in message.new_files)
    if not any(message.compact_before for message in messages):
        messages = Overwrite(target, {}).upgraded_to_last_level(messages)
    elif store.schema.kind.hides_level_0:
        messages = _in_one_snapshot(target, messages)
    replaces = partial(publish.replace_files, base=base, base_index=index_entries(store, latest))
    committed = commit_messages(Publication.by_new_user(target), messages, replaces, name="replace")
    return replace(committed, rows=rows, seconds=store.clock.monotonic() - started)


def _smallest_sequences(base: Sequence[ManifestEntry]) -> dict[BucketId, int]:
    """Return the smallest sequence number of each bucket.

    All rewritten rows of a bucket can have this number, since each key has one row.

    A writer that prepared rows before the rescale continued from the largest sequence number at that time. If a
    rewritten row had a larger one, it would replace a newer row.
    """
    result: dict[BucketId, int] = {}
    for entry in base:
        bucket, smallest = (entry.partition, entry.bucket), entry.file.min_sequence_number
        result[bucket] = min(result.get(bucket, smallest), smallest)
    return result


def _in_one_snapshot(store: TableStore, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
    """Return the messages with the compacted files only, and delete the files of level 0: if these were committed
    first, readers of that snapshot would find no rows."""
    compacted = [message.compacted() for message in messages]
    for message, whole in zip(messages, compacted, strict=True):
        kept = {file.file_name for file in whole.new_files}
        for file in message.new_files:
            if file.file_name not in kept:
                store.discard_data_file(message.partition, message.bucket, file)
        indexes = {entry.file_name for entry in whole.new_index_files}
        for entry in (*message.new_index_files, *message.compact_new_index_files):
            if entry.file_name not in indexes:
                store.discard(index_file_path(store, entry))
    return compacted


def _rescaled(schema: TableSchema, bucket: int | None) -> TableSchema:
    """Return the schema with the new number of buckets.

    Raises:
        Unsupported: The table's buckets are dynamic.
        InvalidSchema: The number is less than 1.
    """
    stored = schema.core.bucket
    if stored == -1:
        raise Unsupported(
            "Rescaling a table with option 'bucket' = '-1' is not supported: its number of buckets is dynamic.",
            "Compact it, or overwrite its partitions.",
        )
    number = stored if bucket is None else bucket
    if number < 1:
        raise InvalidSchema(
            f"A partition cannot have {number} buckets.", "Pass a number of at least 1: rescale(bucket=…)."
        )
    return replace(schema, options={**schema.options, "bucket": str(number)})


def _bucketed(store: TableStore, latest: Snapshot, accepts: Callable[[bytes], bool]) -> list[ManifestEntry]:
    live = ManifestFiles(store).live_files(latest)
    return [entry for entry in live if entry.bucket >= 0 and accepts(entry.partition)]
