"""The display card of a table, and displayable lists and dictionaries of its snapshots, tags and other contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from workbench.base.card import MOST_ROWS, Card, HasCard, Listing, card_text, shortened
from workbench.base.counting import counted
from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options
from workbench.base.texts import time_text
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.metadata.store import TableStore


def table_card(store: TableStore, location: str, version: Callable[[], Snapshot | None]) -> Card:
    """Return a card with facts and columns of the table. ``version`` is called to read the shown snapshot."""
    schema = store.schema._card()
    facts = (("snapshot", _version_text(version)), ("location", location))
    return replace(schema, title=store.name, facts=(*facts, *schema.facts))


def _version_text(version: Callable[[], Snapshot | None]) -> str:
    try:
        snapshot = version()
    except (WorkbenchError, OSError) as error:
        return f"cannot be read: {error}"
    if snapshot is None:
        return "none, the table was never written"
    return f"{snapshot.id:,}, {time_text(snapshot.time_millis)} {session_options.timezone}"


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
            for each in islice(reversed(self), MOST_ROWS)
        )
        headings = ("snapshot", "kind", "time", "stored rows", "rows of the change", "schema", "operation")
        numbers = frozenset({"snapshot", "stored rows", "rows of the change", "schema"})
        title = counted(len(self), "snapshots")
        notes = (f"Newest first. Times in {session_options.timezone}.",) if self else ()
        return shortened(Card(title, (), headings, rows, numbers, notes), "snapshot", len(self))


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
        return shortened(
            Card(counted(len(self), "tags"), (), headings, rows, frozenset({"snapshot", "stored rows"})), "tag"
        )


class SchemaList(Listing[TableSchema]):
    """Versions of a schema; the newest are shown first."""

    def _card(self) -> Card:
        """Return a row for each version."""
        rows = tuple(
            (
                f"{each.id}",
                time_text(each.time_millis) if each.time_millis else "",
                f"{len(each.fields):,}",
                ", ".join(each.primary_keys),
                ", ".join(each.partition_keys),
                f"{len(each.options):,}",
            )
            for each in reversed(self)
        )
        headings = ("schema", "time", "columns", "primary key", "partitioned by", "options")
        numbers = frozenset({"schema", "columns", "options"})
        notes = (f"Newest first. Times in {session_options.timezone}.",) if self else ()
        card = Card(counted(len(self), "schemas"), (), headings, rows, numbers, notes)
        return shortened(card, "schema")


class ConsumersByName(HasCard, dict[str, int]):
    """The snapshot that each consumer reads next, by its name."""

    def __repr__(self) -> str:
        return card_text(self._card())

    def _card(self) -> Card:
        """Return a row for each consumer."""
        rows = tuple((name, f"{snapshot:,}") for name, snapshot in self.items())
        card = Card(counted(len(self), "consumers"), (), ("consumer", "reads next"), rows, frozenset({"reads next"}))
        return shortened(card, "consumer")


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
