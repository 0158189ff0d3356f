"""The versions of a table, the newest first, and what each did and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.format.snapshot import Snapshot

if TYPE_CHECKING:
    from workbench.table.table import Table


@dataclass(frozen=True)
class SnapshotView:
    """A version. ``rows_added`` and ``rows_total`` count stored rows before any merge, None where not recorded.

    ``reason`` is why a compaction ran, '' where none did or its writer did not say.
    """

    id: int
    kind: str
    time_millis: int
    rows_added: int | None
    rows_total: int | None
    schema_id: int
    user: str
    operation: str
    reason: str


@dataclass(frozen=True)
class HistoryView:
    """The versions that have not expired, the newest first."""

    table: str
    snapshots: tuple[SnapshotView, ...]


def gather_history(table: Table) -> HistoryView:
    """The history of a table; reads its snapshot files."""
    return tell_history(table.name, table.snapshots())


def tell_history(name: str, snapshots: Iterable[Snapshot]) -> HistoryView:
    """The history that snapshots tell."""
    views = [
        SnapshotView(
            id=snapshot.id,
            kind=str(snapshot.commit_kind),
            time_millis=snapshot.time_millis,
            rows_added=snapshot.delta_record_count,
            rows_total=snapshot.total_record_count,
            schema_id=snapshot.schema_id,
            user=snapshot.commit_user,
            operation=snapshot.operation or "",
            reason=compaction_reason(snapshot.properties),
        )
        for snapshot in snapshots
    ]
    return HistoryView(name, tuple(sorted(views, key=lambda view: view.id, reverse=True)))


def compaction_reason(properties: Mapping[str, str]) -> str:
    """Why the compactions of a commit ran, one sentence each, as its properties record them."""
    sentences: list[str] = []
    for name in sorted(properties):
        if "compaction" in name:
            sentences.extend(_sentences(properties[name]))
    return " ".join(dict.fromkeys(sentences))


def _sentences(text: str) -> list[str]:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return [text]
    records = value if isinstance(value, list) else [value]
    return [
        str(record.get("why") or record.get("reason") or "") if isinstance(record, dict) else str(record)
        for record in records
    ]
