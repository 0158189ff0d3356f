"""The sentences that describe commits of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.timeline import SnapshotValue, collect_timeline
from workbench.table.table import Table


def texts(table: Table) -> list[str]:
    """The sentences of all commits, oldest first."""
    values = reversed(collect_timeline(table).snapshots)
    return [value.figures.text if value.figures else "" for value in values]


def newest(table: Table) -> SnapshotValue:
    return collect_timeline(table, limit=1).snapshots[0]


def test_upserts_and_deletes(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    rows = {"dt": ["a", "b", "b"], "k": [1, 2, 3], "v": ["y"] * 3, "kind": ["-D", "-D", "+U"]}
    table.write(pa.table(rows), row_kind="kind")
    assert texts(table) == [
        "3 upserts, 0 deletes; 1 file added in 1 partition.",
        "1 upsert, 2 deletes; 2 files added in 2 partitions.",
    ]


def test_only_deletes_are_not_rows_added(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    rows = {"dt": ["a"] * 2, "k": [1, 2], "v": ["x"] * 2, "kind": ["-D"] * 2}
    table.write(pa.table(rows), row_kind="kind")
    value = newest(table)
    assert value.rows_added == 2
    assert value.figures is not None
    assert (value.figures.upserts, value.figures.deletes) == (0, 2)


def test_a_compaction_drops_superseded_rows(table: Table, write: Any) -> None:
    for value in "abc":
        write("a", [1, 2, 3], value)
    table.compact(full=True)
    value = newest(table)
    assert value.figures is not None
    assert (value.figures.files_removed, value.figures.files_added, value.figures.superseded) == (3, 1, 6)
    assert value.figures.text.startswith("Merged 3 files (")
    assert value.figures.text.endswith("dropped 6 superseded rows.")


def test_a_compaction_that_only_moves_a_file(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    table.compact(full=True)
    value = newest(table)
    assert value.figures is not None
    assert (value.figures.files_moved, value.figures.files_added, value.figures.files_removed) == (1, 0, 0)
    assert value.figures.text == "Moved 1 file to another level."


def test_append_tables_have_rows(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.a", {"n": "BIGINT"})
    created.write(pa.table({"n": [1, 2]}))
    created.write(pa.table({"n": [3]}), mode="overwrite")
    assert texts(created) == [
        "2 rows added; 1 file added.",
        "1 row added, 2 rows removed; 1 file added, 1 removed.",
    ]


def test_deletion_vectors_count_as_deletes(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.v", {"n": "BIGINT"}, options={"deletion-vectors.enabled": "true"})
    created.write(pa.table({"n": range(10)}))
    created.delete("n < 4")
    created.delete("n < 5")
    assert texts(created)[1:] == ["4 rows deleted by vectors.", "1 row deleted by vectors."]
    assert newest(created).figures == collect_timeline(created).snapshots[0].figures


def test_a_damaged_manifest_takes_only_its_own_figures(table: Table, write: Any) -> None:
    write("a", [1], "x")
    write("a", [2], "x")
    Path(table.location, "manifest", table.snapshot(1).delta_manifest_list).write_bytes(b"garbage")
    again = connect(Path(table.location).parents[1]).get_table("d.t")
    assert texts(again) == ["", "1 upsert, 0 deletes; 1 file added in 1 partition."]
