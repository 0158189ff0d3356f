"""Which cases of a test every run checks, and which only the long ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases as parameters of a test; one of ``every`` is checked in each run, the others in long ones."""
    return [
        pytest.param(case, marks=() if number % every == 0 else pytest.mark.long) for number, case in enumerate(cases)
    ]
