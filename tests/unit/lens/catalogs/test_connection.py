"""Whether a catalog can be opened, and what a database has besides tables."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from workbench.base.errors import Cancelled, CatalogError
from workbench.base.progress import Progress
from workbench.catalog.connect import register_catalog
from workbench.catalog.kinds import WAREHOUSE, CatalogOption
from workbench.lens.catalog import collect_tables
from workbench.lens.catalogs.connection import ConnectionValue, check_connection
from workbench.lens.catalogs.definitions import NamesValue, describe_view


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Lets the services of kind ``silent`` answer."""
    opened = threading.Event()

    def silent(options: Mapping[str, str]) -> MemoryCatalog:
        opened.wait(20)
        return MemoryCatalog(options)

    register_catalog("silent", silent, (WAREHOUSE, CatalogOption("uri", "Where it is", "toy://host", is_required=True)))
    yield opened
    opened.set()


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    return {"metastore": "silent", "warehouse": str(tmp_path), "uri": "toy://x"}


def test_a_catalog_that_answers(gate: threading.Event, options: dict[str, str]) -> None:
    gate.set()
    assert check_connection(options, Progress()) == ConnectionValue(options["warehouse"], 0)


@pytest.mark.usefixtures("gate")
def test_a_catalog_that_does_not_answer(options: dict[str, str]) -> None:
    with pytest.raises(CatalogError, match=r"did not answer within 0\.1 seconds"):
        check_connection(options, Progress(), seconds=0.1)


@pytest.mark.usefixtures("gate")
def test_waiting_is_cancelled(options: dict[str, str]) -> None:
    progress = Progress()
    threading.Timer(0.1, progress.cancel).start()
    with pytest.raises(Cancelled):
        check_connection(options, progress)


def test_errors_of_opening(gate: threading.Event, options: dict[str, str], tmp_path: Path) -> None:
    gate.set()
    with pytest.raises(CatalogError) as raised:
        check_connection({**options, "uri": ""}, Progress())
    assert (raised.value.message, raised.value.hint) == (
        "The option 'uri' is missing.",
        "Where it is, such as toy://host.",
    )
    with pytest.raises(CatalogError, match="There is no warehouse"):
        check_connection({"warehouse": str(tmp_path / "no" / "where")}, Progress())


def test_views_are_listed_apart_from_tables(gate: threading.Event, options: dict[str, str]) -> None:
    gate.set()
    catalog = wb.connect(options)
    catalog.create_database("shop")
    catalog.create_table("shop.orders", {"id": "BIGINT"})
    columns = {"id": "BIGINT"}
    for name in ("large", "Small"):
        catalog.create_view(
            f"shop.{name}",
            "SELECT id FROM orders",
            columns,
            dialects={"spark": "SELECT id FROM shop.orders", "flink": "SELECT id FROM orders"},
            comment="the id",
        )
    page = collect_tables(catalog, "shop")
    assert [each.name for each in page.items] == ["orders"]
    assert page.entries is not None
    assert page.entries.views == NamesValue(("Small", "large"), 2)
    assert page.entries.others == page.entries.functions == NamesValue((), 0)
    found = collect_tables(catalog, "shop", "SMALL").entries
    assert found is not None
    assert found.views.names == ("Small",)
    assert collect_tables(catalog, "shop", cursor="a").entries is None
    view = describe_view(catalog, "shop.large")
    assert [(each.engine, each.text) for each in view.definitions] == [
        ("", "SELECT id FROM orders"),
        ("spark", "SELECT id FROM shop.orders"),
    ]
    assert (view.comment, view.fields[0].name, view.fields[0].type) == ("the id", "id", "BIGINT")
