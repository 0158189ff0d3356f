"""Results of operations, printed as their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from workbench.base.counting import counted


@dataclass(frozen=True, repr=False)
class Outcome:
    """The result of an operation on ``table``: lists of what it changed, and counts.

    It prints the length of each list and each count unless it is zero, and whether the operation was a dry run. Fields
    that are not compared are not printed.
    """

    table: str

    def __repr__(self) -> str:
        shown = [each.name for each in fields(self) if each.compare and each.name not in ("table", "dry_run")]
        counts = ", ".join(_count(name.replace("_", " "), value) for name in shown if (value := getattr(self, name)))
        dry_run = " (dry run)" if getattr(self, "dry_run", False) else ""
        return f"<{type(self).__name__} of {self.table}{dry_run}: {counts or 'nothing'}>"


def _count(name: str, value: object) -> str:
    """Return a count, or an id such as that of a snapshot, with its name."""
    if isinstance(value, tuple | Mapping):
        return counted(len(value), name)
    return counted(value, name) if isinstance(value, int) and name.endswith("s") else f"{name} {value}"
