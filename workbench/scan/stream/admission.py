"""The limits of one batch of a stream (the options ``read.stream.*``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.scan.split import Split


@dataclass(frozen=True)
class ReadLimits:
    """How much one batch takes at most, and how many rows it waits for; None where there is no limit.

    A batch takes another split as long as no maximum is reached, so that it may exceed ``max_bytes`` and ``max_rows``.
    As in Paimon's connector, ``max_files`` counts splits.
    """

    max_files: int | None = None
    max_bytes: int | None = None
    max_rows: int | None = None
    min_rows: int | None = None

    @property
    def is_unlimited(self) -> bool:
        """Whether a batch takes all that is available."""
        return self == ReadLimits()


@dataclass
class Admission:
    """The splits of one batch: `admit` takes them one after the other, until a limit is reached."""

    limits: ReadLimits
    files: int = field(default=0, init=False)
    size: int = field(default=0, init=False)
    rows: int = field(default=0, init=False)

    def admit(self, splits: Sequence[Split]) -> int:
        """Take splits from the start of a list, and return how many were taken."""
        for position, split in enumerate(splits):
            if self._is_full:
                return position
            self.files += 1
            self.size += split.size
            self.rows += split.row_count
        return len(splits)

    @property
    def lacks_rows(self) -> bool:
        """Whether the batch has fewer rows than it should wait for."""
        return self.limits.min_rows is not None and self.rows < self.limits.min_rows

    @property
    def _is_full(self) -> bool:
        taken = (
            (self.files, self.limits.max_files),
            (self.size, self.limits.max_bytes),
            (self.rows, self.limits.max_rows),
        )
        return any(most is not None and amount >= most for amount, most in taken)
