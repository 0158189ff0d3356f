"""The values of the view of compactions, as notebooks and pages get them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.format.spec.table_kind import KindName
from workbench.lens.levels import BucketValue, FileValue
from workbench.lens.wire import Int64

Origin = Literal["recorded", "recomputed", "unexplained"]
"""Whether the writer recorded the reason, it was computed from the files, or no rule of the table explains it."""


@dataclass(frozen=True)
class NumberValue:
    """A number that decided about a compaction, such as ``runs`` or ``newer_bytes``, as text."""

    name: str
    text: str


@dataclass(frozen=True)
class CompactionValue:
    """One compaction of a bucket. ``id`` is ``<snapshot>@<bucket id>``; ``bucket_id`` is that of `LevelsValue`.

    ``rule`` is the rule that triggered it, '' if nothing explains it, and ``text`` says why in a sentence for each of
    its ``rounds``. ``alternatives`` are other rules that explain it as well. Files, bytes and rows are counted as read,
    written or ``moved``; files that moved only changed their level. ``rows_dropped`` counts the rows that were read but
    not written again. ``input_levels`` are the levels of the files before the compaction. ``millis`` is how long it
    took, None if not recorded.
    """

    id: str
    snapshot: Int64
    time_millis: Int64
    bucket_id: str
    partition: str
    bucket: int
    rule: str
    origin: Origin
    text: str
    rounds: int
    numbers: tuple[NumberValue, ...]
    alternatives: tuple[str, ...]
    input_levels: tuple[int, ...]
    output_level: int
    files_read: int
    files_written: int
    files_moved: int
    bytes_read: Int64
    bytes_written: Int64
    bytes_moved: Int64
    rows_read: Int64
    rows_written: Int64
    rows_moved: Int64
    rows_dropped: Int64
    millis: Int64 | None
    user: str
    writer: str

    @property
    def label(self) -> str:
        """``bucket 0``, or ``dt=2026-11-01, bucket 0``."""
        return f"{self.partition}, bucket {self.bucket}" if self.partition else f"bucket {self.bucket}"


@dataclass(frozen=True)
class LinkValue:
    """A file before the compaction and one after it that may hold its rows, as positions among the files of each."""

    before: int
    after: int


@dataclass(frozen=True)
class CompactionStory:
    """A bucket before and after one of its compactions, on a common axis of keys.

    ``read`` and ``moved`` are names of files before the compaction, ``written`` names of files after it; all other
    files were not touched. ``links`` lead from files before to files after, in the order of `BucketValue.files`.
    """

    compaction: CompactionValue
    keys: tuple[str, ...]
    before: BucketValue
    after: BucketValue
    read: tuple[str, ...]
    written: tuple[str, ...]
    moved: tuple[str, ...]
    links: tuple[LinkValue, ...]


@dataclass(frozen=True)
class ReplayStep:
    """A commit that changed the bucket: positions in `ReplayValue.files` of the files that it removed and added."""

    snapshot: Int64
    kind: str
    time_millis: Int64
    removed: tuple[int, ...]
    added: tuple[int, ...]


@dataclass(frozen=True)
class ReplayValue:
    """A bucket through the versions of its table, on a common axis of keys.

    ``files`` are all files that the bucket had during the replay, ``begin`` the positions of the files that it had
    before the first step. ``steps`` are in chronological order. A file that moves is listed once for each of its
    levels. ``older`` is whether there are older commits, which a request with a higher limit, or a repeated request,
    also returns.
    """

    table: str
    bucket_id: str
    partition: str
    bucket: int
    to_scale: bool
    keys: tuple[str, ...]
    files: tuple[FileValue, ...]
    begin: tuple[int, ...]
    steps: tuple[ReplayStep, ...]
    older: bool


@dataclass(frozen=True)
class CostsValue:
    """The costs of compactions, as columns with an item for each commit, or for several neighboring ones, the oldest
    first.

    ``ids`` and ``times`` are those of the last commit of each. ``written`` are bytes of files that writes added,
    ``compacted`` those that compactions wrote and ``read`` those that they read. ``write_amplification`` is how many
    bytes were written so far, since the first commit, for each byte of a write; None before the first write.
    ``read_amplification`` is the number of sorted runs of a bucket, weighted by its bytes, and ``space_amplification``
    the bytes of all runs over those of the oldest run of each bucket; both None without files.

    ``first`` and ``last`` are the first and the last commit that the costs cover; until ``complete`` is true, the same
    request reads further back.
    """

    table: str
    zone: str
    keyed: bool
    first: Int64 | None
    last: Int64 | None
    complete: bool
    ids: tuple[Int64, ...]
    times: tuple[Int64, ...]
    compactions: tuple[int, ...]
    written: tuple[Int64, ...]
    compacted: tuple[Int64, ...]
    read: tuple[Int64, ...]
    write_amplification: tuple[float | None, ...]
    read_amplification: tuple[float | None, ...]
    space_amplification: tuple[float | None, ...]


@dataclass(frozen=True)
class ReplayAnswer:
    """The replay of a bucket, None for a table without files."""

    replay: ReplayValue | None


@dataclass(frozen=True)
class CostsAnswer:
    """Costs, and their plotly figure as JSON."""

    costs: CostsValue
    figure: str


@dataclass(frozen=True)
class CompactionsValue:
    """A page of the compactions of a table, the newest first.

    ``next`` is the cursor of the next page, None if there is none: it is the id of the last snapshot that was looked
    at. ``first`` and ``last`` are the oldest and the newest snapshot that exist, None if there are none. ``unread`` are
    snapshots whose manifests cannot be read. ``story`` (of one compaction), ``replay`` (of one bucket) and ``costs``
    are included for pictures that cannot request them.
    """

    table: str
    zone: str
    kind: KindName
    keys: tuple[str, ...]
    first: Int64 | None
    last: Int64 | None
    compactions: tuple[CompactionValue, ...]
    next: str | None
    unread: tuple[Int64, ...]
    story: CompactionStory | None = None
    replay: ReplayValue | None = None
    costs: CostsAnswer | None = None
