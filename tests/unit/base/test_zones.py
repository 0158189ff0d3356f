"""The zone of statements, by the names that Spark gives zones."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.base.parallel import parallel_map
from workbench.base.zones import as_stored, evaluating_in, is_known_zone, statement_zone_name, zone_name


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Z", "UTC"),
        ("UTC", "UTC"),
        ("+5", "+05:00"),
        ("+05:30", "+05:30"),
        ("-0930", "-09:30"),
        ("GMT-9", "-09:00"),
        ("UTC+01:00", "+01:00"),
        ("PST", "America/Los_Angeles"),
        ("Etc/GMT+5", "Etc/GMT+5"),
        ("Europe/Berlin", "Europe/Berlin"),
    ],
)
def test_zones_have_the_names_that_arrow_knows(name: str, known: str) -> None:
    assert zone_name(name) == known
    assert is_known_zone(name)


def test_an_unknown_zone_is_an_error_when_it_is_used() -> None:
    assert not is_known_zone("+05:30:15")
    with evaluating_in("Mars/Olympus"), pytest.raises(WorkbenchError, match="'Mars/Olympus'"):
        statement_zone_name()


def test_threads_of_a_statement_have_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", "Asia/Tokyo")
    with evaluating_in("+05:30"):
        assert parallel_map(lambda _: statement_zone_name(), range(4), workers=2) == ["+05:30"] * 4
        with as_stored():
            assert statement_zone_name() == "Asia/Tokyo"
    assert statement_zone_name() == "Asia/Tokyo"
