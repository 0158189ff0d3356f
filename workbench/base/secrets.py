"""Detection of options that hold secrets, by their names."""

from __future__ import annotations

import re

HIDDEN = "***"
"""The text that replaces a secret."""

_SECRET = re.compile(r"secret|passw|passphrase|credential|token|key|signature|\bsig\b|\bauth|\bsas\b", re.IGNORECASE)


def names_a_secret(name: str) -> bool:
    """Return whether an option or a parameter of that name may hold a secret."""
    return _SECRET.search(name) is not None


def shown_value(name: str, value: str) -> str:
    """Return the value of an option, or `HIDDEN` if it may be a secret."""
    return HIDDEN if names_a_secret(name) else value
