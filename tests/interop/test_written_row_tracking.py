"""Rows of tables that we write have ids and sequence numbers, and keep them when files are compacted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows, from_arrow

pytestmark = pytest.mark.java


def numbers(first: int, rows: int = 40) -> pa.Table:
    """Some rows."""
    ids = list(range(first, first + rows))
    return pa.table(
        {"id": pa.array(ids, pa.int64()), "p": [each % 3 for each in ids], "t": [f"v{each}" for each in ids]}
    )


@pytest.mark.parametrize("name", ["parquet", pytest.param("orc", marks=pytest.mark.long)])
def test_ids_are_assigned_once(name: str, tmp_path: Path, referee: Any) -> None:
    java = referee("java-2.0.0")
    columns = {"id": "BIGINT", "p": "BIGINT", "t": "STRING"}
    options = {"row-tracking.enabled": "true", "file.format": name, "compaction.min.file-num": "2"}
    ours, javas = tmp_path / "ours", tmp_path / "javas"
    for home in (ours, javas):
        java.create(home, TABLE, columns, [], [], options)
    for first in (0, 40):
        our_table(ours).write(numbers(first))
        java.write(javas, TABLE, numbers(first))
    javas_ids = java.read(javas, f"{TABLE}$row_tracking")
    assert_same_rows(java.read(ours, f"{TABLE}$row_tracking"), javas_ids)
    assert our_table(ours).snapshot().next_row_id == 80
    java.write(ours, TABLE, numbers(80))
    assert our_table(ours).snapshot().next_row_id == 120
    our_table(ours).write(numbers(120))
    before = java.read(ours, f"{TABLE}$row_tracking")
    our_table(ours).compact(full=True)
    files = [file for split in our_table(ours).scan().plan() for file in split.files]
    assert len(files) == 1
    assert {(file.first_row_id, file.write_cols) for file in files} == {
        (None, ("id", "p", "t", "_ROW_ID", "_SEQUENCE_NUMBER"))
    }
    assert_same_rows(java.read(ours, f"{TABLE}$row_tracking"), before)
    assert_same_rows(
        from_arrow(our_table(ours).to_arrow(columns=["_ROW_ID", "_SEQUENCE_NUMBER", "id"])), _chosen(before)
    )
    our_table(ours).write(numbers(160))
    assert our_table(ours).snapshot().next_row_id == 200
    assert_same_rows(java.read(ours, TABLE), from_arrow(our_table(ours).to_arrow()))


def _chosen(result: Any) -> Any:
    positions = [result.columns.index(name) for name in ("_ROW_ID", "_SEQUENCE_NUMBER", "id")]
    rows = tuple(tuple(row[position] for position in positions) for row in result.rows)
    return type(result)(("_ROW_ID", "_SEQUENCE_NUMBER", "id"), rows)
