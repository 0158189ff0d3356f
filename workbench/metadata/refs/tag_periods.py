"""The periods of automatic tags and the names of such tags (`TagPeriodHandler` in Java)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from workbench.base.errors import InvalidSchema
from workbench.base.session import machine_timezone
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.snapshot import Snapshot

PROCESS_TIME, WATERMARK = "process-time", "watermark"
PERIODIC = (PROCESS_TIME, WATERMARK)
"""The values of option 'tag.automatic-creation' that create tags for periods."""

_EPOCH = datetime(1970, 1, 1)
_NO_WATERMARK = -(2**63)
_ZONES = {PROCESS_TIME: "sink.process-time-zone", WATERMARK: "sink.watermark-time-zone"}
_HOUR, _MINUTE = "%Y-%m-%d %H", "%Y%m%d%H%M"
# Formats by the value of option 'tag.period-formatter'.
_DAYS = {"with_dashes": "%Y-%m-%d", "without_dashes": "%Y%m%d", "without_dashes_and_spaces": "%Y%m%d"}
_HOURS = {"with_dashes": _HOUR, "without_dashes": "%Y%m%d %H", "without_dashes_and_spaces": "%Y%m%d%H"}
_PARTS = {"%Y": r"(\d{4})", "%m": r"(\d\d)", "%d": r"(\d\d)", "%H": r"(\d\d)", "%M": r"(\d\d)"}


@dataclass(frozen=True)
class TagPeriod:
    """The length of a period and the format of its beginning. Times are wall-clock times without a zone."""

    length: timedelta
    layout: str

    @classmethod
    def of(cls, core: CoreOptions) -> TagPeriod:
        """Return the period that the options of a table define.

        Raises:
            InvalidSchema: The period has no length.
        """
        own: int | None = core.value("tag.creation-period-duration")
        if own is not None:
            if own == 0:
                raise InvalidSchema(
                    "Option 'tag.creation-period-duration' must not be '0'.", "Set it to a duration such as '1 h'."
                )
            return cls(timedelta(milliseconds=own), _MINUTE)
        period, formatter = core.value("tag.creation-period"), core.value("tag.period-formatter")
        if period == "daily":
            return cls(timedelta(days=1), _DAYS[formatter])
        if period == "hourly":
            return cls(timedelta(hours=1), _HOURS[formatter])
        return cls(timedelta(hours=2), _HOUR)

    def name(self, begin: datetime) -> str:
        """Return the name of the tag of the period that begins then."""
        return begin.strftime(self.layout)

    def begin(self, name: str) -> datetime | None:
        """Return when the period of a tag begins; None for a name that no automatic tag can have."""
        # Characters after the day of a daily tag are ignored, as in Java.
        text = name if "%H" in self.layout else name.split(" ")[0]
        match = re.fullmatch(re.sub("%.", lambda part: _PARTS[part.group()], self.layout), text, re.ASCII)
        try:
            return None if match is None else datetime(*map(int, match.groups()))  # type: ignore[arg-type]
        except ValueError:
            return None

    def last_over(self, moment: datetime) -> datetime:
        """Return the beginning of the last period that has ended at a moment."""
        return _EPOCH + (moment - _EPOCH) // self.length * self.length - self.length

    def current(self, moment: datetime) -> datetime:
        """Return the beginning of the period that contains a moment."""
        return self.last_over(moment) + self.length


@dataclass(frozen=True)
class TagClock:
    """The time of a snapshot that decides about its automatic tag, as a wall-clock time in the zone of the table."""

    by_watermark: bool
    """Whether that is the watermark, not the time of the commit."""

    zone: ZoneInfo
    """The zone."""

    @classmethod
    def of(cls, core: CoreOptions, creation: str) -> TagClock:
        """Return the clock for a value of option 'tag.automatic-creation'.

        Raises:
            InvalidSchema: The zone is unknown.
        """
        option = _ZONES.get(creation, _ZONES[PROCESS_TIME])
        name = core.text(option) or core.value(option) or machine_timezone()
        try:
            return cls(creation == WATERMARK, ZoneInfo(name))
        except (ValueError, OSError, KeyError) as error:
            raise InvalidSchema(
                f"Option '{option}' cannot be '{name}'.", "Set a zone such as 'Europe/Berlin'."
            ) from error

    def time(self, snapshot: Snapshot) -> datetime | None:
        """Return the time of a snapshot; None if it has no watermark and that decides."""
        millis = snapshot.watermark if self.by_watermark else snapshot.time_millis
        if millis is None or millis == _NO_WATERMARK:
            return None
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
        return moment.astimezone(self.zone).replace(tzinfo=None)
