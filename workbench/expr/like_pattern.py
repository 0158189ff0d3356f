"""Parses LIKE patterns into a prefix and a regular expression (Spark's ``StringUtils.escapeLikeRegex``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from workbench.base.errors import InvalidExpression


@dataclass(frozen=True)
class LikePattern:
    """A parsed LIKE pattern.

    ``prefix`` is the text before the first wildcard. ``rest`` is the remainder: "" if there is none (equality), "%" if
    it matches anything, otherwise "…". ``regex`` is the whole pattern for RE2.
    """

    prefix: str
    rest: str
    regex: str


@lru_cache(maxsize=256)
def like_pattern(pattern: str, escape: str) -> LikePattern:
    """Parse a pattern.

    Raises:
        InvalidExpression: If the escape is not one character, or precedes neither ``%``, ``_`` nor itself.
    """
    if len(escape) != 1:
        raise InvalidExpression(f"The escape of LIKE must be one character, not '{escape}'.")
    tokens = list(_tokens(pattern, escape))
    first = next((position for position, (_, wild) in enumerate(tokens) if wild), len(tokens))
    prefix = "".join(text for text, _ in tokens[:first])
    rest = tokens[first:]
    kind = "" if not rest else "%" if all(text == "%" for text, _ in rest) else "…"
    regex = "".join({"%": ".*", "_": "."}[text] if wild else re.escape(text) for text, wild in tokens)
    return LikePattern(prefix, kind, rf"(?s)\A{regex}\z")


def _tokens(pattern: str, escape: str) -> list[tuple[str, bool]]:
    tokens: list[tuple[str, bool]] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None or following not in ("%", "_", escape):
                raise InvalidExpression(
                    f"The escape '{escape}' in the LIKE pattern '{pattern}' does not precede a wildcard.",
                    f"Write '{escape}{escape}' for the character itself.",
                )
            tokens.append((following, False))
        else:
            tokens.append((character, character in ("%", "_")))
    return tokens
