"""Marks of partitions that are done, in a metastore that is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import Unsupported
from workbench.catalog.hive import partitions
from workbench.catalog.hive.environment import HiveEnvironment
from workbench.catalog.hive.settings import read_settings

MARKED = {"partition.mark-done-action": "mark-event", "bucket": "-1"}


class PlayedClient:
    """Records requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[Any, ...]] = []

    def call(self, *request: object) -> None:
        self.requests.append(request)


def hive_table(warehouse: Path, **options: str) -> wb.Table:
    """Return a table as a catalog of kind hive opens it."""
    catalog = wb.connect(warehouse)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "BIGINT", "dt": "STRING"}, (), "dt", {**MARKED, **options})
    environment = HiveEnvironment(read_settings({"uri": "thrift://127.0.0.1:9083"}))
    return wb.Table(replace(table.store, runtime=replace(table.store.runtime, environment=environment)))


def test_partitions_are_marked_in_the_metastore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = PlayedClient()
    monkeypatch.setattr(partitions, "client_for", lambda _: client)
    table = hive_table(tmp_path, **{"metastore.partitioned-table": "true"})
    table.mark_partitions_done([{"dt": "2026-11-01"}, {"dt": "a b"}])
    assert [request[:4] for request in client.requests] == [
        ("markPartitionForEvent", "db", "t", {"dt": "2026-11-01"}),
        ("markPartitionForEvent", "db", "t", {"dt": "a b"}),
    ]


def test_a_metastore_without_the_partitions_of_a_table_keeps_no_marks(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"requires a catalog that has the partitions of db\.t"):
        hive_table(tmp_path).mark_partitions_done([{"dt": "2026-11-01"}])
