from __future__ import annotations

import calendar

import pytest

from workbench.demo.events import Event
from workbench.demo.plan import Load, Phase, plan_history, plan_loads


def days_told(loads: list[Load], phase: Phase, month: int) -> list[int]:
    return [
        day
        for load in loads
        if load.phase is phase and month in load.months
        for day in range(load.first_day, min(load.last_day, days_of(month)) + 1)
    ]


def days_of(month: int) -> int:
    return calendar.monthrange(2013, month)[1]


@pytest.mark.parametrize("months", range(1, 13))
@pytest.mark.parametrize("phase", Phase)
def test_every_day_occurs_once_in_each_phase(months: int, phase: Phase) -> None:
    loads = plan_loads(months)
    for month in range(1, 13):
        expected = list(range(1, days_of(month) + 1)) if month > 12 - months else []
        assert days_told(loads, phase, month) == expected


def test_phases_of_a_day_follow_one_another() -> None:
    loads = plan_loads(12)
    for month in range(1, 13):
        for day in range(1, days_of(month) + 1):
            phases = [load.phase for load in loads if month in load.months and load.first_day <= day <= load.last_day]
            assert phases == list(Phase)


def test_the_year_is_at_least_twelve_commits_in_several_months() -> None:
    loads = plan_loads(12)
    assert len(loads) >= 12
    assert len({load.months for load in loads}) >= 3


@pytest.mark.parametrize("months", [0, 13, -1])
def test_a_year_has_twelve_months(months: int) -> None:
    with pytest.raises(ValueError, match=f"got {months}"):
        plan_loads(months)


def test_labels_name_months_days_and_phase() -> None:
    assert Load(Phase.SCHEDULED, (1, 2, 3)).label == "January to March: schedule"
    assert Load(Phase.LANDED, (12,), 30, 31).label == "December 30-31: arrivals"
    assert Load(Phase.CANCELLED, (10,)).label == "October: cancellations"
    assert "November 16-30: departures" in [load.label for load in plan_loads(2)]


@pytest.mark.parametrize("months", range(1, 13))
def test_a_month_that_is_not_loaded_has_no_events(months: int) -> None:
    history = plan_history(months)
    events = [each.label for each in history if isinstance(each, Event)]
    assert [each for each in history if isinstance(each, Load)] == plan_loads(months)
    assert ("overwrite October" in events) == (months > 2)
    assert ("branch corrections" in events) == (months > 1)
    assert events[-4:] == ["add column gained", "mistaken update", "rollback", "tag december"] or months > 1
