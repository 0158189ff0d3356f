"""Planning of reads: snapshot -> manifests -> files -> splits, each step leaving out what cannot match (format §25)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from workbench.base.garbage import no_collection
from workbench.base.lazy import cached_property
from workbench.base.session import session_options
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import BucketMode
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import DataFileId, DeletionFile, deletion_files
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.schemas import check_key_types
from workbench.metadata.store import TableStore
from workbench.scan.counts import within_limit
from workbench.scan.kept import Kept, PrunedFile
from workbench.scan.split import Section, Split, files_of, pack
from workbench.scan.split_generator import split_generator

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.scan.pruning import FilePruner


_PLANNED_WEIGHT = 200


@dataclass(frozen=True)
class Plan:
    """The splits to read, the files that are left out, and how many manifests and files there are."""

    splits: tuple[Split, ...] = ()
    left_out: tuple[PrunedFile, ...] = ()
    manifests: int = 0
    manifests_pruned: int = 0
    files: int = 0


@dataclass(frozen=True)
class Planner:
    """Planner of one read. ``where`` is bound to ``schema``; ``snapshot`` None is a table that was never written;
    ``last_level_only`` leaves out the files of a primary-key table that are not compacted to the last level."""

    store: TableStore
    snapshot: Snapshot | None
    schema: TableSchema
    where: Expr | None = None
    limit: int | None = None
    last_level_only: bool = False

    def plan(self) -> Plan:
        """Decide which files to read, and how they are grouped into splits."""
        if self.snapshot is None:
            return Plan()
        with no_collection():
            return self._plan(self.snapshot)

    def stream(self) -> Iterator[Split]:
        """Yield the splits of `plan` as they are planned, for readers that may stop at any of them. A table of many
        partitions takes much longer to plan than to show its first rows."""
        key = None if self.snapshot is None else self._key(self.snapshot)
        if self.snapshot is None or self.limit is not None or (self._pruner is None and key in self.store.cache):
            yield from self.plan().splits
            return
        with no_collection():
            _, live = self._live(self.snapshot)
            selected, _ = self._selected(live)
            deletions = deletion_files(self.store, self.snapshot) if selected else {}
        for kept in _each_bucket(self.store, selected, deletions, self._pruner):
            yield from kept.items

    @property
    def every_row_matches(self) -> bool:
        """Whether every row of the planned files matches, because the partitions alone decide the predicate."""
        return self._pruner is None or self._pruner.partitions_decide

    def _plan(self, snapshot: Snapshot) -> Plan:
        (manifests, read), live = self._live(snapshot)
        splits, left_out = self._cached_splits(snapshot, live) if self._pruner is None else self._splits(live)
        splits, after_limit = self._limited(splits)
        return Plan(tuple(splits), (*left_out, *after_limit), manifests, manifests - read, len(live))

    def _live(self, snapshot: Snapshot) -> tuple[tuple[int, int], Sequence[ManifestEntry]]:
        """Return the files of the manifests that may have matching ones, and the numbers of all manifests and of these
        ones."""
        manifests = ManifestFiles(self.store)
        metas = manifests.data_manifests(snapshot)
        read = metas if self._pruner is None else self._pruner.manifests(metas)
        live = manifests.live_files(snapshot) if len(read) == len(metas) else manifests.merged(read)
        return (len(metas), len(read)), live

    def _cached_splits(self, snapshot: Snapshot, live: Sequence[ManifestEntry]) -> Kept[Split]:
        """Return the splits of all files, cached for the next scan without a predicate."""
        key = self._key(snapshot)
        return self.store.cache.get_or_load(
            key, lambda: self._splits(live), lambda _: 500 + _PLANNED_WEIGHT * len(live)
        )

    def _key(self, snapshot: Snapshot) -> object:
        store = self.store
        return (
            "plan",
            self.last_level_only,
            store.path(snapshot.base_manifest_list),
            snapshot.delta_manifest_list,
            snapshot.index_manifest,
            store.schema.to_json(),
            store.read_options,
            (*store.runtime.roots, *session_options.allowed_roots),
        )

    def _splits(self, live: Sequence[ManifestEntry]) -> Kept[Split]:
        selected, pruned = self._selected(live)
        deletions = deletion_files(self.store, self.snapshot) if selected else {}
        splits, left_out = _splits_by_bucket(self.store, selected, deletions, self._pruner)
        return Kept(splits, (*pruned, *left_out))

    def _selected(self, live: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        visible, hidden = visible_entries(self.store, live, self.last_level_only)
        selected, pruned = Kept(visible) if self._pruner is None else self._pruner.partitions_and_buckets(visible)
        return Kept(selected, (*hidden, *pruned))

    def _limited(self, splits: Sequence[Split]) -> Kept[Split]:
        if self.limit is None or not self.every_row_matches:
            return Kept(splits)
        return within_limit(self.store, splits, self.limit)

    @cached_property
    def _pruner(self) -> FilePruner | None:
        """Return the pruner of files. It is imported only for a predicate, since it imports all of Arrow's compute
        module, which is slow."""
        if self.where is None:
            return None
        from workbench.scan.pruning import FilePruner

        return FilePruner(self.store, self.schema, self.where)


def visible_entries(
    store: TableStore, entries: Sequence[ManifestEntry], last_level_only: bool = False
) -> Kept[ManifestEntry]:
    """Keep the files that a read of a snapshot sees."""
    left_out: list[PrunedFile] = []
    for rule, hides in _hidden_by(store, last_level_only).items():
        hidden = [entry for entry in entries if hides(entry)]
        if hidden:
            left_out += (PrunedFile(entry.partition, entry.bucket, entry.file, rule) for entry in hidden)
            entries = [entry for entry in entries if not hides(entry)]
    return Kept(entries, left_out)


def _hidden_by(store: TableStore, last_level_only: bool) -> dict[str, Callable[[ManifestEntry], bool]]:
    """Return, by rule, a function that returns whether a file is hidden. A primary-key table hides files that wait for
    a bucket (format §25.1) and, if compaction looks up the older rows of a key, files that compaction has not processed
    (format §20.2)."""
    core, kind = store.schema.core, store.schema.kind
    rules: dict[str, Callable[[ManifestEntry], bool]] = {}
    if store.read_options is not None:
        rules |= store.read_options.hides()
    if kind.bucket_mode is BucketMode.POSTPONE_MODE and not core.postpone_merge_on_read:
        rules["no bucket yet"] = lambda entry: entry.bucket < 0
    if kind.hides_level_0:
        rules["level 0"] = lambda entry: entry.file.level == 0 and entry.bucket >= 0
    if last_level_only and store.schema.is_primary_key_table:
        last = core.num_levels - 1
        rules["not the last level"] = lambda entry: entry.file.level != last
    return rules


def splits_of(
    store: TableStore, entries: Sequence[ManifestEntry], deletions: Mapping[DataFileId, DeletionFile]
) -> list[Split]:
    """Return splits that read all rows of the given files. In a primary-key table these must be all files of their
    buckets."""
    return list(_splits_by_bucket(store, entries, deletions, None).items)


def _splits_by_bucket(
    store: TableStore,
    entries: Sequence[ManifestEntry],
    deletions: Mapping[DataFileId, DeletionFile],
    pruner: FilePruner | None,
) -> Kept[Split]:
    splits: list[Split] = []
    left_out: list[PrunedFile] = []
    for kept in _each_bucket(store, entries, deletions, pruner):
        splits += kept.items
        left_out += kept.left_out
    return Kept(tuple(splits), tuple(left_out))


def _each_bucket(
    store: TableStore,
    entries: Sequence[ManifestEntry],
    deletions: Mapping[DataFileId, DeletionFile],
    pruner: FilePruner | None,
) -> Iterator[Kept[Split]]:
    """Yield the splits of one bucket after the other."""
    check_key_types(store, {entry.file.schema_id for entry in entries})
    buckets, generator = _by_bucket(entries), split_generator(store, pruner)
    if len(buckets) > 1:
        generator.judge([entry.file for entry in entries])
    if any(number < 0 for _, number in buckets):
        yield from _with_waiting(store, buckets, deletions, pruner)
        return
    for bucket, members in buckets.items():
        sections, pruned = generator.sections(bucket, members)
        yield Kept(_packed_splits(store, bucket, members[0].total_buckets, sections, deletions), pruned)


def _with_waiting(
    store: TableStore,
    buckets: Mapping[BucketId, Sequence[ManifestEntry]],
    deletions: Mapping[DataFileId, DeletionFile],
    pruner: FilePruner | None,
) -> Iterator[Kept[Split]]:
    """Yield splits that also read the postponed rows, which may belong to any bucket of their partition."""
    # Loaded here, as few reads see postponed rows.
    from workbench.scan.waiting_rows import bucket_totals, waiting_files, with_waiting

    generator = split_generator(store, pruner)
    waiting = waiting_files(chain.from_iterable(buckets.values()))
    for bucket, total in bucket_totals(buckets, waiting).items():
        members, late = buckets.get(bucket, ()), waiting.get(bucket[0], ())
        if late and not members and pruner is not None and not pruner.may_be_in(bucket[1], total, store.schema.id):
            continue
        if late:
            # A row that does not match may match once it is merged, so files are left out only by their keys.
            files, pruned = generator.files(members)
            stored = [entry.file for entry in files]
            sections: Sequence[Section] = [with_waiting(store, bucket[0], stored, late)]
        else:
            sections, pruned = generator.sections(bucket, members)
        names = frozenset(file.file_name for file in late)
        yield Kept(_packed_splits(store, bucket, total, sections, deletions, names), pruned)


def _by_bucket(entries: Iterable[ManifestEntry]) -> dict[BucketId, list[ManifestEntry]]:
    buckets: defaultdict[BucketId, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        buckets[entry.partition, entry.bucket].append(entry)
    return dict(buckets)


def _packed_splits(
    store: TableStore,
    bucket: BucketId,
    total_buckets: int,
    sections: Sequence[Section],
    deletions: Mapping[DataFileId, DeletionFile],
    waiting: frozenset[str] = frozenset(),
) -> list[Split]:
    core = store.schema.core
    directory = store.bucket_directory(*bucket)
    files = files_of(sections)
    for path in [file.external_path for file in files]:
        if path is not None:
            # Paths are checked now, because some readers of a plan do not check again.
            store.check_path(path)
    weights = [max(size, core.source_split_open_file_cost) for size in [file.file_size for file in files]]
    packed = pack(sections, weights, core.source_split_target_size)
    return [
        Split(*bucket, total_buckets, tuple(each), directory, _deletions_of(bucket, each, deletions), waiting)
        for each in packed
    ]


def _deletions_of(
    bucket: BucketId, sections: Sequence[Section], deletions: Mapping[DataFileId, DeletionFile]
) -> dict[str, DeletionFile]:
    if not deletions:
        return {}
    names = (file.file_name for section in sections for run in section for file in run)
    return {name: deletions[(*bucket, name)] for name in names if (*bucket, name) in deletions}
