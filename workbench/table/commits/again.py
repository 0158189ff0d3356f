"""Repeating, on the newest version, a compaction that lost to a concurrent commit."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.base.progress import Progress
from workbench.commit.cleanup import removed_if_unpublished
from workbench.commit.commit import TableCommit, retry_wait
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import BucketState, known_buckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.write.compact_bucket import compact_buckets

Compacted = tuple[Snapshot | None, list[CommitMessage]]
"""The snapshot of a compaction and its messages; None and an empty list if nothing was left to compact."""


def compact_again(
    store: TableStore, buckets: Collection[BucketId], properties: Mapping[str, str], keeps_changelog: bool
) -> Compacted:
    """Compact buckets on the newest version, and retry after conflicts up to 'commit.max-retries' times.

    Raises:
        CommitConflict: Other writers committed first on every attempt; no file of this compaction is left.
        CorruptFile: Files are missing even in the newest version.
    """
    for attempt in range(store.schema.core.commit_max_retries):
        try:
            return _compact_once(store, buckets, properties, keeps_changelog)
        except (CommitConflict, CorruptFile):
            # A file may be missing because the version expired while it was read.
            store.clock.sleep(retry_wait(store, attempt))
    return _compact_once(store, buckets, properties, keeps_changelog)


def _compact_once(
    store: TableStore, buckets: Collection[BucketId], properties: Mapping[str, str], keeps_changelog: bool
) -> Compacted:
    compacted = compact_buckets(store, _states(store, buckets), Progress(), keeps_changelog=keeps_changelog)
    messages = [message for message in compacted if not message.is_empty]
    # A separate commit user: the snapshot does not count among the commits of a stream.
    committer = TableCommit(Publication.by_new_user(store, properties))
    with removed_if_unpublished(store, messages):
        return committer.compact(messages), messages


def _states(store: TableStore, buckets: Collection[BucketId]) -> Mapping[BucketId, BucketState]:
    latest = Snapshots(store).latest()
    live = () if latest is None else ManifestFiles(store).live_files(latest)
    entries = (entry for entry in live if (entry.partition, entry.bucket) in buckets)
    return known_buckets(entries, index_entries(store, latest)).buckets
