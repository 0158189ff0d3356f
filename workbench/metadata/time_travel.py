"""Resolution of a version or a time that a user names to a snapshot."""

from __future__ import annotations

from datetime import date, datetime

from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

WATERMARK = "watermark-"

Version = int | str | datetime | date | None
"""A snapshot's id, the name of a tag or a time; None if the call selects the default."""


def named_version(store: TableStore, version: str) -> Snapshot:
    """Return the snapshot that ``VERSION AS OF`` with a text selects (format §25.8): the tag of that name, else
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


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
