"""Prints the results of the demo: tables, versions, a tree of levels, and what two commits changed."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from workbench.base.texts import size_text, time_text
from workbench.demo.tables import DATABASE, FLIGHTS
from workbench.demo.terminal import grid
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY
from workbench.lens.contents import collect_contents
from workbench.lens.levels import BucketValue, collect_buckets
from workbench.lens.summary import collect_summary
from workbench.lens.timeline import SnapshotValue, collect_timeline

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.catalog.catalog import Catalog
    from workbench.format.spec.snapshot import Snapshot
    from workbench.table.table import Table

_SHOWN_COLUMNS = ("rowkind", "month", "day", "carrier", "flight", "dest", "sched_dep_time", "dep_delay", "arr_delay")
_ROW_KINDS = ("+I", "-U", "+U", "-D")
_ROWS_OF_A_KIND = 2
_COMMITS_COMPARED = 2


def report(catalog: Catalog) -> str:
    """Return the whole report as text."""
    flights = catalog.get_table(FLIGHTS.full_name)
    return "\n\n".join(
        [
            f"Tables of {DATABASE}\n{tables_text(catalog)}",
            f"Snapshots of {flights.name}\n{snapshots_text(flights)}",
            levels_text(flights),
            changes_text(flights),
        ]
    )


def tables_text(catalog: Catalog) -> str:
    """Return each table with its number of rows (as a read returns them, after merging) and its files on disk."""
    rows = []
    for name in catalog.list_tables(DATABASE):
        table = catalog.get_table(f"{DATABASE}.{name}")
        view, contents = collect_summary(table), collect_contents(table.store, table.version)
        keys = ", ".join(view.primary_key) or "none (append)"
        live = sum(batch.num_rows for batch in table.to_batches(columns=table.arrow_schema.names[:1]))
        rows.append((name, live, contents.stored_rows, contents.files, size_text(contents.size), keys))
    return grid(("table", "rows", "stored rows", "files", "size", "primary key"), rows)


def snapshots_text(table: Table) -> str:
    """Return every version, oldest first, with the rules that triggered a compaction, and one sentence for each
    rule.
    """
    views = {view.id: view for view in collect_timeline(table).snapshots}
    snapshots = table.snapshots()
    rows = [_snapshot_row(views[snapshot.id], compaction_reasons(snapshot)) for snapshot in snapshots]
    text = grid(("id", "kind", "time", "changes", "stored rows", "reason"), rows)
    return "\n".join([text, *(f"{rule}: {why}" for rule, why in _explanations(snapshots).items())])


def _snapshot_row(view: SnapshotValue, reasons: Counter[str]) -> tuple[object, ...]:
    counted = ", ".join(f"{rule} ({count} buckets)" if count > 1 else rule for rule, count in reasons.items())
    changes = "" if view.figures is None else view.figures.text
    return view.id, view.kind, time_text(view.time_millis), changes, view.rows_total, counted


def compaction_reasons(snapshot: Snapshot) -> Counter[str]:
    """Return how many buckets each rule of compaction picked in a commit; empty if nothing was compacted."""
    return Counter(record["reason"] for record in _compactions(snapshot))


def _explanations(snapshots: list[Snapshot]) -> dict[str, str]:
    return {record["reason"]: record["why"] for snapshot in snapshots for record in _compactions(snapshot)}


def _compactions(snapshot: Snapshot) -> list[dict[str, str]]:
    records = json.loads(snapshot.properties.get(COMPACTION_PROPERTY, "[]"))
    return [record for record in records if "reason" in record]


def levels_text(table: Table) -> str:
    """Return the sorted runs of the bucket with the most levels, the newest first."""
    bucket = deepest_bucket(table)
    rows = [
        (run.level, len(run.files), run.rows, sum(file.deletes or 0 for file in run.files), size_text(run.size))
        for run in bucket.runs
    ]
    text = grid(("level", "files", "rows", "deletes", "size"), rows)
    return f"Sorted runs of {table.name}, {bucket.label}, the newest first\n{text}"


def deepest_bucket(table: Table) -> BucketValue:
    """Return the bucket whose files span the most levels; the last such bucket if there are several."""
    return max(reversed(collect_buckets(table).buckets), key=lambda bucket: len({run.level for run in bucket.runs}))


def changes_text(table: Table) -> str:
    """Return what the newest commits changed: the number of rows of each kind, and a sample of these rows."""
    written = [snapshot.id for snapshot in table.snapshots() if snapshot.commit_kind == "APPEND"]
    start = written[-1 - _COMMITS_COMPARED] if len(written) > _COMMITS_COMPARED else 0
    rows = table.changes(start, written[-1], mode="diff")
    kinds = Counter(rows.column("rowkind").to_pylist())
    counts = ", ".join(f"{kind} {kinds[kind]:,}" for kind in _ROW_KINDS)
    heading = f"Changes of {table.name} from snapshot {start} to {written[-1]}: {counts}"
    return f"{heading}\n{grid(_SHOWN_COLUMNS, _sample(rows), thousands=False)}"


def _sample(rows: pa.Table) -> list[tuple[object, ...]]:
    """Return the first rows of each kind in the order of the diff: the old row of an update precedes the new one."""
    wanted = Counter(dict.fromkeys(_ROW_KINDS, _ROWS_OF_A_KIND))
    shown = []
    for index, kind in enumerate(rows.column("rowkind").to_pylist()):
        if wanted[kind]:
            wanted[kind] -= 1
            row = rows.slice(index, 1)
            shown.append(tuple(row.column(name)[0].as_py() for name in _SHOWN_COLUMNS))
    return shown
