"""``$statistics``: the results of ANALYZE (format §23)."""

from __future__ import annotations

import json
from typing import Any

from workbench.base.errors import CorruptFile
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
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


def read_statistics(store: TableStore, name: str) -> dict[str, Any]:
    """Return the members of a statistics file; ``snapshotId`` and ``schemaId`` are always integers.

    Raises:
        CorruptFile: The file is missing or damaged.
    """
    path = store.path(paths.STATISTICS_DIRECTORY, name)
    try:
        value = json.loads(store.read_metadata(path))
    except (ValueError, RecursionError) as error:
        raise CorruptFile(path, f"not statistics in JSON ({error})") from error
    numbers = ("snapshotId", "schemaId", "mergedRecordCount", "mergedRecordSize")
    if not isinstance(value, dict) or not all(_is_number(value.get(name), name in numbers[2:]) for name in numbers):
        raise CorruptFile(path, "a number in the statistics is missing or wrong")
    return value


def _is_number(value: Any, optional: bool) -> bool:
    return (optional and value is None) or (isinstance(value, int) and not isinstance(value, bool))


def _indented(value: Any) -> str:
    """Return indented JSON, as Java writes it."""
    return json.dumps(value, ensure_ascii=False, indent=2, separators=(",", " : ")) if value else "{ }"


STATISTICS_KINDS = {"statistics": SystemKind(_STATISTICS, _statistics)}
