"""The restrictions that options put on a read, besides the version: a bucket, file age, partitions of one branch."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import ClassVar

from workbench.base.errors import Unsupported
from workbench.base.session import session_options
from workbench.format.options.core_options import OTHER_BRANCH_OPTIONS
from workbench.format.spec.data_file import ManifestEntry
from workbench.metadata.times import to_millis

MODE, BUCKET = "scan.mode", "scan.bucket"
POSITION_OPTIONS = (
    "scan.snapshot-id",
    "scan.tag-name",
    "scan.version",
    "scan.watermark",
    "scan.timestamp",
    "scan.timestamp-millis",
    "scan.creation-time-millis",
    "scan.file-creation-time-millis",
)
"""The options that select the position where a read starts."""
READ_OPTIONS = (*POSITION_OPTIONS, MODE, BUCKET)
"""The options that a user may set for one read. `check_supported` refuses all other options that select its rows."""


@dataclass(frozen=True)
class ReadOptions:
    """The restrictions that options put on a read, besides its version. ``created_since``: milliseconds since the
    epoch; ``min_level``: the level below which a stream waits for compaction; ``without_partitions``: serialized rows
    of partitions that are read from another branch."""

    bucket: int | None = None
    created_since: int | None = None
    min_level: int = 0
    without_partitions: frozenset[bytes] = frozenset()
    answered: ClassVar[Container[str]] = (*READ_OPTIONS, *OTHER_BRANCH_OPTIONS)

    def hides(self) -> dict[str, Callable[[ManifestEntry], bool]]:
        """Return the rules that leave out files, by the reason, such as the option that sets them."""
        rules: dict[str, Callable[[ManifestEntry], bool]] = {}
        if self.bucket is not None:
            rules[f"option '{BUCKET}'"] = lambda entry: entry.bucket != self.bucket
        if self.created_since is not None:
            rules["option 'scan.file-creation-time-millis'"] = self._is_older
        if self.min_level:
            rules["not compacted yet"] = lambda entry: entry.file.level < self.min_level
        if self.without_partitions:
            rules["another branch"] = lambda entry: entry.partition in self.without_partitions
        return rules

    def _is_older(self, entry: ManifestEntry) -> bool:
        created = entry.file.creation_time
        if created is None:
            raise Unsupported(
                f"Data file {entry.file.file_name} does not record its creation time.",
                "Options 'scan.creation-time-millis' and 'scan.file-creation-time-millis' cannot be used "
                "with this table.",
            )
        assert self.created_since is not None
        return _instant(created) < self.created_since


def _instant(clock_millis: int) -> int:
    """Convert a wall-clock time in the session zone to milliseconds since the epoch."""
    from datetime import UTC, datetime, timedelta

    shown = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=clock_millis)
    return to_millis(shown.replace(tzinfo=session_options.zone()))
