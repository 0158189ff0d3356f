"""What the compactions of a table cost and save: write, read and space amplification through its versions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.buckets import BucketKey, collect_files
from workbench.lens.compaction.collect import readable_deltas
from workbench.lens.compaction.deltas import BucketDelta, FileId, file_id
from workbench.lens.compaction.value import CostsValue
from workbench.lsm.levels import level_0_order
from workbench.metadata.snapshots import Snapshots
from workbench.table.readable_table import ReadableTable

DEFAULT_POINTS = 500
_CHUNK = 128
_READERS = 8


@dataclass(frozen=True)
class CommitCosts:
    """What a commit wrote and read, and the shape of the table after it."""

    snapshot: int
    time_millis: int
    compactions: int
    written: int
    compacted: int
    read: int
    read_amplification: float | None
    space_amplification: float | None


def collect_costs(
    table: ReadableTable,
    points: int = DEFAULT_POINTS,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> CostsValue:
    """Return the costs of the compactions of a table; reads metadata only.

    Args:
        table: The table; at a fixed version, only the commits up to that version are included.
        points: The maximum number of items in each column.
        seconds: The time after which older commits are left out; None reads all.
        progress: Counts the snapshots that were read, and can cancel the work.
    """
    version, keyed = table.version, table.schema.is_primary_key_table
    if version is None:
        return describe_costs(table.name, (), keyed=keyed)
    shape = TableShape(keyed, collect_files(table.store, version))
    commits, complete = _commits(table, version, shape, seconds, progress or Progress())
    return describe_costs(table.name, commits, points, keyed=keyed, complete=complete)


def _commits(
    table: ReadableTable, version: Snapshot, shape: TableShape, seconds: float | None, progress: Progress
) -> tuple[list[CommitCosts], bool]:
    """Return the costs of commits, the oldest first, and whether no older ones can be read."""
    deadline = None if seconds is None else time.monotonic() + seconds
    found: list[CommitCosts] = []
    cursor: int | None = version.id + 1
    with progress.step("Measuring compactions", unit="snapshots"):
        while cursor is not None:
            page = Snapshots(table.store).newest(_CHUNK, cursor)
            read = parallel_map(lambda each: readable_deltas(table.store, each), page.snapshots, _READERS)
            for snapshot, deltas in zip(page.snapshots, read, strict=True):
                if deltas is None:
                    # The files before a damaged commit are not known, so that there is nothing further to read.
                    return found[::-1], True
                found.append(commit_costs(snapshot, deltas, shape))
                shape.undo(deltas)
            progress.advance(len(page.snapshots))
            progress.check()
            cursor = page.next
            if deadline is not None and time.monotonic() > deadline:
                return found[::-1], cursor is None
    return found[::-1], True


def commit_costs(snapshot: Snapshot, deltas: Mapping[BucketKey, BucketDelta], shape: TableShape) -> CommitCosts:
    """Return the costs of a commit; ``shape`` is that of the table after it."""
    compacts = snapshot.commit_kind == CommitKind.COMPACT
    written = sum(file.file_size for delta in deltas.values() for file in delta.written)
    read = sum(file.file_size for delta in deltas.values() for file in delta.read)
    return CommitCosts(
        snapshot=snapshot.id,
        time_millis=snapshot.time_millis,
        compactions=sum(bool(delta.removed) for delta in deltas.values()) if compacts else 0,
        written=0 if compacts else written,
        compacted=written if compacts else 0,
        read=read if compacts else 0,
        read_amplification=shape.read_amplification,
        space_amplification=shape.space_amplification,
    )


@dataclass
class _BucketShape:
    """The files of level 0, and the bytes and files of each level above."""

    newest: dict[FileId, DataFileMeta] = field(default_factory=dict)
    levels: dict[int, list[int]] = field(default_factory=dict)
    size: int = 0

    def change(self, file: DataFileMeta, sign: int) -> None:
        self.size += sign * file.file_size
        if file.level > 0:
            level = self.levels.setdefault(file.level, [0, 0])
            level[0] += sign
            level[1] += sign * file.file_size
            if not level[0]:
                del self.levels[file.level]
        elif sign > 0:
            self.newest[file_id(file)] = file
        else:
            self.newest.pop(file_id(file), None)

    @property
    def runs(self) -> int:
        return len(self.newest) + len(self.levels)

    @property
    def oldest(self) -> int:
        """The bytes of the oldest run."""
        if self.levels:
            return self.levels[max(self.levels)][1]
        oldest = max(self.newest.values(), key=level_0_order, default=None)
        return 0 if oldest is None else oldest.file_size


class TableShape:
    """The sorted runs of all buckets at one version. `undo` moves it back to an earlier version, commit by commit."""

    def __init__(self, keyed: bool, files: Mapping[BucketKey, Iterable[DataFileMeta]]) -> None:
        self._keyed = keyed
        self._buckets: dict[BucketKey, _BucketShape] = {}
        self._weighted = self._size = self._oldest = 0
        for key, each in files.items():
            self._change(key, each, 1)

    @property
    def read_amplification(self) -> float | None:
        """The number of sorted runs that a read merges, weighted by the bytes of each bucket; None without files."""
        return self._weighted / self._size if self._size else None

    @property
    def space_amplification(self) -> float | None:
        """The bytes of all files over those of the oldest run of each bucket; None without files."""
        return self._size / self._oldest if self._oldest else None

    def undo(self, deltas: Mapping[BucketKey, BucketDelta]) -> None:
        """Go back to the version before a commit."""
        for key, delta in deltas.items():
            self._change(key, delta.added, -1)
            self._change(key, delta.removed, 1)

    def _change(self, key: BucketKey, files: Iterable[DataFileMeta], sign: int) -> None:
        bucket = self._buckets.setdefault(key, _BucketShape())
        self._count(bucket, -1)
        for file in files:
            bucket.change(file, sign)
        self._count(bucket, 1)

    def _count(self, bucket: _BucketShape, sign: int) -> None:
        # Files without keys are never merged: all of them are one run.
        runs, oldest = (bucket.runs, bucket.oldest) if self._keyed else (1, bucket.size)
        self._weighted += sign * runs * bucket.size
        self._size += sign * bucket.size
        self._oldest += sign * oldest


def describe_costs(
    name: str, commits: Sequence[CommitCosts], points: int = DEFAULT_POINTS, *, keyed: bool, complete: bool = True
) -> CostsValue:
    """Return the costs of commits, which are given oldest first, in at most ``points`` groups."""
    count = min(max(1, points), len(commits))
    ends = [(number + 1) * len(commits) // count for number in range(count)]
    groups = [commits[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if count else []
    last = [group[-1] for group in groups]
    written = [sum(each.written for each in group) for group in groups]
    compacted = [sum(each.compacted for each in group) for group in groups]
    return CostsValue(
        table=name,
        zone=session_options.timezone,
        keyed=keyed,
        first=commits[0].snapshot if commits else None,
        last=commits[-1].snapshot if commits else None,
        complete=complete,
        ids=tuple(each.snapshot for each in last),
        times=tuple(each.time_millis for each in last),
        compactions=tuple(sum(each.compactions for each in group) for group in groups),
        written=tuple(written),
        compacted=tuple(compacted),
        read=tuple(sum(each.read for each in group) for group in groups),
        write_amplification=_write_amplification(written, compacted),
        read_amplification=tuple(each.read_amplification for each in last),
        space_amplification=tuple(each.space_amplification for each in last),
    )


def _write_amplification(written: Sequence[int], compacted: Sequence[int]) -> tuple[float | None, ...]:
    by_writes, total, result = 0, 0, []
    for write, compaction in zip(written, compacted, strict=True):
        by_writes += write
        total += write + compaction
        result.append(total / by_writes if by_writes else None)
    return tuple(result)
