"""``$statistics``: the results of ANALYZE (format §23)."""

from __future__ import annotations

import json
from typing import Any

from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.statistics import read_statistics
from workbench.metadata.store import TableStore
from workbench.table.system.kinds import Columns, SystemKind, listed, schema_of

_STATISTICS = schema_of(
    {
        "snapshot_id": "BIGINT NOT NULL",
        "schema_id": "BIGINT NOT NULL",
        "mergedRecordCount": "BIGINT",
        "mergedRecordSize": "BIGINT",
        "colstat": "STRING",
    }
)


def _statistics(store: TableStore, snapshot: Snapshot | None) -> Columns:
    statistics = (
        [] if snapshot is None or snapshot.statistics is None else [read_statistics(store, snapshot.statistics)]
    )
    return listed(
        _STATISTICS,
        statistics,
        {
            "snapshot_id": lambda value: value["snapshotId"],
            "schema_id": lambda value: value["schemaId"],
            "mergedRecordCount": lambda value: value.get("mergedRecordCount"),
            "mergedRecordSize": lambda value: value.get("mergedRecordSize"),
            "colstat": lambda value: _indented(value.get("colStats") or {}),
        },
    )


def _indented(value: Any) -> str:
    """Return indented JSON, as Java writes it."""
    return json.dumps(value, ensure_ascii=False, indent=2, separators=(",", " : ")) if value else "{ }"


STATISTICS_KINDS = {"statistics": SystemKind(_STATISTICS, _statistics)}
