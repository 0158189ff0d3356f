"""Live views with a disconnected comm: the messages to the browser, and its replies."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm

import workbench as wb
from workbench.base.errors import CatalogError, InvalidRequest, TableNotFound
from workbench.notebook import live, widget

VIEW_MIME = "application/vnd.jupyter.widget-view+json"
EVIL = "<img src=x onerror=alert(1)>"


class RecordingComm(BaseComm):
    """Keeps what would be sent to the browser."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.sent: list[tuple[str, Any]] = []
        super().__init__(*given, **named)

    def publish_msg(self, msg_type: str, data: Any = None, **_other: Any) -> None:
        self.sent.append((msg_type, data))


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Simulate a browser that shows the notebook, and a built front end."""
    module = tmp_path / "views.js"
    module.write_text("export default { render() {} };\n")
    monkeypatch.setattr(widget, "MODULE", module)
    monkeypatch.setattr(live, "has_front_end", lambda: True)
    monkeypatch.setattr(comm, "create_comm", RecordingComm)
    widget._widget_class.cache_clear()
    yield
    import ipywidgets

    ipywidgets.Widget.close_all()
    widget._widget_class.cache_clear()
    wait_until(lambda: not followers())


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    opened = wb.connect(tmp_path / "warehouse")
    opened.create_database("shop")
    return opened


@pytest.fixture
def orders(catalog: Any) -> Any:
    table = catalog.create_table(
        "shop.orders",
        {"id": "BIGINT NOT NULL", "item": "STRING"},
        primary_key=["id"],
        options={"bucket": "2", "num-sorted-run.compaction-trigger": "20"},
    )
    table.write([{"id": number, "item": "pen"} for number in range(1234)])
    return table


def wait_until(true: Callable[[], bool], seconds: float = 4.0) -> None:
    """Wait until a condition is true; fail after the given number of seconds."""
    begin = time.monotonic()
    while not true():
        assert time.monotonic() - begin < seconds, "timed out"
        time.sleep(0.02)


def followers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "paimon-workbench-follower"]


def model(view: Any) -> Any:
    assert VIEW_MIME in view._repr_mimebundle_()
    return view._widget


def texts(html: str) -> set[str]:
    """Return the text of each cell, without markup."""
    return {re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html, re.DOTALL)}


# --- without a browser --------------------------------------------------------------------------------------------


def test_the_fallback_has_every_number(orders: Any) -> None:
    orders.write([{"id": 7, "item": "ink"}])
    view = wb.levels(orders)
    bundle = view._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    html, cells, value = bundle["text/html"], texts(bundle["text/html"]), view.value
    assert "<svg" in html
    assert value.bucket is not None
    for totals in value.buckets:
        numbers = (totals.bucket, totals.runs, totals.files, totals.rows, totals.deletes, totals.size)
        assert {f"{number:,}" for number in numbers} <= cells
        assert any(
            f"L{level.level}: " in cell and f"{level.rows:,} row" in cell for level in totals.levels for cell in cells
        )
    for file in value.bucket.files:
        numbers = (file.level, file.rows, file.deletes, file.size, file.min_sequence, file.max_sequence)
        assert {file.name, str(file.min_key), str(file.max_key), *(f"{number:,}" for number in numbers)} <= cells
    assert sum(totals.rows for totals in value.buckets) == 1235


def test_the_timeline_fallback_has_every_snapshot(orders: Any) -> None:
    orders.write([{"id": 7, "item": "ink"}])
    orders.compact(full=True)
    view = wb.timeline(orders)
    html = view._repr_mimebundle_()["text/html"]
    cells = texts(html)
    assert [snapshot.kind for snapshot in view.value.snapshots] == ["COMPACT", "APPEND", "APPEND"]
    for snapshot in view.value.snapshots:
        assert snapshot.figures is not None
        assert {str(snapshot.id), snapshot.figures.text, f"{snapshot.rows_total:,}", snapshot.kind} <= cells
        assert f"<title>snapshot {snapshot.id}, {snapshot.kind}, " in html
    assert view.to_pandas()["snapshot"].tolist() == [3, 2, 1]
    assert view.to_arrow()["rows_added"].to_pylist()[1:] == [1, 1234]


def test_values_are_of_the_newest_version_unless_it_was_chosen(orders: Any) -> None:
    newest, pinned = wb.levels(orders), wb.levels(orders.at(snapshot=1))
    assert newest.value.snapshot == pinned.value.snapshot == 1
    orders.write([{"id": 7, "item": "ink"}])
    assert newest.value.snapshot == 2
    assert pinned.value.snapshot == 1
    assert "snapshot 1" in repr(pinned)
    assert wb.timeline(orders.at(snapshot=1)).selected == 1
    assert wb.timeline(orders).selected is None
    assert newest.to_arrow().num_rows == pinned.to_arrow().num_rows + 1


def test_a_bucket_can_be_chosen(orders: Any) -> None:
    shown = wb.levels(orders, bucket=1).value.bucket
    assert shown is not None
    assert (shown.bucket, wb.levels(orders, bucket=shown.id).value.bucket) == (1, shown)


def test_an_error_is_one_line_in_the_view(orders: Any) -> None:
    view = wb.levels(orders, bucket="no such")
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == "'no such' is not a bucket id of this table. Use the id of a bucket in its levels."
    assert "Traceback" not in bundle["text/html"]
    with pytest.raises(InvalidRequest):
        _ = view.value


def test_a_table_never_written_is_shown_as_such(catalog: Any) -> None:
    empty = catalog.create_table("shop.empty", {"id": "BIGINT"})
    for view in (wb.levels(empty), wb.timeline(empty)):
        assert "0 " in repr(view)
        assert view.to_arrow().num_rows == 0
    empty.write([{"id": 1}])
    assert wb.levels(empty).to_arrow()["rows"].to_pylist() == [1]


def test_names_are_text(catalog: Any) -> None:
    table = catalog.create_table(f"shop.{EVIL}", {EVIL: "STRING NOT NULL"}, primary_key=[EVIL], options={"bucket": "1"})
    table.write([{EVIL: EVIL}])
    explored = wb.explore(catalog)
    explored._on_message({"kind": "open-table", "name": f"shop.{EVIL}"})
    for view in (wb.levels(table), wb.timeline(table), explored):
        html = view._repr_mimebundle_()["text/html"]
        assert "<img" not in html
        assert "&lt;img src=x" in html


@pytest.mark.usefixtures("orders")
def test_the_catalog_is_listed(catalog: Any) -> None:
    catalog.create_database("empty")
    view = wb.explore(catalog)
    assert view.to_arrow().to_pylist() == [
        {"database": "empty", "table": None},
        {"database": "shop", "table": "orders"},
    ]
    assert "orders" in texts(view._repr_html_())
    shutil.rmtree(catalog.warehouse)
    removed = wb.explore(catalog)
    assert "does not exist" in repr(removed)
    with pytest.raises(CatalogError):
        _ = removed.value


def test_a_view_without_a_notebook_loads_no_widgets(orders: Any) -> None:
    code = f"""
