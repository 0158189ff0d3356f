from __future__ import annotations

import pytest

from workbench.demo.plan import Load, Phase, plan_loads


def days_told(loads: list[Load], phase: Phase, month: int) -> list[int]:
    return [
        day
        for load in loads
        if load.phase is phase and month in load.months
        for day in range(load.first_day, load.last_day + 1)
    ]


@pytest.mark.parametrize("months", range(1, 13))
@pytest.mark.parametrize("phase", Phase)
def test_every_day_occurs_once_in_each_phase(months: int, phase: Phase) -> None:
    loads = plan_loads(months)
    for month in range(1, 13):
        expected = list(range(1, 32)) if month > 12 - months else []
        assert days_told(loads, phase, month) == expected


def test_phases_of_a_day_follow_one_another() -> None:
    loads = plan_loads(12)
    for month in range(1, 13):
        for day in range(1, 32):
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
