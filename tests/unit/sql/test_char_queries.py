"""CHAR(n) in queries on DuckDB: shown and compared padded, as by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.sql.execute import execute


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    opened = wb.connect(str(tmp_path))
    opened.create_database("db")
    table = opened.create_table("db.t", {"id": "INT", "c": "CHAR(3)", "d": "CHAR(5)", "v": "STRING"})
    table.write([{"id": 1, "c": "a", "d": "a", "v": "a"}, {"id": 2, "c": "b  ", "d": "b", "v": "b  "}])
    return opened


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("c = 'a'", [1]),
        ("c = 'a     '", [1]),
        ("'b' = c", [2]),
        ("c <> 'a'", [2]),
        ("c > 'a'", [2]),
        ("c IN ('a', 'x')", [1]),
        ("NOT c IN ('a', 'x')", [2]),
        ("c = d", [1, 2]),
        ("c = v", [2]),
        ("length(c) = 3", [1, 2]),
        ("c LIKE 'a'", []),
    ],
)
def test_conditions_on_char(catalog: Any, where: str, ids: list[int]) -> None:
    result = execute(f"SELECT id FROM db.t WHERE {where} ORDER BY id", catalog, "db")
    assert result.engine == "duckdb"
    assert result.rows.column("id").to_pylist() == ids


def test_char_is_shown_padded(catalog: Any) -> None:
    rows = execute("SELECT c, max(d) AS m FROM db.t GROUP BY c ORDER BY c", catalog, "db").rows.to_pylist()
    assert rows == [{"c": "a  ", "m": "a    "}, {"c": "b  ", "m": "b    "}]
