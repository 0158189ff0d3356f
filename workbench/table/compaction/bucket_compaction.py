"""Compaction of one bucket: what the picker chose is done, and said (format §18.3, `MergeTreeCompactTask`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.format.data_file import CommitMessage, DataFileMeta
from workbench.format.index_entry import IndexEntry
from workbench.format.schema import TableSchema
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
from workbench.lsm.levels import Levels
from workbench.table.compaction.rewriting import Rewriting
from workbench.table.runs import key_of_schema
from workbench.table.store import TableStore
from workbench.table.writing.deletion_vectors import BucketVectors, VectorChange

if TYPE_CHECKING:
    from workbench.table.compaction.record_expiry import RecordExpiry


def levels_of(schema: TableSchema, files: Iterable[DataFileMeta]) -> Levels:
    """The tree that the files of one bucket form."""
    return Levels(files, schema.core.num_levels, key_of_schema(schema))


@dataclass
class BucketCompaction:
    """Picks and runs the next compaction of one bucket. ``index_files``: those with its deletion vectors; ``full``: all
    of it is compacted; ``keeps_changelog``: what changes is told, where the table's changelog comes from compaction.

    A writer compacts before it prepares its messages, so that it never runs ahead of compaction: what Java does in the
    background, and waits for at `num-sorted-run.stop-trigger`, is done here by the time the rows are committed.
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
        self._rewriting: Rewriting | None = None

    def choose(self, levels: Levels) -> CompactionChoice:
        """What to compact and why: decided by the levels, the options and the time of day alone."""
        core = self.store.schema.core
        if self.full:
            return pick_full(levels, self._needs_rewrite(levels, marked=True))
        options = CompactionOptions.of(core)
        now, last_full = self.store.clock.local_wall_millis(), estimate_last_full(levels.files, options)
        universal = UniversalCompaction(options)
        if core.needs_lookup:
            interval = core.lookup_compact_max_interval
            # Each trigger that left level 0 alone has left a run there.
            skipped = 0 if interval is None else min(len(levels.level_0), interval) - 1
            return ForceUpLevel0Compaction(universal, interval).pick(levels, now, last_full, skipped)
        if core.compaction_force_up_level_0:
            return ForceUpLevel0Compaction(universal).pick(levels, now, last_full)
        return universal.pick(levels, now, last_full)

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta]) -> CommitMessage:
        """The message with the bucket's compaction beside what was written, or as it is where none is due."""
        levels = levels_of(self.store.schema, files)
        unit = self.choose(levels).unit
        if unit is None:
            return message
        plan = self._plan(unit, levels)
        rewriting = Rewriting(
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
        return replace(
            message,
            compact_before=tuple(before),
            compact_after=tuple(after),
            compact_changelog=tuple(rewriting.changelog),
            compact_new_index_files=change.new,
            compact_deleted_index_files=change.deleted,
            compaction={**plan.to_properties(unit), "why": unit.explanation},
        )

    def abort(self) -> None:
        """Remove what was written; files that were only lifted stay."""
        if self._rewriting is not None:
            for file in self._rewriting.written:
                self.store.delete_data_file(self.partition, self.bucket, file)
            self._rewriting = None
        if self._vectors is not None:
            self._vectors.abort()

    def _plan(self, unit: CompactionUnit, levels: Levels) -> CompactPlan:
        schema, core = self.store.schema, self.store.schema.core
        keeps_newest = core.merge_engine == "deduplicate" and not core.sequence_field
        vectors, compares_last = core.deletion_vectors_enabled, core.changelog_producer == "full-compaction"
        looks_up = core.needs_lookup and not compares_last
        return plan_compaction(
            unit,
            levels,
            core.small_file_size(schema.is_primary_key_table),
            needs_rewrite=self._needs_rewrite(levels, marked=False),
            deletion_vectors=vectors,
            lookup=LookupRules(keeps_newest, vectors, core.file_format_at) if looks_up else None,
            compares_last_level=compares_last,
        )

    def _needs_rewrite(self, levels: Levels, *, marked: bool) -> Callable[[DataFileMeta], bool]:
        """Which files may not stay as they are: with expired rows, where the table forces it, or, if ``marked``, with
        deleted rows."""
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
        # Loaded here, for few tables let their rows expire.
        from workbench.table.compaction.record_expiry import record_expiry

        return record_expiry(self.store)

    def _run(self, plan: CompactPlan, rewriting: Rewriting) -> tuple[list[DataFileMeta], list[DataFileMeta]]:
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
