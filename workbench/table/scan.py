"""Planning a read: snapshot -> manifests -> files -> splits, each step leaving out what cannot matter (format §25)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.errors import CorruptFile, SchemaMismatch
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.data_file import ManifestEntry
from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.lsm.interval_partition import partition_into_sections
from workbench.table.compact import key_of_schema
from workbench.table.index_files import DataFileId, DeletionFile, deletion_files
from workbench.table.manifests import ManifestFiles
from workbench.table.read import SplitReader
from workbench.table.runs import runs_by_age
from workbench.table.split import Section, Split
from workbench.table.store import TableStore

if TYPE_CHECKING:
    from workbench.table.pruning import FilePruner, PrunedFile

BucketId = tuple[bytes, int]


@dataclass(frozen=True)
class ScanReport:
    """What a plan looked at: how many manifests and files there are, which files were left out, and by which rule."""

    snapshot_id: int | None
    manifests: int
    manifests_pruned: int
    files: int
    pruned: tuple[PrunedFile, ...]

    @property
    def files_pruned(self) -> dict[str, int]:
        """Files left out, counted by rule."""
        return dict(Counter(each.rule for each in self.pruned))

    @property
    def files_read(self) -> int:
        """Files that have to be read."""
        return self.files - len(self.pruned)

    def __str__(self) -> str:
        rules = "".join(f"\n  {count} files left out by {rule}" for rule, count in self.files_pruned.items())
        return (
            f"Snapshot {self.snapshot_id}: {self.manifests} manifests, {self.manifests_pruned} left out by partition; "
            f"{self.files} files, {self.files_read} to read{rules}"
        )


@dataclass
class Scan:
    """A read of some columns and rows of one version. ``snapshot`` None is a table never written."""

    store: TableStore
    snapshot: Snapshot | None
    columns: Sequence[str] | None = None
    where: Expr | None = None
    limit: int | None = None
    progress: Progress = field(default_factory=Progress)

    @cached_property
    def schema(self) -> TableSchema:
        """The schema rows are read with."""
        return self.store.schema

    def plan(self) -> list[Split]:
        """The splits to read. The same plan every time: the version is fixed."""
        return self._planned[0]

    def explain(self) -> ScanReport:
        """Which files are left out, and by which rule."""
        return self._planned[1]

    def to_arrow(self) -> pa.Table:
        """The rows as one table."""
        splits = self.plan()
        files = sum(len(split.files) for split in splits)
        with self.progress.step(f"Reading {self.store.name}", files, "files"):
            if self.limit is not None:
                return self.reader.read_first(splits, self.limit)
            return self.reader.read_all(splits)

    def to_batches(self) -> pa.RecordBatchReader:
        """The rows as a stream of bounded memory."""
        if self.limit is not None:
            return self.to_arrow().to_reader()
        return self.reader.batches(self.plan())

    @cached_property
    def reader(self) -> SplitReader:
        """Reads splits of this scan, here or in another process."""
        return SplitReader(self.store, self.schema, self._columns, self.where, self.progress)

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        if self.columns is None:
            return self.schema.field_names
        if isinstance(self.columns, str):
            raise SchemaMismatch(f"Columns are given as a list, not as '{self.columns}'.", f"Write ['{self.columns}'].")
        if not self.columns:
            raise SchemaMismatch("No column is asked for.", "Leave columns out to get all of them.")
        for place, name in enumerate(self.columns):
            self.schema.field(name)
            if name in self.columns[:place]:
                raise SchemaMismatch(f"Column '{name}' is asked for twice.")
        return tuple(self.columns)

    @cached_property
    def _planned(self) -> tuple[list[Split], ScanReport]:
        if self.snapshot is None:
            return [], ScanReport(None, 0, 0, 0, ())
        manifests = ManifestFiles(self.store)
        pruner = self._pruner
        metas = manifests.data_manifests(self.snapshot)
        kept_metas = pruner.manifests(metas) if pruner else metas
        live = manifests.live_files(self.snapshot) if len(kept_metas) == len(metas) else manifests.merged(kept_metas)
        pruned: list[PrunedFile] = []
        visible = self._visible(live, pruned)
        asked = pruner.partitions_and_buckets(visible, pruned) if pruner else visible
        splits = [
            split
            for bucket, entries in _by_bucket(asked).items()
            for split in self._splits(bucket, entries, pruner, pruned)
        ]
        report = ScanReport(self.snapshot.id, len(metas), len(metas) - len(kept_metas), len(live), tuple(pruned))
        return splits, report

    def _visible(self, live: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> Sequence[ManifestEntry]:
        shown = visible_entries(self.schema, live)
        if len(shown) < len(live):
            from workbench.table.pruning import PrunedFile

            hidden = (entry for entry in live if entry.file.level == 0)
            pruned.extend(PrunedFile(entry.partition, entry.bucket, entry.file, "level 0") for entry in hidden)
        return shown

    @cached_property
    def _deletions(self) -> Mapping[DataFileId, DeletionFile]:
        return deletion_files(self.store, self.snapshot)

    @cached_property
    def _pruner(self) -> FilePruner | None:
        """Leaves files out. Loaded for a predicate only: it brings all of Arrow's compute module, slow to import."""
        if self.where is None:
            return None
        from workbench.table.pruning import FilePruner

        return FilePruner(self.store, self.schema, self.where)

    def _splits(
        self, bucket: BucketId, entries: Sequence[ManifestEntry], pruner: FilePruner | None, pruned: list[PrunedFile]
    ) -> list[Split]:
        try:
            if self.schema.is_primary_key_table:
                sections = _sections(self.schema, pruner.files_by_key(entries, pruned) if pruner else entries)
                sections = pruner.sections_by_value(sections, bucket, pruned) if pruner else sections
            else:
                sections = _single_files(self.schema, pruner.files_by_value(entries, pruned) if pruner else entries)
        except ValueError as error:
            reason = "what the manifests say of the keys or statistics of its files is garbled"
            raise CorruptFile(self.store.bucket_directory(*bucket), reason) from error
        return _packed_splits(self.store, bucket, entries[0].total_buckets, sections, self._deletions)


