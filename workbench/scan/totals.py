"""Sums of rows, bytes and files per partition or bucket, from the manifests of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from workbench.format.spec import paths
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.metadata.totals import Total, totals_of

Key = TypeVar("Key", bound=Hashable)


def _totals(entries: Iterable[ManifestEntry], key_of: Callable[[ManifestEntry], Key]) -> dict[Key, Total]:
    return {key: total for key, total in totals_of(entries, key_of).items() if total.files > 0}


def _entries(store: TableStore, snapshot: Snapshot | None) -> list[ManifestEntry]:
    if snapshot is None:
        return []
    manifests = ManifestFiles(store)
    return manifests.entries(manifests.data_manifests(snapshot))


def partition_totals(store: TableStore, snapshot: Snapshot | None, with_postponed: bool = False) -> dict[bytes, Total]:
    """Return the totals of each partition that has files; files whose rows wait for a bucket are included only if
    ``with_postponed`` is set."""
    all_entries = _entries(store, snapshot)
    entries = (entry for entry in all_entries if with_postponed or entry.bucket != paths.POSTPONE_BUCKET)
    return _totals(entries, lambda entry: entry.partition)
