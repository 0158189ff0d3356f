"""Selection of things by name with an including and an excluding pattern, as in Paimon's procedures."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.base.errors import InvalidRequest


def chosen_by(including: str | None, excluding: str | None = None) -> Callable[[str], bool]:
    """Return a test for names that the regular expression ``including`` fully matches and ``excluding`` does not.
    Without ``including`` all names match; without ``excluding`` none is excluded.

    Raises:
        InvalidRequest: A pattern is not a regular expression.
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
            f"'{pattern}' is not a regular expression: {error}.", "Escape special characters with a backslash (\\)."
        ) from error
