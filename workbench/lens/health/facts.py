"""The facts about a table that checks judge, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.format.spec.data_file import ManifestFileMeta
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.error import ErrorValue
from workbench.lens.health.thresholds import ThresholdsValue, thresholds_of
from workbench.lens.live_files import NOT_LOOKED_FOR, LiveFiles
from workbench.metadata.protocol import Ownership

# The commits of one script or demo take less time, and say nothing about later ones.
_LEAST_SPAN = 10 * 60_000


@dataclass(frozen=True)
class BucketFacts:
    """The data files of a bucket.

    Sizes are in bytes, rows are stored rows before any merge. ``small`` counts small files, ``tiny`` those far
    below the target size, ``full_files`` estimates the files after a full compaction; ``largest_run`` is the size
    of the largest sorted run; ``deletes`` counts delete rows where they are recorded, ``marked`` rows that deletion
    vectors mark; ``hidden`` rows are on level 0 and not read before a compaction. ``total_buckets`` is the number
    of buckets that the files were written with, 0 if unknown.
    """

    id: str
    partition: bytes
    bucket: int
    label: str
    total_buckets: int
    runs: int
    files: int
    small: int
    full_files: int
    size: int
    largest_run: int
    rows: int
    deletes: int = 0
    marked: int = 0
    hidden: int = 0
    formats: Mapping[str, int] = field(default_factory=dict)
    tiny: int = 0

    @property
    def is_postponed(self) -> bool:
        """Whether its rows wait for a bucket."""
        return self.bucket == POSTPONE_BUCKET

    @property
    def read_amplification(self) -> float:
        """The bytes that a read merges, as a multiple of the largest sorted run."""
        return self.size / self.largest_run if self.largest_run else 1.0

    @property
    def deleted_share(self) -> float:
        """The share of rows that are deletes, or that deletion vectors mark."""
        return (self.deletes + self.marked) / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class HistoryFacts:
    """The snapshots of a table. ``recent`` are the newest ones, the newest first; ``count`` counts all of them.

    ``overdue`` counts those that the options allow to expire and that no consumer needs; ``blocked`` those that only a
    consumer keeps.
    """

    count: int = 0
    earliest: Snapshot | None = None
    latest: Snapshot | None = None
    recent: tuple[Snapshot, ...] = ()
    overdue: int = 0
    blocked: int = 0

    @property
    def shows_rate(self) -> bool:
        """Whether the commits are spread over a time that is long enough to expect the same rate later."""
        if self.earliest is None or self.latest is None:
            return False
        return self.latest.time_millis - self.earliest.time_millis >= _LEAST_SPAN

    @property
    def interval_millis(self) -> float | None:
        """The mean time between recent commits, None if there are fewer than two."""
        if len(self.recent) < 2:
            return None
        return (self.recent[0].time_millis - self.recent[-1].time_millis) / (len(self.recent) - 1)


@dataclass(frozen=True)
class HolderFacts:
    """A tag, branch or consumer that keeps data files which no other version of the table uses.

    ``snapshot`` is the oldest snapshot that it keeps; ``files`` and ``size`` count the data files that only it keeps.
    ``at_least`` is whether more files may be kept than were counted.
    """

    kind: str
    name: str
    snapshot: int
    files: int
    size: int
    at_least: bool = False


@dataclass(frozen=True)
class StatisticsFacts:
    """The statistics of ANALYZE. ``snapshot`` is the version that was analyzed, ``changed`` counts the rows that later
    commits wrote, and ``stored`` the rows of the analyzed version; ``schema_id`` is the schema of the columns."""

    snapshot: int
    schema_id: int
    rows: int
    changed: int
    stored: int


@dataclass(frozen=True)
class WriterFacts:
    """How commits are published. ``is_atomic`` is whether the storage can create a snapshot on condition that it does
    not exist yet; ``ownership`` is whether the table, opened by its directory, belongs to another catalog."""

    storage: str
    is_atomic: bool
    has_lock: bool
    ownership: Ownership = field(default_factory=Ownership)


@dataclass(frozen=True)
class OrphanFacts:
    """The files in storage that no version uses: their paths and their bytes."""

    paths: tuple[str, ...] = ()
    size: int = 0


@dataclass(frozen=True)
class OverflowFacts:
    """A column with totals that exceed its type. ``where`` says where one of them was found; ``wider`` is the widest
    type of the same scale, None if the column has it."""

    column: str
    type: str
    function: str
    where: str
    wider: str | None


@dataclass(frozen=True)
class HealthFacts:
    """Everything that is known about a version of a table.

    ``estimated_rows`` is the number of rows as reads return them, None if it was not estimated. ``damage`` is the
    error that prevented reading, ``readable`` the newest version that can be read. ``live`` are the files of the
    version as far as they were looked for. ``orphans`` is None unless all directories were listed. ``schemas``
    counts the schemas of the table, ``used_schemas`` those of its data files.
    ``overflows`` are the columns whose totals exceed their type, None if that was not read.
    """

    table: str
    schema: TableSchema
    now_millis: int
    snapshot: Snapshot | None = None
    buckets: tuple[BucketFacts, ...] = ()
    manifests: tuple[ManifestFileMeta, ...] = ()
    history: HistoryFacts = HistoryFacts()
    holders: tuple[HolderFacts, ...] = ()
    consumers: Mapping[str, int] = field(default_factory=dict)
    tags: int = 0
    schemas: int = 1
    used_schemas: int = 1
    statistics: StatisticsFacts | None = None
    writers: WriterFacts = WriterFacts("file", True, False)
    estimated_rows: int | None = None
    damage: ErrorValue | None = None
    readable: int | None = None
    live: LiveFiles = NOT_LOOKED_FOR
    orphans: OrphanFacts | None = None
    overflows: tuple[OverflowFacts, ...] | None = None

    @cached_property
    def limits(self) -> ThresholdsValue:
        """The thresholds that the options set."""
        return thresholds_of(self.schema)

    @cached_property
    def is_keyed(self) -> bool:
        """Whether the table has a primary key."""
        return self.schema.is_primary_key_table

    @property
    def merges_postponed(self) -> bool:
        """Whether reads see the rows that wait for a bucket."""
        return self.schema.core.postpone_merge_on_read

    @cached_property
    def settled(self) -> tuple[BucketFacts, ...]:
        """The buckets, except those whose rows still wait for a bucket."""
        return tuple(each for each in self.buckets if not each.is_postponed)

    @cached_property
    def files(self) -> int:
        """The number of data files."""
        return sum(each.files for each in self.buckets)

    @cached_property
    def size(self) -> int:
        """The bytes of all data files."""
        return sum(each.size for each in self.buckets)

    @cached_property
    def stored_rows(self) -> int:
        """The stored rows of all data files."""
        return sum(each.rows for each in self.buckets)

    @cached_property
    def merges_on_read(self) -> bool:
        """Whether reads merge sorted runs."""
        return self.is_keyed and not self.schema.kind.hides_level_0
