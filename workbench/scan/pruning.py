"""Pruning of everything that cannot contain a matching row: manifests, partitions, buckets, files (format §10, §11,
§25.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.base.lazy import cached_property
from workbench.expr.evaluate import filter_mask, may_fail
from workbench.expr.expressions import Expr
from workbench.expr.key_values import equality_values
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch, may_match
from workbench.expr.tree import referenced_columns, restrict_to
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry, ManifestFileMeta
from workbench.format.spec.paths import FILE_INDEX_SUFFIX, MANIFEST_DIRECTORY
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, to_arrow
from workbench.metadata.file_stats import FileStats
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.kept import Kept, keep_entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Judged = dict[int, tuple[DataFileMeta, bool]]
"""Whether each file is kept, by its identity; the file is kept alive with it."""


@dataclass(frozen=True)
class FilePruner:
    """Pruner for one predicate, bound to ``schema``; without one it keeps everything."""

    store: TableStore
    schema: TableSchema
    where: Expr | None

    def manifests(self, metas: Sequence[ManifestFileMeta]) -> list[ManifestFileMeta]:
        """Return the manifests whose range of partitions may match."""
        predicate = self._on(self.schema.partition_keys)
        if predicate is None or not metas:
            return list(metas)
        columns = self._file_stats.of_partitions([meta.partition_stats for meta in metas])
        # Some writers count nulls per entry and others per partition, so the number of rows is treated as unknown.
        rows = pa.nulls(len(metas), pa.int64())
        keep = may_match(predicate, ColumnStatsBatch(rows, columns))
        return [meta for meta, kept in zip(metas, keep.tolist(), strict=True) if kept]

    def partitions_and_buckets(self, entries: Sequence[ManifestEntry]) -> Kept[ManifestEntry]:
        """Keep the entries of partitions and buckets that may match."""
        partitions = self.partitions({entry.partition for entry in entries})

        def left_out_by(entry: ManifestEntry) -> str:
            if partitions is not None and entry.partition not in partitions:
                return "partition"
            return "" if self.may_be_in(entry.bucket, entry.total_buckets, entry.file.schema_id) else "bucket"

        return keep_entries(entries, list(map(left_out_by, entries)))

    def by_keys(self, files: Sequence[DataFileMeta]) -> list[bool]:
        """Return for each file whether it may contain a matching row, according to the bounds of its keys."""
        predicate = self._on(self.schema.trimmed_primary_keys)
        if predicate is None or not files:
            return [True] * len(files)
        return _remembered(self._by_keys, files, lambda new: may_match(predicate, self._file_stats.of_keys(new)))

    @property
    def partitions_decide(self) -> bool:
        """Whether every row of the kept partitions satisfies the predicate, regardless of its other values."""
        if self.where is None:
            return True
        keys = self.schema.partition_keys
        return bool(keys) and referenced_columns(self.where).issubset(keys) and not may_fail(self.where)

    def left_out_by(self, bucket: BucketId, files: Sequence[DataFileMeta]) -> list[str]:
        """Return for each file the rule by which none of its rows can match; empty if there is no such rule."""
        if self.where is None or not files:
            return [""] * len(files)
        keep = self.by_statistics(files)
        rules = ["" if kept else "value range" for kept in keep]
        if not self.schema.core.file_index_read_enabled:
            return rules
        indexed = [position for position, file in enumerate(files) if keep[position] and has_index(file)]
        if indexed:
            for position, kept in zip(indexed, self._by_index(bucket, [files[each] for each in indexed]), strict=True):
                rules[position] = "" if kept else "file index"
        return rules

    def by_statistics(self, files: Sequence[DataFileMeta]) -> list[bool]:
        """Return for each file whether it may contain a matching row, according to the statistics of its values."""
        where = self.where
        if where is None or self._keys_decide:
            return [True] * len(files)
        return _remembered(self._by_values, files, lambda new: may_match(where, self._file_stats.of_values(new)))

    @cached_property
    def _by_keys(self) -> _Judged:
        return {}

    @cached_property
    def _by_values(self) -> _Judged:
        return {}

    def _by_index(self, bucket: BucketId, files: Sequence[DataFileMeta]) -> list[bool]:
        # Loaded here, as few tables have file indexes.
        from workbench.datafile.file_indexes import FileIndexes

        assert self.where is not None
        paths = [self.store.data_file_path(*bucket, file) for file in files]
        return FileIndexes(self.store, self.schema, self.where).may_match(paths, files)

    @cached_property
    def _keys_decide(self) -> bool:
        """Return whether `by_keys` has already evaluated the whole predicate: the value statistics of key columns are
        the same as the bounds of the keys."""
        keys = self.schema.trimmed_primary_keys
        return self.where is not None and bool(keys) and referenced_columns(self.where).issubset(keys)

    @cached_property
    def _file_stats(self) -> FileStats:
        return FileStats(self.store, self.schema, set() if self.where is None else referenced_columns(self.where))

    def on_columns(self, columns: Sequence[str]) -> FilePruner:
        """Return a pruner for what the predicate says about some columns."""
        return FilePruner(self.store, self.schema, self._on(columns))

    def _on(self, columns: Sequence[str]) -> Expr | None:
        return None if self.where is None or not columns else restrict_to(self.where, columns)

    def partitions(self, distinct: set[bytes]) -> set[bytes] | None:
        """Return the partitions that may match; None if the predicate says nothing about them."""
        predicate = self._on(self.schema.partition_keys)
        if predicate is None or not distinct:
            return None
        rows, fields = list(distinct), self.schema.partition_fields
        try:
            values = decode_columns(rows, [each.type for each in fields])
        except ValueError as error:
            raise CorruptFile(self.store.path(MANIFEST_DIRECTORY), "a partition in a manifest is corrupt") from error
        if may_fail(predicate):
            # An error in the evaluation of one partition must not prevent reading the others.
            nulls = [each.is_null().cast(pa.int64()) for each in values]
            bounds = (ColumnStats(*each, no_nan=True) for each in zip(values, values, nulls, strict=True))
            columns = {field.name: each for field, each in zip(fields, bounds, strict=True)}
            keep = may_match(predicate, ColumnStatsBatch(pa.array(np.ones(len(rows), np.int64)), columns)).tolist()
        else:
            keep = filter_mask(predicate, pa.table(values, [each.name for each in fields])).to_pylist()
        return {row for row, kept in zip(rows, keep, strict=True) if kept}

    @cached_property
    def _bucket_keys(self) -> list[pa.Array] | None:
        """Return the bucket keys that a matching row can have, None if the predicate does not restrict them to a short
        list."""
        names = self.schema.bucket_keys
        keys = None if self.where is None or not names else equality_values(self.where, names)
        if keys is None:
            return None
        fields = [self.schema.field(name) for name in names]
        return [_internal_array([key[i] for key in keys], field) for i, field in enumerate(fields)]

    def _has_same_hashes(self, schema_id: int) -> bool:
        """Return whether the bucket keys of an older schema have the current types, and so the same hashes."""
        if schema_id not in self._alike:
            then = {field.id: field.type.as_nullable() for field in self.store.schema_of(schema_id).fields}
            now = map(self.schema.field, self.schema.bucket_keys)
            self._alike[schema_id] = all(then.get(field.id) == field.type.as_nullable() for field in now)
        return self._alike[schema_id]

    @cached_property
    def _alike(self) -> dict[int, bool]:
        return {self.schema.id: True}

    @cached_property
    def _buckets(self) -> dict[int, set[int]]:
        return {}

    def may_be_in(self, bucket: int, total_buckets: int, schema_id: int) -> bool:
        """Return whether a bucket may contain a matching row. ``total_buckets`` is the value of the manifest entry, as
        partitions may have been rescaled."""
        if self._bucket_keys is None or total_buckets <= 0 or not self._has_same_hashes(schema_id):
            return True
        if total_buckets not in self._buckets:
            self._buckets[total_buckets] = set(self.buckets_of_keys(total_buckets))
        return bucket in self._buckets[total_buckets]

    def buckets_of_keys(self, total_buckets: int) -> list[int]:
        """Return the bucket of each bucket key that a matching row can have, in the order of `equality_values`; empty
        if the predicate does not restrict them."""
        if self._bucket_keys is None:
            return []
        types = [self.schema.field(name).type for name in self.schema.bucket_keys]
        buckets = fixed_buckets(self._bucket_keys, types, total_buckets, self.schema.core.bucket_function)
        numbers: list[int] = buckets.tolist()
        return numbers


def _remembered(
    judged: _Judged, files: Sequence[DataFileMeta], judge: Callable[[Sequence[DataFileMeta]], NDArray[np.bool_]]
) -> list[bool]:
    """Return what is known of files, after judging those that are new."""
    new = [file for file in files if id(file) not in judged]
    if new:
        judged.update((id(file), (file, kept)) for file, kept in zip(new, judge(new).tolist(), strict=True))
    return [judged[id(file)][1] for file in files]


def has_index(file: DataFileMeta) -> bool:
    """Return whether a file has file indexes, beside it or in its manifest entry."""
    beside = bool(file.extra_files) and any(name.endswith(FILE_INDEX_SUFFIX) for name in file.extra_files)
    return beside or file.embedded_index is not None


def _internal_array(values: Sequence[object], field: DataField) -> pa.Array:
    kind = to_arrow(field.type)
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)
