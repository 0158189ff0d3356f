"""DELETE from tables whose merge engine does not take rows of kind -D: rows are removed from their files."""

from __future__ import annotations

import random
from typing import Any

import pytest

import workbench as wb
from tests.support.row_level import COLUMNS, data_files, ids, live_files, rows
from tests.support.sampling import sampled
from workbench.base.errors import Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

SUM = {"merge-engine": "aggregation", "fields.v.aggregate-function": "sum", "fields.s.aggregate-function": "listagg"}
PARTIAL = {"merge-engine": "partial-update"}
FIRST_ROW = {"merge-engine": "first-row"}
IGNORING = {"ignore-delete": "true"}
WAITING = {"bucket": "-2", "postpone.batch-write-fixed-bucket": "false"}
VECTORS = {"deletion-vectors.enabled": "true"}
TABLES: dict[str, dict[str, str]] = {
    "aggregation": SUM,
    "aggregation, one file a level": {**SUM, "num-sorted-run.compaction-trigger": "2"},
    "aggregation, lookup": {**SUM, "changelog-producer": "lookup"},
    "aggregation, vectors": {**SUM, **VECTORS},
    "partial update": PARTIAL,
    "partial update, dynamic buckets": {**PARTIAL, "bucket": "-1", "dynamic-bucket.target-row-num": "5"},
    "partial update, sequences": {**PARTIAL, "fields.v.sequence-group": "s"},
    "partial update, snapshot ordering": {**PARTIAL, "sequence.snapshot-ordering": "true", "write-only": "true"},
    "first row": FIRST_ROW,
    "first row, write only": {**FIRST_ROW, "write-only": "true"},
    "deduplicate": IGNORING,
    "deduplicate, vectors": {**IGNORING, **VECTORS},
    "deduplicate, vectors, write only": {**IGNORING, **VECTORS, "write-only": "true"},
    "deduplicate, Avro and thin files": {**IGNORING, "file.format": "avro", "data-file.thin-mode": "true"},
}
SAMPLE = ("aggregation, vectors", "first row")
KEYS = {"id": ["id"], "text and number": ["s2", "id"], "partition": ["p", "id"]}


def histories(seed: int, deleted: set[int]) -> tuple[list[list[dict[str, Any]]], list[list[dict[str, Any]]]]:
    """Return writes before a DELETE and after it."""
    chosen = random.Random(seed)

    def write() -> list[dict[str, Any]]:
        keys = [chosen.randrange(20) for _ in range(8)]
        return [
            {
                "id": key,
                "v": chosen.choice([None, chosen.randrange(9)]),
                "s": chosen.choice([None, f"s{chosen.randrange(99)}"]),
                "s2": f"key number {key % 3} {'x' * (key % 5)}",
                "p": f"p{key % 2}",
            }
            for key in keys
        ]

    before = [write() for _ in range(4)]
    assert any(row["id"] in deleted for each in before for row in each)
    return before, [write() for _ in range(2)]


@pytest.mark.parametrize(
    "case",
    sampled([*((each, "id") for each in TABLES), *((each, key) for each in SAMPLE for key in KEYS if key != "id")], 3),
    ids=str,
)
def test_the_other_rows_are_as_if_the_deleted_ones_had_never_been_written(
    catalog: FileSystemCatalog, case: tuple[str, str]
) -> None:
    options, key = case
    deleted = {1, 4, 7, 8, 13}
    before, after = histories(len(options) + len(key), deleted)

    def table(name: str) -> Table:
        columns = {**COLUMNS, "s2": "STRING NOT NULL", "p": "STRING NOT NULL"}
        partitions = ["p"] if "p" in KEYS[key] else []
        return catalog.create_table(f"db.{name}", columns, KEYS[key], partitions, {"bucket": "2", **TABLES[options]})

    def write(table: Table, rows: list[dict[str, Any]]) -> None:
        if rows:
            table.write(rows)

    def contents(table: Table) -> list[dict[str, Any]]:
        return sorted(table.to_arrow().to_pylist(), key=lambda row: int(row["id"]))

    changed, expected = table("changed"), table("expected")
    for each in before:
        write(changed, each)
        write(expected, [row for row in each if row["id"] not in deleted])
    visible = [row for row in contents(changed) if row["id"] in deleted]
    done = changed.delete("id IN (1, 4, 7, 8, 13)")
    assert done.deleted == len(visible)
    hidden = TABLES[options].get("write-only") and not visible
    if not hidden:
        assert contents(changed) == contents(expected)
    assert [row for row in contents(changed) if row["id"] in deleted] == []
    assert data_files(changed) >= live_files(changed)
    for each in after:
        write(changed, each)
        write(expected, each)
    if hidden:
        return
    assert contents(changed) == contents(expected)
    for each in (changed, expected):
        each.compact(full=True)
    assert contents(changed) == contents(expected)


def test_rows_are_deleted_by_their_merged_values(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, ["id"], options={"bucket": "1", **SUM})
    table.write(rows(1, 2))
    table.write(rows(1, 3))
    assert table.delete("v = 10").deleted == 0
    done = table.delete("v = 20 AND id = 1")
    assert (done.deleted, done.rewritten) == (1, 2)
    assert table.snapshots()[-1].commit_kind == "OVERWRITE"
    assert table.snapshots()[-1].operation == "DELETE"
    assert ids(table) == [2, 3]
    table.write(rows(1))
    assert table.to_arrow(["v"], "id = 1").column(0).to_pylist() == [10]


def test_only_the_files_of_deleted_keys_are_rewritten(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, ["id"], options={"bucket": "1", **SUM, "write-only": "true"})
    for numbers in (range(10), range(10, 20), range(5, 25, 5)):
        table.write(rows(*numbers))
    before = live_files(table)
    assert table.delete("id = 7").rewritten == 1
    assert len(before & live_files(table)) == 2


def test_a_row_that_no_reader_sees_yet_is_deleted_with_its_key(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, ["id"], options={"bucket": "1", **FIRST_ROW})
    table.write([{"id": 1, "v": 1, "s": "first"}, {"id": 2, "v": 2, "s": "other"}])
    catalog.alter_table("db.t", wb.SetOption("write-only", "true"))
    table = catalog.get_table("db.t")
    table.write([{"id": 1, "v": 9, "s": "later"}])
    table.delete("id = 1")
    table.compact(full=True)
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["other"]


def test_rows_that_wait_for_a_bucket_are_not_deleted(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, ["id"], options={**PARTIAL, **WAITING})
    table.write(rows(1, 2))
    with pytest.raises(Unsupported, match="have not been assigned to buckets"):
        table.delete("id = 1")
    table.compact(full=True)
    table.delete("id = 1")
    assert ids(table) == [2]


def test_a_merge_does_not_delete_from_files(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, ["id"], options={"bucket": "1", **PARTIAL})
    table.write(rows(1, 2))
    with pytest.raises(Unsupported, match=r"partial-update\.remove-record-on-delete"):
        table.merge(rows(1), ["id"], [wb.WhenMatched(delete=True)])
    assert ids(table) == [1, 2]
