"""How many requests operations send at most, to each object store: tests count them, and the page about stores lists
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """The requests of an operation: listings, reads and writes. ``reads_each`` and ``writes_each`` are what one more
    read or write is sent for."""

    operation: str
    lists: int = 0
    reads: int = 0
    writes: int = 0
    reads_each: str = ""
    writes_each: str = ""

    def most(self, number: int = 0) -> Mapping[str, int]:
        """Return the requests by their class, for a number of manifests, files, snapshots or buckets."""
        return {
            "lists": self.lists,
            "reads": self.reads + (number if self.reads_each else 0),
            "writes": self.writes + (number if self.writes_each else 0),
        }

    def row(self) -> str:
        """Return the row of the page's table."""
        cells = (
            self.operation,
            _cell(self.lists, ""),
            _cell(self.reads, self.reads_each),
            _cell(self.writes, self.writes_each),
        )
        return f"| {' | '.join(cells)} |"


def _cell(number: int, each: str) -> str:
    return " + ".join([*([str(number)] if number or not each else []), *([f"1 for each {each}"] if each else [])])


OPEN = Cost("`get_table`", lists=1, reads=1)
FIRST_VERSION = Cost("The first statement finds the newest of up to 1,000 snapshots", lists=1, reads=2)
VERSION = Cost("A later statement finds that there is no newer one", lists=1)
NEW_VERSION = Cost("A later statement finds a newer one", lists=1, reads=2)
PLAN = Cost("A statement plans a snapshot for the first time", reads=2, reads_each="manifest that is new")
READ = Cost("It reads files below 4 MiB; larger ones take one more, and one for each 8 MiB", reads_each="file")
SNAPSHOTS = Cost("`snapshots()`", lists=1, reads_each="snapshot that is new")
LEVELS = Cost("`levels` of a table that was planned", lists=1, reads=1)
WRITE = Cost("`write` of a few rows", lists=4, writes=5, writes_each="bucket")
COMMIT = Cost("Of these, the commit", lists=2, writes=5)
PAST_VERSION = Cost("`at(timestamp=…)`", lists=1, reads=2)
TIMELINE = Cost("`timeline`", lists=2, reads=1, reads_each="snapshot that is new")
HEALTH = Cost("`health`", lists=8, reads=8, reads_each="manifest that is new")
COSTS = (
    OPEN,
    FIRST_VERSION,
    VERSION,
    NEW_VERSION,
    PAST_VERSION,
    PLAN,
    READ,
    SNAPSHOTS,
    LEVELS,
    TIMELINE,
    HEALTH,
    WRITE,
    COMMIT,
)
