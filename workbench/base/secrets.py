"""Which options hold secrets, as their names tell."""

from __future__ import annotations

import re

HIDDEN = "***"
"""What stands where a secret would."""

_SECRET = re.compile(r"secret|passw|passphrase|credential|token|key|signature|\bsig\b|\bauth|\bsas\b", re.IGNORECASE)


def names_a_secret(name: str) -> bool:
    """Whether an option or a parameter of that name may hold a secret."""
    return _SECRET.search(name) is not None
