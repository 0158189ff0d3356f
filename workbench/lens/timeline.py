"""The snapshots of a table, the newest first, with what each did and why, and the tags."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from workbench.base.errors import InvalidRequest
from workbench.base.session import session_options
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY, STATEMENT_PROPERTY, WRITER_PROPERTY
from workbench.format.spec.table_kind import KindName
from workbench.format.spec.tag import Tag
from workbench.lens.catalog import check_limit
from workbench.lens.commit_figures import CommitFiguresValue, collect_commit_figures
from workbench.lens.compaction_reasons import compaction_reasons
from workbench.lens.history.history import HistoryValue
from workbench.lens.texts import epoch_millis
from workbench.lens.wire import Int64
from workbench.metadata.protocol import SnapshotPage
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.table.readable_table import ReadableTable

_EPOCH = datetime(1970, 1, 1)
_ID = re.compile(r"[0-9]{1,19}")
MAX_PAGE = 1000
NO_FIGURES: Mapping[int, CommitFiguresValue] = MappingProxyType({})


@dataclass(frozen=True)
class SnapshotValue:
    """A snapshot. ``kind`` is APPEND, COMPACT, OVERWRITE or ANALYZE; ``time_millis`` counts since the epoch.

    ``rows_added`` is the change in the number of stored rows, negative for a compaction that dropped superseded ones,
    and ``rows_total`` is the number of stored rows after the commit, both before any merge; ``changelog_rows`` is the
    number of rows of its changelog; None if not recorded. ``figures`` are the changes of the commit, None if its
    manifests cannot be read or were not read. ``reason`` is why a compaction ran, with more about each bucket in
    ``reason_details``; ``statement`` the SQL statement of the commit, ``writer`` the software that wrote it,
    ``operation`` the engine's name for it; '' if not recorded. ``tags`` are the names of its tags.
    """

    id: Int64
    kind: str
    time_millis: Int64
    rows_added: Int64 | None
    rows_total: Int64 | None
    changelog_rows: Int64 | None
    schema_id: Int64
    user: str
    operation: str
    reason: str
    statement: str
    writer: str
    tags: tuple[str, ...]
    figures: CommitFiguresValue | None = None
    reason_details: tuple[str, ...] = ()


@dataclass(frozen=True)
class TagValue:
    """A tag. ``time_millis`` is its creation time, None if not recorded. ``expired`` is whether the snapshot has
    expired and only the tag keeps it."""

    name: str
    snapshot: Int64
    time_millis: Int64 | None
    expired: bool


@dataclass(frozen=True)
class TimelineValue:
    """A page of the snapshots that have not expired, the newest first; ``total`` counts those of all pages.

    ``zone`` is the time zone of the session, ``next`` the cursor of the next page, None on the last one. ``tags`` are
    all tags, those of newer snapshots first. Pictures that cannot request the history get it as ``whole`` and, if its
    bins are too coarse, also a finer history of the snapshots of the page as ``listed``.
    """

    table: str
    zone: str
    snapshots: tuple[SnapshotValue, ...]
    tags: tuple[TagValue, ...]
    total: int
    next: str | None
    kind: KindName = "primary-key"
    whole: HistoryValue | None = None
    listed: HistoryValue | None = None


def collect_timeline(
    table: ReadableTable, cursor: str | None = None, limit: int | None = None, *, changes: bool | None = None
) -> TimelineValue:
    """Return a page of the snapshots of a table, by default all. Reads the snapshot files of the page, and all tags.

    Args:
        table: The table.
        cursor: The id of the last snapshot of the previous page.
        limit: The most snapshots of the page.
        changes: Whether to read what each commit changed from its delta manifests; by default only on a local disk,
            because this takes two requests for each snapshot.

    Raises:
        InvalidRequest: the cursor is not a snapshot id, or the limit is below 1.
    """
    check_limit(limit)
    store = table.reading_once().store
    page = Snapshots(store).newest(limit, None if cursor is None else _snapshot_id(cursor))
    known = {snapshot.id: snapshot for snapshot in page.snapshots}
    reads = store.is_local if changes is None else changes
    figures = collect_commit_figures(store, page.snapshots, known) if reads else NO_FIGURES
    return describe_timeline(table.name, page, Tags(store).all(), figures, table.schema.kind.name)


@dataclass(frozen=True)
class SnapshotsValue:
    """Consecutive snapshots, the newest first."""

    table: str
    zone: str
    snapshots: tuple[SnapshotValue, ...]


def collect_snapshots(table: ReadableTable, start: int, end: int) -> SnapshotsValue:
    """Return the existing snapshots from ``start`` to ``end``; reads only these and their delta manifests.

    Raises:
        InvalidRequest: there are more ids between the two than a page may have.
    """
    if end - start >= MAX_PAGE:
        raise InvalidRequest(
            f"Snapshots {start} to {end} are too many for one answer.", f"Request at most {MAX_PAGE} snapshots."
        )
    store = table.reading_once().store
    named = _tag_names(Tags(store).all())
    finder = Snapshots(store).finder()
    found = [each for each in finder.find_all(range(end, start - 1, -1)) if each is not None]
    figures = collect_commit_figures(store, found, {each.id: each for each in found})
    values = tuple(_snapshot_value(each, named.get(each.id, ()), figures.get(each.id)) for each in found)
    return SnapshotsValue(table.name, session_options.timezone, values)


def describe_timeline(
    name: str,
    page: SnapshotPage,
    tags: Mapping[str, Tag],
    figures: Mapping[int, CommitFiguresValue] = NO_FIGURES,
    kind: KindName = "primary-key",
) -> TimelineValue:
    """Return the timeline of snapshots and tags; ``figures`` are the changes of commits by snapshot id."""
    named = _tag_names(tags)
    return TimelineValue(
        table=name,
        zone=session_options.timezone,
        snapshots=tuple(
            _snapshot_value(snapshot, named.get(snapshot.id, ()), figures.get(snapshot.id))
            for snapshot in page.snapshots
        ),
        tags=tuple(_tag_value(tag, page.ids) for tag in sorted(tags.values(), key=_newest_first)),
        total=len(page.ids),
        next=None if page.next is None else str(page.next),
        kind=kind,
    )


def _tag_names(tags: Mapping[str, Tag]) -> Mapping[int, list[str]]:
    named: dict[int, list[str]] = {}
    for tag in tags.values():
        named.setdefault(tag.snapshot.id, []).append(tag.name)
    return named


def _snapshot_id(cursor: str) -> int:
    if not _ID.fullmatch(cursor):
        raise InvalidRequest(f"Invalid cursor '{cursor}'.", "Pass the 'next' value of the previous page.")
    return int(cursor)


def _snapshot_value(snapshot: Snapshot, tags: Iterable[str], figures: CommitFiguresValue | None) -> SnapshotValue:
    properties = snapshot.properties
    reasons = compaction_reasons(properties.get(COMPACTION_PROPERTY))
    return SnapshotValue(
        id=snapshot.id,
        kind=str(snapshot.commit_kind),
        time_millis=snapshot.time_millis,
        rows_added=snapshot.delta_record_count,
        rows_total=snapshot.total_record_count,
        changelog_rows=snapshot.changelog_record_count,
        schema_id=snapshot.schema_id,
        user=snapshot.commit_user,
        operation=snapshot.operation or "",
        reason=reasons.text,
        statement=properties.get(STATEMENT_PROPERTY, ""),
        writer=snapshot.writer_version or properties.get(WRITER_PROPERTY, ""),
        tags=tuple(sorted(tags)),
        figures=figures,
        reason_details=reasons.details,
    )


def _newest_first(tag: Tag) -> tuple[int, str]:
    return -tag.snapshot.id, tag.name


def _tag_value(tag: Tag, ids: Collection[int]) -> TagValue:
    created = None if tag.created is None else (tag.created - _EPOCH) // timedelta(milliseconds=1)
    time_millis = None if created is None else epoch_millis(created)
    return TagValue(tag.name, tag.snapshot.id, time_millis, tag.snapshot.id not in ids)
