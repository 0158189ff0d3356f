"""Errors of this library in cells: the user's frames only."""

from __future__ import annotations

import re
from typing import Any

import pytest

BROKEN = """
def mine(table):
    return table.to_arrow(columns=["no such column"])

mine(orders)
"""


@pytest.fixture
def orders(shell: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    shell.user_ns["orders"] = shell.find_cell_magic("paimon").__self__.session.table("orders")
    return shell


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)


def test_frames_of_the_library_are_hidden(orders: Any, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = orders.run_cell(BROKEN)
    text = shown(capsys)
    assert type(outcome.error_in_exec).__name__ in text
    assert "mine(orders)" in text
    assert 'return table.to_arrow(columns=["no such column"])' in text
    assert "workbench/" not in text
    assert "interactiveshell" not in text
    assert "direct cause" not in text
    assert str(outcome.error_in_exec) in text


def test_the_whole_traceback_on_demand(orders: Any, capsys: pytest.CaptureFixture[str]) -> None:
    orders.run_line_magic("xmode", "Verbose")
    orders.run_cell(BROKEN)
    assert "workbench/table/" in shown(capsys)
    orders.run_line_magic("xmode", "Context")
    orders.run_line_magic("config", "PaimonMagic.short_errors = False")
    orders.run_cell("%%paimon\nSELECT * FROM nothing")
    assert "workbench/" in shown(capsys)


def test_an_error_in_the_cell_itself(orders: Any, capsys: pytest.CaptureFixture[str]) -> None:
    orders.run_cell("import workbench as wb\nraise wb.TableNotFound('mine')")
    text = shown(capsys)
    assert "raise wb.TableNotFound('mine')" in text
    assert text.rstrip().endswith("TableNotFound: mine")
