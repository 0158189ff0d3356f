"""A view that another package defines: its tables, its live widget and its sub-command of %paimon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import comm
import pyarrow as pa
import pytest
from comm.base_comm import BaseComm
from IPython.core.completer import provisionalcompleter

import workbench as wb
from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.lens.wire import Int64
from workbench.notebook import live, widget
from workbench.notebook.completion import completions
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.view_definitions import VIEWS, register_view, show_view
from workbench.notebook.views import View
from workbench.sql.grid import grid_of

VIEW_MIME = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class WidthValue:
    """The number of columns."""

    table: str
    snapshot: Int64 | None
    columns: int
    unit: str


@dataclass(frozen=True)
class WidthArguments(ViewArguments):
    """The unit of the width."""

    unit: str = "columns"


def collect_width(table: Any, arguments: WidthArguments) -> WidthValue:
    version = table.version
    return WidthValue(table.name, None if version is None else version.id, len(table.schema.fields), arguments.unit)


def width_tables(value: WidthValue) -> View:
    rows = pa.table({value.unit: [value.columns]})
    return View((grid_of(rows, f"Width of {value.table}", 1, 1),), rows, value)


def on_event(arguments: WidthArguments, event: Mapping[str, Any]) -> WidthArguments:
    match event:
        case {"kind": "unit", "name": str(unit)}:
            return replace(arguments, unit=unit)
        case {"kind": "select", "name": str(name)}:
            return replace(arguments, selected=name)
    return arguments


WIDTH: ViewDefinition[WidthValue, WidthArguments] = ViewDefinition(
    "width",
    collect_width,
    width_tables,
    WidthArguments(),
    on_event,
    ViewCommand(
        "width", "the number of columns", lambda table, _limit: width_tables(collect_width(table, WidthArguments()))
    ),
)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The view is known during a test."""
    register_view(WIDTH)
    yield
    del VIEWS["width"]


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Simulate a browser that shows the notebook, and a built front end."""
    module = tmp_path / "views.js"
    module.write_text("export default { render() {} };\n")
    monkeypatch.setattr(widget, "MODULE", module)
    monkeypatch.setattr(live, "has_front_end", lambda: True)
    monkeypatch.setattr(comm, "create_comm", SilentComm)
    widget._widget_class.cache_clear()
    yield
    import ipywidgets

    ipywidgets.Widget.close_all()
    widget._widget_class.cache_clear()


class SilentComm(BaseComm):
    """Sends nothing."""

    def publish_msg(self, *_given: Any, **_named: Any) -> None:
        """Send nothing."""


def orders(shell: Any) -> Any:
    return shell._paimon_workbench[0].session.table("orders")


def test_without_a_browser_it_is_a_table(shell: Any) -> None:
    view = show_view("width", orders(shell))
    assert view.value == WidthValue("shop.orders", 1, 2, "columns")
    assert "Width of shop.orders" in repr(view)
    assert set(view._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert view.to_arrow().to_pydict() == {"columns": [2]}


def test_it_stays_at_the_version_of_its_table(shell: Any) -> None:
    table = orders(shell)
    newest, pinned = show_view("width", table), show_view("width", table.at(snapshot=1))
    table.write([{"id": 9, "item": "cap"}])
    assert (newest.value.snapshot, pinned.value.snapshot) == (2, 1)


@pytest.mark.usefixtures("browser")
def test_its_widget_holds_the_value_and_its_events_change_it(shell: Any) -> None:
    view = show_view("width", orders(shell))
    assert VIEW_MIME in view._repr_mimebundle_()
    shown = view._widget
    assert (shown.kind, shown.value["columns"], shown.value["snapshot"]) == ("width", 2, "1")
    shown._handle_custom_msg({"kind": "unit", "name": "fields"}, [])
    assert shown.value["unit"] == "fields"
    shown._handle_custom_msg({"kind": "select", "name": "id"}, [])
    assert shown.selected == "id"
    shown._handle_custom_msg({"kind": "dance"}, [])
    assert (shown.error, view.value.unit) == (None, "fields")
    view.close()


@pytest.mark.usefixtures("browser")
def test_a_view_without_a_picture_has_no_widget(shell: Any) -> None:
    plain = TableView(replace(WIDTH, has_picture=False), orders(shell))
    assert set(plain._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_it_has_a_command(shell: Any) -> None:
    assert shell.run_line_magic("paimon", "width orders").to_arrow().to_pydict() == {"columns": [2]}
    assert "%paimon width <table>" in repr(shell.run_line_magic("paimon", "help"))
    session = shell._paimon_workbench[0].session
    with provisionalcompleter():
        for line, text, fragment in (("%paimon wi", "width", "wi"), ("%paimon width o", "orders", "o")):
            candidates, found = completions(session, line, line, 0)
            assert ([each.text for each in candidates], found) == ([text], fragment)
    with pytest.raises(InvalidExpression, match="Write %paimon width <table>"):
        shell.run_line_magic("paimon", "width")


def test_without_a_command_its_name_is_the_sub_command(shell: Any) -> None:
    register_view(replace(WIDTH, name="breadth", command=None))
    try:
        view = shell.run_line_magic("paimon", "breadth orders --snapshot 1")
        assert isinstance(view, TableView)
        assert (view.kind, view.value.snapshot) == ("breadth", 1)
        assert "%paimon breadth <table>" in repr(shell.run_line_magic("paimon", "help"))
    finally:
        del VIEWS["breadth"]


def test_every_view_of_the_package_is_a_sub_command(shell: Any) -> None:
    other_arguments = {"biography": "orders id=1", "explore": "", "diff": "orders@1..1"}
    for word in ("summary", "levels", "timeline", "diff", "compaction", "biography", "explain", "health", "explore"):
        shown = shell.run_line_magic("paimon", f"{word} {other_arguments.get(word, 'orders')}")
        made = {"levels": wb.levels, "timeline": wb.timeline, "compaction": wb.compaction, "summary": wb.summary}
        assert isinstance(shown, live.LiveView), word
        if word in made:
            same = made[word](orders(shell))
            assert type(shown) is type(same)
            assert (shown.kind, shown.value, shown.to_arrow()) == (same.kind, same.value, same.to_arrow())
    assert shell.run_line_magic("paimon", "snapshots orders --limit 1").kind == "timeline"


def test_a_view_of_a_damaged_table_fails_in_its_cell(shell: Any) -> None:
    Path(orders(shell).location, "snapshot", "snapshot-1").write_text("{")
    for word in ("levels", "timeline", "compaction", "summary", "describe"):
        with pytest.raises(WorkbenchError):
            shell.run_line_magic("paimon", f"{word} orders")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("timelime orders", "Did you mean 'timeline'?"),
        ("Levels orders", "Did you mean 'levels'?"),
        ("historian orders", "Sub-commands: connect, use, databases,"),
        ("levels orders --limt 3", "Did you mean '--limit'?"),
        ("levels orders --snapsot=3", "Did you mean '--snapshot'?"),
        ("truncate orders --yess", "Did you mean '--yes'?"),
    ],
)
def test_unknown_words_get_the_nearest_one(shell: Any, line: str, hint: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        shell.run_line_magic("paimon", line)
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(hint)


def test_names_and_commands_are_unique() -> None:
    with pytest.raises(ValueError, match="'width' conflicts with the registered view 'width'"):
        register_view(WIDTH)
    assert WIDTH.command is not None
    with pytest.raises(ValueError, match="'other' conflicts with the registered view 'width'"):
        register_view(replace(WIDTH, name="other"))
