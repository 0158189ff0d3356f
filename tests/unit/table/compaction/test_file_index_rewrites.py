from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import InvalidExpression
from workbench.catalog.connect import connect


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = connect(str(tmp_path))
    catalog.create_database("shop")
    created = catalog.create_table("shop.t", {"a": "INT", "b": "STRING", "day": "STRING"}, partition_by=["day"])
    created.write([{"a": 1, "b": "x", "day": "mon"}, {"a": 2, "b": "y", "day": "tue"}])
    return created


def with_options(table: Any, options: dict[str, str]) -> Any:
    catalog = connect(table.store.location.rsplit("/shop.db", 1)[0])
    catalog.alter_table("shop.t", *(wb.SetOption(*each) for each in options.items()))
    return catalog.get_table("shop.t")


def test_existing_files_get_the_indexes_of_new_options(table: Any) -> None:
    indexed = with_options(table, {"file-index.bloom-filter.columns": "b", "file-index.bloom-filter.b.items": "10"})
    first = indexed.rewrite_file_indexes(where="day = 'mon'")
    assert (first.partitions, first.indexes, first.snapshot) == (1, 1, 2)
    second = indexed.rewrite_file_indexes()
    assert (second.partitions, second.indexes) == (1, 1)
    assert indexed.rewrite_file_indexes().indexes == 0
    assert len(indexed.scan(where="b = 'nothing'").plan()) == 0
    assert indexed.to_arrow(where="b = 'y'").num_rows == 1
    assert indexed.at(snapshot=1).to_arrow().num_rows == 2
    assert [str(each.commit_kind) for each in indexed.snapshots()] == ["APPEND", "COMPACT", "COMPACT"]
    with pytest.raises(InvalidExpression):
        indexed.rewrite_file_indexes(where="a = 1")


def test_index_files_live_as_long_as_their_versions(table: Any, tmp_path: Path) -> None:
    many = {"file-index.bloom-filter.columns": "b", "file-index.in-manifest-threshold": "1 b"}
    indexed = with_options(table, many)
    indexed.rewrite_file_indexes()
    indexed.rewrite_file_indexes()
    assert len(list(tmp_path.rglob("*.index"))) == 4
    indexed.expire_snapshots(retain_max=1, retain_min=1)
    # The old and the new entry name the same data file, so expiry keeps the files that belong to either.
    indexed.remove_orphan_files(datetime.now(UTC), dry_run=False)
    assert len(list(tmp_path.rglob("*.index"))) == 2
    assert len(list(tmp_path.rglob("data-*.parquet"))) == 2
    assert len(indexed.scan(where="b = 'nothing'").plan()) == 0
    assert indexed.to_arrow().num_rows == 2


def test_columns_that_a_file_lacks_have_no_index(table: Any) -> None:
    catalog = connect(table.store.location.rsplit("/shop.db", 1)[0])
    catalog.alter_table("shop.t", wb.RenameColumn("b", "c"), wb.AddColumn("d", "INT"))
    catalog.get_table("shop.t").write([{"a": 3, "c": "z", "day": "mon", "d": 5}])
    indexed = with_options(table, {"file-index.bitmap.columns": "c,d"})
    assert indexed.rewrite_file_indexes().indexes == 3
    assert {row["a"] for row in indexed.to_arrow(where="d IS NULL").to_pylist()} == {1, 2}
    assert {row["a"] for row in indexed.to_arrow(where="c = 'x' OR d = 5").to_pylist()} == {1, 3}
