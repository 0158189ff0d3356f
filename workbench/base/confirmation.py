"""The setting that replaces the flag ``--yes`` in unattended jobs."""

from __future__ import annotations

import os

YES_VARIABLE = "PAIMON_YES"


def is_confirmed_by_setting() -> bool:
    """Return whether the environment confirms all that cells delete."""
    return os.environ.get(YES_VARIABLE, "").strip().lower() in ("1", "true", "yes")


def confirm_by_setting() -> None:
    """Confirm all that cells of this process, and of processes that it starts, delete."""
    os.environ[YES_VARIABLE] = "1"
