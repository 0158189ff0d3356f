"""Counts with their nouns."""

from __future__ import annotations

import pytest

from workbench.base.counting import counted


@pytest.mark.parametrize(
    ("count", "plural", "text"),
    [
        (0, "files", "0 files"),
        (1, "files", "1 file"),
        (1, "branches", "1 branch"),
        (1, "entries", "1 entry"),
        (2000, "entries", "2,000 entries"),
        (1, "bytes", "1 byte"),
    ],
)
def test_nouns_agree_with_their_counts(count: int, plural: str, text: str) -> None:
    assert counted(count, plural) == text
