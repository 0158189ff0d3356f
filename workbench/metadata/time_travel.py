"""Resolution of a version or a time that a user names to a snapshot."""

from __future__ import annotations

from datetime import date, datetime

from workbench.base.errors import WorkbenchError
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis

WATERMARK = "watermark-"

Version = int | str | datetime | date | None
"""A snapshot's id, the name of a tag or a time; None if the call selects the default."""


def named_version(store: TableStore, version: str) -> Snapshot:
    """Return the snapshot that ``VERSION AS OF`` with a string selects (format §25.8): the tag of that name, else
    ``watermark-<ms>``, else a snapshot's id.

    Raises:
        SnapshotNotFound: There is no such version.
    """
    tags = Tags(store)
    if version not in tags.names():
        watermark = version.removeprefix(WATERMARK)
        if version.startswith(WATERMARK) and _is_number(watermark.removeprefix("-")):
            return Snapshots(store).at_or_after_watermark(int(watermark))
        if _is_number(version):
            return Snapshots(store).get(int(version))
    return tags.get(version).snapshot


def selected_version(
    store: TableStore,
    snapshot: int | None,
    timestamp: int | str | datetime | date | None,
    tag: str | None,
    watermark: int | None,
    version: str | None,
) -> Snapshot:
    """Return the snapshot that the arguments of `Table.at` select, of which exactly one is not None.

    Raises:
        SnapshotNotFound: There is no such version.
        WorkbenchError: None or several of the arguments are given.
    """
    if sum(each is not None for each in (snapshot, timestamp, tag, watermark, version)) != 1:
        raise WorkbenchError(
            "at() requires one of snapshot, timestamp, tag, watermark and version.", "Pass exactly one of them."
        )
    if snapshot is not None:
        return Snapshots(store).get(snapshot)
    if timestamp is not None:
        return Snapshots(store).at_or_before(to_millis(timestamp))
    if watermark is not None:
        return Snapshots(store).at_or_after_watermark(watermark)
    if version is not None:
        return named_version(store, version)
    return Tags(store).get(str(tag)).snapshot


def newest_compacted(store: TableStore) -> Snapshot | None:
    """Return the newest version that a compaction created, or that a full compaction created if options schedule these
    by commit number; None if there is none."""
    core = store.schema.core
    commits = core.full_compaction_delta_commits
    if commits is None and core.changelog_producer == "full-compaction":
        commits = 1
    snapshots = Snapshots(store)
    for number in reversed(snapshots.ids()):
        snapshot = snapshots.find(number)
        if snapshot is not None and snapshot.commit_kind == CommitKind.COMPACT:
            identifier = snapshot.commit_identifier
            if commits is None or identifier == BATCH_COMMIT_IDENTIFIER or identifier % commits == 0:
                return snapshot
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
