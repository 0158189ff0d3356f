"""Flink SQL on our tables: queries, system tables, procedures, a changelog as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.cases import Case
from tests.interop.flink import FlinkSql
from tests.interop.lives import create_ours, our_compact, our_table, our_write
from tests.interop.rows import from_arrow

pytestmark = [pytest.mark.long, pytest.mark.java]
SHOP = Case("shop", {"id": "BIGINT NOT NULL", "name": "STRING", "qty": "INT"}, (), ("id",), (), {"bucket": "2"})


@pytest.fixture
def flink(tmp_path: Path) -> Iterator[Callable[..., FlinkSql]]:
    """Starts Flink sessions over the test's warehouse."""
    sessions: list[FlinkSql] = []

    def session(**more: Any) -> FlinkSql:
        sessions.append(FlinkSql(tmp_path, **more))
        return sessions[-1]

    yield session
    for each in sessions:
        each.close()


def orders(ids: list[int], quantity: int) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": [f"name {number}" for number in ids],
            "qty": pa.array([quantity] * len(ids), pa.int32()),
        }
    )


def test_batch_sql_reads_writes_and_compacts(tmp_path: Path, flink: Callable[..., FlinkSql]) -> None:
    table = create_ours(SHOP, tmp_path)
    our_write(table, orders([1, 2, 3], 1))
    our_write(table, orders([2, 3, 4], 5), ("+I", "-D", "+I"))
    sql = flink()
    assert sorted(sql.execute("SELECT id, qty FROM db.t")) == [("+I", "1", "1"), ("+I", "2", "5"), ("+I", "4", "5")]
    assert sql.execute("SELECT SUM(qty) FROM db.t WHERE id BETWEEN 2 AND 3") == [("+I", "5")]
    sql.execute("INSERT INTO db.t VALUES (1, 'changed', 7), (9, 'new', 9)", limit=0)
    sql.execute("CALL sys.compact(`table` => 'db.t')")
    expected = {("1", "changed", "7"), ("2", "name 2", "5"), ("4", "name 4", "5"), ("9", "new", "9")}
    assert set(from_arrow(our_table(tmp_path).to_arrow()).rows) == expected
    our_compact(our_table(tmp_path))
    levels = sql.execute("SELECT DISTINCT `level` FROM db.`t$files`")
    assert levels == [("+I", "5")]
    assert {row[1:] for row in sql.execute("SELECT * FROM db.t")} == expected
    kinds = {row[1] for row in sql.execute("SELECT commit_kind FROM db.`t$snapshots`")}
    assert kinds == {"APPEND", "COMPACT"}


def test_a_stream_follows_our_commits(tmp_path: Path, flink: Callable[..., FlinkSql]) -> None:
    """A stream of Flink from the first snapshot returns our commits as changes."""
    table = create_ours(SHOP, tmp_path)
    our_write(table, orders([1, 2], 1))
    our_write(table, orders([2, 3], 2), ("-D", "+I"))
    sql = flink(streaming=True)
    hint = (
        "/*+ OPTIONS('scan.mode'='from-snapshot', 'scan.snapshot-id'='1', 'continuous.discovery-interval'='100ms') */"
    )
    changes = sql.execute(f"SELECT rowkind, id, qty FROM db.`t$audit_log` {hint}", limit=4)
    assert sorted(row[1:] for row in changes) == [
        ("+I", "1", "1"),
        ("+I", "2", "1"),
        ("+I", "3", "2"),
        ("-D", "2", "2"),
    ]
