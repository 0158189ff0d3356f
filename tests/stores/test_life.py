"""The life of tables in each storage, from creation to the end."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import workbench as wb
from tests.stores.servers import RunningStore
from workbench.sql.execute import execute
from workbench.storage.file_io import join


def _rows(table: wb.Table) -> dict[int, str]:
    return {row["id"]: row["v"] for row in table.to_arrow().to_pylist()}


def _created(catalog: wb.FileSystemCatalog, **options: str) -> wb.Table:
    return catalog.create_table(
        "shop.t",
        {"id": "BIGINT NOT NULL", "v": "STRING"},
        primary_key="id",
        options={"bucket": "1", "changelog-producer": "lookup", **options},
    )


def test_databases_and_tables(catalog: wb.FileSystemCatalog, store: RunningStore, warehouse: str) -> None:
    assert catalog.list_databases() == ["shop"]
    catalog.create_database("odd % name")
    assert catalog.list_databases() == ["odd % name", "shop"]
    table = _created(catalog)
    table.write([{"id": 1, "v": "a"}])
    table.create_branch("b")
    catalog.rename_table("shop.t", "odd % name.renamed")
    assert catalog.list_tables("shop") == []
    renamed = wb.connect(warehouse, **store.options).get_table("odd % name.renamed")
    assert _rows(renamed) == {1: "a"}
    assert list(renamed.branches()) == ["b"]
    catalog.drop_table("odd % name.renamed")
    catalog.drop_database("odd % name")
    assert catalog.list_databases() == ["shop"]
    assert [file for file in catalog.metastore.file_io.list_files(warehouse) if file.name != "shop.db"] == []


_ALIASES = {"s3": ("s3a", "s3n"), "abfs": ("abfss", "wasb", "wasbs", "az"), "gs": ("gcs",), "oss": (), "hdfs": ()}


def test_other_schemes(catalog: wb.FileSystemCatalog, store: RunningStore, warehouse: str) -> None:
    _created(catalog).write([{"id": 1, "v": "a"}])
    rest = warehouse.partition(":")[2]
    for scheme in _ALIASES[store.server.scheme]:
        other = wb.connect(f"{scheme}:{rest}", **store.options)
        assert other.list_tables("shop") == ["t"]
        assert _rows(other.get_table("shop.t")) == {1: "a"}


def test_rows(catalog: wb.FileSystemCatalog) -> None:
    table = _created(catalog)
    table.write([{"id": number, "v": "first"} for number in range(100)])
    table.write([{"id": number, "v": "second"} for number in range(50)])
    table.delete(wb.col("id") >= 90)
    table.update({"v": "'updated'"}, wb.col("id") == 0)
    table.compact(full=True)
    assert _rows(table) == {0: "updated"} | dict.fromkeys(range(1, 50), "second") | dict.fromkeys(
        range(50, 90), "first"
    )
    assert table.to_arrow(where=wb.col("id") == 51).to_pylist() == [{"id": 51, "v": "first"}]


def test_versions(catalog: wb.FileSystemCatalog) -> None:
    table = _created(catalog)
    for number in range(1, 5):
        table.write([{"id": number, "v": "x"}])
    newest = table.snapshot()
    assert newest is not None
    first = min(each.id for each in table.snapshots())
    table.create_tag("kept", snapshot=first)
    assert len(_rows(table.at(tag="kept"))) == 1
    assert len(_rows(table.at(snapshot=first))) == 1
    table.create_branch("b", tag="kept")
    table.branch("b").write([{"id": 9, "v": "on the branch"}])
    table.fast_forward("b")
    table = catalog.get_table("shop.t")
    assert set(_rows(table)) == {1, 9}
    table.write([{"id": 10, "v": "later"}])
    table.rollback_to(snapshot=first)
    assert set(_rows(table)) == {1}
    table.write([{"id": 11, "v": "another history"}])
    assert set(_rows(table)) == {1, 11}


def test_maintenance(catalog: wb.FileSystemCatalog) -> None:
    table = _created(catalog)
    for number in range(6):
        table.write([{"id": number, "v": "x"}])
    table.expire_snapshots(retain_max=2, retain_min=1, older_than=0)
    assert len(table.snapshots()) == 2
    orphan = join(table.location, "bucket-0", "data-left-behind.parquet")
    catalog.metastore.file_io.write_bytes(orphan, b"PAR1")
    # Some storages know the times of files in seconds.
    time.sleep(1.1)
    removed = table.remove_orphan_files(older_than=datetime.now(UTC), dry_run=False)
    assert [file.split("/")[-1] for file in removed.files] == ["data-left-behind.parquet"]
    assert len(_rows(table)) == 6


def test_statements(catalog: wb.FileSystemCatalog) -> None:
    execute("CREATE TABLE shop.s (id INT, v STRING) PARTITIONED BY (v)", catalog)
    execute("INSERT INTO shop.s VALUES (1, 'a b'), (2, 'c%3A/d'), (3, NULL)", catalog)
    execute("DELETE FROM shop.s WHERE id = 1", catalog)
    rows = execute("SELECT id, v FROM shop.s ORDER BY id", catalog).rows.to_pylist()
    assert rows == [{"id": 2, "v": "c%3A/d"}, {"id": 3, "v": None}]
