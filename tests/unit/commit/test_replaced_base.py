"""Rows that were prepared on top of a snapshot that a rollback or a fast-forward removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

COLUMNS = {"p": "STRING NOT NULL", "id": "INT NOT NULL", "v": "INT"}
OPTIONS = {
    "fixed buckets": {"bucket": "1"},
    "dynamic buckets": {"bucket": "-1"},
    "deletion vectors": {"bucket": "1", "deletion-vectors.enabled": "true"},
    "without compaction": {"bucket": "1", "write-only": "true"},
}


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    return catalog


def rows(*values: int) -> list[dict[str, Any]]:
    """Rows of key 1 in partition a, one after the other."""
    return [{"p": "a", "id": 1, "v": value} for value in values]


def content(catalog: FileSystemCatalog) -> list[int]:
    table = wb.connect(catalog.warehouse).get_table("d.t")
    table.compact()
    return table.to_arrow()["v"].to_pylist()


def prepared(table: Table, value: int) -> list[bytes]:
    with table.writer() as writer:
        writer.write(rows(value))
        return writer.prepare()


def roll_back(table: Table, version: int) -> None:
    table.rollback_to(snapshot=version)


def fast_forward(table: Table, _: int) -> None:
    table.fast_forward("b")


def begun(catalog: FileSystemCatalog, options: dict[str, str]) -> tuple[Table, int]:
    """Return a table with a branch and a dropped partition, whose sequence numbers begin at 0 again, and the version
    before the drop."""
    table = catalog.create_table("d.t", COLUMNS, ["p", "id"], ["p"], options=options)
    table.write(rows(1, 2, 3))
    table.write(rows(4))
    table.create_tag("begin")
    table.create_branch("b", tag="begin")
    version = table.version
    assert version is not None
    table.drop_partitions({"p": "a"})
    return table, version.id


@pytest.mark.parametrize("go_back", [roll_back, fast_forward])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_rows_that_would_lose_to_older_ones_are_refused(
    options: dict[str, str], go_back: Callable[[Table, int], None], catalog: FileSystemCatalog
) -> None:
    table, version = begun(catalog, options)
    messages = prepared(table, 5)
    go_back(table, version)
    files = {each["file_path"] for each in catalog.open("d.t$files").to_arrow().to_pylist()}
    with pytest.raises(
        wb.CommitConflict, match=r"prepared on top of a snapshot that the table no longer has.* write the rows again"
    ):
        table.commit(messages)
    assert {each["file_path"] for each in catalog.open("d.t$files").to_arrow().to_pylist()} == files
    assert content(catalog) == [4]
    table.commit(prepared(table, 5))
    assert content(catalog) == [5]


@pytest.mark.parametrize("go_back", [roll_back, fast_forward])
def test_other_snapshots_with_the_same_ids(go_back: Callable[[Table, int], None], catalog: FileSystemCatalog) -> None:
    table, version = begun(catalog, {"bucket": "1"})
    table.write(rows(6))
    messages = prepared(table, 5)
    go_back(table, version)
    for value in (7, 8):
        table.write([{"p": "b", "id": 1, "v": value}])
    with pytest.raises(wb.CommitConflict, match="no longer has"):
        table.commit(messages)


@pytest.mark.parametrize("go_back", [roll_back, fast_forward])
def test_rows_that_are_newer_anyway_are_committed(
    go_back: Callable[[Table, int], None], catalog: FileSystemCatalog
) -> None:
    table = catalog.create_table("d.t", COLUMNS, ["p", "id"], ["p"], options={"bucket": "1"})
    table.write(rows(1, 2, 3))
    table.create_branch("b", tag=table.create_tag("begin").name)
    table.write(rows(4))
    messages = prepared(table, 5)
    go_back(table, 1)
    table.commit(messages)
    assert content(catalog) == [5]


def test_an_expired_base_is_no_conflict(catalog: FileSystemCatalog) -> None:
    table, _ = begun(catalog, {"bucket": "1"})
    messages = prepared(table, 5)
    table.write(rows(6))
    table.expire_snapshots(1, retain_min=1)
    table.commit(messages)
    assert len(content(catalog)) == 1


def test_a_plan_for_other_processes(catalog: FileSystemCatalog) -> None:
    table, version = begun(catalog, {"bucket": "1"})
    writer = table.new_write_plan().writer()
    writer.write(rows(5))
    messages = [each.to_bytes() for each in writer.prepare()]
    table.rollback_to(snapshot=version)
    with pytest.raises(wb.CommitConflict, match="no longer has"):
        table.commit(messages)
    assert content(catalog) == [4]


def test_rows_without_a_key_need_no_base(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS, partition_by=["p"])
    table.write(rows(1))
    table.write(rows(2))
    messages = prepared(table, 3)
    table.rollback_to(snapshot=1)
    table.commit(messages)
    assert sorted(content(catalog)) == [1, 3]
