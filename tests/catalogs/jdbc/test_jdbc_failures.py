"""Catalogs in databases: tables that cannot be registered, missing drivers, many processes and threads."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import PASSWORD, Place
from workbench.base.errors import AlreadyExists, CatalogError, TableNotFound
from workbench.catalog.jdbc import database as databases
from workbench.catalog.jdbc.database import Database

pytestmark = pytest.mark.parametrize("new_place", KINDS, indirect=True)


def test_a_missing_driver_is_named(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = Database(options).dialect
    monkeypatch.setattr(type(dialect), "package", "no_such_driver")
    with pytest.raises(CatalogError, match=r"needs the package no_such_driver.*paimon-workbench\[jdbc\]"):
        wb.connect(options).list_databases()


def test_a_table_that_cannot_be_registered_has_no_files(catalog: wb.Catalog, place: Place) -> None:
    # Registering fails halfway: the properties cannot be inserted.
    catalog.list_databases()
    place.run("ALTER TABLE paimon_table_properties RENAME TO elsewhere")
    with pytest.raises(CatalogError, match="paimon_table_properties"):
        catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ada"})
    assert list(Path(catalog.warehouse).rglob("schema-*")) == []
    assert not (Path(catalog.warehouse) / "shop.db" / "t").exists()
    assert catalog.list_tables("shop") == []
    place.run("ALTER TABLE elsewhere RENAME TO paimon_table_properties")
    assert catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ada"}).name == "shop.t"


def test_a_table_that_cannot_be_moved_keeps_its_name(catalog: wb.Catalog) -> None:
    catalog.create_table("shop.t", {"n": "INT"}).write([{"n": 1}])
    (Path(catalog.warehouse) / "shop.db" / "u").mkdir()
    with pytest.raises(AlreadyExists, match="directory of that name exists already"):
        catalog.rename_table("shop.t", "shop.u")
    assert catalog.list_tables("shop") == ["t"]
    assert catalog.get_table("shop.t").to_arrow().to_pylist() == [{"n": 1}]


def test_tables_without_files_and_files_without_a_table(catalog: wb.Catalog, place: Place) -> None:
    catalog.create_table("shop.t", {"n": "INT"})
    place.run("UPDATE paimon_tables SET table_name = 'gone'")
    with pytest.raises(TableNotFound, match=r"registered in .*, but there is no table in .*shop.db/gone"):
        catalog.get_table("shop.gone")
    with pytest.raises(AlreadyExists, match="already contains a table, which the catalog does not list"):
        catalog.create_table("shop.t", {"n": "INT"})
    catalog.drop_table("shop.gone")
    assert catalog.list_tables("shop") == []


def _create_at_once(options: dict[str, str], barrier: Any, results: Any) -> None:
    barrier.wait(120)
    catalog = wb.connect(options)
    with suppress(AlreadyExists):
        catalog.create_database("shop", exist_ok=True)
    try:
        catalog.create_table("shop.t", {"n": "INT"})
    except AlreadyExists as error:
        results.put(f"exists: {error}")
    else:
        results.put("created")


def test_eight_processes_create_the_tables_at_once(options: dict[str, str], place: Place) -> None:
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(8), context.Queue()
    processes = [context.Process(target=_create_at_once, args=(options, barrier, results)) for _ in range(8)]
    for each in processes:
        each.start()
    found = sorted(results.get(timeout=120) for _ in processes)
    for each in processes:
        each.join()
    assert [text.partition(":")[0] for text in found] == ["created", *["exists"] * 7]
    assert place.rows("SELECT table_name FROM paimon_tables") == [("t",)]
    assert wb.connect(options).get_table("shop.t").to_arrow().num_rows == 0


def _list_in_child(catalog: wb.Catalog, results: Any) -> None:
    results.put(catalog.list_tables("shop"))


def test_a_catalog_survives_a_fork(catalog: wb.Catalog) -> None:
    catalog.create_table("shop.t", {"n": "INT"})
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=_list_in_child, args=(catalog, results)) for _ in range(2)]
    for each in children:
        each.start()
    assert [results.get(timeout=60) for _ in children] == [["t"], ["t"]]
    for each in children:
        each.join()
    # The connections of this process still work.
    assert catalog.list_tables("shop") == ["t"]


def test_threads_share_a_few_connections(catalog: wb.Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    connect = Database._connect
    monkeypatch.setattr(Database, "_connect", lambda self: opened.append(1) or connect(self))
    for number in range(6):
        catalog.create_table(f"shop.t{number}", {"n": "INT"})
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda number: catalog.get_table(f"shop.t{number % 6}").name, range(48)))
    assert len(found) == 48
    assert len(opened) <= 2


def test_statements_of_common_calls(catalog: wb.Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.create_table("shop.t", {"n": "INT"})
    statements: list[str] = []
    cursor = Database._cursor

    def counted(self: Database, connection: Any, sql: str, values: tuple[object, ...]) -> Any:
        statements.append(sql)
        return cursor(self, connection, sql, values)

    monkeypatch.setattr(Database, "_cursor", counted)
    for call, most in ((lambda: catalog.get_table("shop.t"), 1), (lambda: catalog.list_tables("shop"), 1)):
        statements.clear()
        call()
        assert len(statements) == most
    table = catalog.get_table("shop.t")
    statements.clear()
    table.write([{"n": 1}])
    assert statements == []


def test_tables_are_pickled_without_connections(catalog: wb.Catalog) -> None:
    store = catalog.create_table("shop.t", {"n": "INT"}).store
    copied = pickle.loads(pickle.dumps(store))
    assert copied.runtime.environment == store.runtime.environment
    assert copied.schemas.latest() == store.schema
    assert PASSWORD not in repr(copied)


def test_read_only_catalogs_create_nothing(options: dict[str, str], place: Place) -> None:
    with pytest.raises(CatalogError, match=r"There is no catalog of Paimon|the file does not exist"):
        wb.connect(options, read_only=True).list_databases()
    if place.kind == "sqlite":
        assert not Path(options["uri"].removeprefix("jdbc:sqlite:")).exists()
    wb.connect(options).create_database("shop")
    reader = wb.connect(options, read_only=True)
    assert reader.list_databases() == ["shop"]
    with pytest.raises(wb.WorkbenchError, match="read-only"):
        reader.create_database("more")


def test_connections_are_closed_with_the_catalog(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(databases, "_close_all", lambda *arguments: closed.append(arguments))
    wb.connect(options).list_databases()
    assert closed


def test_changes_at_once_leave_the_properties_of_the_last_one(catalog: wb.Catalog, place: Place) -> None:
    catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ada"})

    def change(number: int) -> None:
        catalog.alter_table("shop.t", wb.SetOption("owner", f"writer {number}"))
        catalog.alter_database("shop", {"owner": f"writer {number}"})

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(change, range(12))) == [None] * 12
    newest = catalog.get_table("shop.t").schema
    assert newest.id == 12
    kept = dict(place.rows("SELECT property_key, property_value FROM paimon_table_properties"))
    assert kept == {"owner": newest.options["owner"]}
