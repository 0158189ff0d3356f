"""The totals of a read that exceed the precision of their column: reads return what Java returns, and warn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.warn import warn_caller

if TYPE_CHECKING:
    from workbench.lsm.merge_function import Overflow


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
        warn_caller(
            f"{table}: {columns}. These values are NULL or have too many digits, and a compaction will be refused. "
            "Change the column to a wider type."
        )
