"""The tag file: a snapshot that is kept under a name (format §23, Java `Tag`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from workbench.base.card import Card, HasCard
from workbench.base.errors import CorruptFile
from workbench.format.spec.snapshot import Snapshot


@dataclass(frozen=True, repr=False)
class Tag(HasCard):
    """A named version. It contains the whole snapshot, since the snapshot itself may have expired.

    ``created`` is the local time of the writer, without a zone, and ``retained`` is how long the tag is kept after that
    time. Both are None for a tag that is kept until it is deleted.
    """

    name: str
    snapshot: Snapshot
    created: datetime | None = None
    retained: timedelta | None = None

    def __repr__(self) -> str:
        kept = "" if self.retained is None else f", kept for {self.retained}"
        return f"<Tag {self.name} of snapshot {self.snapshot.id}{kept}>"

    def _card(self) -> Card:
        """Return the tag's own facts and those of its snapshot."""
        snapshot = self.snapshot._card()
        own = [("created", str(self.created)), ("kept for", str(self.retained))] if self.retained is not None else []
        return Card(f"Tag {self.name}", (*own, ("snapshot", f"{self.snapshot.id:,}"), *snapshot.facts))

    def to_json(self) -> str:
        """Return the text of the file: the text of the snapshot, followed by the two times only if the tag has a
        retention.

        Java 0.7 and older cannot read these times.
        """
        text = self.snapshot.to_json()
        if self.created is None or self.retained is None:
            return text
        times = f'"tagCreateTime": {json.dumps(_parts(self.created))},\n  "tagTimeRetained": {_seconds(self.retained)}'
        members = text.removesuffix("\n}")
        return f"{members},\n  {times}\n}}"

    @classmethod
    def from_json(cls, name: str, text: str | bytes, path: str) -> Tag:
        """Return a tag from the text of its file; errors name ``path``.

        Raises:
            CorruptFile: If the text is not a tag.
        """
        snapshot = Snapshot.from_json(text, path)
        value = json.loads(text)
        return cls(name, snapshot, _created(value.get("tagCreateTime"), path), _retained(value, path))


def _parts(moment: datetime) -> list[int]:
    """Return a time as Jackson writes it: trailing seconds and nanoseconds of zero are omitted."""
    parts = [moment.year, moment.month, moment.day, moment.hour, moment.minute]
    if moment.second or moment.microsecond:
        parts.append(moment.second)
    return [*parts, moment.microsecond * 1000] if moment.microsecond else parts


def _seconds(length: timedelta) -> str:
    """Return a duration as Jackson writes it: seconds with nine decimals, and zero with one."""
    if not length:
        return "0.0"
    return f"{length.days * 86400 + length.seconds}.{length.microseconds * 1000:09d}"


def _created(parts: Any, path: str) -> datetime | None:
    """Return the time of ``[year, month, day, hour, minute, second, nanosecond]``; the last two may be omitted."""
    if parts is None:
        return None
    try:
        year, month, day, hour, minute, second, nanos = list(parts) + [0] * (7 - len(parts))
        return datetime(year, month, day, hour, minute, second, nanos // 1000)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorruptFile(path, f"'tagCreateTime' of the tag is {json.dumps(parts)[:60]}") from error


def _retained(value: dict[str, Any], path: str) -> timedelta | None:
    seconds = value.get("tagTimeRetained")
    if seconds is None:
        return None
    try:
        return timedelta(seconds=seconds)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorruptFile(path, f"'tagTimeRetained' of the tag is {json.dumps(seconds)[:60]}") from error
