from __future__ import annotations

from typing import Any

from workbench.lens.diff import collect_diff
from workbench.table.table import Table


def test_row_kinds_are_counted(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    write("a", [3, 4], "y")
    diff = collect_diff(table, 1, 2)
    assert dict(diff.counts) == {"+I": 1, "-U": 1, "+U": 1, "-D": 0}
    assert diff.summary == "1 inserted, 1 updated"
    assert collect_diff(table, 2, 2).summary == "no changes"