import sys
import workbench as wb
catalog = wb.connect({orders.location.rpartition("/shop.db")[0]!r})
table = catalog.get_table("shop.orders")
for view in (wb.levels(table), wb.timeline(table), wb.explore(catalog)):
    assert "orders" in repr(view)
    assert set(view._repr_mimebundle_()) == {{"text/plain", "text/html"}}
print(*{{name.split(".")[0] for name in sys.modules}})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"ipywidgets", "anywidget", "traitlets", "IPython", "pyspark", "plotly"} & set(done.stdout.split())


# --- in a browser -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("browser")
def test_the_widget_holds_the_contracts_json(orders: Any) -> None:
    shown = model(wb.levels(orders))
    assert (shown.kind, shown.zone, shown.selected, shown.error) == ("levels", wb.options.timezone, None, None)
    assert shown.value["snapshot"] == "1"
    assert sum(int(bucket["rows"]) for bucket in shown.value["buckets"]) == 1234
    json.dumps(shown.get_state()["value"])
    assert "export default" in shown.get_state()["_esm"]


@pytest.mark.usefixtures("browser")
def test_an_open_picture_follows_a_write(orders: Any) -> None:
    pinned, levels, timeline = wb.levels(orders.at(snapshot=1)), wb.levels(orders), wb.timeline(orders)
    still = model(pinned)
    assert not followers()
    shown, reported = model(levels), model(timeline)
    shown.comm.sent.clear()
    orders.write([{"id": 7, "item": "ink"}])
    wait_until(lambda: shown.value["snapshot"] == "2" and len(reported.value["snapshots"]) == 2)
    assert [data["method"] for _, data in shown.comm.sent] == ["update"]
    assert still.value["snapshot"] == "1"
    assert len(followers()) == 1
    for view in (levels, timeline, pinned):
        view.close()
    wait_until(lambda: not followers())


@pytest.mark.usefixtures("browser")
def test_a_picture_that_was_closed_on_the_page_is_not_followed(orders: Any) -> None:
    view = wb.levels(orders)
    model(view).close()
    wait_until(lambda: not followers())
    assert view.value.snapshot == 1
    again = model(view)
    assert again.comm is not None
    view.close()


@pytest.mark.usefixtures("browser")
def test_actions_of_the_reader_change_the_value(orders: Any) -> None:
    view = wb.levels(orders, bucket=0)
    shown = model(view)
    other = next(bucket["id"] for bucket in shown.value["buckets"] if bucket["bucket"] == 1)
    shown._handle_custom_msg({"kind": "select-bucket", "id": other}, [])
    assert shown.value["bucket"]["bucket"] == 1
    assert view.value.bucket is not None
    assert view.value.bucket.bucket == 1
    shown._handle_custom_msg({"kind": "select-file", "name": "a"}, [])
    assert shown.selected == "a"
    for nonsense in ({}, {"kind": "select-bucket"}, {"kind": "select-bucket", "id": 7}, {"kind": "dance"}):
        shown._handle_custom_msg(nonsense, [])
    assert shown.error is None
    shown._handle_custom_msg({"kind": "select-bucket", "id": "???"}, [])
    assert shown.error["code"] == "invalid_request"
    assert shown.value["bucket"]["bucket"] == 1


