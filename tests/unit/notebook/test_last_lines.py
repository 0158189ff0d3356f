"""Every result on the last line of a cell is shown as HTML and as a short text, even if long, empty or hostile."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from IPython.core.formatters import DisplayFormatter

import workbench as wb
from workbench.base.outcome import Outcome
from workbench.metadata.listings import ConsumersByName, SchemaList, SnapshotList, TagsByName
from workbench.scan.split import SplitList

EVIL = "<img src=x onerror=alert(1)>\x1b[31m"


@pytest.fixture
def orders(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "lake")
    catalog.create_database("shop")
    table = catalog.create_table(
        "shop.orders",
        {"day": "STRING", "id": "BIGINT", "item": "ROW<a INT, b ARRAY<STRING>>"},
        primary_key=["day", "id"],
        partition_by="day",
        options={"bucket": "2", "owner": EVIL, "fs.secret": "hidden"},
        comment=EVIL,
    )
    catalog.alter_table("shop.orders", wb.AddColumn(EVIL, "STRING", comment=EVIL))
    table = catalog.get_table("shop.orders")
    for number in range(2):
        rows = [{"day": EVIL, "id": each + number, "item": None, EVIL: EVIL} for each in range(10)]
        table.write(rows)
    table.create_tag("v1")
    table.create_branch("dev")
    table.set_consumer("job", 2)
    return table


def shown(value: Any) -> tuple[str, str]:
    data, _ = DisplayFormatter().format(value)
    return data["text/plain"], data.get("text/html", "")


def sandbox(table: Any) -> Any:
    with table.sandbox() as box:
        box.compact(full=True)
        return box.report()


RESULTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "table": (lambda t: t, "shop.orders"),
    "table at a version": (lambda t: t.at(snapshot=1), "shop.orders at snapshot 1"),
    "branch": (lambda t: t.branch("dev"), "shop.orders$branch_dev"),
    "system table": (lambda t: t, "shop.orders$snapshots"),
    "scan": (lambda t: t.scan(where="id > 3"), "id > 3"),
    "report of a scan": (lambda t: t.scan(where="id > 3").explain(), "Manifests"),
    "splits": (lambda t: t.scan().plan(), "2 splits"),
    "split": (lambda t: t.scan().plan()[0], "2 files"),
    "commit": (lambda t: t.write([{"day": "a", "id": 1}]), "APPEND"),
    "changes": (lambda t: t.delete("id = 3"), "1 row"),
    "snapshots": (lambda t: t.snapshots(), "2 snapshots"),
    "snapshot": (lambda t: t.snapshot(), "Snapshot 2"),
    "schema": (lambda t: t.schema, "Schema 1"),
    "schemas": (lambda t: t.schemas(), "2 schemas"),
    "tags": (lambda t: t.tags(), "1 tag"),
    "tag": (lambda t: t.tags()["v1"], "Tag v1"),
    "branches": (lambda t: t.branches(), "dev"),
    "consumers": (lambda t: t.consumers(), "1 consumer"),
    "verdict": (lambda t: wb.summary(t).value.contents.verdict, "Good condition. "),
    "expiry": (lambda t: t.expire_snapshots(retain_max=1, retain_min=1), "SnapshotExpiry of shop.orders"),
    "nothing to expire": (lambda t: t.expire_snapshots(dry_run=True), "(dry run): nothing"),
    "analysis": (lambda t: t.analyze(), "Analysis of shop.orders"),
    "plan of a write": (lambda t: t.new_write_plan(), "<WritePlan of shop.orders>"),
    "report of a sandbox": (sandbox, "Sandbox of shop.orders"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_it_is_html_and_a_short_text(name: str, orders: Any, tmp_path: Path) -> None:
    value, expected = RESULTS[name]
    if name == "system table":
        result = wb.connect(tmp_path / "lake").open("shop.orders$snapshots")
    else:
        result = value(orders)
    text, html = shown(result)
    assert expected in text
    assert "(name=" not in text
    assert "object at 0x" not in text
    assert len(text) < 3000
    assert "<table" in html or "<p " in html or name == "plan of a write"
    for form in (text, html):
        assert "\x1b" not in form
        assert "hidden" not in form
    assert "<img" not in html


@dataclass(frozen=True, repr=False)
class Swept(Outcome):
    """A result with a list and a count."""

    files: tuple[str, ...]
    bytes: int
    dry_run: bool = False


def test_what_was_changed_is_listed() -> None:
    text, html = shown(Swept("shop.orders", (EVIL, "data-2"), 1234, dry_run=True))
    assert text == "<Swept of shop.orders (dry run): 2 files, 1,234 bytes>"
    assert "data-2" in html
    assert "1,234" in html
    assert "<img" not in html
    _, html = shown(Swept("shop.orders", tuple(map(str, range(1000))), 0))
    assert "Showing 50 of 1,000 items." in html
    assert "There was nothing to do." in shown(Swept("shop.orders", (), 0))[1]


@pytest.mark.usefixtures("orders")
def test_a_catalog_shows_its_databases(tmp_path: Path) -> None:
    text, html = shown(wb.connect(tmp_path / "lake"))
    assert str(tmp_path) in text
    assert "shop" in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INT", "INT"),
        ("ROW<a INT NOT NULL, b ARRAY<STRING>> NOT NULL", "ROW<a INT NOT NULL, b ARRAY<STRING>> NOT NULL"),
        ("MAP<STRING, VECTOR<FLOAT, 3>>", "MAP<STRING, VECTOR<FLOAT, 3>>"),
    ],
)
def test_types_and_columns_are_sql(text: str, expected: str, tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("shop")
    (field,) = catalog.create_table("shop.t", {"v": text}).schema.fields
    assert repr(field.type) == expected
    assert repr((field,)) == f"(v {expected},)"


@pytest.mark.parametrize("empty", [SnapshotList(), SchemaList(), SplitList(), TagsByName(), ConsumersByName()])
def test_empty_lists_say_what_is_missing(empty: Any) -> None:
    text, html = shown(empty)
    assert re.fullmatch(r"0 (snapshots|schemas|splits|tags|consumers)", text)
    assert text in html
    assert not empty


def test_a_list_of_10_000_snapshots_is_short_and_fast(orders: Any) -> None:
    many = SnapshotList(orders.snapshots() * 5000)
    begin = time.process_time()
    text, html = shown(many)
    assert time.process_time() - begin < 0.1
    assert text.startswith("10,000 snapshots")
    assert "Showing 50 of 10,000 snapshots." in text
    assert html.count("<tr>") == 51
    assert len(html) < 20_000


def test_a_part_of_a_list_is_shown_alike(orders: Any) -> None:
    assert shown(orders.snapshots()[:1])[0].startswith("1 snapshot\n")
    assert shown(orders.scan().plan()[1:])[0].startswith("1 split\n")
    assert orders.snapshots()[-1].id == 2


def test_no_names_are_told_as_such(orders: Any) -> None:
    orders.delete_branch("dev")
    text, html = shown(orders.branches())
    assert text == "[]"
    assert "There are none." in html


def test_a_list_of_many_splits_is_short(orders: Any) -> None:
    many = SplitList(orders.scan().plan() * 500)
    text, html = shown(many)
    assert text.startswith("1,000 splits")
    assert html.count("<tr>") == 51


def test_a_split_can_be_sent_to_other_processes(orders: Any) -> None:
    import pickle

    plan = orders.scan().plan()
    assert pickle.loads(pickle.dumps(plan)) == plan


# --- Arrow tables -------------------------------------------------------------------------------------------------


def arrow_html(shell: Any, rows: pa.Table) -> str | None:
    data, _ = shell.display_formatter.format(rows)
    return data.get("text/html")


def test_arrow_tables_are_shown_as_tables(shell: Any, orders: Any) -> None:
    html = arrow_html(shell, orders.changes(1, 2))
    assert html is not None
    assert "Arrow table, 5 columns" in html
    assert 'class="wb-kind wb-add">+I' in html
    assert "<img" not in html


def test_the_rows_of_out_are_shown(shell: Any) -> None:
    shell.run_cell_magic("paimon", "--out found", "SELECT id FROM orders ORDER BY id")
    html = arrow_html(shell, shell.user_ns["found"])
    assert html is not None
    assert "3 rows." in html


def test_large_arrow_tables_are_shortened(shell: Any) -> None:
    html = arrow_html(shell, pa.table({f"c{n}": range(1000) for n in range(70)}))
    assert html is not None
    assert "Showing 50 of 1,000 rows." in html
    assert "The last 20 columns are not shown." in html
    assert arrow_html(shell, pa.table({})) is not None


def test_the_form_that_a_user_chose_is_kept(shell: Any) -> None:
    from workbench.notebook.extension import load_ipython_extension, unload_ipython_extension

    unload_ipython_extension(shell)
    rows = pa.table({"a": [1]})
    assert arrow_html(shell, rows) is None
    shell.display_formatter.formatters["text/html"].for_type(pa.Table, lambda _rows: "<b>mine</b>")
    load_ipython_extension(shell)
    assert arrow_html(shell, rows) == "<b>mine</b>"
    unload_ipython_extension(shell)
    assert arrow_html(shell, rows) == "<b>mine</b>"
