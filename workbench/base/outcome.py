"""Results of operations, printed as their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import islice

from workbench.base.card import MOST_ROWS, Card, HasCard, shortened
from workbench.base.counting import counted


@dataclass(frozen=True, repr=False)
class Outcome(HasCard):
    """The result of an operation on ``table``: lists of what it changed, and counts.

    It prints the lengths of its lists and its counts, except zeros, and whether the operation was a dry run. Fields
    declared with ``compare=False`` are not printed.
    """

    table: str

    def __repr__(self) -> str:
        counts = ", ".join(_count(name, value) for name, value in self._counted())
        return f"<{self._title()}: {counts or 'nothing'}>"

    def _card(self) -> Card:
        """Return the counts, and the items of the lists."""
        counted_fields = self._counted()
        facts = tuple((name, _number(value)) for name, value in counted_fields)
        lists = [(name, value) for name, value in counted_fields if isinstance(value, tuple | Mapping)]
        rows = tuple((name, str(item)) for name, items in lists for item in islice(items, MOST_ROWS))
        total = sum(len(items) for _, items in lists)
        notes = () if facts else ("There was nothing to do.",)
        card = Card(self._title(), facts, ("of", "item") if rows else (), rows[:MOST_ROWS], notes=notes)
        return shortened(card, "item", total)

    def _title(self) -> str:
        return f"{type(self).__name__} of {self.table}{' (dry run)' if getattr(self, 'dry_run', False) else ''}"

    def _counted(self) -> list[tuple[str, object]]:
        """Return the names and values of the fields that are printed, which are neither empty nor zero."""
        names = [each.name for each in fields(self) if each.compare and each.name not in ("table", "dry_run")]
        return [(name.replace("_", " "), value) for name in names if (value := getattr(self, name))]


def _count(name: str, value: object) -> str:
    """Return a count, or an id such as that of a snapshot, with its name."""
    if isinstance(value, tuple | Mapping):
        return counted(len(value), name)
    return counted(value, name) if isinstance(value, int) and name.endswith("s") else f"{name} {value}"


def _number(value: object) -> str:
    if isinstance(value, tuple | Mapping):
        return f"{len(value):,}"
    return f"{value:,}" if isinstance(value, int) else str(value)
