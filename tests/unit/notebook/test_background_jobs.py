"""``%%paimon --background``: the cell ends immediately, and its card shows the progress and the result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from workbench.base.errors import Cancelled, InvalidExpression, InvalidRequest, WorkbenchError
from workbench.base.progress import Progress
from workbench.notebook.cells import script
from workbench.notebook.jobs.value import JobValue
from workbench.sql.grid import Shown


class Recorder:
    def __init__(self) -> None:
        self.values: list[JobValue] = []
        self.results: list[Shown] = []
        self.cancel: Callable[[], None] = lambda: None

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:
        self.values.append(value)
        self.cancel = cancel

    def replace(self, shown: Shown) -> None:
        self.results.append(shown)

    def end(self, value: JobValue) -> None:
        """Do nothing: only cells without ``--background`` end their cards."""

    def hand_over(self, outcome: object) -> None:
        """Do nothing, as above."""


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> list[Recorder]:
    made: list[Recorder] = []

    def card_for(_shell: Any, *, background: bool = False) -> Recorder:
        card = Recorder()
        if background:
            made.append(card)
        return card

    monkeypatch.setattr("workbench.notebook.magics.card_for", card_for)
    return made


class Gate:
    """An ``execute`` that runs statements only once ``opened`` is set, unless they are canceled."""

    def __init__(self, execute: Any) -> None:
        self.opened = threading.Event()
        self._execute = execute

    def __call__(self, text: str, catalog: Any, database: Any, engine: str, progress: Progress, *others: Any) -> Any:
        with progress.step("Waiting", 4, "rows"):
            progress.advance(3)
            while not self.opened.wait(0.02):
                progress.check()
        return self._execute(text, catalog, database, engine, progress, *others)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate(script.execute)
    monkeypatch.setattr(script, "execute", gate)
    return gate


def cell(shell: Any, text: str, flags: str = "") -> Any:
    return shell.run_cell_magic("paimon", f"--background {flags}", text)


def command(shell: Any, text: str) -> Any:
    magic = shell.find_cell_magic("paimon").__self__
    name, *words = text.split()
    from workbench.notebook.command import Request
    from workbench.notebook.commands import run_command

    return run_command(name, Request(tuple(words), magic.session, Progress(), 50))


def test_a_job_shows_its_progress_and_then_its_result(shell: Any, cards: list[Recorder], gate: Gate) -> None:
    assert cell(shell, "INSERT INTO orders VALUES (9, 'nib');\nSELECT * FROM orders", "--out kept --limit 2") is None
    (card,) = cards
    assert card.values[0].number == 1
    assert card.values[0].title == "INSERT INTO orders VALUES (9, 'nib') (and 1 more)"
    assert "kept" not in shell.user_ns
    shell.run_line_magic("paimon", "connect /nowhere-at-all")
    deadline = time.monotonic() + 10
    while not (card.values[-1].steps and card.values[-1].seconds > 0.4) and time.monotonic() < deadline:
        time.sleep(0.05)
    (step,) = card.values[-1].steps
    assert (step.label, step.done, step.total) == ("Waiting", 3, 4)
    assert command(shell, "jobs").to_arrow()["state"].to_pylist() == ["running"]
    gate.opened.set()
    result = command(shell, "wait 1")
    assert card.results == [result]
    assert result.to_arrow().num_rows == 4
    assert "Showing 2 of 4 rows." in repr(result)
    assert shell.user_ns["kept"] is result
    assert command(shell, "jobs").to_arrow()["state"].to_pylist() == ["done"]
    with pytest.raises(WorkbenchError, match="Job 1 is done and cannot be canceled"):
        command(shell, "cancel 1")


def test_jobs_are_canceled_one_by_one(shell: Any, cards: list[Recorder], gate: Gate) -> None:
    for number in range(3):
        cell(shell, f"INSERT INTO orders VALUES ({number + 10}, 'nib')")
    first, second, third = cards
    second.cancel()
    command(shell, "cancel 3")
    for job in ("2", "3"):
        with pytest.raises(Cancelled):
            command(shell, f"wait {job}")
    assert [each.values[-1].state for each in cards] == ["running", "canceled", "canceled"]
    assert (second.values[-1].message, second.results, third.results) == ("", [], [])
    gate.opened.set()
    command(shell, "wait")
    assert repr(first.results[0]).startswith("Inserted 1 row into shop.orders: snapshot 2.")
    ids = shell.run_cell_magic("paimon", "", "SELECT id FROM orders WHERE id > 9").to_arrow()["id"].to_pylist()
    assert ids == [10]


def test_a_failed_job_shows_the_place(shell: Any, cards: list[Recorder]) -> None:
    cell(shell, "SELECT id,\n  itm FROM orders", "--out never")
    with pytest.raises(InvalidExpression):
        command(shell, "wait 1")
    (card,) = cards
    assert card.values[-1].state == "failed"
    message, line, marks = card.values[-1].message.splitlines()
    assert "Did you mean 'item'" in message
    assert (line, marks) == ("    itm FROM orders", "    ^^^")
    assert "never" not in shell.user_ns


def test_what_does_not_fit(shell: Any, cards: list[Recorder]) -> None:
    with pytest.raises(InvalidExpression, match="--background and --chart"):
        cell(shell, "SELECT 1", "--chart")
    with pytest.raises(InvalidExpression, match="takes no --background"):
        shell.run_line_magic("paimon", "tables --background")
    with pytest.raises(InvalidRequest, match="There is no job '7'"):
        command(shell, "cancel 7")
    assert cards == []
