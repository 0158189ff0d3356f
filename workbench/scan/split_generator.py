"""How the files of a bucket form sections, and which of them may match, as the kind of the table decides (Java
``SplitGenerator`` and the ``FileStoreScan`` of each kind)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from workbench.base.errors import CorruptFile
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry
from workbench.format.spec.table_kind import AppendOnlyKind, DataEvolutionKind, KeyValueKind, TableKind
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.kept import Kept, PrunedFile, keep_entries
from workbench.scan.split import Section, files_of

if TYPE_CHECKING:
    from workbench.scan.pruning import FilePruner


class SplitGenerator(ABC):
    """Forms the sections of the files of each bucket. ``pruner`` leaves out what cannot contain a matching row; None
    keeps everything."""

    def __init__(self, store: TableStore, pruner: FilePruner | None) -> None:
        self._store = store
        self._pruner = pruner

    def judge(self, files: Sequence[DataFileMeta]) -> None:
        """Judge files of many buckets at once, which takes much less time than bucket by bucket."""
        if self._pruner is not None:
            self._judge(self._pruner, files)

    def files(self, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        """Keep the files of one bucket that may contain a matching row, each judged by itself."""
        return Kept(entries) if self._pruner is None else self._files(self._pruner, entries)

    def sections(self, bucket: BucketId, entries: Sequence[ManifestEntry]) -> Kept[Section]:
        """Return the sections of one bucket that may contain a matching row.

        Raises:
            CorruptFile: The key statistics of a file are corrupt.
        """
        try:
            files, by_file = self.files(entries)
            kept, by_section = self.kept(bucket, self._formed(bucket, files))
            return Kept(kept, (*by_file, *by_section))
        except ValueError as error:
            reason = "the key statistics of its files in the manifests are corrupt"
            raise CorruptFile(self._store.bucket_directory(*bucket), reason) from error

    def kept(self, bucket: BucketId, sections: Sequence[Section]) -> Kept[Section]:
        """Keep the sections of one bucket that may contain a matching row, each judged as a whole."""
        return Kept(sections) if self._pruner is None else self._kept(self._pruner, bucket, sections)

    @abstractmethod
    def _judge(self, pruner: FilePruner, files: Sequence[DataFileMeta]) -> None:
        """Let the pruner remember its judgments of files."""

    @abstractmethod
    def _files(self, pruner: FilePruner, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        """Keep the files that may contain a matching row, each judged by itself."""

    @abstractmethod
    def _formed(self, bucket: BucketId, entries: Sequence[ManifestEntry]) -> list[Section]:
        """Return the sections of the files of a bucket."""

    @abstractmethod
    def _kept(self, pruner: FilePruner, bucket: BucketId, sections: Sequence[Section]) -> Kept[Section]:
        """Keep the sections that may contain a matching row, each judged as a whole."""


class AppendSplits(SplitGenerator):
    """Each file is a section (Java ``AppendOnlySplitGenerator``)."""

    def _judge(self, pruner: FilePruner, files: Sequence[DataFileMeta]) -> None:
        pruner.by_statistics(files)

    def _files(self, pruner: FilePruner, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        if not entries:
            return Kept(entries)
        bucket = (entries[0].partition, entries[0].bucket)
        return keep_entries(entries, pruner.left_out_by(bucket, [entry.file for entry in entries]))

    def _formed(self, _: BucketId, entries: Sequence[ManifestEntry]) -> list[Section]:
        if self._store.schema.core.bucket > 0:
            # Rows of fixed buckets are read in the order in which they were written.
            entries = sorted(entries, key=lambda entry: entry.file.min_sequence_number)
        return [((entry.file,),) for entry in entries]

    def _kept(self, _: FilePruner, __: BucketId, sections: Sequence[Section]) -> Kept[Section]:
        return Kept(sections)


class RowRangeSplits(SplitGenerator):
    """The files of a range of rows, whose columns may be in several files, are a section (format §26, Java
    ``DataEvolutionSplitGenerator``)."""

    def _judge(self, pruner: FilePruner, files: Sequence[DataFileMeta]) -> None:
        """Judge nothing, because a file is judged only with the columns that are read from it."""

    def _files(self, _: FilePruner, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        return Kept(entries)

    def _formed(self, bucket: BucketId, entries: Sequence[ManifestEntry]) -> list[Section]:
        from workbench.scan.data_evolution import sections_by_row_id

        return sections_by_row_id([entry.file for entry in entries], self._store.bucket_directory(*bucket))

    def _kept(self, pruner: FilePruner, bucket: BucketId, sections: Sequence[Section]) -> Kept[Section]:
        """Keep the ranges of rows that may contain a matching row. Each file describes only the columns that are read
        from it, and can exclude all files of its range."""
        from workbench.scan.data_evolution import owned_columns

        by_columns: dict[frozenset[str], list[tuple[int, DataFileMeta]]] = {}
        for position, section in enumerate(sections):
            files = [file for run in section for file in run]
            owned = owned_columns(self._store, files, pruner.schema)
            for file in files:
                by_columns.setdefault(owned.get(file.file_name, frozenset()), []).append((position, file))
        left_out_by = [""] * len(sections)
        for columns, members in by_columns.items():
            rules = pruner.on_columns(tuple(columns)).left_out_by(bucket, [file for _, file in members])
            for (position, _), rule in zip(members, rules, strict=True):
                left_out_by[position] = left_out_by[position] or rule
        judged = list(zip(sections, left_out_by, strict=True))
        left_out = [PrunedFile(*bucket, file, rule) for section, rule in judged if rule for file in files_of([section])]
        return Kept([section for section, rule in judged if not rule], left_out)


class KeyedSplits(SplitGenerator):
    """The files of a range of keys are a section, whose rows are merged (Java ``MergeTreeSplitGenerator``)."""

    def _judge(self, pruner: FilePruner, files: Sequence[DataFileMeta]) -> None:
        pruner.by_statistics(list(compress(files, pruner.by_keys(files))))

    def _files(self, pruner: FilePruner, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        """Keep the files whose keys may match: rows of other keys never affect the result, regardless of the runs that
        they overlap."""
        keep = pruner.by_keys([entry.file for entry in entries])
        return Kept(entries) if all(keep) else keep_entries(entries, ["" if kept else "key range" for kept in keep])

    def _formed(self, _: BucketId, entries: Sequence[ManifestEntry]) -> list[Section]:
        schema, files = self._store.schema, [entry.file for entry in entries]
        looked_up = schema.core.engine.keeps_first or schema.core.deletion_vectors_enabled
        if looked_up and not any(file.delete_row_count or file.level == 0 for file in files):
            # Compaction has dropped or marked the older rows of every key on all levels.
            return [((file,),) for file in files]
        # Loaded here, as append tables have no keys.
        from workbench.lsm.interval_partition import partition_into_sections
        from workbench.lsm.levels import key_of_schema
        from workbench.scan.sorted_runs import runs_by_age

        key_of = key_of_schema(schema)
        sections = partition_into_sections(files, key_of)
        return [runs_by_age((file for run in section for file in run.files), key_of) for section in sections]

    def _kept(self, pruner: FilePruner, bucket: BucketId, sections: Sequence[Section]) -> Kept[Section]:
        """Keep the sections that may contain a matching row.

        A replaced row must not reappear because the file of the newer row was left out, so a section is kept or left
        out as a whole. If the merge engine combines rows, the result may match although none of its inputs does;
        overlapping runs are then always kept.
        """
        combines = pruner.schema.core.engine.combines_rows
        judged = [section for section in sections if not (combines and len(section) > 1)]
        rules: Iterator[str] = iter(pruner.left_out_by(bucket, files_of(judged)))
        kept: list[Section] = []
        left_out: list[PrunedFile] = []
        for section in sections:
            if combines and len(section) > 1:
                kept.append(section)
                continue
            files = [file for run in section for file in run]
            left_out_by = [next(rules) for _ in files]
            if all(left_out_by):
                left_out += (PrunedFile(*bucket, *each) for each in zip(files, left_out_by, strict=True))
            else:
                kept.append(section)
        return Kept(kept, left_out)


_GENERATORS: Mapping[type[TableKind], type[SplitGenerator]] = {
    KeyValueKind: KeyedSplits,
    AppendOnlyKind: AppendSplits,
    DataEvolutionKind: RowRangeSplits,
}


def split_generator(store: TableStore, pruner: FilePruner | None = None) -> SplitGenerator:
    """Return the generator for the kind of a table."""
    return store.schema.kind.choose(_GENERATORS)(store, pruner)
