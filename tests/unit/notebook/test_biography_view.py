"""`wb.biography` and `%paimon biography` without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.notebook.saved import SAVED_MIME
from workbench.notebook.table_views.biography import BIOGRAPHY, biography_view, smaller_biographies

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop", exist_ok=True)
    made = catalog.create_table(
        "shop.items",
        {"name": "STRING", "n": "INT"},
        primary_key=["name"],
        options={"bucket": "1", "write-only": "true", "merge-engine": "partial-update"},
    )
    for number in (1, 2, None):
        made.write([{"name": EVIL, "n": number}, {"name": "two words", "n": 5}])
    made.compact(full=True)
    made.write([{"name": EVIL, "n": None}])
    return made


def test_the_table_below_the_picture_has_a_row_for_each_version(table: Any) -> None:
    frame = wb.biography(table, {"name": EVIL}).to_pandas()
    assert frame["version"].tolist() == ["1", "2", "3", "4", "5"]
    assert frame["merged_from"].tolist() == ["", "", "", "1, 2, 3", ""]
    assert frame["state"].tolist() == ["gone", "gone", "gone", "read", "read"]
    assert frame["n"].tolist()[:2] == ["1", "2"]


def test_the_text_says_which_version_each_column_has_its_value_from(table: Any) -> None:
    text = wb.biography(table, {"name": EVIL})._text()
    assert "The row exists: 5 stored versions found, a read uses 2 of them." in text
    assert "Version 4 is the newest with a value, of versions 4 and 5." in text.replace("\n", " ").replace(
        "  ", " "
    ) or ("Version 4 is the newest with a value" in text)


def test_hostile_values_are_text(table: Any) -> None:
    view = wb.biography(table, {"name": EVIL})
    assert EVIL not in view._fallback(view.value)._html()
    assert "&lt;img" in view._fallback(view.value)._html()


def test_the_picture_has_a_bead_for_each_version_and_is_a_png(table: Any) -> None:
    view = biography_view(wb.biography(table, {"name": EVIL}).value)
    assert view._html().count('class="wb-bead"') == 5
    assert view._repr_png_() is not None


def test_the_picture_is_saved_for_readers_without_a_kernel(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.notebook.live.has_kernel", lambda: True)
    view = wb.biography(table, {"name": EVIL})
    kept = view._repr_mimebundle_()[SAVED_MIME]
    assert kept["kind"] == "biography"
    assert kept["value"]["key"] == [{"name": "name", "text": EVIL}]
    smaller = list(smaller_biographies(view.value))
    assert {each.id for each in smaller[-1].versions} >= {4, 5}
    assert len(smaller[-1].versions) < len(view.value.versions)


def test_an_event_selects_a_version(table: Any) -> None:
    view = wb.biography(table, {"name": EVIL})
    assert not view._on_event({"kind": "select-version", "id": "4"})
    assert view.arguments.selected == "4"
    assert BIOGRAPHY.on_event(view.arguments, {"kind": "select-version", "id": "x"}) == view.arguments


def test_the_command_takes_the_key_as_words(shell: Any) -> None:
    view = shell.run_line_magic("paimon", "biography orders id=2")
    assert view.value.key[0].text == "2"
    assert view.value.state == "present"
    shell.run_cell_magic("paimon", "", "DELETE FROM orders WHERE id = 2")
    assert shell.run_line_magic("paimon", "biography orders id=2").value.state == "deleted"
    assert shell.run_line_magic("paimon", "biography orders id=2 --snapshot 1").value.state == "present"
    last = shell.run_line_magic("paimon", "biography orders id=2").value.commits[-1]
    assert last.statement == "DELETE FROM orders WHERE id = 2"


@pytest.mark.usefixtures("shell", "table")
def test_quoted_values_may_have_spaces(shell: Any) -> None:
    view = shell.run_line_magic("paimon", 'biography items "name=two words"')
    assert view.value.key[0].text == "two words"
    assert view.value.state == "present"


@pytest.mark.parametrize("line", ["biography", "biography orders", "biography orders id", "biography orders =3"])
def test_a_command_without_a_key_says_how_it_is_written(shell: Any, line: str) -> None:
    with pytest.raises(wb.InvalidExpression, match=r"the key of a row\..*biography shop\.orders id=50"):
        shell.run_line_magic("paimon", line)


def test_the_command_is_listed(shell: Any) -> None:
    assert "biography" in repr(shell.run_line_magic("paimon", "help"))


def test_a_row_without_a_key_is_found_by_a_condition(shell: Any) -> None:
    options = "TBLPROPERTIES ('row-tracking.enabled' = 'true')"
    statements = f"CREATE TABLE tracked (id BIGINT, item STRING) {options}; INSERT INTO tracked VALUES (1, 'a pen')"
    shell.run_cell_magic("paimon", "", statements)
    for condition in ("id = 1", "\"item = 'a pen'\""):
        found = shell.run_line_magic("paimon", f"biography tracked WHERE {condition}")
        assert found.value.state == "present"
