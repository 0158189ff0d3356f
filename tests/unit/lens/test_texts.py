from __future__ import annotations

import pytest

from workbench.base.session import session_options
from workbench.base.texts import size_text, time_text
from workbench.format.rows.binary_row import encode_row
from workbench.format.types import AtomicType, DataField
from workbench.lens.texts import epoch_millis, row_text


def test_sizes() -> None:
    assert [size_text(size) for size in (0, 1023, 1024, 150_000, 3 << 30)] == [
        *("0 B", "1,023 B", "1.0 KiB", "146 KiB", "3.0 GiB"),
    ]


def test_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    assert time_text(0) == "1970-01-01 09:00:00"
    assert epoch_millis(9 * 3_600_000) == 0


@pytest.mark.parametrize("millis", [2**62, -(2**62), 253_402_300_800_000])
def test_a_time_that_no_calendar_has(millis: int) -> None:
    assert epoch_millis(millis) is None


@pytest.mark.parametrize(("micros", "text"), [(0, "1970-01-01 00:00:00"), (1_500_000, "1970-01-01 00:00:01.5")])
def test_a_time_has_only_the_digits_it_needs(micros: int, text: str) -> None:
    field = DataField(0, "at", AtomicType("TIMESTAMP", precision=6))
    assert row_text(encode_row([micros], [field.type]), [field]) == text
