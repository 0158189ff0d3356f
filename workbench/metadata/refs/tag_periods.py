"""The periods of automatic tags and the names of such tags (`TagPeriodHandler` in Java)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.base.errors import InvalidSchema
from workbench.format.options.core_options import CoreOptions

PERIODIC = ("process-time", "watermark")
"""The values of option 'tag.automatic-creation' that create tags for periods."""

_EPOCH = datetime(1970, 1, 1)
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
