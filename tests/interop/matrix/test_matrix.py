"""Every feature that concerns reading, in tables of every maker, compared with the rows that the maker itself reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interop.matrix import record
from tests.interop.matrix.feature import Cell
from tests.interop.matrix.fitting import TITLES
from tests.interop.matrix.judging import judge
from tests.interop.matrix.lines import BY_NAME
from tests.interop.matrix.makers import Maker
from tests.interop.matrix.shortcomings import refuses
from tests.interop.matrix.table import FEATURES, cells, sample
from tests.interop.referees import RefereeError

CELLS = list(cells())
SAMPLE = sample(CELLS, 1)


def parameters() -> Iterator[Any]:
    for cell in sorted(CELLS, key=lambda each: each.maker):
        marks = [pytest.mark.peers if cell.maker in ("pypaimon", "rust") else pytest.mark.java]
        if str(cell) not in SAMPLE:
            marks.append(pytest.mark.long)
        yield pytest.param(cell, id=str(cell), marks=marks)


@pytest.mark.parametrize("cell", list(parameters()))
def test_a_cell(
    cell: Cell,
    maker: Callable[[str], Maker],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    engine = maker(cell.maker)
    warehouse, table = engine.home(tmp_path)
    record_property("cell", (cell.feature.name, cell.maker))
    try:
        engine.make(cell.made, warehouse, table)
        outcome = judge(cell.made, engine, warehouse, table, monkeypatch)
    except RefereeError as error:
        if refuses(cell.maker, str(error)):
            pytest.skip(f"{TITLES[cell.maker]} says: {error}")
        raise
    record_property("outcome", outcome)


def test_every_line_that_concerns_reading_has_a_row() -> None:
    shown = {feature.line for feature in FEATURES}
    assert {name for name, line in BY_NAME.items() if not line.no_row} == shown


def test_names_are_unique() -> None:
    assert len({str(cell) for cell in CELLS}) == len(CELLS)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)


def test_the_features_page_summarizes_the_recorded_matrix() -> None:
    page = record.FEATURES_PAGE.read_text(encoding="utf-8")
    assert record.with_summaries(page) == page
    names = {feature.name for feature in FEATURES}
    for direction in record.DIRECTIONS:
        assert direction.begin in page
        assert {name for _, _, name, *_ in record.recorded(direction)} <= names
