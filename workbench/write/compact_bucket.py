"""Compaction of one bucket: execution of the picker's choice, reported in a commit message (format §18.3,
`MergeTreeCompactTask`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.base.clock import millis_since
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.schema import TableSchema
from workbench.lsm.compact_plan import CompactPlan, LookupRules, Rewrite, plan_compaction
from workbench.lsm.compaction import (
    CompactionChoice,
    CompactionOptions,
    CompactionUnit,
    ForceUpLevel0Compaction,
    UniversalCompaction,
    estimate_last_full,
    pick_full,
)
from workbench.lsm.levels import Levels, key_of_schema
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.compact_rewriter import CompactRewriter
from workbench.write.deletion_vectors import BucketVectors, VectorChange

if TYPE_CHECKING:
    from workbench.write.record_expiry import RecordExpiry


def levels_of(schema: TableSchema, files: Iterable[DataFileMeta]) -> Levels:
    """Return the LSM tree that the files of one bucket form."""
    return Levels(files, schema.core.num_levels, key_of_schema(schema))


@dataclass
class BucketCompaction:
    """Compaction of one bucket. ``index_files``: the index files with its deletion vectors; ``full``: the whole bucket
    is compacted; ``keeps_changelog``: changes are written to the changelog, if the table's changelog is produced by
    compaction.

    A writer compacts before it prepares its messages, so it never outpaces compaction: the work that Java does in the
    background, and waits for at `num-sorted-run.stop-trigger`, is complete here when the rows are committed.
    """

    store: TableStore
    partition: bytes
    bucket: int
    index_files: Sequence[IndexEntry] = ()
    progress: Progress = field(default_factory=Progress)
    full: bool = False
    keeps_changelog: bool = True

    def __post_init__(self) -> None:
        core = self.store.schema.core
        self._vectors: BucketVectors | None = None
        if core.deletion_vectors_enabled:
            self._vectors = BucketVectors(self.store, self.partition, self.bucket, self.index_files)
        self._rewriting: CompactRewriter | None = None

    def choose(self, levels: Levels) -> CompactionChoice:
        """Return which files to compact and why, based only on the levels, the options and the time of day."""
        core = self.store.schema.core
        if self.full:
            return pick_full(levels, self._needs_rewrite(levels, marked=True))
        options = CompactionOptions.of(core)
        now, last_full = self.store.clock.local_wall_millis(), estimate_last_full(levels.files, options)
        universal = UniversalCompaction(options)
        if core.needs_lookup:
            interval = core.lookup_compact_max_interval
            # Each trigger that skipped level 0 has left a run there.
            skipped = 0 if interval is None else min(len(levels.level_0), interval) - 1
            return ForceUpLevel0Compaction(universal, interval).pick(levels, now, last_full, skipped)
        if core.compaction_force_up_level_0:
            return ForceUpLevel0Compaction(universal).pick(levels, now, last_full)
        return universal.pick(levels, now, last_full)

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta]) -> CommitMessage:
        """Return the message extended by the bucket's compaction, or unchanged if none is due."""
        levels = levels_of(self.store.schema, files)
        unit = self.choose(levels).unit
        if unit is None:
            return message
        started = self.store.clock.monotonic()
        plan = self._plan(unit, levels)
        rewriting = CompactRewriter(
            self.store,
            self.partition,
            self.bucket,
            levels,
            self._vectors,
            self._expiry,
            self.progress,
            self.keeps_changelog,
        )
        self._rewriting = rewriting
        before, after = self._run(plan, rewriting)
        if not before:
            return message
        change = VectorChange() if self._vectors is None else self._vectors.persist()
        looks_up = self.store.schema.core.needs_lookup
        return replace(
            message,
            compact_before=tuple(before),
            compact_after=tuple(after),
            compact_changelog=tuple(rewriting.changelog),
            compact_new_index_files=change.new,
            compact_deleted_index_files=change.deleted,
            compaction={
                **plan.to_properties(unit),
                "why": unit.explanation,
                "millis": millis_since(self.store.clock, started),
            },
            looked_up_in=self._state(files).lookup_digest(before) if looks_up else None,
        )

    def abort(self) -> None:
        """Remove the files that were written; files that were only upgraded are kept."""
        if self._rewriting is not None:
            for file in self._rewriting.written:
                self.store.discard_data_file(self.partition, self.bucket, file)
            self._rewriting = None
        if self._vectors is not None:
            self._vectors.abort()

    def _state(self, files: Sequence[DataFileMeta]) -> BucketState:
        vectors = () if self._vectors is None else tuple(self._vectors.entries)
        return BucketState(tuple(files), vectors=vectors)

    def _plan(self, unit: CompactionUnit, levels: Levels) -> CompactPlan:
        schema, core = self.store.schema, self.store.schema.core
        keeps_newest = core.engine.keeps_newest and not core.sequence_field
        vectors, compares_last = core.deletion_vectors_enabled, core.changelog_producer == "full-compaction"
        # With producer full-compaction Java does not look up, and its reads of middle levels lose older rows.
        lookup = LookupRules(keeps_newest, vectors, core.file_format_at) if core.needs_lookup else None
        return plan_compaction(
            unit,
            levels,
            schema.kind.small_file_size,
            needs_rewrite=self._needs_rewrite(levels, marked=False),
            deletion_vectors=vectors,
            lookup=lookup,
            compares_last_level=compares_last,
        )

    def _needs_rewrite(self, levels: Levels, *, marked: bool) -> Callable[[DataFileMeta], bool]:
        """Return a test for files that must be rewritten: those with expired rows, those that the table's options
        force, or, if ``marked``, those with deleted rows."""
        if self.store.schema.core.compaction_force_rewrite_all_files:
            return lambda _: True
        names = frozenset() if self._expiry is None else self._expiry.expired(self.store, levels.files)
        if marked and self._vectors is not None:
            names |= self._vectors.data_files
        return lambda file: file.file_name in names

    @cached_property
    def _expiry(self) -> RecordExpiry | None:
        if self.store.schema.core.record_level_expire_time is None:
            return None
        # Loaded here, as few tables expire rows.
        from workbench.write.record_expiry import record_expiry

        return record_expiry(self.store)

    def _run(self, plan: CompactPlan, rewriting: CompactRewriter) -> tuple[list[DataFileMeta], list[DataFileMeta]]:
        before: list[DataFileMeta] = []
        after: list[DataFileMeta] = []
        for step in plan.steps:
            self.progress.check()
            if isinstance(step, Rewrite):
                before.extend(step.files)
                after.extend(rewriting.rewrite(step))
            else:
                before.append(step.file)
                after.append(rewriting.upgrade(step))
        return before, after


def compact_buckets(
    store: TableStore,
    buckets: Mapping[BucketId, BucketState],
    progress: Progress,
    full: bool = False,
    keeps_changelog: bool = True,
) -> list[CommitMessage]:
    """Compact buckets of a primary-key table, and return their messages. A failure leaves no files behind."""
    compactions: list[BucketCompaction] = []

    def compact(item: tuple[BucketId, BucketState]) -> CommitMessage:
        (partition, bucket), state = item
        compaction = BucketCompaction(store, partition, bucket, state.vectors, progress, full, keeps_changelog)
        compactions.append(compaction)
        total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
        message = compaction.add_to(CommitMessage(partition, bucket, total), state.files)
        progress.advance()
        return message

    try:
        return parallel_map(compact, list(buckets.items()))
    except BaseException:
        for compaction in compactions:
            compaction.abort()
        raise