@pytest.mark.usefixtures("browser")
def test_pages_grow(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.notebook.table_views.timeline.SNAPSHOTS_PAGE", 1)
    monkeypatch.setattr("workbench.notebook.table_views.levels.BUCKETS_PAGE", 1)
    orders.write([{"id": 7, "item": "ink"}])
    timeline, levels = model(wb.timeline(orders)), model(wb.levels(orders))
    assert [snapshot["id"] for snapshot in timeline.value["snapshots"]] == ["2"]
    assert len(levels.value["buckets"]) == 1
    timeline._handle_custom_msg({"kind": "more-snapshots", "cursor": timeline.value["next"]}, [])
    levels._handle_custom_msg({"kind": "more-buckets", "cursor": levels.value["next"]}, [])
    assert [snapshot["id"] for snapshot in timeline.value["snapshots"]] == ["2", "1"]
    assert len(levels.value["buckets"]) == 2
    assert timeline.value["next"] is levels.value["next"] is None
    timeline._handle_custom_msg({"kind": "select-snapshot", "id": "1"}, [])
    assert timeline.selected == "1"


@pytest.mark.usefixtures("browser")
def test_a_dropped_table_is_reported_and_a_recreated_one_is_shown(
    orders: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = wb.levels(orders)
    shown = model(view)
    Path(orders.location).rename(tmp_path / "aside")
    wait_until(lambda: shown.error is not None)
    assert shown.error == {
        "code": "table_not_found",
        "message": "Table shop.orders was dropped while it was in use, or renamed.",
        "hint": "Open the table by its present name.",
        "file": None,
    }
    assert shown.value["snapshot"] == "1"
    with pytest.raises(TableNotFound):
        _ = view.value
    (tmp_path / "aside").rename(orders.location)
    wait_until(lambda: shown.error is None, seconds=8)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("browser")
def test_an_expired_version_keeps_its_value(catalog: Any, orders: Any) -> None:
    view = wb.explore(catalog)
    shown = model(view)
    shown._handle_custom_msg({"kind": "open-table", "name": "shop.orders"}, [])
    orders.write([{"id": 7, "item": "ink"}])
    wait_until(lambda: shown.value["open"]["summary"]["snapshot"] == "2")
    (Path(orders.location) / "snapshot" / "snapshot-1").unlink()
    shown._handle_custom_msg({"kind": "select-snapshot", "id": "1"}, [])
    assert shown.value["open"]["error"]["code"] == "snapshot_not_found"
    assert shown.value["databases"] == [{"name": "shop", "tables": ["orders"]}]
    shown._handle_custom_msg({"kind": "select-snapshot", "id": "2"}, [])
    assert shown.value["open"]["error"] is None
    assert shown.value["open"]["levels"]["snapshot"] == "2"


@pytest.mark.usefixtures("browser")
def test_a_snapshot_selected_in_the_explorer_is_kept(catalog: Any, orders: Any) -> None:
    orders.write([{"id": 7, "item": "ink"}])
    shown = model(wb.explore(catalog))
    shown._handle_custom_msg({"kind": "open-table", "name": "shop.orders"}, [])
    shown._handle_custom_msg({"kind": "select-snapshot", "id": "1"}, [])
    assert (shown.selected, shown.value["open"]["levels"]["snapshot"]) == ("1", "1")
    orders.write([{"id": 8, "item": "cap"}])
    wait_until(lambda: len(shown.value["open"]["timeline"]["snapshots"]) == 3)
    assert shown.value["open"]["summary"]["snapshot"] == "1"
    shown._handle_custom_msg({"kind": "select-snapshot", "id": "3"}, [])
    assert (shown.selected, shown.value["open"]["summary"]["snapshot"]) == (None, "3")


@pytest.mark.usefixtures("browser", "orders")
def test_many_databases_are_listed_one_by_one(catalog: Any) -> None:
    for number in range(30):
        catalog.create_database(f"d{number}")
    shown = model(wb.explore(catalog))
    assert {database["tables"] is None for database in shown.value["databases"]} == {True}
    shown._handle_custom_msg({"kind": "open-database", "name": "shop"}, [])
    assert [each for each in shown.value["databases"] if each["tables"] is not None] == [
        {"name": "shop", "tables": ["orders"]}
    ]
    shown._handle_custom_msg({"kind": "open-table", "name": "shop.nothing"}, [])
    assert shown.value["open"]["error"]["code"] == "table_not_found"


def test_missing_packages_are_reported_once(orders: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "has_front_end", lambda: True)
    monkeypatch.setattr(widget, "MODULE", tmp_path / "nothing.js")
    monkeypatch.setattr(widget, "_shown_hints", set())
    first, second = (wb.levels(orders)._repr_mimebundle_() for _ in range(2))
    assert "make lab" in first["text/html"]
    assert "make lab" not in second["text/html"]
    assert VIEW_MIME not in first
