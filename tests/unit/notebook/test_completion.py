from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter

from workbench.notebook.cells.sql_completion import Candidate
from workbench.notebook.command import Session
from workbench.notebook.completion import completions
from workbench.sql.procedures.registry import procedure_named, procedure_names


def texts(session: Session, text: str, line: str, number: int) -> tuple[list[str], str]:
    found, fragment = completions(session, text, line, number)
    return [each.text for each in found], fragment


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
        ("%paimon explain o", ["orders"], "o"),
        ("%paimon explain orders WHERE it", ["item"], "it"),
        ("%paimon explain SELECT it FROM orders WHERE it", ["item"], "it"),
        ("%paimon connect /tm", [], "tm"),
        ("%%paimon --ch", ["--chart"], "--ch"),
        ("%%paimon --chart ba", ["bar"], "ba"),
        ("%paim", [], ""),
    ],
)
def test_line(shell: Any, line: str, found: list[str], fragment: str) -> None:
    assert texts(session_of(shell), line, line, 0) == (found, fragment)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("SELECT * FROM ", ["orders", "shop.", "paimon."]),
        ("SELECT * FROM paimon.", ["paimon.shop."]),
        ("SELECT * FROM paimon.shop.or", ["paimon.shop.orders"]),
        ("insert into or", ["orders"]),
        ("SELECT it FROM orders WHERE it", ["item"]),
        ("SELECT * FROM shop.orders WHERE ", ["id", "item"]),
        ("sele", ["select"]),
        ("SELE", ["SELECT"]),
        ("SELECT * FROM nowhere WHERE x", ["x"]),
    ],
)
def test_cell_body(shell: Any, body: str, found: list[str]) -> None:
    assert texts(session_of(shell), f"%%paimon\n{body}", body, 1)[0] == found


KINDS = [
    ("SELECT * FROM orders f WHERE f.", ["f.id", "f.item"], ["column, BIGINT NOT NULL", "column, STRING"]),
    ("SELECT * FROM shop.orders AS o JOIN orders p ON o.i", ["o.id", "o.item"], None),
    ("SELECT * FROM orders WHERE orders.it", ["orders.item"], ["column, STRING"]),
    ("SELECT * FROM orders$sn", ["orders$snapshots"], ["system table"]),
    ("SELECT * FROM orders$branch_", ["orders$branch_dev"], ["branch"]),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('bucket-k", ["bucket-key"], None),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('bucket' = '1', bucket-k", ["'bucket-key'"], None),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('merge-engine' = 'fir", ["first-row"], ["value"]),
    ("CREATE TABLE t (a INT) TBLPROPERTIES ('write-only' = ", ["'true'", "'false'"], ["value", "value"]),
    ("SELECT date_fo", ["date_format("], ["function, of DATE or timestamp, STRING literal"]),
    ("SELECT DATE_FO", ["DATE_FORMAT("], ["function, of DATE or timestamp, STRING literal"]),
    ("SELECT * FROM shop.", ["shop.orders"], ["table"]),
    ("UPDATE or", ["orders"], ["table"]),
    ("UPDATE orders SET it", ["item"], ["column, STRING"]),
    ("ALTER TABLE orders DROP COLUMN it", ["item"], ["column, STRING"]),
    ("CALL sys.create_t", ["create_tag(", "create_tag_from_timestamp("], ["procedure", "procedure"]),
    ("CALL sys.rename_tag(", ["table => ", "tag => ", "target_tag => "], ["parameter, string, required"] * 3),
    ("call sys.create_tag(table => 'orders', sn", ["snapshot => "], ["parameter, int64, optional"]),
    ("CALL sys.compact(table => 'shop.or", ["shop.orders"], ["table"]),
]


@pytest.mark.parametrize(("body", "found", "kinds"), KINDS)
def test_kinds(shell: Any, body: str, found: list[str], kinds: list[str] | None) -> None:
    session_of(shell).table("orders").create_branch("dev")
    candidates, _ = completions(session_of(shell), f"%%paimon\n{body}", body, 1)
    assert [each.text for each in candidates] == found
    assert kinds is None or [each.kind for each in candidates] == kinds


def test_options_have_their_default_and_meaning(shell: Any) -> None:
    body = "CREATE TABLE t (a INT)\nTBLPROPERTIES ('num-sorted-run.compaction-tr"
    line = body.splitlines()[1]
    (option,), fragment = completions(session_of(shell), f"%%paimon\n{body}", line, 2)
    assert option.text == "num-sorted-run.compaction-trigger"
    assert option.kind.startswith("option, default 5: ")
    assert fragment == "num-sorted-run.compaction-tr"


def test_named_catalogs(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    (tmp_path / "paimon_catalogs.toml").write_text('[prod]\nwarehouse = "/data"\n')
    line = "%paimon connect pr"
    assert completions(session_of(shell), line, line, 0)[0] == [Candidate("prod", "catalog of the user")]
    (tmp_path / "paimon_catalogs.toml").write_text("not TOML")
    assert completions(session_of(shell), line, line, 0)[0] == []


def test_cell_flags(shell: Any) -> None:
    line = "%%paimon --engine s"
    assert texts(session_of(shell), line, line, 0) == (["spark"], "s")
    assert texts(session_of(shell), "%%paimon --l", "%%paimon --l", 0)[0] == ["--limit"]


def test_nothing_outside_the_magic_and_without_a_catalog() -> None:
    assert texts(Session(), "x = or", "x = or", 0) == ([], "")
    assert texts(Session(), "%paimon levels ", "%paimon levels ", 0) == ([], "")


def test_through_ipython(shell: Any) -> None:
    text = "%%paimon\nSELECT * FROM or"
    with provisionalcompleter():
        result = [(each.text, text[each.start : each.end]) for each in shell.Completer.completions(text, len(text))]
    assert result == [("orders", "or")]


def test_in_the_middle_of_a_line(shell: Any) -> None:
    text = "%%paimon\nSELECT o.i FROM orders o"
    cursor = text.index(" FROM")
    with provisionalcompleter():
        result = [(each.text, text[each.start : each.end]) for each in shell.Completer.completions(text, cursor)]
    assert result == [("o.id", "o.i"), ("o.item", "o.i")]


def test_every_procedure_has_its_parameters(shell: Any) -> None:
    for name in procedure_names():
        body = f"CALL sys.{name}("
        found, _ = completions(session_of(shell), f"%%paimon\n{body}", body, 1)
        assert [each.text for each in found] == [f"{each.name} => " for each in procedure_named(name).parameters]
