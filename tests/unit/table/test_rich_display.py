"""What objects show when they are the last line of a cell."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import workbench as wb

EVIL = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def catalog(tmp_path: Path) -> wb.FileSystemCatalog:
    catalog = wb.connect(tmp_path / "wh")
    assert isinstance(catalog, wb.FileSystemCatalog)
    catalog.create_database("db")
    columns = {"id": "BIGINT NOT NULL", EVIL: "STRING"}
    name = "db.<img src=x onerror=alert(1)>"
    table = catalog.create_table(name, columns, primary_key="id", options={"bucket": "1"}, comment=EVIL)
    for number in range(2):
        table.write([{"id": number, EVIL: EVIL}])
    table.create_tag("v1", time_retained="1 d")
    return catalog


def table_of(catalog: wb.FileSystemCatalog) -> wb.Table:
    return catalog.get_table(f"db.{catalog.list_tables('db')[0]}")


SHOWN: dict[str, Callable[[wb.FileSystemCatalog], Any]] = {
    "catalog": lambda catalog: catalog,
    "databases": lambda catalog: catalog.list_databases(),
    "tables": lambda catalog: catalog.list_tables("db"),
    "table": table_of,
    "version": lambda catalog: table_of(catalog).at(snapshot=1),
    "system table": lambda catalog: catalog.open(f"{table_of(catalog).name}$files"),
    "catalog table": lambda catalog: catalog.open("sys.tables"),
    "scan": lambda catalog: table_of(catalog).scan(["id"], where="id > 0", limit=5),
    "scan report": lambda catalog: table_of(catalog).scan(["id"], where="id > 0").explain(),
    "commit": lambda catalog: table_of(catalog).write([{"id": 3, EVIL: None}]),
    "snapshot": lambda catalog: table_of(catalog).snapshot(),
    "snapshots": lambda catalog: table_of(catalog).snapshots(),
    "tag": lambda catalog: table_of(catalog).tags()["v1"],
    "tags": lambda catalog: table_of(catalog).tags(),
    "sandbox report": lambda catalog: report(table_of(catalog)),
}


def report(table: wb.Table) -> wb.SandboxReport:
    with table.sandbox() as sandbox:
        sandbox.compact(full=True)
        return sandbox.report()


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.names.add(tag)


@pytest.mark.parametrize("what", SHOWN)
def test_everything_shows_itself(catalog: wb.FileSystemCatalog, what: str) -> None:
    shown = SHOWN[what](catalog)
    html = shown._repr_html_()
    assert "wb-grid" in html
    assert "img" not in Tags(html).names
    assert "\u202e" not in html
    # Default representations with addresses mean nothing to a reader.
    assert " object at 0x" not in html + repr(shown)
    assert len(repr(shown)) < 1000


def test_what_is_shown(catalog: wb.FileSystemCatalog) -> None:
    table = table_of(catalog)
    assert "BIGINT NOT NULL" in table._repr_html_()
    assert repr(table.snapshots()).splitlines()[0] == "2 snapshots"
    lines = repr(table.snapshots()).splitlines()[2:4]
    assert [line.split()[:2] for line in lines] == [["2", "APPEND"], ["1", "APPEND"]]
    assert repr(table.scan(["id"])).endswith(": snapshot 2; columns id>")
    assert "id &gt; 0" in table.scan(where="id > 0")._repr_html_()
    assert repr(table.snapshot()).startswith("<Snapshot 2: APPEND, ")
    assert repr(table.tags()["v1"]) == "<Tag v1 of snapshot 2, kept for 1 day, 0:00:00>"


def test_long_lists_are_cut(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    for number in range(60):
        catalog.create_database(f"d{number:02}")
    assert "Showing 50 of 60 databases." in catalog.list_databases()._repr_html_()  # type: ignore[attr-defined]
    assert len(catalog.list_databases()) == 60


def test_lists_are_still_lists(catalog: wb.FileSystemCatalog) -> None:
    table = table_of(catalog)
    assert catalog.list_databases() == ["db"]
    assert repr(catalog.list_databases()) == "['db']"
    for value in (table.snapshots(), table.tags(), catalog.list_databases()):
        assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)


def test_a_table_that_cannot_be_read_says_so(catalog: wb.FileSystemCatalog) -> None:
    table = table_of(catalog)
    for file in Path(table.location, "snapshot").glob("snapshot-*"):
        file.write_text("{")
    assert "cannot be read" in table._repr_html_()


def test_secrets_are_hidden(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "BIGINT"}, options={"file.format": "orc"})
    changed = table.with_store(table.store.with_schema(table.schema))
    changed.schema.options["my.secret"] = "hush"  # type: ignore[index]
    html = changed._repr_html_()
    assert "file.format = orc" in html
    assert "hush" not in html
