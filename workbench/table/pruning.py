"""Leaving out what cannot hold a matching row: manifests, partitions, buckets, files (format §10, §11, §25.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.expr.expressions import Expr
from workbench.expr.key_values import equality_values
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch, may_match
from workbench.expr.tree import restrict_to
from workbench.format.binary_row_decoding import decode_columns
from workbench.format.bucket import fixed_buckets
from workbench.format.data_file import DataFileMeta, ManifestEntry, ManifestFileMeta, SimpleStats
from workbench.format.schema import TableSchema
from workbench.format.types import DataField, to_arrow
from workbench.table.split import Section
from workbench.table.store import TableStore

Item = TypeVar("Item")
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PrunedFile:
    """A file that is not read, and the rule that left it out: ``level 0``, ``partition``, ``bucket``, ``key range`` or
    ``value range``."""

    partition: bytes
    bucket: int
    file: DataFileMeta
    rule: str


@dataclass(frozen=True)
class FilePruner:
    """Applies one predicate, bound to ``schema``; without one it keeps everything."""

    store: TableStore
    schema: TableSchema
    where: Expr | None

    def manifests(self, metas: Sequence[ManifestFileMeta]) -> list[ManifestFileMeta]:
        """Manifests whose range of partitions may match."""
        predicate = self._on(self.schema.partition_keys)
        if predicate is None or not metas:
            return list(metas)
        columns = _decoded([meta.partition_stats for meta in metas], self.schema.partition_fields)
        # Writers differ in what they count nulls over, entries or partitions, so the number of rows stays unknown.
        rows = pa.nulls(len(metas), pa.int64())
        keep = may_match(predicate, ColumnStatsBatch(rows, columns))
        return [meta for meta, kept in zip(metas, keep.tolist(), strict=True) if kept]

    def partitions_and_buckets(self, entries: Iterable[ManifestEntry], pruned: list[PrunedFile]) -> list[ManifestEntry]:
        """Entries of partitions and buckets that may match."""
        entries = list(entries)
        partitions = self._partitions({entry.partition for entry in entries})
        kept = []
        for entry in entries:
            if partitions is not None and entry.partition not in partitions:
                pruned.append(PrunedFile(entry.partition, entry.bucket, entry.file, "partition"))
            elif not self._may_be_in(entry.bucket, entry.total_buckets):
                pruned.append(PrunedFile(entry.partition, entry.bucket, entry.file, "bucket"))
            else:
                kept.append(entry)
        return kept

    def files_by_key(self, entries: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> list[ManifestEntry]:
        """Files of a primary-key bucket whose keys may match: rows of other keys change nothing, whatever runs they
        overlap."""
        predicate = self._on(self.schema.trimmed_primary_keys)
        if predicate is None:
            return list(entries)
        stats = self._stats([entry.file for entry in entries], self._key_stats)
        return _kept(entries, may_match(predicate, stats), "key range", pruned)

    def files_by_value(self, entries: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> list[ManifestEntry]:
        """Files of an append bucket that may hold a matching row."""
        if self.where is None:
            return list(entries)
        stats = self._stats([entry.file for entry in entries], self._value_stats)
        return _kept(entries, may_match(self.where, stats), "value range", pruned)

    def sections_by_value(
        self, sections: Sequence[Section], bucket: tuple[bytes, int], pruned: list[PrunedFile]
    ) -> list[Section]:
        """Sections that may hold a matching row.

        A row that a newer one replaces must not come back because the newer one's file was left out, so a section
        stays whole or goes whole. Where an engine combines rows, what comes out may match though nothing that goes in
        does: there, overlapping runs stay.
        """
        if self.where is None or not sections:
            return list(sections)
        combines = self.schema.core.merge_engine in ("partial-update", "aggregation")
        files = [file for section in sections for run in section for file in run]
        keep = iter(may_match(self.where, self._stats(files, self._value_stats)).tolist())
        kept = []
        for section in sections:
            flags = [next(keep) for run in section for _ in run]
            if any(flags) or (combines and len(section) > 1):
                kept.append(section)
            else:
                pruned.extend(PrunedFile(*bucket, file, "value range") for run in section for file in run)
        return kept

    def _on(self, columns: Sequence[str]) -> Expr | None:
        return None if self.where is None or not columns else restrict_to(self.where, columns)

    def _partitions(self, distinct: set[bytes]) -> set[bytes] | None:
        predicate = self._on(self.schema.partition_keys)
        if predicate is None or not distinct:
            return None
        rows = list(distinct)
        fields = self.schema.partition_fields
        columns = {
            field.name: ColumnStats(values, values, values.is_null().cast(pa.int64()), no_nan=True)
            for field, values in zip(fields, decode_columns(rows, [each.type for each in fields]), strict=True)
        }
        keep = may_match(predicate, ColumnStatsBatch(pa.array(np.ones(len(rows), np.int64)), columns))
        return {row for row, kept in zip(rows, keep.tolist(), strict=True) if kept}

    @cached_property
    def _bucket_keys(self) -> list[pa.Array] | None:
        """The bucket keys that a matching row can have, None where they are not a short list."""
        names = self.schema.bucket_keys
        keys = None if self.where is None or not names else equality_values(self.where, names)
        if keys is None:
            return None
        fields = [self.schema.field(name) for name in names]
        return [_internal_array([key[i] for key in keys], field) for i, field in enumerate(fields)]

    @cached_property
    def _buckets(self) -> dict[int, set[int]]:
        return {}

    def _may_be_in(self, bucket: int, total_buckets: int) -> bool:
        """The number of buckets is that of the entry: partitions may have been rescaled."""
        if self._bucket_keys is None or total_buckets <= 0:
            return True
        if total_buckets not in self._buckets:
            types = [self.schema.field(name).type for name in self.schema.bucket_keys]
            self._buckets[total_buckets] = set(fixed_buckets(self._bucket_keys, types, total_buckets).tolist())
        return bucket in self._buckets[total_buckets]

    def _stats(
        self,
        files: Sequence[DataFileMeta],
        layout: Callable[[DataFileMeta], tuple[SimpleStats, tuple[DataField | None, ...]]],
    ) -> ColumnStatsBatch:
        """The statistics of files of several schemas, in one batch of this scan's columns."""
        groups: dict[tuple[DataField | None, ...], list[tuple[int, SimpleStats]]] = {}
        for place, file in enumerate(files):
            stats, fields = layout(file)
            groups.setdefault(fields, []).append((place, stats))
        rows = pa.array([file.row_count for file in files], pa.int64())
        if len(groups) == 1:
            ((fields, members),) = groups.items()
            return ColumnStatsBatch(rows, _decoded([stats for _, stats in members], fields))
        return ColumnStatsBatch(rows, _scattered(groups, len(files), self.schema.fields))

    def _key_stats(self, file: DataFileMeta) -> tuple[SimpleStats, tuple[DataField | None, ...]]:
        written = self.store.schema_of(file.schema_id)
        return file.key_stats, self._as_read(written, written.key_fields)

    def _value_stats(self, file: DataFileMeta) -> tuple[SimpleStats, tuple[DataField | None, ...]]:
        """Which columns the stats speak of: those listed, else those of the file, else those of its schema (format
        §6)."""
        written = self.store.schema_of(file.schema_id)
        names = file.value_stats_cols if file.value_stats_cols is not None else file.write_cols
        if names is None:
            return file.value_stats, self._as_read(written, written.fields)
        known = {each.name: each for each in written.fields}
        return file.value_stats, self._as_read(written, [known.get(name) for name in names])

    def _as_read(self, written: TableSchema, fields: Sequence[DataField | None]) -> tuple[DataField | None, ...]:
        """The fields under the names of this scan's schema; None for those it does not have, or has with another
        type."""
        if written.id == self.schema.id:
            return tuple(fields)
        current = {each.id: each for each in self.schema.fields}
        result: list[DataField | None] = []
        for each in fields:
            now = None if each is None else current.get(each.id)
            same = now is not None and each is not None and now.type.as_nullable() == each.type.as_nullable()
            result.append(now if same else None)
        if any(now is None for now in result):
            # Stats rows are read field by field, so a place must keep its type even where nobody asks for it.
            return tuple(_Unread.of(each) if now is None else now for each, now in zip(fields, result, strict=True))
        return tuple(result)


