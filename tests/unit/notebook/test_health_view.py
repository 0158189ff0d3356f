"""``wb.health`` and ``%paimon health``: a table, a catalog, previews and fixes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.support.maintained_tables import clocked
from tests.unit.lens.health.defects import DEFECTS, Place, damaged, rows, sorted_runs
from workbench.base.errors import InvalidRequest
from workbench.lens.health import catalog as catalog_health
from workbench.lens.wire import to_json
from workbench.notebook.command import Request, Session
from workbench.notebook.commands import run_command
from workbench.notebook.table_views.health import Health


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(*clocked(tmp_path / "warehouse"))


def test_the_view_lists_findings_with_their_fixes(place: Place) -> None:
    view = wb.health(sorted_runs(place))
    assert isinstance(view, Health)
    frame = view.to_pandas().set_index("finding")
    assert frame.loc["sorted-runs", "severity"] == "poor"
    assert frame.loc["sorted-runs", "sql"] == (
        "CALL sys.compact(table => 'db.t', compact_strategy => 'full', where => 'dt = \\'it\\\\\\'s\\'')"
    )
    html = view._html()
    assert "Poor condition" in html
    assert "<svg" in html
    assert "dt = \\&#x27;it" in html or "dt = \\&#39;it" in html
    assert view._repr_png_() is not None


def test_a_fix_is_previewed_and_run(place: Place) -> None:
    table = sorted_runs(place)
    view = wb.health(table)
    preview = view.preview("sorted-runs")
    assert preview.value.gone
    assert "Tried in a sandbox" in preview._text()
    assert [each.finding for each in view.value.previews] == ["sorted-runs"]
    assert table.version.id == 10
    commit = view.fix("sorted-runs")
    assert commit.snapshots
    assert "sorted-runs" not in view.to_pandas()["finding"].tolist()
    assert view.value.previews == ()


def test_a_fix_of_options_is_seen_by_the_same_view(place: Place) -> None:
    defect = next(each for each in DEFECTS if each.finding == "options:stop-trigger")
    view = wb.health(defect.make(place))
    assert defect.finding in view.to_pandas()["finding"].tolist()
    view.fix(defect.finding)
    assert defect.finding not in view.to_pandas()["finding"].tolist()


def test_events_of_the_picture(place: Place) -> None:
    view = wb.health(sorted_runs(place))
    assert not view.value.storage
    view._on_message({"kind": "check-storage"})
    assert view.value.storage
    view._on_message({"kind": "preview", "id": "sorted-runs"})
    assert view.value.previews[0].gone
    view._on_message({"kind": "preview", "id": "nothing"})
    assert "nothing" in str(view._error)
    view._on_message({"kind": "select-finding", "id": "options:write-only"})
    assert view.value.previews


def test_a_damaged_table_is_a_finding(place: Place) -> None:
    view = wb.health(damaged(place))
    assert view.value.condition == "poor"
    assert view.value.findings[0].id == "damage"
    assert "rollback" in view._text()


def test_other_values_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="a table or a catalog, not int"):
        wb.health(3)


def test_a_catalog_lists_the_worst_tables_first(place: Place) -> None:
    sorted_runs(place)
    place.catalog.create_table("db.calm", {"k": "BIGINT"})
    place.catalog.create_table("db.<b>x", {"k": "BIGINT"})
    broken = place.catalog.create_table("db.broken", {"k": "BIGINT"})
    Path(broken.location, "schema", "schema-0").write_text("{")
    view = wb.health(place.catalog)
    value = view.value
    assert {each.table: each.condition for each in value.tables} == {
        "db.t": "poor",
        "db.broken": "poor",
        "db.calm": "good",
        "db.<b>x": "good",
    }
    assert [each.condition for each in value.tables] == ["poor", "poor", "good", "good"]
    assert value.is_complete
    assert not value.cancelled
    assert view.to_arrow().num_rows == value.total == 4
    assert "<b>x" not in view._html()
    assert to_json(value)


def test_a_catalog_is_read_progressively_until_it_is_cancelled(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        place.catalog.create_table(f"db.t{number}", {"k": "BIGINT"})
    go, first = threading.Event(), threading.Event()
    read = catalog_health._health

    def slow(catalog: Any, name: str, *rest: Any) -> Any:
        if name != "db.t0":
            first.set()
            go.wait(10)
        return read(catalog, name, *rest)

    monkeypatch.setattr(catalog_health, "_health", slow)
    view = wb.health(place.catalog)
    assert first.wait(10)
    assert not view._current().is_complete
    # A saved notebook has no kernel that would read on.
    saved = view._saved_form().still(view._current())
    assert (saved.is_complete, saved.cancelled) == (True, True)
    view._on_message({"kind": "cancel"})
    go.set()
    assert view.value.cancelled
    assert len(view.value.tables) < 30
    assert "Reading was stopped." in view._text()


def test_the_command(place: Place) -> None:
    table = place.table()
    table.write(rows(range(10)))
    session = Session(catalog=place.catalog, label="w", database="db")
    shown = run_command("health", Request(("db.t",), session, wb.Progress(), 20))
    assert "Nothing to do" in shown._text()
    catalog = run_command("health", Request((), session, wb.Progress(), 20))
    assert "nothing to do" in catalog._text()
