"""The newest version of a damaged table that can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.catalog.connect import connect
from workbench.lens.readable import ReadableVersionValue, collect_readable_version
from workbench.table.table import Table


def damage(table: Table, snapshot: int) -> None:
    Path(table.location, "manifest", table.snapshot(snapshot).delta_manifest_list).write_bytes(b"garbage")


def again(table: Table) -> Table:
    """The table without what is cached."""
    return connect(Path(table.location).parents[1]).get_table("d.t")


def test_the_newest_that_reads(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    assert collect_readable_version(again(table)) == ReadableVersionValue(4)
    damage(table, 4)
    assert collect_readable_version(again(table)) == ReadableVersionValue(3)
    Path(table.location, "snapshot", "snapshot-4").write_text("{ no snapshot")
    assert collect_readable_version(again(table)) == ReadableVersionValue(3)
    assert collect_readable_version(again(table), before=3) == ReadableVersionValue(2)


def test_none_reads(table: Table, write: Any) -> None:
    assert collect_readable_version(table) == ReadableVersionValue(None)
    write("a", [1], "x")
    write("a", [1], "x")
    damage(table, 1)
    damage(table, 2)
    assert collect_readable_version(again(table)) == ReadableVersionValue(None)
