"""The data files of two versions: added, removed and kept, by bucket and level. Reads metadata only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.format.spec.data_file import ManifestEntry
from workbench.lens.diff.ends import End
from workbench.lens.texts import partition_label
from workbench.lens.wire import Int64
from workbench.metadata.manifests import ManifestFiles

MOST_BUCKETS = 200


@dataclass(frozen=True)
class FileCountsValue:
    """Numbers of files and their bytes. ``upgraded`` files are in both versions, but on another level."""

    added: Int64
    added_bytes: Int64
    removed: Int64
    removed_bytes: Int64
    kept: Int64
    kept_bytes: Int64
    upgraded: Int64
    upgraded_bytes: Int64


@dataclass(frozen=True)
class LevelFilesValue:
    """The files of a level of a bucket; upgraded files count on their new level."""

    partition: str
    bucket: int
    level: int
    files: FileCountsValue


@dataclass(frozen=True)
class FilesDiffValue:
    """The files of both versions. ``levels`` are the levels with differences in the ``buckets_shown`` buckets with the
    most changed bytes; ``buckets`` is the number of all buckets with differences."""

    total: FileCountsValue
    levels: tuple[LevelFilesValue, ...]
    buckets: int
    buckets_shown: int


_Place = tuple[str, int, int]


@dataclass
class _Counts:
    numbers: list[int] = field(default_factory=lambda: [0] * 8)

    def add(self, what: int, size: int) -> None:
        self.numbers[2 * what] += 1
        self.numbers[2 * what + 1] += size

    @property
    def changed_bytes(self) -> int:
        return self.numbers[1] + self.numbers[3] + self.numbers[7]

    @property
    def is_changed(self) -> bool:
        return any(self.numbers[:4]) or any(self.numbers[6:])

    @property
    def value(self) -> FileCountsValue:
        return FileCountsValue(*self.numbers)


_ADDED, _REMOVED, _KEPT, _UPGRADED = range(4)


def collect_files_diff(before: End, after: End) -> FilesDiffValue:
    """Compare the files of two versions by their names."""
    older, newer = (_entries(end) for end in (before, after))
    label = _Labels(before), _Labels(after)
    counts: defaultdict[_Place, _Counts] = defaultdict(_Counts)
    for name, entry in newer.items():
        known = older.get(name)
        if known is None:
            what = _ADDED
        else:
            what = _KEPT if known.file.level == entry.file.level else _UPGRADED
        counts[label[1][entry.partition], entry.bucket, entry.file.level].add(what, entry.file.file_size)
    for name, entry in older.items():
        if name not in newer:
            counts[label[0][entry.partition], entry.bucket, entry.file.level].add(_REMOVED, entry.file.file_size)
    return _value(counts)


class _Labels(dict[bytes, str]):
    """The labels of serialized partitions, each computed once."""

    def __init__(self, end: End) -> None:
        super().__init__()
        self._fields = end.store.schema.partition_fields

    def __missing__(self, partition: bytes) -> str:
        self[partition] = partition_label(partition, self._fields)
        return self[partition]


def _entries(end: End) -> dict[tuple[str, str | None], ManifestEntry]:
    snapshot = end.snapshot
    entries: Iterable[ManifestEntry] = () if snapshot is None else ManifestFiles(end.store).live_files(snapshot)
    return {(entry.file.file_name, entry.file.external_path): entry for entry in entries}


def _value(counts: dict[_Place, _Counts]) -> FilesDiffValue:
    total = [sum(each.numbers[at] for each in counts.values()) for at in range(8)]
    buckets: defaultdict[tuple[str, int], int] = defaultdict(int)
    for (partition, bucket, _), each in counts.items():
        if each.is_changed:
            buckets[partition, bucket] += each.changed_bytes
    shown = sorted(buckets, key=lambda bucket: (-buckets[bucket], bucket))[:MOST_BUCKETS]
    rank = {bucket: number for number, bucket in enumerate(shown)}
    places = [place for place, each in counts.items() if each.is_changed and place[:2] in rank]
    levels = tuple(
        LevelFilesValue(*place, counts[place].value)
        for place in sorted(places, key=lambda place: (rank[place[:2]], place[2]))
    )
    return FilesDiffValue(FileCountsValue(*total), levels, len(buckets), len(shown))
