"""Compaction of one bucket: what the picker chose is done, and said (format §18.3, `MergeTreeCompactTask`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.base.progress import Progress
from workbench.format.data_file import CommitMessage, DataFileMeta, FileSource
from workbench.format.parquet import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.schema import TableSchema
from workbench.lsm.compact_plan import CompactPlan, Rewrite, plan_compaction
from workbench.lsm.compaction import (
    CompactionChoice,
    CompactionOptions,
    UniversalCompaction,
    estimate_last_full,
    pick_full,
)
from workbench.lsm.levels import KeyOf, Levels, comparable_keys
from workbench.table.data_file_writer import DataFileWriter, FileNames
from workbench.table.data_files.opening import open_data_file
from workbench.table.data_files.protocol import DataFile
from workbench.table.runs import runs_by_age
from workbench.table.sections import SectionReader
from workbench.table.store import TableStore


def key_of_schema(schema: TableSchema) -> KeyOf:
    """Makes the serialized keys of a table comparable."""
    return comparable_keys([each.type for each in schema.key_fields])


def levels_of(schema: TableSchema, files: Iterable[DataFileMeta]) -> Levels:
    """The tree that the files of one bucket form."""
    return Levels(files, schema.core.num_levels, key_of_schema(schema))


@dataclass
class BucketCompaction:
    """Picks and runs the next compaction of one bucket."""

    store: TableStore
    partition: bytes
    bucket: int
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self._names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        self._written: list[DataFileMeta] = []

    def choose(self, levels: Levels, *, full: bool) -> CompactionChoice:
        """What to compact and why: decided by the levels alone."""
        if full:
            return pick_full(levels)
        options = CompactionOptions.of(self.store.schema.core)
        now = self.store.clock.local_wall_millis()
        return UniversalCompaction(options).pick(levels, now, estimate_last_full(levels.files, options))

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta], *, full: bool = False) -> CommitMessage:
        """The message with the bucket's compaction beside what was written, or as it is where none is due."""
        schema = self.store.schema
        levels = levels_of(schema, files)
        unit = self.choose(levels, full=full).unit
        if unit is None:
            return message
        smallest = schema.core.small_file_size(schema.is_primary_key_table)
        plan = plan_compaction(unit, levels, smallest)
        before, after = self._run(plan)
        if not before:
            return message
        return replace(
            message,
            compact_before=tuple(before),
            compact_after=tuple(after),
            compaction={**plan.to_properties(unit), "why": unit.explanation},
        )

    def abort(self) -> None:
        """Remove what was written; files that were only lifted stay."""
        for file in self._written:
            self.store.file_io.delete(self.store.data_file_path(self.partition, self.bucket, file))
        self._written.clear()

    def _run(self, plan: CompactPlan) -> tuple[list[DataFileMeta], list[DataFileMeta]]:
        before: list[DataFileMeta] = []
        after: list[DataFileMeta] = []
        for step in plan.steps:
            self.progress.check()
            if isinstance(step, Rewrite):
                before.extend(step.files)
                after.extend(self._rewrite(step))
            else:
                before.append(step.file)
                after.append(step.upgraded)
        return before, after

    def _rewrite(self, step: Rewrite) -> list[DataFileMeta]:
        schema = self.store.schema
        columns = [*schema.field_names, SEQUENCE_NUMBER, VALUE_KIND]
        writer = DataFileWriter(
            self.store, self.partition, self.bucket, self._names, level=step.to_level, source=FileSource.COMPACT
        )
        try:
            for section in step.sections:
                runs = runs_by_age((file for run in section for file in run.files), key_of_schema(schema))
                readers = [[self._reader(file) for file in run] for run in runs]
                for merged in SectionReader(readers, schema, columns).slices(whole=False):
                    self.progress.check()
                    kept = merged.without_retracts() if step.drop_delete else merged
                    writer.write(kept.in_key_order(columns))
            written = writer.close()
        except BaseException:
            writer.abort()
            raise
        self._written.extend(written)
        return written

    def _reader(self, file: DataFileMeta) -> DataFile:
        path = self.store.data_file_path(self.partition, self.bucket, file)
        return open_data_file(self.store, path, file, self.store.schema)
