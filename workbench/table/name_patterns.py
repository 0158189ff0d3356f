"""Choosing things by their names, as Paimon's procedures do: by a pattern of those that count, and of those that do
not."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.base.errors import InvalidRequest


def chosen_by(including: str | None, excluding: str | None = None) -> Callable[[str], bool]:
    """A test for names that the regular expression ``including`` matches as a whole, and ``excluding`` does not.
    Without the one all count, without the other none is left out.

    Raises:
        InvalidRequest: text that is no regular expression.
    """
    wanted, unwanted = _compiled(including), _compiled(excluding)

    def is_chosen(name: str) -> bool:
        is_wanted = wanted is None or wanted.fullmatch(name) is not None
        return is_wanted and (unwanted is None or unwanted.fullmatch(name) is None)

    return is_chosen


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None or not pattern.strip():
        return None
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InvalidRequest(
            f"'{pattern}' is not a regular expression: {error}.", "All characters but letters and digits may need a \\."
        ) from error
