"""The two ends of a comparison: how users name versions, and the state that each name means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from workbench.base.errors import InvalidRequest, SnapshotNotFound, Unsupported, WorkbenchError, did_you_mean
from workbench.base.texts import time_text
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.layouts import store_at
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.readable_table import ReadableTable
from workbench.table.system.system_table import ReadOnlyTable

Version = int | str | datetime | date
"""A snapshot's id (0 is the empty table), the name of a tag, or a time."""

_REF = re.compile(r"(?P<kind>snapshot|tag|branch):(?P<name>.+)", re.DOTALL)
# Commits that change no rows.
_WITHOUT_ROWS = frozenset({CommitKind.COMPACT, CommitKind.ANALYZE})


@dataclass(frozen=True)
class End:
    """One end. ``store`` has the columns of its version; ``number`` is the id of its snapshot, 0 for the empty table;
    ``found`` is the snapshot, None if the table is empty or the snapshot has expired. ``ref`` names the version to
    programs (``snapshot:3``, ``tag:v1``), ``text`` to people."""

    store: TableStore
    number: int
    found: Snapshot | None
    ref: str
    text: str

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot, None for the empty table. Raises SnapshotNotFound if it has expired."""
        if self.number and self.found is None:
            return Snapshots(self.store).get(self.number)
        return self.found


def end_of(table: ReadableTable) -> End:
    """Return the version that a table reads."""
    _check_kind(table)
    snapshot = table.version
    branch = "" if table.store.branch == "main" else f"branch {table.store.branch}, "
    if snapshot is None:
        return End(table.store, 0, None, "snapshot:0", f"{branch}never written")
    return End(table.store, snapshot.id, snapshot, f"snapshot:{snapshot.id}", f"{branch}snapshot {snapshot.id:,}")


def end_at(table: ReadableTable, version: Version) -> End:
    """Return a version of a table.

    Raises:
        SnapshotNotFound: There is no such version.
    """
    _check_kind(table)
    if isinstance(version, bool):
        raise InvalidRequest("A version cannot be True or False.", "Pass a snapshot id, a tag or a time.")
    if isinstance(version, int):
        return _numbered(table, version)
    if isinstance(version, str):
        if version in Tags(table.store).names():
            return _tagged(table, version)
        if version.strip().isdecimal():
            return _numbered(table, int(version))
    return _timed(table, version)


def end_named(table: ReadableTable, ref: str) -> End:
    """Return the version that ``snapshot:3``, ``tag:v1`` or ``branch:dev`` names.

    Raises:
        InvalidRequest: The text names no version.
        SnapshotNotFound: There is no such version.
    """
    match = _REF.fullmatch(ref)
    if match is None or (match["kind"] == "snapshot" and not re.fullmatch(r"[0-9]{1,19}", match["name"])):
        raise InvalidRequest(f"'{ref}' names no version.", "Write snapshot:3, tag:v1 or branch:dev.")
    if match["kind"] == "snapshot":
        return end_at(table, int(match["name"]))
    if match["kind"] == "tag":
        return _tagged(table, match["name"])
    other = end_of(table.branch(match["name"]))
    return End(other.store, other.number, other.found, ref, other.text)


def usual_ends(table: ReadableTable, after: End | None = None) -> tuple[End, End]:
    """Return the version before the last commit that changed rows, and the version of the table (or ``after``)."""
    end = end_of(table) if after is None else after
    number = end.number
    snapshots = Snapshots(end.store)
    while number > 1:
        snapshot = end.found if number == end.number else snapshots.find(number)
        if snapshot is None or snapshot.commit_kind not in _WITHOUT_ROWS:
            break
        number -= 1
    return _numbered(table, max(number - 1, 0)), end


def _numbered(table: ReadableTable, number: int) -> End:
    store = table.store
    if number == 0:
        return End(store, 0, None, "snapshot:0", "the empty table")
    snapshot = Snapshots(store).find(number) if number > 0 else None
    if snapshot is None:
        kept = (tag.snapshot for tag in Tags(store).all().values() if tag.snapshot.id == number)
        snapshot = next(kept, None)
    if snapshot is None:
        newest = table.version
        if number < 0 or newest is None or number > newest.id:
            Snapshots(store).get(number)
        return End(store, number, None, f"snapshot:{number}", f"snapshot {number:,}, which has expired")
    return End(_store_at(store, snapshot), number, snapshot, f"snapshot:{number}", f"snapshot {number:,}")


def _tagged(table: ReadableTable, name: str) -> End:
    snapshot = Tags(table.store).get(name).snapshot
    text = f"tag {name}, snapshot {snapshot.id:,}"
    return End(_store_at(table.store, snapshot), snapshot.id, snapshot, f"tag:{name}", text)


def _timed(table: ReadableTable, time: str | datetime | date) -> End:
    try:
        millis = to_millis(time)
    except WorkbenchError as error:
        known = Tags(table.store).names()
        hint = did_you_mean(str(time), known) or "Write times as 2026-11-01 or 2026-11-01 12:30:00."
        raise SnapshotNotFound(f"'{time}' is not a tag of {table.name}, a snapshot id or a time.", hint) from error
    snapshot = Snapshots(table.store).at_or_before(millis)
    text = f"{time_text(millis)}, snapshot {snapshot.id:,}"
    return End(_store_at(table.store, snapshot), snapshot.id, snapshot, f"snapshot:{snapshot.id}", text)


def _store_at(store: TableStore, snapshot: Snapshot) -> TableStore:
    return store if snapshot.schema_id == store.schema.id else store_at(store, snapshot)


def _check_kind(table: ReadableTable) -> None:
    if isinstance(table, ReadOnlyTable):
        raise Unsupported(f"Versions of {table.name} cannot be compared.", "Compare the table that it belongs to.")
    if table.schema.core.other_branches:
        option = next(iter(table.schema.core.other_branches))
        raise Unsupported(
            f"Table {table.name} is read together with another branch (option '{option}'), so its versions cannot be "
            "compared.",
            "Compare the branches.",
        )
