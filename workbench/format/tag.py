"""The tag file (format §23), after `Tag`: a snapshot that is kept under a name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from workbench.base.errors import CorruptFile
from workbench.format.snapshot import Snapshot


@dataclass(frozen=True)
class Tag:
    """A named version. It holds the whole snapshot, which may have expired otherwise.

    ``created`` is the wall clock of the writer, without a zone; it and ``retained``, how long the tag is kept from
    then on, are None for a tag that is kept until it is deleted.
    """

    name: str
    snapshot: Snapshot
    created: datetime | None = None
    retained: timedelta | None = None

    def to_json(self) -> str:
        """The text of the file: that of the snapshot and, for a tag with a retention only, the two times behind it:
        Java 0.7 and older cannot read those."""
        text = self.snapshot.to_json()
        if self.created is None or self.retained is None:
            return text
        times = f'"tagCreateTime": {json.dumps(_parts(self.created))},\n  "tagTimeRetained": {_seconds(self.retained)}'
        members = text.removesuffix("\n}")
        return f"{members},\n  {times}\n}}"

    @classmethod
    def from_json(cls, name: str, text: str | bytes, path: str) -> Tag:
        """A tag from the text of its file; ``path`` is named in errors.

        Raises:
            CorruptFile: the text is no tag.
        """
        snapshot = Snapshot.from_json(text, path)
        value = json.loads(text)
        return cls(name, snapshot, _created(value.get("tagCreateTime"), path), _retained(value, path))


def _parts(moment: datetime) -> list[int]:
    """As Jackson writes a time: seconds and nanoseconds are left out where nothing follows but zeros."""
    parts = [moment.year, moment.month, moment.day, moment.hour, moment.minute]
    if moment.second or moment.microsecond:
        parts.append(moment.second)
    return [*parts, moment.microsecond * 1000] if moment.microsecond else parts


def _seconds(length: timedelta) -> str:
    """As Jackson writes a duration: seconds with nine decimals, and zero with one."""
    if not length:
        return "0.0"
    return f"{length.days * 86400 + length.seconds}.{length.microseconds * 1000:09d}"


def _created(parts: Any, path: str) -> datetime | None:
    """From ``[year, month, day, hour, minute, second, nanosecond]``; the last two are left out where they are zero."""
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
