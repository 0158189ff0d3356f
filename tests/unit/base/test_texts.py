from __future__ import annotations

import pytest

from workbench.base.texts import duration_text


@pytest.mark.parametrize(
    ("millis", "text"),
    [(0, "0 ms"), (7, "7 ms"), (1_500, "1,500 ms"), (90 * 60_000, "90 min"), (3 * 86_400_000, "3 d")],
)
def test_durations_are_whole_numbers(millis: int, text: str) -> None:
    assert duration_text(millis) == text
