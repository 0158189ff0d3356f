"""A table with thousands of snapshots and files, compacted every few commits, of which only the metadata exists."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import (
    EMPTY_ROW,
    DataFileMeta,
    FileKind,
    FileSource,
    ManifestEntry,
    ManifestFileMeta,
    SimpleStats,
)
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lsm.compaction import UniversalCompaction
from workbench.lsm.levels import Levels
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore

FIRST_MILLIS = 1_788_000_000_000
_STATS = SimpleStats(EMPTY_ROW, EMPTY_ROW, ())
_KEYS = 1_000_000_000
_NEW_SIZE, _OLD_SIZE = 1 << 20, 64 << 20
_TRIGGER = 5
_MANIFESTS = 60


def many_compactions(catalog: Any, name: str, snapshots: int = 5000, files: int = 50_000, buckets: int = 50) -> Any:
    """Create ``database.table`` with ``snapshots`` snapshots, the first of which has ``files`` files.

    Each bucket has a last level of equal files. Each commit adds a file to level 0 of a bucket; when a bucket has as
    many runs as trigger a compaction, the next snapshot merges what the rules pick.
    """
    table = catalog.create_table(
        name, {"k": "BIGINT", "v": "STRING"}, primary_key="k", options={"bucket": str(buckets)}
    )
    maker = _Maker(table.store, buckets)
    maker.first(files // buckets)
    while maker.number < snapshots:
        maker.next()
    for file in ("LATEST", "EARLIEST"):
        text = str(snapshots) if file == "LATEST" else "1"
        Path(table.location, "snapshot", file).write_text(text)
    return catalog.get_table(name)


class _Maker:
    def __init__(self, store: TableStore, buckets: int) -> None:
        self.store, self.buckets = store, buckets
        self.manifests = ManifestFiles(store)
        self.chance = random.Random(7)
        self.types = [field.type for field in store.schema.key_fields]
        self.number, self.sequence, self.names = 0, 0, 0
        self.due: int | None = None
        self.newest: list[list[DataFileMeta]] = [[] for _ in range(buckets)]
        self.old: list[ManifestFileMeta] = []
        self.new: list[ManifestFileMeta] = []

    def key(self, value: int) -> bytes:
        return encode_row((value,), self.types)

    def file(self, low: int, high: int, size: int, level: int) -> DataFileMeta:
        self.names += 1
        self.sequence += 1
        rows = size // 100
        source = FileSource.APPEND if level == 0 else FileSource.COMPACT
        made = DataFileMeta(
            f"data-{self.names:08d}-0.parquet", size, rows, self.key(low), self.key(high), _STATS, _STATS,
            self.sequence, self.sequence, 0, level,
        )  # fmt: skip
        time = FIRST_MILLIS + self.number * 1000
        return replace(made, creation_time=time, delete_row_count=0, file_source=source)

    def first(self, files: int) -> None:
        step = _KEYS // files
        entries = [
            self.entry(FileKind.ADD, bucket, self.file(index * step, (index + 1) * step - 1, _OLD_SIZE, 5))
            for bucket in range(self.buckets)
            for index in range(files)
        ]
        self.publish(CommitKind.APPEND, entries)

    def next(self) -> None:
        if self.due is not None:
            self.compact(self.due)
            return
        bucket = self.chance.randrange(self.buckets)
        low = self.chance.randrange(_KEYS // 2)
        added = self.file(low, low + _KEYS // 3, _NEW_SIZE, 0)
        self.newest[bucket].append(added)
        self.due = bucket if len(self.newest[bucket]) >= _TRIGGER - 1 else None
        self.publish(CommitKind.APPEND, [self.entry(FileKind.ADD, bucket, added)])

    def compact(self, bucket: int) -> None:
        self.due = None
        last = replace(self.newest[bucket][0], file_name="last", level=5, file_size=_OLD_SIZE * 1000)
        levels = Levels([*self.newest[bucket], last], 6, lambda key: (key,))
        unit = UniversalCompaction().pick(levels, 0).unit
        if unit is None:
            return
        merged = self.file(0, _KEYS - 1, unit.total_size, unit.output_level)
        self.newest[bucket] = [*(file for file in self.newest[bucket] if file not in unit.files), merged]
        gone = [self.entry(FileKind.DELETE, bucket, file) for file in unit.files]
        self.publish(CommitKind.COMPACT, [*gone, self.entry(FileKind.ADD, bucket, merged)])

    def entry(self, kind: FileKind, bucket: int, file: DataFileMeta) -> ManifestEntry:
        return ManifestEntry(kind, EMPTY_ROW, bucket, self.buckets, file)

    def publish(self, kind: CommitKind, entries: list[ManifestEntry]) -> None:
        self.number += 1
        written = self.manifests.write(entries)
        base, delta = self.manifests.write_list([*self.old, *self.new]), self.manifests.write_list(written)
        snapshot = Snapshot(
            id=self.number,
            schema_id=0,
            base_manifest_list=base.name,
            base_manifest_list_size=base.size,
            delta_manifest_list=delta.name,
            delta_manifest_list_size=delta.size,
            commit_user="writer",
            commit_identifier=self.number,
            commit_kind=kind,
            time_millis=FIRST_MILLIS + self.number * 1000,
            total_record_count=0,
            delta_record_count=0,
        )
        path = Path(self.store.location, "snapshot", f"snapshot-{self.number}")
        path.parent.mkdir(exist_ok=True)
        path.write_text(snapshot.to_json())
        if self.number == 1:
            self.old = written
        else:
            self.new = [*self.new, *written]
        # The files of the last level never change, so only the manifests of the other files are merged.
        if len(self.new) > _MANIFESTS:
            self.new = self.manifests.write(list(self.manifests.merged(self.new)))
