"""Tables that other implementations wrote, read by our library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from tests.interop.cases import CASES, KEYS, WIDE, Case, composite_case, keep
from tests.interop.known_failures import cannot_write
from tests.interop.lives import condition_of, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.interop.tiers import ENGINES, tiered

# The matrix checks a sample of the features in every run.
pytestmark = pytest.mark.long


@pytest.mark.parametrize("case", tiered(CASES))
@pytest.mark.parametrize("engine", ENGINES)
def test_we_read_every_version(engine: str, case: Case, their_life: Callable[[str, Case], Any]) -> None:
    if reason := cannot_write(engine, case):
        pytest.skip(reason)
    life = their_life(engine, case)
    table = our_table(life.warehouse)
    for snapshot, expected in life.versions:
        assert_same_rows(from_arrow(table.at(snapshot=snapshot).to_arrow()), expected)
    assert_same_rows(from_arrow(table.to_arrow()), life.latest)


@pytest.mark.parametrize("case", tiered(CASES))
@pytest.mark.parametrize("engine", ENGINES)
def test_we_filter_and_project(engine: str, case: Case, their_life: Callable[[str, Case], Any]) -> None:
    if reason := cannot_write(engine, case):
        pytest.skip(reason)
    life = their_life(engine, case)
    table = our_table(life.warehouse)
    columns = list(case.columns)[::-1][:2]
    positions = [life.latest.columns.index(name) for name in columns]
    wrong = []
    for condition, test in case.filters():
        kept = keep(life.latest, condition.column, test)
        expected = Rows(tuple(columns), tuple(tuple(row[position] for position in positions) for row in kept.rows))
        where = condition_of(condition)
        for layout in (where, str(where)):
            try:
                assert_same_rows(from_arrow(table.to_arrow(columns=columns, where=layout)), expected)
            except Exception as difference:  # noqa: BLE001 - all are shown at the end
                wrong.append(f"{layout!r}: {type(difference).__name__} {difference}")
    assert not wrong, "\n".join(wrong)


CHANGING = [WIDE[0], WIDE[3], WIDE[4], composite_case(), *KEYS[:3]]


@pytest.mark.java
@pytest.mark.parametrize("case", tiered(CHANGING))
def test_a_diff_leads_from_one_version_to_the_other(case: Case, their_life: Callable[[str, Case], Any]) -> None:
    life = their_life("java-2.0.0", case)
    table = our_table(life.warehouse)
    for (start, before), (end, after) in combinations(life.versions, 2):
        changes = from_arrow(table.changes(start, end, mode="diff"))
        assert changes.columns == ("rowkind", *before.columns)
        state = Counter(before.rows)
        state.subtract(row[1:] for row in changes.rows if row[0] in ("-U", "-D"))
        state.update(row[1:] for row in changes.rows if row[0] in ("+I", "+U"))
        assert state == Counter(after.rows)
