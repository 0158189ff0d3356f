"""The IPython shell that runs the cells of this process."""

from __future__ import annotations

import sys
from typing import Any


def running_shell() -> Any:
    """Return the shell, None outside of IPython. IPython is never loaded for it: where it runs cells, it is loaded."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
