"""A catalog that was opened read-only: every public verb is refused, and no file of the warehouse changes."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from tests.support.public_calls import CLASSES, NEEDED
from workbench.catalog.connect import register_catalog
from workbench.catalog.named import user_catalog_file
from workbench.server.catalog_cache import CatalogCache, OpenCatalogs
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "day": "STRING NOT NULL", "v": "STRING"}
ROW = {"id": 9, "day": "d9", "v": "z"}
# All other methods change something. A new method belongs here only if it changes nothing.
READS = {
    "Table": {
        *("at", "branch", "branches", "changes", "consumers", "pinned", "sandbox", "scan", "schemas", "snapshot"),
        *("snapshots", "tags", "to_arrow", "to_batches", "to_duckdb", "to_pandas", "to_polars", "with_store"),
        *("reading_once", "without_other_branch"),
    },
    "Catalog": {
        *("check_writable", "find_table", "get_database", "get_function", "get_table", "get_view", "list_databases"),
        *("list_functions", "list_other_tables", "list_partitions", "list_tables", "list_views", "open"),
    },
}
# Verbs that are dry runs by default.
IN_EARNEST = {"remove_orphan_files", "remove_unexisting_files", "purge_files"}


def methods(owner: str) -> set[str]:
    found = inspect.getmembers_static(CLASSES[owner], inspect.isfunction)
    return {name for name, _ in found if not name.startswith("_")}


def verbs(owner: str) -> list[str]:
    return sorted(methods(owner) - READS[owner])


def test_the_listed_methods_exist() -> None:
    for owner, names in READS.items():
        assert names <= methods(owner)


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    catalog = wb.connect(tmp_path / "wh")
    catalog.create_database("db")
    catalog.create_database("other")
    options = {"bucket": "1", "num-sorted-run.compaction-trigger": "3"}
    table = catalog.create_table("db.t", COLUMNS, primary_key=["id", "day"], partition_by="day", options=options)
    for number in range(2):
        table.write([{"id": number, "day": f"d{number}", "v": "a"}, {"id": 1, "day": "d1", "v": "b"}])
    table.create_tag("v1")
    table.create_branch("b1", tag="v1")
    table.set_consumer("c1", 1)
    return tmp_path / "wh"


def files(warehouse: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() if each.is_file() else b"" for each in sorted(warehouse.rglob("*"))}


def call(owner: str, instance: Any, name: str) -> Any:
    needed: Mapping[str, Any] = NEEDED.get(f"{owner}.{name}", {})
    given = {**needed, **({"dry_run": False} if name in IN_EARNEST else {})}
    changes = given.pop("changes", None)
    method = getattr(instance, name)
    result = method(given["name"], *changes) if changes is not None else method(**given)
    # A writer opens when its block begins.
    return result.__enter__() if name == "writer" else result


@pytest.mark.parametrize("verb", verbs("Table"))
@pytest.mark.parametrize("version", ["the newest", "a branch"])
def test_every_verb_of_a_table_is_refused(warehouse: Path, verb: str, version: str) -> None:
    before = files(warehouse)
    table = wb.connect(warehouse, read_only=True).get_table("db.t" if version == "the newest" else "db.t$branch_b1")
    with pytest.raises(wb.ReadOnlyCatalogError, match=f"The catalog of {warehouse} was opened read-only"):
        call("Table", table, verb)
    assert files(warehouse) == before


@pytest.mark.parametrize("verb", verbs("Catalog"))
def test_every_verb_of_a_catalog_is_refused(warehouse: Path, verb: str) -> None:
    before = files(warehouse)
    with pytest.raises(wb.ReadOnlyCatalogError):
        call("Catalog", wb.connect(warehouse, read_only=True), verb)
    assert files(warehouse) == before


def test_reads_answer_and_change_nothing(warehouse: Path) -> None:
    before = files(warehouse)
    catalog = wb.connect(warehouse, read_only=True)
    assert catalog.list_databases() == ["db", "other"]
    table = catalog.get_table("db.t")
    assert table.to_arrow().num_rows == 2
    assert table.at(tag="v1").to_arrow().num_rows == 2
    assert catalog.open("db.t$files").to_arrow().num_rows > 0
    assert [each.id for each in table.snapshots()]
    assert table.expire_snapshots(dry_run=True).snapshots == ()
    assert table.remove_orphan_files() is not None
    assert files(warehouse) == before


def test_a_commit_that_was_prepared_elsewhere_is_refused(warehouse: Path) -> None:
    with wb.connect(warehouse).get_table("db.t").writer() as writer:
        writer.write([ROW])
        messages = writer.prepare()
    before = files(warehouse)
    table = wb.connect(warehouse, read_only=True).get_table("db.t")
    for commit in (table.commit, table.overwrite):
        with pytest.raises(wb.ReadOnlyCatalogError):
            commit(messages)
    assert files(warehouse) == before


def test_a_table_stays_read_only_in_another_process(warehouse: Path) -> None:
    table: Table = pickle.loads(pickle.dumps(wb.connect(warehouse, read_only=True).get_table("db.t")))
    assert table.to_arrow().num_rows == 2
    with pytest.raises(wb.ReadOnlyCatalogError):
        table.write([ROW])
    with pytest.raises(wb.ReadOnlyCatalogError):
        table.store.file_io.write_bytes(table.store.path("file"), b"")


def test_a_sandbox_can_be_changed_but_not_applied(warehouse: Path) -> None:
    before = files(warehouse)
    with wb.connect(warehouse, read_only=True).get_table("db.t").sandbox() as sandbox:
        sandbox.write([ROW])
        sandbox.compact(full=True)
        sandbox.create_tag("in-the-sandbox")
        assert sandbox.to_arrow().num_rows == 3
        assert sandbox.report().snapshots_added
        copy: Table = pickle.loads(pickle.dumps(sandbox))
        copy.write([{**ROW, "id": 10}])
        assert sandbox.to_arrow().num_rows == 4
        with pytest.raises(wb.ReadOnlyCatalogError):
            sandbox.apply()
    assert files(warehouse) == before


@pytest.mark.parametrize("line", ["read_only = true", "read-only = true", 'read_only = "True"'])
def test_the_catalog_file(warehouse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    user_catalog_file().parent.mkdir()
    user_catalog_file().write_text(f'[prod]\nwarehouse = "{warehouse}"\n{line}\n')
    # A call cannot override what the file says.
    for catalog in (wb.connect("prod"), wb.connect("prod", read_only=False)):
        with pytest.raises(wb.ReadOnlyCatalogError, match="Catalog 'prod' was opened read-only") as refused:
            catalog.drop_table("db.t")
    assert "sandbox" in str(refused.value)


def test_a_value_that_says_neither_is_refused(warehouse: Path) -> None:
    with pytest.raises(wb.CatalogError, match="'read_only' = 'yes' is not valid"):
        wb.connect({"warehouse": str(warehouse), "read_only": "yes"})


def test_the_server_opens_it_read_only_too(warehouse: Path) -> None:
    added = {"mine": {"warehouse": str(warehouse), "read_only": "true"}}
    with pytest.raises(wb.ReadOnlyCatalogError):
        OpenCatalogs(CatalogCache(), added).catalog("mine").drop_database("other")


def test_a_registered_catalog_is_guarded(tmp_path: Path) -> None:
    register_catalog("read-only-test", MemoryCatalog)
    given = {"metastore": "read-only-test", "warehouse": str(tmp_path)}
    read_only = wb.connect(given, read_only=True)
    for change in (
        lambda: read_only.create_database("db"),
        lambda: read_only.alter_database("db", {}),
        lambda: read_only.create_table("db.t", {"id": "INT"}),
        lambda: read_only.create_view("db.v", "SELECT 1 AS one", {"one": "INT"}),
        lambda: read_only.drop_view("db.v"),
        lambda: wb.compact_database(read_only),
    ):
        with pytest.raises(wb.ReadOnlyCatalogError):
            change()
