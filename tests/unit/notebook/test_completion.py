from __future__ import annotations

from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter

from workbench.notebook.command import Session
from workbench.notebook.completion import completions


def session_of(shell: Any) -> Session:
    session: Session = shell._paimon_workbench[0].session
    return session


@pytest.mark.parametrize(
    ("line", "found", "fragment"),
    [
        ("%paimon le", ["levels"], "le"),
        ("%paimon use ", ["shop"], ""),
        ("%paimon levels o", ["orders"], "o"),
        ("%paimon levels shop.", ["shop.orders"], "shop."),
        ("%paimon levels --sn", ["--snapshot"], "--sn"),
        ("%paimon connect /tm", [], "tm"),
        ("%paim", [], ""),
    ],
)
def test_line(shell: Any, line: str, found: list[str], fragment: str) -> None:
    assert completions(session_of(shell), line, line, 0) == (found, fragment)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("SELECT * FROM ", ["orders", "shop."]),
        ("insert into or", ["orders"]),
        ("SELECT it FROM orders WHERE it", ["item"]),
        ("SELECT * FROM shop.orders WHERE ", ["id", "item"]),
        ("sel", ["select"]),
        ("SEL", ["SELECT"]),
        ("SELECT * FROM nowhere WHERE x", []),
    ],
)
def test_cell_body(shell: Any, body: str, found: list[str]) -> None:
    assert completions(session_of(shell), f"%%paimon\n{body}", body, 1)[0] == found


def test_cell_flags(shell: Any) -> None:
    line = "%%paimon --engine s"
    assert completions(session_of(shell), line, line, 0) == (["spark"], "s")
    assert completions(session_of(shell), "%%paimon --l", "%%paimon --l", 0)[0] == ["--limit"]


def test_nothing_outside_the_magic_and_without_a_catalog() -> None:
    assert completions(Session(), "x = or", "x = or", 0) == ([], "")
    assert completions(Session(), "%paimon levels ", "%paimon levels ", 0) == ([], "")


def test_through_ipython(shell: Any) -> None:
    text = "%%paimon\nSELECT * FROM or"
    with provisionalcompleter():
        result = [(each.text, text[each.start : each.end]) for each in shell.Completer.completions(text, len(text))]
    assert result == [("orders", "or")]
