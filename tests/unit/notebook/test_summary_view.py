"""`wb.summary` and `%paimon summary`: what they say without a browser, and how they follow a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter

import workbench as wb
from workbench.base.errors import InvalidRequest
from workbench.lens.row_count import RowCountValue
from workbench.notebook.drawings.drawing import WIDTH
from workbench.notebook.table_views.summary import summary_view

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def orders(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    table = catalog.create_table(
        "shop.orders",
        {"day": "INT", "id": "BIGINT", "item": "STRING"},
        primary_key=["day", "id"],
        partition_by="day",
        options={"bucket": "2", "write-only": "true"},
        comment=EVIL,
    )
    for first in range(3):
        table.write([{"day": each % 2, "id": each, "item": "pen"} for each in range(first * 10, first * 10 + 500)])
    return table


def facts(view: Any) -> dict[str, str]:
    """The facts in the plain text."""
    result: dict[str, str] = {}
    name = ""
    for line in view._text().split("\n\n")[0].splitlines()[3:]:
        first, _, value = line.partition("|")
        name = first.strip() or name
        result[name] = f"{result.get(name, '')} {value.strip()}".strip()
    return result


def test_the_text_has_every_fact(orders: Any) -> None:
    told = facts(wb.summary(orders))
    assert told["Rows"] == "about 520 (1,500 stored, 2.9 ×)"
    assert told["Condition"] == str(wb.summary(orders).value.contents.verdict)
    assert max(map(len, wb.summary(orders)._text().splitlines())) < 120
    assert (told["Files"], told["Partitions"], told["Buckets"]) == ("12", "2", "4")
    assert told["Max sorted runs per bucket"] == "3"
    assert told["Snapshot"] == "3 (APPEND)"
    assert told["Last commit"].endswith(str(wb.options.timezone))
    assert (told["Retained snapshots"], told["Primary key"], told["Partitioned by"]) == ("1–3", "day, id", "day")
    assert told["Comment"] == EVIL
    assert wb.summary(orders).to_pandas()["column"].tolist() == ["day", "id", "item"]


def test_the_picture_has_the_same_numbers(orders: Any) -> None:
    (drawing,) = summary_view(wb.summary(orders).value).drawings
    (figure,) = drawing.figures
    assert figure.title.startswith("Good condition. ")
    for text in ("Rows", "about 520", "1,500 stored, 2.9 ×", "Max sorted runs per bucket"):
        assert f">{text}</text>" in figure.svg
    html = wb.summary(orders)._repr_html_()
    assert html.index("<svg") < html.index("<table")
    assert EVIL not in html
    data, metadata = DisplayFormatter().format(wb.summary(orders))
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["width"] == WIDTH + 24


def test_rows_are_counted_on_request_and_estimated_after_the_next_commit(orders: Any) -> None:
    view = wb.summary(orders)
    assert not view.value.contents.count.exact
    view._on_message({"kind": "count-rows", "snapshot": "3"})
    assert view.value.contents.count == RowCountValue(520, True, 1500)
    orders.write([{"day": 0, "id": 0, "item": "ink"}])
    assert (view.value.snapshot, view.value.contents.count.exact) == (4, False)
    view._on_message({"kind": "no such event"})
    assert not view.value.contents.count.exact


def test_a_version_keeps_its_summary(orders: Any) -> None:
    view = wb.summary(orders.at(snapshot=1))
    assert (view.value.snapshot, view.value.contents.count.rows) == (1, 500)
    assert facts(view)["Snapshot"] == "1 (APPEND)"


def test_a_table_never_written_has_facts_and_no_picture(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    view = wb.summary(catalog.create_table("shop.empty", {"id": "BIGINT"}))
    assert facts(view)["Snapshot"] == "none"
    assert "Retained snapshots" not in facts(view)
    assert summary_view(view.value).drawings == ()
    assert "Buckets" not in facts(view)


def test_an_append_table_has_no_stored_rows_beside_its_rows(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    log = catalog.create_table("shop.log", {"id": "BIGINT"})
    log.write([{"id": each} for each in range(1234)])
    told = facts(wb.summary(log))
    assert told["Rows"] == "1,234"
    assert "Max sorted runs per bucket" not in told
    assert "Primary key" not in told


def test_damage_is_told(orders: Any, tmp_path: Path) -> None:
    manifests = list((Path(orders.location) / "manifest").glob("manifest-list-*"))
    assert manifests
    for manifest in manifests:
        manifest.write_bytes(b"")
    view = wb.summary(wb.connect(tmp_path / "warehouse").get_table("shop.orders"))
    assert facts(view)["Damaged"].startswith("Cannot read ")
    assert "Rows" not in facts(view)


def test_a_catalog_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="summary"):
        wb.summary(wb.connect(tmp_path / "warehouse"))


def test_the_command_shows_the_same(shell: Any) -> None:
    shown = shell.run_line_magic("paimon", "summary orders")
    assert facts(shown)["Rows"] == "3 (all stored once)"
