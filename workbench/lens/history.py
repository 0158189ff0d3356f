"""The versions of a table, the newest first, and what each did and why."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.format.snapshot import Snapshot
from workbench.table.two_phase import COMPACTION_PROPERTY

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
            reason=compaction_reason(snapshot.properties.get(COMPACTION_PROPERTY)),
        )
        for snapshot in snapshots
    ]
    return HistoryView(name, tuple(sorted(views, key=lambda view: view.id, reverse=True)))


def compaction_reason(recorded: str | None) -> str:
    """Why the compactions of a commit ran, one sentence each, as `COMPACTION_PROPERTY` of a snapshot records them."""
    try:
        records = json.loads(recorded or "[]")
    except ValueError:
        records = []
    told = [record.get("why") or record.get("reason") for record in records if isinstance(record, dict)]
    return " ".join(dict.fromkeys(str(sentence) for sentence in told if sentence))
