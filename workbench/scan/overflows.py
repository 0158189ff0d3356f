"""The totals of a read that exceed the precision of their column: reads return what Java returns, and warn."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.lsm.merge_function import Overflow

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Overflows:
    """The columns whose totals overflow in a scan, each with the first key that was found. Thread-safe, and picklable.

    Java's reads return NULL for a total of more than 18 digits, and continue from NULL; of smaller decimals they return
    more digits than the type has.
    """

    def __init__(self) -> None:
        self.found: dict[str, tuple[Overflow, str]] = {}

    def add(self, overflow: Overflow, key: str) -> None:
        """Note a total of a key."""
        self.found.setdefault(overflow.column, (overflow, key))

    def warn(self, table: str) -> None:
        """Warn once of all columns that were found since the last warning."""
        found, self.found = self.found, {}
        if not found:
            return
        columns = ", ".join(
            f"the {each.function} of column '{name}' overflows {each.type_name}, as for key {key}"
            for name, (each, key) in sorted(found.items())
        )
        _warn_caller(
            f"{table}: {columns}. These values are NULL or have too many digits, and a compaction will be refused. "
            "Change the column to a wider type."
        )


def _warn_caller(message: str) -> None:
    """Warn at the line that called this library; unlike other warnings, each time and not only once per line."""
    frame = sys._getframe(1)
    outer = frame
    while outer.f_back is not None and outer.f_code.co_filename.startswith(_PACKAGE):
        outer = outer.f_back
    # Threads are not called by any line of the user.
    where = frame if outer.f_code.co_filename.startswith(_PACKAGE) else outer
    warnings.warn_explicit(
        message, UserWarning, where.f_code.co_filename, where.f_lineno, module=where.f_globals.get("__name__")
    )
