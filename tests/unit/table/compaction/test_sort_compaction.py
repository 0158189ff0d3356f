"""Sort compaction: rows are read sorted, partition by partition, and no concurrent work is lost."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import workbench.write.sorting.partition_sort as sort_job
from tests.unit.write.test_deletion_vector_writing import delete
from workbench.base.errors import CommitConflict, InvalidExpression, InvalidRequest, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.snapshot import CommitKind
from workbench.lsm.curves import hilbert_keys, z_order_keys
from workbench.table.table import Table

COLUMNS = {"p": "INT", "a": "INT", "b": "STRING", "d": "DECIMAL(9, 2)"}


def make(catalog: FileSystemCatalog, partitioned: bool = False, **options: str) -> Table:
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"] if partitioned else [], options=options)
    chance = np.random.default_rng(3)
    for _ in range(3):
        table.write(rows(chance, 400))
    return table


def rows(chance: np.random.Generator, count: int) -> pa.Table:
    numbers = pa.array(chance.integers(-50, 50, count), pa.int32(), mask=chance.random(count) < 0.1)
    return pa.table(
        {
            "p": pa.array(chance.integers(0, 2, count), pa.int32()),
            "a": numbers,
            "b": pa.array([f"text {each}" for each in chance.integers(0, 30, count)]),
            "d": pa.array([Decimal(int(each)) for each in chance.integers(0, 9, count)], pa.decimal128(9, 2)),
        }
    )


def content(table: Table) -> list[Any]:
    return sorted(map(str, table.to_arrow().to_pylist()))


def in_order(table: Table, *by: str) -> bool:
    actual_rows = [
        tuple((row[name] is not None, row[name]) for name in by) for row in table.to_arrow(list(by)).to_pylist()
    ]
    return all(before <= after for before, after in pairwise(actual_rows))


def test_by_columns(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    before = content(table)
    compaction = table.compact(order_by=["a", "b"])
    assert [each.commit_kind for each in compaction.snapshots] == [CommitKind.OVERWRITE]
    assert (compaction.rows, compaction.files) == (1200, 1)
    assert compaction.compactions[0]["reason"] == "sort-order"
    noted = json.loads(compaction.snapshots[0].properties["workbench.compaction"])
    assert (noted[0]["order_by"], noted[0]["files"], noted[0]["rows"]) == (["a", "b"], 3, 1200)
    assert in_order(table, "a", "b")
    assert content(table) == before
    assert compaction.snapshots[0].total_record_count == 1200


@pytest.mark.parametrize(("strategy", "keys"), [("zorder", z_order_keys), ("hilbert", hilbert_keys)])
def test_along_a_curve(catalog: FileSystemCatalog, strategy: str, keys: Any) -> None:
    table = make(catalog)
    before = content(table)
    assert table.compact(order_by=["b", "a", "d"], strategy=strategy).compactions[0]["reason"] == f"sort-{strategy}"
    actual_rows = table.to_arrow()
    along = keys([actual_rows[name] for name in ("b", "a", "d")]).to_pylist()
    assert along == sorted(along)
    assert content(table) == before


def test_through_disk(catalog: FileSystemCatalog) -> None:
    """Rows are sorted through disk if the memory holds only a few of them."""
    table = make(catalog, **{"write-buffer-size": "4 kb", "target-file-size": "20 kb"})
    before = content(table)
    table.compact(order_by=["b", "a"])
    assert in_order(table, "b", "a")
    assert content(table) == before


def test_partitions(catalog: FileSystemCatalog) -> None:
    table = make(catalog, partitioned=True)
    before = content(table)
    compaction = table.compact(order_by=["a"], where="p = 1")
    assert [each["partition"] for each in compaction.compactions] == ["p=1"]
    assert content(table) == before
    actual_rows = table.to_arrow(["a"], where="p = 1")["a"].to_pylist()
    assert actual_rows == sorted(actual_rows, key=lambda value: (value is not None, value))
    assert len([file for split in table.scan(where="p = 0").plan() for file in split.files]) == 3


def test_deleted_rows_do_not_reappear(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT"}, options={"deletion-vectors.enabled": "true"})
    for start in (100, 0):
        table.write(pa.table({"id": pa.array(range(start, start + 100), pa.int64())}))
    delete(table, {0: [0, 50], 1: [1]})
    table.compact(order_by=["id"])
    assert table.to_arrow()["id"].to_pylist() == [each for each in range(200) if each not in (0, 50, 101)]
    assert sum(file.row_count for split in table.scan().plan() for file in split.files) == 197


def test_rows_written_concurrently_are_kept(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(catalog)
    real = sort_job.PartitionSort.message

    def slowly(self: Any, state: Any) -> Any:
        commit = real(self, state)
        table.write(rows(np.random.default_rng(9), 7))
        return commit

    monkeypatch.setattr(sort_job.PartitionSort, "message", slowly)
    table.compact(order_by=["a"])
    assert table.to_arrow().num_rows == 1207


def test_rows_replaced_concurrently(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(catalog)
    real = sort_job.PartitionSort.message

    def slowly(self: Any, state: Any) -> Any:
        commit = real(self, state)
        monkeypatch.undo()
        table.compact(full=True)
        return commit

    monkeypatch.setattr(sort_job.PartitionSort, "message", slowly)
    with pytest.raises(CommitConflict):
        table.compact(order_by=["a"])
    assert table.to_arrow().num_rows == 1200
    assert len(list(Path(table.location).glob("bucket-0/*"))) == 4


def test_an_empty_table(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS)
    assert table.compact(order_by=["a"]).snapshots == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order_by": ["x"]}, "no column 'x'"),
        ({"order_by": ["p"]}, "constant within a partition"),
        ({"order_by": ["a", "a"]}, "different columns"),
        ({"order_by": ["a"], "strategy": "hilbert"}, "at least 2"),
        ({"order_by": ["a"], "strategy": "random"}, "strategy 'random'"),
        ({"strategy": "zorder"}, "requires columns"),
        ({"order_by": ["l"]}, "type ARRAY<INT>"),
    ],
)
def test_invalid_sort_columns(catalog: FileSystemCatalog, arguments: dict[str, Any], message: str) -> None:
    table = catalog.create_table("db.t", {**COLUMNS, "l": "ARRAY<INT>"}, partition_by=["p"])
    with pytest.raises(InvalidRequest, match=message):
        table.compact(**arguments)


def test_only_partitions_are_chosen(catalog: FileSystemCatalog) -> None:
    with pytest.raises(InvalidExpression, match="partitions only"):
        make(catalog).compact(order_by=["a"], where="a = 1")


def test_tables_with_a_fixed_order(catalog: FileSystemCatalog) -> None:
    keyed = catalog.create_table("db.k", COLUMNS, primary_key=["a"], options={"bucket": "1"})
    bucketed = catalog.create_table("db.b", COLUMNS, options={"bucket": "1", "bucket-key": "a"})
    for table in (keyed, bucketed):
        with pytest.raises(Unsupported, match="cannot be sorted"):
            table.compact(order_by=["b"])
