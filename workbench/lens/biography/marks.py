"""The commits whose deletion vectors marked stored versions as deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.format.spec.snapshot import Snapshot
from workbench.lens.biography.versions import Version
from workbench.metadata.index_files import deletion_files
from workbench.metadata.store import TableStore


def marking_commits(store: TableStore, versions: Sequence[Version], snapshots: Sequence[Snapshot]) -> dict[int, int]:
    """Return, for each version that is marked as deleted, the id of the first commit whose deletion vector marks it.
    ``snapshots`` are the commits to search, the oldest first."""
    if not store.schema.core.deletion_vectors_enabled:
        return {}
    found = {}
    for version in versions:
        held = [each for each in snapshots if any(stay.holds_at(each.id) for stay in version.life.stays)]
        first = _first(held, lambda snapshot, version=version: _marks(store, snapshot, version))  # type: ignore[misc]
        if first is not None:
            found[version.id] = first.id
    return found


def _first(snapshots: Sequence[Snapshot], marks: Callable[[Snapshot], bool]) -> Snapshot | None:
    """Return the first snapshot that marks a row. A mark remains as long as the file exists."""
    if not snapshots or not marks(snapshots[-1]):
        return None
    low, high = 0, len(snapshots) - 1
    while low < high:
        middle = (low + high) // 2
        if marks(snapshots[middle]):
            high = middle
        else:
            low = middle + 1
    return snapshots[low]


def _marks(store: TableStore, snapshot: Snapshot, version: Version) -> bool:
    deletion = deletion_files(store, snapshot).get(version.life.id)
    if deletion is None:
        return False
    return not deletion.read(store, version.life.file).kept(version.position, 1)[0]
