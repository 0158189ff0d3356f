"""From what users say of a version or a time to a snapshot."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options
from workbench.format.options import parse_duration
from workbench.format.snapshot import Snapshot
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tags import Tags

WATERMARK = "watermark-"

Version = int | str | datetime | date | None
"""A snapshot's id, the name of a tag or a time; None where the call says what it stands for."""


def to_millis(moment: int | str | datetime | date) -> int:
    """Milliseconds since the epoch. Text and times without a zone are in the session zone; numbers are milliseconds
    already.

    Raises:
        WorkbenchError: text that is no time.
    """
    if isinstance(moment, int):
        return moment
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment.strip())
        except ValueError as error:
            raise WorkbenchError(
                f"'{moment}' is not a time.", "Write it as 2026-11-01 or 2026-11-01 12:30:00."
            ) from error
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=session_options.zone())
    return int(moment.timestamp() * 1000)


def to_length(duration: timedelta | str) -> int:
    """Milliseconds of a duration such as ``7 d``. Raises InvalidSchema for text that is none."""
    return parse_duration(duration) if isinstance(duration, str) else duration // timedelta(milliseconds=1)


def named_version(store: TableStore, version: str) -> Snapshot:
    """What ``VERSION AS OF`` means by a text (format §25.8): the tag of that name, else ``watermark-<ms>``, else a
    snapshot's id.

    Raises:
        SnapshotNotFound: there is no such version.
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
