"""The numbers of distinct values that ANALYZE recorded with a snapshot (format §23)."""

from __future__ import annotations

import json

from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore


def distinct_counts(store: TableStore, snapshot: Snapshot | None) -> dict[str, int]:
    """Return the number of distinct values of each analyzed column; none if the snapshot has no usable statistics."""
    if snapshot is None or snapshot.statistics is None:
        return {}
    path = store.path(paths.STATISTICS_DIRECTORY, snapshot.statistics)
    try:
        columns = json.loads(store.read_metadata(path))["colStats"]
        return {name: int(each["distinctCount"]) for name, each in columns.items() if "distinctCount" in each}
    except (ValueError, KeyError, TypeError, AttributeError):
        # Other readers ignore statistics that they cannot use: no row depends on them.
        return {}
