"""Snapshots and tags as lists and dictionaries that show themselves as tables."""

from __future__ import annotations

from workbench.base.card import Card, HasCard, Listing, card_text, shortened
from workbench.base.session import session_options
from workbench.base.texts import time_text
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag


class SnapshotList(Listing[Snapshot]):
    """Snapshots; the newest are shown first."""

    def _card(self) -> Card:
        """Return a row for each snapshot."""
        rows = tuple(
            (
                f"{each.id:,}",
                str(each.commit_kind),
                time_text(each.time_millis),
                _count(each.total_record_count),
                _count(each.delta_record_count),
                f"{each.schema_id}",
                each.operation or "",
            )
            for each in reversed(self)
        )
        headings = ("snapshot", "kind", "time", "stored rows", "rows of the change", "schema", "operation")
        numbers = frozenset({"snapshot", "stored rows", "rows of the change", "schema"})
        title = f"{len(self):,} snapshots" if len(self) != 1 else "1 snapshot"
        notes = (f"Newest first. Times in {session_options.timezone}.",) if self else ()
        return shortened(Card(title, (), headings, rows, numbers, notes), "snapshot")


class TagsByName(HasCard, dict[str, Tag]):
    """Tags by name."""

    def __repr__(self) -> str:
        return card_text(self._card())

    def _card(self) -> Card:
        """Return a row for each tag."""
        rows = tuple(
            (
                tag.name,
                f"{tag.snapshot.id:,}",
                time_text(tag.snapshot.time_millis),
                _count(tag.snapshot.total_record_count),
                "" if tag.created is None else f"{tag.created:%Y-%m-%d %H:%M:%S}",
                "" if tag.retained is None else str(tag.retained),
            )
            for tag in self.values()
        )
        headings = ("tag", "snapshot", "committed", "stored rows", "created", "kept for")
        title = f"{len(self):,} tags" if len(self) != 1 else "1 tag"
        return shortened(Card(title, (), headings, rows, frozenset({"snapshot", "stored rows"})), "tag")


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
