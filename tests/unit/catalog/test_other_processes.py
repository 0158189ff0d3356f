"""What other processes leave behind: names that exist or are gone a moment later, entries and directories alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from workbench.base.clock import SystemClock
from workbench.base.errors import AlreadyExists, TableNotFound
from workbench.catalog.catalog import Catalog
from workbench.catalog.identifier import Identifier

COLUMNS = {"id": "BIGINT"}


@pytest.fixture
def catalogs(tmp_path: Path) -> tuple[Catalog, Catalog]:
    """Return two catalogs over one database, as two processes have them."""
    options = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/catalog.db", "warehouse": str(tmp_path)}
    ours, other = wb.connect(options), wb.connect(options)
    ours.create_database("shop")
    return ours, other


@pytest.mark.parametrize(
    ("method", "create"),
    [
        ("create_database", lambda catalog, **given: catalog.create_database("new", **given)),
        ("create_table", lambda catalog, **given: catalog.create_table("shop.new", COLUMNS, **given)),
        ("create_view", lambda catalog, **given: catalog.create_view("shop.new", "SELECT 1 AS id", COLUMNS, **given)),
    ],
)
@pytest.mark.parametrize("exist_ok", [True, False])
def test_what_another_process_created_first_is_used_on_request(
    catalogs: tuple[Catalog, Catalog],
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    create: Callable[..., object],
    exist_ok: bool,
) -> None:
    ours, other = catalogs
    original = getattr(ours.metastore, method)

    def second(*arguments: object) -> None:
        create(other)
        original(*arguments)

    monkeypatch.setattr(ours.metastore, method, second)
    if exist_ok:
        create(ours, exist_ok=True)
    else:
        with pytest.raises(AlreadyExists):
            create(ours)


def test_a_table_that_has_files_and_is_registered_a_moment_later_is_used(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = catalogs
    other.create_table("shop.new", COLUMNS)
    is_registered = False

    class RegisteredMeanwhile(SystemClock):
        def sleep(self, seconds: float) -> None:
            nonlocal is_registered
            assert seconds < 1
            is_registered = True

    original = ours.metastore.has_table
    monkeypatch.setattr(ours.metastore, "has_table", lambda name: is_registered and original(name))
    ours.clock = RegisteredMeanwhile()
    assert ours.create_table("shop.new", COLUMNS, exist_ok=True).name == "shop.new"


@pytest.mark.parametrize("kind", ["table", "view"])
def test_what_another_process_dropped_first_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    catalog = MemoryCatalog({"warehouse": str(tmp_path)})
    catalog.create_database("shop")
    catalog.create_table("shop.table", COLUMNS)
    catalog.create_view("shop.view", "SELECT 1 AS id", COLUMNS)

    def is_gone(identifier: Identifier) -> None:
        raise TableNotFound(f"There is no table {identifier}.")

    monkeypatch.setattr(catalog.metastore, f"drop_{kind}", is_gone)
    drop = getattr(catalog, f"drop_{kind}")
    drop(f"shop.{kind}", missing_ok=True)
    with pytest.raises(TableNotFound):
        drop(f"shop.{kind}")


def test_a_name_like_that_of_a_view_is_suggested(catalogs: tuple[Catalog, Catalog]) -> None:
    ours, _ = catalogs
    ours.create_view("shop.large", "SELECT 1 AS id", COLUMNS)
    with pytest.raises(TableNotFound, match="Did you mean 'large'"):
        ours.get_table("shop.lage")


def test_a_table_without_files_does_not_hide_the_others(catalogs: tuple[Catalog, Catalog], tmp_path: Path) -> None:
    ours, _ = catalogs
    for name in ("lost", "kept"):
        ours.create_table(f"shop.{name}", COLUMNS)
    rmtree(tmp_path / "shop.db" / "lost")
    with pytest.warns(UserWarning, match=r"Left out: Table shop\.lost is registered in .* remove it with drop_table"):
        found = ours.open("sys.tables").to_arrow()
    assert found["table_name"].to_pylist() == ["kept"]


def test_a_directory_in_the_way_of_a_new_name_is_named(catalogs: tuple[Catalog, Catalog], tmp_path: Path) -> None:
    ours, _ = catalogs
    ours.create_table("shop.table", COLUMNS).write([{"id": 1}])
    (tmp_path / "shop.db" / "left").mkdir()
    with pytest.raises(AlreadyExists, match=r"shop\.table cannot be renamed to shop\.left: the directory"):
        ours.rename_table("shop.table", "shop.left")
    assert ours.get_table("shop.table").to_arrow().num_rows == 1


def test_an_interrupt_after_the_registration_is_not_swallowed(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = catalogs
    database = ours.metastore._database  # type: ignore[attr-defined]
    original = database.execute

    def interrupted(*statements: object) -> None:
        original(*statements)
        raise KeyboardInterrupt

    monkeypatch.setattr(database, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ours.create_table("shop.new", COLUMNS)
    assert other.get_table("shop.new").name == "shop.new"
