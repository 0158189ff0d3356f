"""Execution of the steps of a compaction: files are merged and rewritten, and the changes are written to the changelog
(format §18.3, §19, §20; `MergeTreeCompactRewriter` and its subclasses)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.datafile.ahead import reading_ahead
from workbench.datafile.data_file_writer import DataFileWriter, FileNames, RollingBuffer
from workbench.datafile.open import open_rows, open_stored_file
from workbench.datafile.protocol import DataFile
from workbench.datafile.readers.row_positions import PLACE, RowPositionReader
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import DataFileMeta, FileSource
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.compact_plan import Before, Rewrite, Upgrade
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.levels import Levels
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import MergeFunction
from workbench.metadata.store import TableStore
from workbench.scan.section_reader import SectionReader
from workbench.scan.sorted_runs import runs_by_age

if TYPE_CHECKING:
    from workbench.write.deletion_vectors import BucketVectors
    from workbench.write.record_expiry import RecordExpiry

_LITTLE_BYTES = 8 << 20
_COMPARED_BY = {"lookup": Before.LOOKED_UP, "full-compaction": Before.LAST_LEVEL}


@dataclass
class CompactRewriter:
    """Executor of the steps of one compaction of one bucket. ``levels``: the bucket before the compaction; ``vectors``:
    its deletion vectors, None if the table has none. Changed vectors are not written here.

    ``changelog`` has the new changelog files, ``written`` all new files.
    """

    store: TableStore
    partition: bytes
    bucket: int
    levels: Levels
    vectors: BucketVectors | None
    expiry: RecordExpiry | None
    progress: Progress
    keeps_changelog: bool = True
    changelog: list[DataFileMeta] = field(default_factory=list)
    written: list[DataFileMeta] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._schema = self.store.schema
        self._core = self._schema.core
        self._names = FileNames(self.store.ids.uuid(), self._core.data_file_prefix)
        self._columns = [*self._schema.field_names, SEQUENCE_NUMBER, VALUE_KIND]

    def rewrite(self, step: Rewrite) -> list[DataFileMeta]:
        """Merge and write the files of a step, and return the new files."""
        output = DataFileWriter(
            self.store, self.partition, self.bucket, self._names, level=step.to_level, source=FileSource.COMPACT
        )
        self._run(step, output)
        if self.vectors is not None:
            for file in step.files:
                self.vectors.remove(file.file_name)
        return output.finished

    def upgrade(self, step: Upgrade) -> DataFileMeta:
        """Upgrade a file, and write the changelog of its rows if required."""
        looks_up = step.before == Before.LOOKED_UP
        if self._writes_changelog(step) or (looks_up and self._marks(self._above(step))):
            self._run(step, None)
        return step.upgraded

    def _run(self, step: Rewrite | Upgrade, output: DataFileWriter | None) -> None:
        changes = self._changelog_writer(step)
        outputs = [writer for writer in (output, changes) if writer is not None]
        rows, changed = (None if writer is None else RollingBuffer(writer) for writer in (output, changes))
        try:
            for reader, positions in self._readers(step, output is not None or changes is not None):
                for merged in reader.slices(whole=self._looks_up_little(step)):
                    self.progress.check()
                    if positions is not None:
                        positions.mark(merged)
                    if rows is not None:
                        kept = merged.without_retracts() if isinstance(step, Rewrite) and step.drop_delete else merged
                        rows.add(kept.in_key_order(self._columns))
                    if changed is not None:
                        changed.add(self._changelog_of(merged))
            for gathered in (rows, changed):
                if gathered is not None:
                    gathered.finish()
            for writer in outputs:
                writer.close()
        except BaseException:
            for writer in outputs:
                writer.abort()
            raise
        for writer in outputs:
            self.written.extend(writer.finished)
        if changes is not None:
            self.changelog.extend(changes.finished)

    # --- reading --------------------------------------------------------------------------------------------------

    def _readers(
        self, step: Rewrite | Upgrade, needs_rows: bool
    ) -> Iterable[tuple[SectionReader, _LookedUpPositions | None]]:
        """Yield a reader for each section of a step. If the step looks up rows, all sections are read as one; otherwise
        each of them would search the same files on higher levels."""
        columns = self._columns if needs_rows else []
        if step.before != Before.LOOKED_UP:
            for files in _sections(step):
                yield self._section(step, files, columns, {}), None
            return
        files, above = _files(step), self._above(step)
        positions = _LookedUpPositions(self.vectors, above) if self.vectors is not None and self._marks(above) else None
        if positions is not None:
            columns = [*columns, PLACE]
        yield self._section(step, [*files, *above], columns, positions.first_of if positions else {}), positions

    def _section(
        self, step: Rewrite | Upgrade, files: Sequence[DataFileMeta], columns: Sequence[str], first: dict[str, int]
    ) -> SectionReader:
        runs = runs_by_age(files, self.levels.key_of)
        function = self._function(step, columns)
        store = reading_ahead(self.store, ((self._path(file), file) for run in runs for file in run))
        readers = [[self._open(store, step, file, first.get(file.file_name, 0)) for file in run] for run in runs]
        return SectionReader(readers, self._schema, columns, function=function)

    def _path(self, file: DataFileMeta) -> str:
        return self.store.data_file_path(self.partition, self.bucket, file)

    def _open(self, store: TableStore, step: Rewrite | Upgrade, file: DataFileMeta, first_place: int) -> DataFile:
        stored = open_stored_file(store, self._path(file), file, self._schema)
        vectors = self.vectors
        if vectors is None:
            rows = open_rows(self.store, stored, None)
        else:
            has_vector = file.file_name in vectors.data_files
            load = partial(_vector_of, vectors, file) if has_vector else None
            rows = open_rows(self.store, RowPositionReader(stored, first_place), load)
        is_looked_up = file.level > step.to_level
        if self.expiry is None or (is_looked_up and self._finds_expired):
            return rows
        from workbench.write.record_expiry import UnexpiredRows

        return UnexpiredRows(rows, self.expiry)

    @property
    def _finds_expired(self) -> bool:
        """Whether lookups include expired rows. With first-row, an expired row counts as existing, as in Java. With
        deletion vectors, an old row that is not marked as deleted would be visible in addition to the new one."""
        return self._core.engine.keeps_first or self.vectors is not None

    def _function(self, step: Rewrite | Upgrade, columns: Sequence[str]) -> MergeFunction:
        function = merge_function_for(self._schema, columns)
        if step.before == Before.NOT_NEEDED:
            return function
        # Loaded here, as most tables do not need it.
        from workbench.lsm import changelog

        if step.before == Before.LAST_LEVEL:
            return changelog.TopLevelMerge(function, self.levels.max_level)
        if self._core.engine.keeps_first:
            return changelog.FirstRowLookupMerge(function, step.to_level)
        return changelog.LookupMerge(function, step.to_level)

    def _looks_up_little(self, step: Rewrite | Upgrade) -> bool:
        """Return whether older rows are looked up for few rows only. Then keys are read first, and little else."""
        return step.before == Before.LOOKED_UP and sum(file.file_size for file in _files(step)) < _LITTLE_BYTES

    def _above(self, step: Rewrite | Upgrade) -> list[DataFileMeta]:
        """Return the files above the output level that may hold keys of level 0."""
        key_of = self.levels.key_of
        spans = [(key_of(file.min_key), key_of(file.max_key)) for file in _files(step) if file.level == 0]
        return [
            file
            for file in self.levels.files
            if file.level > step.to_level
            and any(key_of(file.min_key) <= last and first <= key_of(file.max_key) for first, last in spans)
        ]

    def _marks(self, above: Sequence[DataFileMeta]) -> bool:
        """Return whether rows above the output level have to be marked as deleted."""
        return self.vectors is not None and bool(above)

    # --- changelog ------------------------------------------------------------------------------------------------

    def _writes_changelog(self, step: Rewrite | Upgrade) -> bool:
        """Return whether the step writes a changelog; each producer determines the previous rows in a different way."""
        return self.keeps_changelog and _COMPARED_BY.get(self._core.changelog_producer) == step.before

    def _changelog_writer(self, step: Rewrite | Upgrade) -> DataFileWriter | None:
        if not self._writes_changelog(step):
            return None
        return DataFileWriter(
            self.store, self.partition, self.bucket, self._names, level=step.to_level, is_changelog=True
        )

    @cached_property
    def _deduplicated_by(self) -> list[str] | None:
        if not self._core.changelog_row_deduplicate:
            return None
        ignored = {*self._core.names("changelog-producer.row-deduplicate-ignore-fields"), *self._schema.primary_keys}
        return [name for name in self._schema.field_names if name not in ignored]

    def _changelog_of(self, merged: MergedSlice) -> pa.Table:
        from workbench.lsm.changelog import changelog_of

        return changelog_of(merged, self._columns, self._deduplicated_by)


class _LookedUpPositions:
    """Marks the rows above the output level that newer rows have replaced (format §20.2).

    ``first_of``: the number of the first row of each of ``files``, by name, in a consecutive numbering of all rows.
    """

    def __init__(self, vectors: BucketVectors, files: Sequence[DataFileMeta]) -> None:
        self._vectors = vectors
        self._files = files
        self._firsts = list(accumulate((file.row_count for file in files), initial=0))[:-1]
        self.first_of = {file.file_name: first for file, first in zip(files, self._firsts, strict=True)}

    def mark(self, merged: MergedSlice) -> None:
        """Mark the rows that the merge of a slice looked up."""
        from workbench.lsm.changelog import Compared

        compared = merged.merged
        if not isinstance(compared, Compared) or not compared.looked_up.any():
            return
        positions = merged.input_rows([PLACE], compared.before[compared.looked_up]).column(PLACE).to_numpy()
        owner = np.searchsorted(self._firsts, positions, side="right") - 1
        for index in np.unique(owner).tolist():
            rows = DeletionVector.of(positions[owner == index] - self._firsts[index])
            self._vectors.delete(self._files[index], rows)


def _vector_of(vectors: BucketVectors, file: DataFileMeta) -> DeletionVector:
    return vectors.vector(file) or DeletionVector.of([])


def _sections(step: Rewrite | Upgrade) -> list[list[DataFileMeta]]:
    if isinstance(step, Upgrade):
        return [[step.file]]
    return [[file for run in section for file in run.files] for section in step.sections]


def _files(step: Rewrite | Upgrade) -> list[DataFileMeta]:
    return [file for section in _sections(step) for file in section]
