"""The versions of a table, the newest first, what each did and why, and the tags that name some of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidRequest
from workbench.base.session import session_options
from workbench.format.snapshot import Snapshot
from workbench.format.tag import Tag
from workbench.lens.catalog import check_limit
from workbench.lens.texts import epoch_millis
from workbench.lens.wire import Int64
from workbench.table.committing.two_phase import COMPACTION_PROPERTY, STATEMENT_PROPERTY, WRITER_PROPERTY
from workbench.table.snapshots import SnapshotPage, Snapshots

if TYPE_CHECKING:
    from workbench.table.table import Table


_EPOCH = datetime(1970, 1, 1)
_ID = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class SnapshotValue:
    """A version. ``kind`` is APPEND, COMPACT, OVERWRITE or ANALYZE; ``time_millis`` counts since the epoch.

    ``rows_added`` and ``rows_total`` count stored rows before any merge, ``changelog_rows`` those of its changelog;
    None where not recorded. ``reason`` is why a compaction ran, ``statement`` the SQL that asked for the commit,
    ``writer`` the software that made it, ``operation`` what an engine called it: '' where nothing says so. ``tags``
    are the names of its tags.
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


@dataclass(frozen=True)
class TagValue:
    """A named version. ``time_millis`` is when it was made, None where the tag does not say. ``expired``: the table has
    the snapshot no more, and the tag still reads it."""

    name: str
    snapshot: Int64
    time_millis: Int64 | None
    expired: bool


@dataclass(frozen=True)
class TimelineValue:
    """A page of the versions that have not expired, the newest first; ``total`` counts those of all pages.

    ``zone`` is the time zone of the session, ``next`` the cursor of the next page, None on the last one. ``tags`` are
    all there are, those of newer snapshots first.
    """

    table: str
    zone: str
    snapshots: tuple[SnapshotValue, ...]
    tags: tuple[TagValue, ...]
    total: int
    next: str | None


def gather_timeline(table: Table, cursor: str | None = None, limit: int | None = None) -> TimelineValue:
    """A page of the versions of a table, all without ``limit``. Reads the snapshot files of the page, and all tags.

    The cursor is the last snapshot's id of the page before.

    Raises:
        InvalidRequest: the cursor is no snapshot id, or the limit is below 1.
    """
    check_limit(limit)
    page = Snapshots(table.store).newest(limit, None if cursor is None else _snapshot_id(cursor))
    return tell_timeline(table.name, page, table.tags())


def tell_timeline(name: str, page: SnapshotPage, tags: Mapping[str, Tag]) -> TimelineValue:
    """The timeline that snapshots and tags tell."""
    named: dict[int, list[str]] = {}
    for tag in tags.values():
        named.setdefault(tag.snapshot.id, []).append(tag.name)
    return TimelineValue(
        table=name,
        zone=session_options.timezone,
        snapshots=tuple(_snapshot_value(snapshot, named.get(snapshot.id, ())) for snapshot in page.snapshots),
        tags=tuple(_tag_value(tag, page.ids) for tag in sorted(tags.values(), key=_newest_first)),
        total=len(page.ids),
        next=None if page.next is None else str(page.next),
    )


def _snapshot_id(cursor: str) -> int:
    if not _ID.fullmatch(cursor):
        raise InvalidRequest(f"'{cursor}' is no cursor of a timeline.", "Pass 'next' of the page before.")
    return int(cursor)


def _snapshot_value(snapshot: Snapshot, tags: Iterable[str]) -> SnapshotValue:
    properties = snapshot.properties
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
        reason=compaction_reason(properties.get(COMPACTION_PROPERTY)),
        statement=properties.get(STATEMENT_PROPERTY, ""),
        writer=snapshot.writer_version or properties.get(WRITER_PROPERTY, ""),
        tags=tuple(sorted(tags)),
    )


def _newest_first(tag: Tag) -> tuple[int, str]:
    return -tag.snapshot.id, tag.name


def _tag_value(tag: Tag, ids: frozenset[int]) -> TagValue:
    created = None if tag.created is None else (tag.created - _EPOCH) // timedelta(milliseconds=1)
    time_millis = None if created is None else epoch_millis(created)
    return TagValue(tag.name, tag.snapshot.id, time_millis, tag.snapshot.id not in ids)


def compaction_reason(recorded: str | None) -> str:
    """Why the compactions of a commit ran, one sentence each, as `COMPACTION_PROPERTY` of a snapshot records them."""
    try:
        records = json.loads(recorded or "[]")
    except (ValueError, RecursionError):
        records = []
    listed = records if isinstance(records, list) else []
    told = [record.get("why") or record.get("reason") for record in listed if isinstance(record, dict)]
    return " ".join(dict.fromkeys(str(sentence) for sentence in told if sentence))