class _Unread:
    """A column whose statistics are there but of no use to this scan."""

    @staticmethod
    def of(field: DataField | None) -> DataField | None:
        return None if field is None else DataField(-1 - field.id, f"\0{field.id}", field.type)


def _kept(entries: Sequence[ManifestEntry], keep: Flags, rule: str, pruned: list[PrunedFile]) -> list[ManifestEntry]:
    kept = []
    for entry, flag in zip(entries, keep.tolist(), strict=True):
        if flag:
            kept.append(entry)
        else:
            pruned.append(PrunedFile(entry.partition, entry.bucket, entry.file, rule))
    return kept


def _decoded(stats: Sequence[SimpleStats], fields: Sequence[DataField | None]) -> dict[str, ColumnStats]:
    """Bounds and null counts by column. Files whose stats have another shape than their schema says count as
    unknown."""
    known = [field for field in fields if field is not None]
    if not known or len(known) < len(fields):
        return {}
    types = [field.type.as_nullable() for field in known]
    minimum = decode_columns([each.min_values for each in stats], types)
    maximum = decode_columns([each.max_values for each in stats], types)
    counts = [each.null_counts or (None,) * len(known) for each in stats]
    return {
        field.name: ColumnStats(minimum[place], maximum[place], pa.array([row[place] for row in counts], pa.int64()))
        for place, field in enumerate(known)
    }


def _scattered(
    groups: Mapping[tuple[DataField | None, ...], Sequence[tuple[int, SimpleStats]]],
    size: int,
    fields: Sequence[DataField],
) -> dict[str, ColumnStats]:
    """Stats of groups of files, each back at the place of its file; null where a group does not know a column."""
    order = np.argsort([place for members in groups.values() for place, _ in members])
    parts = [(_decoded([stats for _, stats in members], known), len(members)) for known, members in groups.items()]
    assert len(order) == size
    take = pa.array(order)

    def gather(name: str, of: Callable[[ColumnStats], pa.Array | None], kind: pa.DataType) -> pa.Array:
        arrays = []
        for columns, count in parts:
            found = of(columns[name]) if name in columns else None
            arrays.append(pa.nulls(count, kind) if found is None else found)
        return pa.concat_arrays(arrays).take(take)

    return {
        field.name: ColumnStats(
            gather(field.name, lambda stats: stats.minimum, to_arrow(field.type)),
            gather(field.name, lambda stats: stats.maximum, to_arrow(field.type)),
            gather(field.name, lambda stats: stats.null_count, pa.int64()),
        )
        for field in fields
    }


def _internal_array(values: Sequence[object], field: DataField) -> pa.Array:
    kind = to_arrow(field.type)
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)
