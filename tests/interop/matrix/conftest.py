from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.interop.matrix.makers import Maker
from tests.interop.matrix.record import DIRECTIONS, outcomes_of, printed
from tests.interop.matrix.starting import started


@pytest.fixture(scope="session")
def maker(referee: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Maker]]:
    """Makers by name, each started on first use."""
    running: dict[str, Any] = {}

    def by_name(name: str) -> Maker:
        if name not in running:
            running[name] = started(name, referee, tmp_path_factory.mktemp(name))
        return running[name]

    yield by_name
    for each in running.values():
        if hasattr(each, "close"):
            each.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the matrix of this run below its tests."""
    for direction in DIRECTIONS:
        outcomes = outcomes_of(terminalreporter.stats, direction)
        if outcomes:
            terminalreporter.section(f"interop matrix: {direction.name}")
            terminalreporter.write(printed(outcomes))