def visible_entries(schema: TableSchema, entries: Sequence[ManifestEntry]) -> Sequence[ManifestEntry]:
    """What a read sees: where compaction looks for the older rows of a key, only what it has looked through (format
    §20.2)."""
    core = schema.core
    looked_up = core.deletion_vectors_enabled and not core.deletion_vectors_merge_on_read
    if not schema.is_primary_key_table or not (looked_up or core.merge_engine == "first-row"):
        return entries
    return [entry for entry in entries if entry.file.level > 0]


def splits_of(
    store: TableStore, entries: Iterable[ManifestEntry], deletions: Mapping[DataFileId, DeletionFile]
) -> list[Split]:
    """Splits that read all rows of the given files, which must be whole buckets of primary-key tables."""
    splits = []
    for bucket, members in _by_bucket(entries).items():
        keyed = store.schema.is_primary_key_table
        sections = _sections(store.schema, members) if keyed else _single_files(store.schema, members)
        splits.extend(_packed_splits(store, bucket, members[0].total_buckets, sections, deletions))
    return splits


def _sections(schema: TableSchema, entries: Iterable[ManifestEntry]) -> list[Section]:
    files = [entry.file for entry in entries]
    looked_up = schema.core.merge_engine == "first-row" or schema.core.deletion_vectors_enabled
    if looked_up and not any(file.delete_row_count or file.level == 0 for file in files):
        # Compaction has dropped or marked the older rows of every key, on whatever level.
        return [((file,),) for file in files]
    key_of = key_of_schema(schema)
    sections = partition_into_sections(files, key_of)
    return [runs_by_age((file for run in section for file in run.files), key_of) for section in sections]


def _single_files(schema: TableSchema, entries: Sequence[ManifestEntry]) -> list[Section]:
    if bucket_is_ordered(schema):
        entries = sorted(entries, key=lambda entry: entry.file.min_sequence_number)
    return [((entry.file,),) for entry in entries]


def _packed_splits(
    store: TableStore,
    bucket: BucketId,
    total_buckets: int,
    sections: Sequence[Section],
    deletions: Mapping[DataFileId, DeletionFile],
) -> list[Split]:
    core = store.schema.core
    directory = store.bucket_directory(*bucket)
    packed = _pack(sections, core.source_split_target_size, core.source_split_open_file_cost)
    return [
        Split(*bucket, total_buckets, tuple(each), directory, _deletions_of(bucket, each, deletions)) for each in packed
    ]


def _deletions_of(
    bucket: BucketId, sections: Sequence[Section], deletions: Mapping[DataFileId, DeletionFile]
) -> dict[str, DeletionFile]:
    if not deletions:
        return {}
    names = (file.file_name for section in sections for run in section for file in run)
    return {name: deletions[(*bucket, name)] for name in names if (*bucket, name) in deletions}


def bucket_is_ordered(schema: TableSchema) -> bool:
    """Whether rows of a bucket are read in the order in which they were written: append tables with fixed buckets."""
    return not schema.is_primary_key_table and schema.core.bucket > 0


def _by_bucket(entries: Iterable[ManifestEntry]) -> dict[BucketId, list[ManifestEntry]]:
    buckets: dict[BucketId, list[ManifestEntry]] = {}
    for entry in entries:
        buckets.setdefault((entry.partition, entry.bucket), []).append(entry)
    return buckets


def _pack(sections: Sequence[Section], target_size: int, open_file_cost: int) -> list[list[Section]]:
    """Neighbouring sections together up to the target size, for a task costs something by itself
    (`MergeTreeSplitGenerator`)."""
    packed: list[list[Section]] = []
    size = 0
    for section in sections:
        weight = sum(max(file.file_size, open_file_cost) for run in section for file in run)
        if packed and size + weight <= target_size:
            packed[-1].append(section)
            size += weight
        else:
            packed.append([section])
            size = weight
    return packed
