"""Counts with the noun that they count, as messages and results print them."""

from __future__ import annotations


def counted(count: int, plural: str) -> str:
    """Return a count with its noun, which is given in the plural: ``1 file``, ``2,000 entries``."""
    return f"{count:,} {noun(count, plural)}"


def noun(count: int, plural: str) -> str:
    """Return the noun for a count: ``file`` for 1, ``files`` otherwise."""
    return _singular(plural) if count == 1 else plural


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    return plural.removesuffix("es" if plural.endswith("ches") else "s")
