"""The options of streaming reads: their names, and the limits that they set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import WorkbenchError
from workbench.format.options.catalog import OPTIONS
from workbench.format.options.values import parse_option
from workbench.metadata.read_options import READ_OPTIONS
from workbench.scan.stream.admission import ReadLimits

_LIMITS = {
    "max_files": "read.stream.maxFilesPerTrigger",
    "max_bytes": "read.stream.maxBytesPerTrigger",
    "max_rows": "read.stream.maxRowsPerTrigger",
    "min_rows": "read.stream.minRowsPerTrigger",
}
_MAX_DELAY = "read.stream.maxTriggerDelayMs"
_TRIGGER_OPTIONS = (*_LIMITS.values(), _MAX_DELAY)
_OF_TABLES = (
    "consumer-id",
    "consumer.mode",
    "consumer.ignore-progress",
    "source.split.target-size",
    "source.split.open-file-cost",
    "streaming-read-append-overwrite",
)
UNSUPPORTED = (
    "streaming-read-overwrite",
    "scan.bounded.watermark",
    "incremental-between",
    "incremental-between-timestamp",
    "incremental-to-auto-tag",
)
"""The options that are refused because they would change which rows a stream returns."""
SOURCE_OPTIONS = (*_OF_TABLES, *_TRIGGER_OPTIONS)
"""The options that only streams understand, in addition to the options of all reads."""


def short_name(name: str) -> str:
    """Return the short spelling of a trigger option, without the prefix."""
    return name.removeprefix("read.stream.")


SHORT_OPTIONS = tuple(map(short_name, _TRIGGER_OPTIONS))


def table_options(given: Mapping[str, str]) -> dict[str, str]:
    """Return the options that change how the table is read. The names in ``given`` are case-insensitive."""
    return {name: given[name] for name in {*READ_OPTIONS, *_OF_TABLES, *UNSUPPORTED} if name in given}


@dataclass(frozen=True)
class Triggers:
    """How much one batch may read, and how many milliseconds it may wait for rows."""

    limits: ReadLimits
    max_delay: int | None = None

    @classmethod
    def of(cls, given: Mapping[str, str], stored: Mapping[str, str]) -> Triggers:
        """Return the limits of a read with options ``given`` of a table with options ``stored``.

        Raises:
            InvalidSchema: A value is not a number.
            WorkbenchError: Only one of the options that belong together is set.
        """
        limits = ReadLimits(**{limit: _number(name, given, stored) for limit, name in _LIMITS.items()})
        max_delay = _number(_MAX_DELAY, given, stored)
        if (limits.min_rows is None) != (max_delay is None):
            present, missing = (_LIMITS["min_rows"], _MAX_DELAY)[:: 1 if max_delay is None else -1]
            raise WorkbenchError(f"Option '{present}' requires option '{missing}'.", f"Set '{missing}' too.")
        return cls(limits, max_delay)


def _number(name: str, given: Mapping[str, str], stored: Mapping[str, str]) -> Any:
    places = ((given, name), (given, short_name(name)), (stored, name))
    text = next((options[key] for options, key in places if key in options), None)
    return None if text is None else parse_option(name, OPTIONS[name].kind, text)
