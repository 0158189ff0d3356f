"""Planning of reads: snapshot -> manifests -> files -> splits, each step leaving out what cannot match (format §25)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import CorruptFile, SchemaMismatch, WorkbenchError
from workbench.base.garbage import no_collection
from workbench.base.lazy import cached_property
from workbench.base.metrics import Metrics, phase
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.datafile.protocol import rows_without_columns
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.row_tracking import TRACKING_COLUMNS, readable_schema
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import key_of_schema
from workbench.metadata.file_stats import FileStats
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import DataFileId, DeletionFile, deletion_files
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import Measuring, begun, counts_of_read, measuring, metered
from workbench.metadata.schemas import check_key_types
from workbench.metadata.store import TableStore
from workbench.scan.counts import known_bounds, known_rows, within_limit
from workbench.scan.scan_report import PrunedFile, ScanReport
from workbench.scan.sorted_runs import runs_by_age
from workbench.scan.split import Section, Split, files_of, pack
from workbench.scan.split_reader import SplitReader

if TYPE_CHECKING:
    from workbench.scan.pruning import FilePruner


_PLANNED_WEIGHT = 200


@checked
@dataclass
class Scan:
    """A read of some columns and rows of one snapshot. ``snapshot`` None is a table that was never written.

    Raises:
        WorkbenchError: The limit is negative.
    """

    store: TableStore
    snapshot: Snapshot | None
    columns: Sequence[str] | None = None
    where: Expr | None = None
    limit: int | None = None
    progress: Progress = field(default_factory=Progress)
    metrics: Metrics | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise WorkbenchError(f"The limit must not be negative, got {self.limit}.", "Pass 0 or more.")
        self.store = metered(self.store)

    @cached_property
    def schema(self) -> TableSchema:
        """The schema to read rows with: that of the table, with the columns of row tracking if they are requested."""
        requested = {*(self.columns or ()), *(() if self.where is None else referenced_columns(self.where))}
        return self.store.schema if requested.isdisjoint(TRACKING_COLUMNS) else readable_schema(self.store.schema)

    def plan(self) -> list[Split]:
        """Return the splits to read. The plan is the same every time, as the snapshot is fixed."""
        return self._planned[0]

    def explain(self) -> ScanReport:
        """Report which files are left out, and by which rule."""
        return self._planned[1]

    def count(self) -> int:
        """Count the rows. Only files whose count metadata cannot settle (merges, deletions, predicates) are read.

        Sets ``metrics``."""
        with measuring("count", self.store) as measured:
            with phase("plan", self.store.clock):
                certain, uncertain = self._counted_by_metadata()
            files = [file for split in uncertain for file in split.files]
            reader = replace(self.reader, columns=self.schema.trimmed_primary_keys[:1])
            with self.progress.step(f"Counting rows of {self.store.name}", len(files), "files"):
                read = sum(parallel_map(lambda split: sum(map(len, reader.stream([split]))), uncertain))
            self.metrics = measured.finished(counts_of_read(files, read))
        return certain + read if self.limit is None else min(certain + read, self.limit)

    def _counted_by_metadata(self) -> tuple[int, list[Split]]:
        """Return the number of rows that metadata determines, and the splits that still have to be read."""
        certain, uncertain = 0, []
        exact = self._every_row_matches
        for split in self.plan():
            for section in split.sections:
                rows = known_rows(self.store, split, section) if exact else None
                if rows is None:
                    uncertain.append(replace(split, sections=(section,)))
                else:
                    certain += rows
        return certain, uncertain

    @checked
    def known_bounds(self, column: str) -> tuple[pa.Scalar, pa.Scalar] | None:
        """Return the least and greatest value of a column, NULL if it has none; None if metadata does not determine
        them exactly."""
        if self.limit is not None or not self._every_row_matches:
            return None
        splits = self.plan()
        files = [file for split in splits for file in split.files]
        return known_bounds(splits, FileStats(self.store, self.schema, [column]).of_values(files), column)

    def to_arrow(self) -> pa.Table:
        """Read the rows as one table. Without columns it has their number, and no unnecessary file is read.

        Sets ``metrics``."""
        if not self._columns:
            return rows_without_columns(self.count())
        with measuring("scan", self.store) as measured:
            with phase("plan", self.store.clock):
                files = [file for split in self.plan() for file in split.files]
            with self.progress.step(f"Reading {self.store.name}", len(files), "files"):
                rows = self._read()
            self.metrics = measured.finished(counts_of_read(files, rows.num_rows))
        return rows

    def _read(self) -> pa.Table:
        splits = self.plan()
        return self.reader.read_all(splits) if self.limit is None else self.reader.read_first(splits, self.limit)

    def to_batches(self) -> pa.RecordBatchReader:
        """Read the rows as a stream of bounded memory. Sets ``metrics`` when the stream has been read to its end."""
        if self.limit is not None or not self._columns:
            return self.to_arrow().to_reader()
        measured = begun("scan", self.store, {})
        stream = self.reader.batches(self.plan())
        return pa.RecordBatchReader.from_batches(stream.schema, self._counted(stream, measured))

    def _counted(self, stream: pa.RecordBatchReader, measured: Measuring) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in stream:
            rows += batch.num_rows
            yield batch
        files = [file for split in self.plan() for file in split.files]
        self.metrics = measured.finished(counts_of_read(files, rows))

    @cached_property
    def reader(self) -> SplitReader:
        """Return a reader for the splits of this scan, for this or another process."""
        return SplitReader(self.store, self.schema, self._columns, self.where, self.progress)

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        if self.columns is None:
            return self.store.schema.field_names
        if isinstance(self.columns, str):
            raise SchemaMismatch(f"Columns must be a list, not the text '{self.columns}'.", f"Pass ['{self.columns}'].")
        for position, name in enumerate(self.columns):
            self.schema.field(name)
            if name in self.columns[:position]:
                raise SchemaMismatch(f"Column '{name}' is selected twice.")
        return tuple(self.columns)

    @cached_property
    def _planned(self) -> tuple[list[Split], ScanReport]:
        with no_collection():
            return self._plan()

    def _plan(self) -> tuple[list[Split], ScanReport]:
        if self.snapshot is None:
            return [], ScanReport(self.store, self.schema, self.where, None)
        manifests = ManifestFiles(self.store)
        metas = manifests.data_manifests(self.snapshot)
        if self._pruner is None:
            kept_metas, live = metas, manifests.live_files(self.snapshot)
            kept_splits, hidden = self._kept_plan(self.snapshot, live)
            splits, pruned = list(kept_splits), list(hidden)
        else:
            kept_metas = self._pruner.manifests(metas)
            all_kept = len(kept_metas) == len(metas)
            live = manifests.live_files(self.snapshot) if all_kept else manifests.merged(kept_metas)
            pruned = []
            splits = self._splits_of(self._visible(live, pruned), pruned)
        splits = self._limited(splits, pruned)
        report = ScanReport(
            self.store,
            self.schema,
            self.where,
            self.snapshot.id,
            len(metas),
            len(metas) - len(kept_metas),
            len(live),
            tuple(pruned),
            splits,
        )
        return splits, report

    def _kept_plan(
        self, snapshot: Snapshot, live: Sequence[ManifestEntry]
    ) -> tuple[tuple[Split, ...], tuple[PrunedFile, ...]]:
        """Return the splits of all files and the hidden files, cached for the next scan without a predicate."""
        store = self.store
        key = (
            "plan",
            # Subclasses of a scan see other files.
            type(self),
            store.path(snapshot.base_manifest_list),
            snapshot.delta_manifest_list,
            snapshot.index_manifest,
            self.schema.to_json(),
            store.schema.to_json(),
            store.read_options,
            (*store.roots, *session_options.allowed_roots),
        )

        def load() -> tuple[tuple[Split, ...], tuple[PrunedFile, ...]]:
            hidden: list[PrunedFile] = []
            return tuple(self._splits_of(self._visible(live, hidden), hidden)), tuple(hidden)

        return store.cache.get_or_load(key, load, lambda _: 500 + _PLANNED_WEIGHT * len(live))

    def _splits_of(self, visible: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> list[Split]:
        selected = self._pruner.partitions_and_buckets(visible, pruned) if self._pruner else visible
        check_key_types(self.store, {entry.file.schema_id for entry in selected})
        return [
            split
            for bucket, entries in _by_bucket(selected).items()
            for split in self._splits(bucket, entries, self._pruner, pruned)
        ]

    def _limited(self, splits: list[Split], pruned: list[PrunedFile]) -> list[Split]:
        if self.limit is None or not self._every_row_matches:
            return splits
        kept, left_out = within_limit(self.store, splits, self.limit)
        pruned.extend(PrunedFile(split.partition, split.bucket, file, "limit") for split, file in left_out)
        return kept

    @property
    def _every_row_matches(self) -> bool:
        """Return whether the partitions alone determine which rows match."""
        return self._pruner is None or self._pruner.partitions_decide

    def _visible(self, live: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> Sequence[ManifestEntry]:
        shown = live
        for rule, hides in _hidden_by(self.store).items():
            hidden = [entry for entry in shown if hides(entry)]
            if hidden:
                pruned.extend(PrunedFile(entry.partition, entry.bucket, entry.file, rule) for entry in hidden)
                shown = [entry for entry in shown if not hides(entry)]
        return shown

    @cached_property
    def _deletions(self) -> Mapping[DataFileId, DeletionFile]:
        return deletion_files(self.store, self.snapshot)

    @cached_property
    def _pruner(self) -> FilePruner | None:
        """Return the pruner of files. It is imported only for a predicate, since it imports all of Arrow's compute
        module, which is slow."""
        if self.where is None:
            return None
        from workbench.scan.pruning import FilePruner

        return FilePruner(self.store, self.schema, self.where)

    def _splits(
        self, bucket: BucketId, entries: Sequence[ManifestEntry], pruner: FilePruner | None, pruned: list[PrunedFile]
    ) -> list[Split]:
        try:
            if self.schema.is_primary_key_table:
                sections = _sections(self.schema, pruner.files_by_key(entries, pruned) if pruner else entries)
                sections = pruner.sections_by_value(sections, bucket, pruned) if pruner else sections
            elif self.schema.core.data_evolution_enabled:
                sections = _row_ranges(self.store, bucket, entries)
                sections = pruner.row_ranges_by_value(sections, bucket, pruned) if pruner else sections
            else:
                sections = _single_files(self.schema, pruner.files_by_value(entries, pruned) if pruner else entries)
        except ValueError as error:
            reason = "the key statistics of its files in the manifests are garbled"
            raise CorruptFile(self.store.bucket_directory(*bucket), reason) from error
        return _packed_splits(self.store, bucket, entries[0].total_buckets, sections, self._deletions)


def visible_entries(store: TableStore, entries: Sequence[ManifestEntry]) -> Sequence[ManifestEntry]:
    """Return the files that a read of a snapshot sees."""
    for hides in _hidden_by(store).values():
        entries = [entry for entry in entries if not hides(entry)]
    return entries


def _hidden_by(store: TableStore) -> dict[str, Callable[[ManifestEntry], bool]]:
    """Return which files are hidden, by rule. A primary-key table hides files that wait for a bucket (format §25.1)
    and, if compaction looks up the older rows of a key, files that compaction has not processed (format §20.2)."""
    schema, core = store.schema, store.schema.core
    rules: dict[str, Callable[[ManifestEntry], bool]] = {}
    if store.read_options is not None:
        rules |= store.read_options.hides()
    if schema.is_primary_key_table and core.bucket == POSTPONE_BUCKET:
        rules["no bucket yet"] = lambda entry: entry.bucket < 0
    if schema.is_primary_key_table and core.hides_level_0:
        rules["level 0"] = lambda entry: entry.file.level == 0
    return rules


def splits_of(
    store: TableStore, entries: Iterable[ManifestEntry], deletions: Mapping[DataFileId, DeletionFile]
) -> list[Split]:
    """Return splits that read all rows of the given files, which must be whole buckets of primary-key tables."""
    splits = []
    for bucket, members in _by_bucket(entries).items():
        check_key_types(store, {entry.file.schema_id for entry in members})
        if store.schema.is_primary_key_table:
            sections = _sections(store.schema, members)
        elif store.schema.core.data_evolution_enabled:
            sections = _row_ranges(store, bucket, members)
        else:
            sections = _single_files(store.schema, members)
        splits.extend(_packed_splits(store, bucket, members[0].total_buckets, sections, deletions))
    return splits


def _sections(schema: TableSchema, entries: Iterable[ManifestEntry]) -> list[Section]:
    files = [entry.file for entry in entries]
    looked_up = schema.core.engine.keeps_first or schema.core.deletion_vectors_enabled
    if looked_up and not any(file.delete_row_count or file.level == 0 for file in files):
        # Compaction has dropped or marked the older rows of every key on all levels.
        return [((file,),) for file in files]
    key_of = key_of_schema(schema)
    sections = partition_into_sections(files, key_of)
    return [runs_by_age((file for run in section for file in run.files), key_of) for section in sections]


def _row_ranges(store: TableStore, bucket: BucketId, entries: Iterable[ManifestEntry]) -> list[Section]:
    # Loaded here, as few tables store their columns in several files.
    from workbench.scan.data_evolution import sections_by_row_id

    return sections_by_row_id([entry.file for entry in entries], store.bucket_directory(*bucket))


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
    files = files_of(sections)
    for path in [file.external_path for file in files]:
        if path is not None:
            # Evaluated now, because some readers of a plan do not check again.
            store.check_path(path)
    weights = [max(size, core.source_split_open_file_cost) for size in [file.file_size for file in files]]
    packed = pack(sections, weights, core.source_split_target_size)
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
    """Return whether rows of a bucket are read in the order in which they were written, as in append tables with fixed
    buckets."""
    return not schema.is_primary_key_table and schema.core.bucket > 0


def _by_bucket(entries: Iterable[ManifestEntry]) -> dict[BucketId, list[ManifestEntry]]:
    buckets: defaultdict[BucketId, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        buckets[entry.partition, entry.bucket].append(entry)
    return dict(buckets)
