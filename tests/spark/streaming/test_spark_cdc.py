"""``wb.spark.cdc``: change events as JSON texts, in batches and streams."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import InvalidRequest, SchemaMismatch, Unsupported

pytestmark = pytest.mark.spark


def rows(table: Any) -> list[dict[str, Any]]:
    return sorted(table.to_arrow().to_pylist(), key=lambda row: row["id"])


def test_formats(spark: Any, catalog: Any) -> None:
    def made(name: str, options: dict[str, str]) -> Any:
        return catalog.create_table(f"shop.{name}", {"id": "INT", "v": "STRING", "d": "DATE"}, ["id"], options=options)

    def apply(table: Any, format: str, *events: Any) -> None:
        texts = [(event if isinstance(event, str) else json.dumps(event),) for event in events]
        wb.spark.cdc(spark.createDataFrame(texts, "value string").coalesce(1), table, format)

    debezium = made("debezium", {"bucket": "2"})
    first = {"id": 1, "v": "a", "d": "2026-11-23"}
    apply(
        debezium,
        "debezium-json",
        {"op": "c", "after": first},
        {"schema": {}, "payload": {"op": "r", "before": None, "after": {"id": 2, "v": "b"}}},
        {"op": "u", "before": first, "after": {**first, "id": 3, "v": "moved"}},
        {"op": "c", "after": {"id": 4, "v": "x", "n": 5, "f": 1.5, "o": {"k": [1]}}},
        {"op": "d", "before": {"id": 2, "v": "b"}},
        {"op": "u", "before": {"id": 4, "v": "x"}, "after": {"id": 4, "v": "y", "n": 6, "f": 1.5, "o": {"k": [1]}}},
    )
    assert [(row["id"], row["v"], row["n"], row["f"], row["o"]) for row in rows(debezium)] == [
        (3, "moved", None, None, None),
        (4, "y", 6, 1.5, '{"k":[1]}'),
    ]
    assert str(rows(debezium)[0]["d"]) == "2026-11-23"
    for wrong in ({"op": "x", "after": first}, "no json", {"op": "c", "after": {"id": 1, "d": 20000}}):
        with pytest.raises(SchemaMismatch, match=r"cannot be read|does not fit column 'd'"):
            apply(debezium, "debezium-json", wrong)

    canal = made("canal", {"bucket": "-1"})
    apply(
        canal,
        "canal-json",
        {"type": "INSERT", "isDdl": False, "data": [{"id": "1", "v": "a"}, {"id": "2", "v": "b"}], "old": None},
        {"type": "ALTER", "isDdl": True, "data": None},
        {"type": "UPDATE", "isDdl": False, "data": [{"id": "7", "v": "a"}], "old": [{"id": "1"}]},
        {"type": "DELETE", "isDdl": False, "data": [{"id": "2", "v": "b"}]},
    )
    assert [(row["id"], row["v"]) for row in rows(canal)] == [(7, "a")]

    maxwell = catalog.create_table("shop.maxwell", {"id": "INT", "n": "INT"}, ["id"], options={"bucket": "1"})
    apply(
        maxwell,
        "maxwell-json",
        {"type": "bootstrap-start", "data": {}},
        {"type": "insert", "data": {"id": 1, "n": 1}},
        {"type": "update", "data": {"id": 1, "n": 5_000_000_000}, "old": {"n": 1}},
        {"type": "insert", "data": {"id": 2, "n": 2}},
        {"type": "delete", "data": {"id": 2, "n": 2}},
    )
    assert rows(maxwell) == [{"id": 1, "n": 5_000_000_000}]
    with pytest.raises(InvalidRequest, match=r"'maxwel-json' .* Did you mean 'maxwell-json'"):
        apply(maxwell, "maxwel-json", {})
    with pytest.raises(Unsupported, match=r"no primary key"):
        apply(catalog.create_table("shop.log", {"id": "INT"}), "maxwell-json", {"type": "insert", "data": {"id": 1}})


def test_stream(spark: Any, catalog: Any, tmp_path: Path) -> None:
    table = catalog.create_table("shop.t", {"id": "INT", "v": "STRING"}, ["id"], options={"bucket": "1"})
    folder = tmp_path / "events"
    folder.mkdir()
    events = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))
    with pytest.raises(InvalidRequest, match=r"requires a checkpoint"):
        wb.spark.cdc(events, table)
    for number, (kind, data) in enumerate(
        [("insert", {"id": 1, "v": "a"}), ("update", {"id": 1, "v": "b", "w": True}), ("delete", {"id": 9, "v": ""})]
    ):
        path = folder / f"{number}.json"
        path.write_text(json.dumps({"type": kind, "data": data}) + "\n")
        os.utime(path, (1_700_000_000 + number,) * 2)
        for _ in range(2):
            wb.spark.cdc(
                events, table, "maxwell-json", checkpoint=str(tmp_path / "checkpoint"), trigger={"availableNow": True}
            ).awaitTermination()
    assert rows(table) == [{"id": 1, "v": "b", "w": True}]
    appended = [each.commit_identifier for each in table.snapshots() if each.commit_kind == "APPEND"]
    assert appended == [0, 1, 2]
