"""What the editor underlines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.notebook.cells.unknown_names import unknown_names, unknown_names_json

UNKNOWN = [
    ("SELECT itm FROM orders", [("itm", "There is no column 'itm'. Did you mean 'item'?")]),
    ("SELECT o.itm, item FROM orders o", [("itm", "There is no column 'itm'. Did you mean 'item'?")]),
    ("SELECT * FROM ordrs", [("ordrs", "There is no table shop.ordrs. Did you mean 'orders'?")]),
    ("SELECT * FROM orders WHERE nope = 1; SELECT * FROM shp.t", [("nope", None), ("shp.t", None)]),
    ("INSERT INTO nothing SELECT * FROM orders", [("nothing", None)]),
]
KNOWN = [
    "SELECT id, ITEM, count(*) AS n FROM orders GROUP BY id, item ORDER BY n",
    "SELECT o.id FROM shop.orders AS o JOIN orders p ON o.id = p.id",
    "WITH x AS (SELECT id AS a FROM orders) SELECT a, b FROM x",
    "SELECT a FROM (SELECT id AS a FROM orders)",
    "CREATE TABLE new (a INT)",
    "DROP TABLE IF EXISTS nothing",
    "SELECT * FROM orders$snapshots",
    "SELECT snapshot_id FROM orders$snapshots VERSION AS OF 1",
    "SHOW TABLES",
    "SELEC nothing",
    "SELECT 'it",
    "SELECT e FROM orders LATERAL VIEW explode(array(1)) AS e",
    "",
]


def session_of(shell: Any) -> Any:
    return shell._paimon_workbench[0].session


@pytest.mark.parametrize(("text", "expected"), UNKNOWN)
def test_unknown_names(shell: Any, text: str, expected: list[tuple[str, str | None]]) -> None:
    found = unknown_names(session_of(shell), text)
    assert [text[each.start : each.end] for each in found] == [name for name, _ in expected]
    for each, (_, message) in zip(found, expected, strict=True):
        assert message is None or each.message == message


@pytest.mark.parametrize("text", KNOWN)
def test_names_that_are_known_or_may_be(shell: Any, text: str) -> None:
    assert unknown_names(session_of(shell), text) == []


def test_the_form_for_the_editor(shell: Any) -> None:
    assert json.loads(unknown_names_json(shell, "SELECT itm FROM orders"))[0]["start"] == 7
    session_of(shell).catalog = None
    assert unknown_names_json(shell, "SELECT itm FROM orders") == "[]"
