"""Selects the cases of a test that every run checks; the others are checked in long runs only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases as parameters of a test: every run checks one in ``every`` of them, and long runs check all."""
    return [
        pytest.param(case, marks=() if number % every == 0 else pytest.mark.long) for number, case in enumerate(cases)
    ]
