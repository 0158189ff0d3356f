"""The periods of tags that engines make by themselves, and how such tags are called (`TagPeriodHandler` in Java)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.base.errors import InvalidSchema
from workbench.format.options import CoreOptions

PERIODIC = ("process-time", "watermark")
"""What option 'tag.automatic-creation' is where tags are made for periods."""

_EPOCH = datetime(1970, 1, 1)
_HOUR, _MINUTE = "%Y-%m-%d %H", "%Y%m%d%H%M"
# By option 'tag.period-formatter'.
_DAYS = {"with_dashes": "%Y-%m-%d", "without_dashes": "%Y%m%d", "without_dashes_and_spaces": "%Y%m%d"}
_HOURS = {"with_dashes": _HOUR, "without_dashes": "%Y%m%d %H", "without_dashes_and_spaces": "%Y%m%d%H"}
_PARTS = {"%Y": r"(\d{4})", "%m": r"(\d\d)", "%d": r"(\d\d)", "%H": r"(\d\d)", "%M": r"(\d\d)"}


@dataclass(frozen=True)
class TagPeriod:
    """How long a period is, and how its beginning is written. Times are of a wall clock, without a zone."""

    length: timedelta
    layout: str

    @classmethod
    def of(cls, core: CoreOptions) -> TagPeriod:
        """The period that the options of a table name.

        Raises:
            InvalidSchema: periods of no length.
        """
        own: int | None = core.value("tag.creation-period-duration")
        if own is not None:
            if own == 0:
                raise InvalidSchema(
                    "Option 'tag.creation-period-duration' cannot be '0'.", "Give a time such as '1 h'."
                )
            return cls(timedelta(milliseconds=own), _MINUTE)
        period, formatter = core.value("tag.creation-period"), core.value("tag.period-formatter")
        if period == "daily":
            return cls(timedelta(days=1), _DAYS[formatter])
        if period == "hourly":
            return cls(timedelta(hours=1), _HOURS[formatter])
        return cls(timedelta(hours=2), _HOUR)

    def name(self, begin: datetime) -> str:
        """The name of the tag of the period that begins then."""
        return begin.strftime(self.layout)

    def begin(self, name: str) -> datetime | None:
        """When the period of a tag begins; None for a name that no automatic tag has."""
        # Whatever follows the day of a daily tag counts for nothing.
        text = name if "%H" in self.layout else name.split(" ")[0]
        found = re.fullmatch(re.sub("%.", lambda part: _PARTS[part.group()], self.layout), text, re.ASCII)
        try:
            return None if found is None else datetime(*map(int, found.groups()))  # type: ignore[arg-type]
        except ValueError:
            return None

    def last_over(self, moment: datetime) -> datetime:
        """When the last period began that is over at a moment."""
        return _EPOCH + (moment - _EPOCH) // self.length * self.length - self.length
