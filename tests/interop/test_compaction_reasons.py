"""Compactions of tables that Java and Flink write with default options: nearly all of them are explained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.interop.compaction_histories import SHAPES, Shape, stream_history, write_history
from tests.interop.flink import FlinkSql
from workbench.lens.compaction.collect import collect_compactions
from workbench.lens.compaction.value import CompactionValue

pytestmark = pytest.mark.java
HISTORIES, COMPACTIONS, EXPLAINED = 20, 500, 0.95


def compactions_of(table: Any) -> list[CompactionValue]:
    return list(collect_compactions(table, limit=None).compactions)


def explained_share(found: list[CompactionValue]) -> float:
    return sum(each.origin == "recomputed" for each in found) / len(found)


@pytest.mark.parametrize("shape", SHAPES[:1], ids=str)
def test_a_history_of_java_is_explained(referee: Callable[[str], Any], shape: Shape, tmp_path: Path) -> None:
    write_history(referee("java-2.0.0"), tmp_path, shape, 1, commits=25)
    found = compactions_of(wb.connect(str(tmp_path)).get_table("db.t"))
    assert len(found) > 2
    assert explained_share(found) == 1


@pytest.mark.long
def test_many_histories_of_java_are_explained(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, found = referee("java-2.0.0"), []
    for number in range(HISTORIES):
        warehouse = tmp_path / str(number)
        write_history(java, warehouse, SHAPES[number % len(SHAPES)], number)
        found += compactions_of(wb.connect(str(warehouse)).get_table("db.t"))
    assert len(found) >= COMPACTIONS
    assert explained_share(found) >= EXPLAINED


@pytest.mark.long
def test_histories_of_flink_are_explained(tmp_path: Path) -> None:
    flink, found = FlinkSql(tmp_path, streaming=True), []
    flink.execute("CREATE DATABASE db")
    for number, shape in enumerate(SHAPES):
        stream_history(flink, f"db.t{number}", shape, number)
        found += compactions_of(wb.connect(str(tmp_path)).get_table(f"db.t{number}"))
    flink.close()
    assert len(found) > 20
    assert explained_share(found) >= EXPLAINED
