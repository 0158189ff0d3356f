"""Rows of the matrix that we do not write yet, and the message that refuses each by name."""

from __future__ import annotations

import re

# (pattern of the feature and its combination, pattern of our message)
UNWRITTEN: tuple[tuple[str, str], ...] = (
    (
        r"\borc\b",
        "before 1970 with parts of a second|ORC files have no|is not supported for ORC files|ORC in time zone",
    ),
    (r"\bavro\b", "Avro files have no|is not supported for Avro files"),
)


def is_unwritten(name: str, sentence: str) -> bool:
    """Return whether our library may refuse the feature with this message."""
    return any(re.search(feature, name) and re.search(words, sentence) for feature, words in UNWRITTEN)
