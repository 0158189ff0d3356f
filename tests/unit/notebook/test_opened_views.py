"""Views that pictures open below themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.notebook.table_views.biography import Biography
from workbench.notebook.table_views.compaction import Compaction
from workbench.notebook.table_views.diff import Diff

COMPARE = {"kind": "compare", "before": "1", "after": "2"}
CLOSE = {"kind": "close-opened"}


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    """A catalog whose table was written twice and compacted."""
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    fields = {"id": "BIGINT", "item": "STRING"}
    table = catalog.create_table("shop.orders", fields, primary_key=["id"], options={"bucket": "1"})
    table.write([{"id": 6, "item": "cap"}, {"id": 7, "item": "pen"}])
    table.write([{"id": 7, "item": "ink"}])
    table.compact(full=True)
    return catalog


def inside(event: dict[str, Any]) -> dict[str, Any]:
    """Wrap an event of the view below a picture as the picture receives it."""
    return {"kind": "opened", "event": event}


def test_a_timeline_opens_comparisons_and_stories(catalog: Any) -> None:
    orders = catalog.get_table("shop.orders")
    view = wb.timeline(orders)
    assert view._state()["opened"] is None
    view._on_message(COMPARE)
    assert isinstance(view.opened, Diff)
    state = view._state()["opened"]
    assert (state["kind"], state["value"]["counts"]["updated"]) == ("changes", "1")
    view._on_message({"kind": "show-compaction", "id": "3"})
    assert isinstance(view.opened, Compaction)
    state = view._state()["opened"]
    assert (state["kind"], state["value"]["story"]["compaction"]["snapshot"]) == ("compaction", "3")
    orders.write([{"id": 8, "item": "cap"}])
    assert view.value.snapshots[0].id == 4
    assert view._state()["opened"]["value"]["last"] == "4"
    view._on_message(CLOSE)
    assert view.opened is None


def test_a_comparison_opens_biographies_also_below_another_view(catalog: Any) -> None:
    view = wb.timeline(catalog.get_table("shop.orders"))
    view._on_message(COMPARE)
    view._on_message(inside({"kind": "show-row", "key": {"id": "7"}}))
    assert view.opened is not None
    assert isinstance(view.opened.opened, Biography)
    state = view._state()["opened"]["opened"]
    assert (state["kind"], state["value"]["key"]) == ("biography", [{"name": "id", "text": "7"}])
    view._on_message(inside(inside({"kind": "show-row", "key": {"id": "6"}})))
    assert view._state()["opened"]["opened"]["value"]["key"][0]["text"] == "6"
    view._on_message(inside(CLOSE))
    assert view.opened.opened is None


def test_the_explorer_opens_views_of_its_table(catalog: Any) -> None:
    view = wb.explore(catalog)
    view._on_message(COMPARE)
    assert view.opened is None
    view._on_message({"kind": "open-table", "name": "shop.orders"})
    view._on_message(COMPARE)
    assert view._state()["opened"]["kind"] == "changes"
    view._on_message({"kind": "open-table", "name": "shop.orders"})
    assert view.opened is None


def test_versions_that_do_not_exist_are_an_error_of_the_picture(catalog: Any) -> None:
    view = wb.timeline(catalog.get_table("shop.orders"))
    view._on_message({"kind": "compare", "before": "1", "after": "77"})
    assert view.opened is None
    assert "77" in view._state()["error"]["message"]
    for unknown in ({"kind": "compare", "before": "x", "after": "2"}, {"kind": "show-compaction", "id": "x"}):
        view._on_message(unknown)
        assert view.opened is None
