"""The partitions that an overwrite replaces (format §4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.format.rows.binary_row import decode_row, encode_row
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.types import DataType, char_length
from workbench.lsm.levels import comparable_keys
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class Overwrite:
    """An overwrite of a table.

    ``static`` maps the given partition columns to their values, as one-row Arrow arrays of the column types; ``where``
    tests serialized partitions. If ``dynamic`` is true, only partitions with new rows are replaced; if it is None,
    option `dynamic-partition-overwrite` decides, unless partitions are given. A value of CHAR means all partitions
    that store it, with and without blanks at its end: conditions do not distinguish them, so none of them may keep
    rows.
    """

    store: TableStore
    static: Mapping[str, pa.Array]
    where: Callable[[bytes], bool] | None = None
    dynamic: bool | None = None

    def check_keys(self) -> None:
        """Raise Unsupported if keys are unique across partitions but only some partitions are replaced.

        The other partitions may have the same keys.
        """
        if self.store.schema.kind.crosses_partitions and (self._is_limited or self._is_dynamic):
            raise Unsupported(
                f"Overwriting single partitions of {self.store.name} is not supported: its primary key lacks partition "
                "columns, so other partitions may have the same keys.",
                "Overwrite the whole table with option 'dynamic-partition-overwrite' = 'false', or append.",
            )

    def check(self, messages: Sequence[CommitMessage]) -> None:
        """Raise SchemaMismatch if rows are outside the given partitions: they would be added without replacing
        anything."""
        accepts = self.accepts()
        outside = next((each.partition for each in messages if not accepts(each.partition)), None)
        if outside is not None:
            raise SchemaMismatch(
                f"Some rows belong to partition {self.store.partition_directory(outside)}, which is not overwritten."
            )

    def replaced(self, messages: Sequence[CommitMessage]) -> Callable[[bytes], bool] | None:
        """Return a test for the partitions to replace; None for a dynamic overwrite without rows, which replaces
        nothing."""
        if not self.store.partition_fields or not self._is_dynamic:
            return self.accepts()
        types = [each.type for each in self.store.partition_fields]

        def key(partition: bytes) -> bytes:
            return encode_row(list(map(_without_blanks, self.store.partition_values(partition), types)), types)

        written = {key(message.partition) for message in messages}
        return (lambda partition: key(partition) in written) if written else None

    def upgraded_to_last_level(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages, with new files moved to the last level if they are in a bucket of a primary-key table
        whose new files do not overlap: after the overwrite, no older rows remain to merge with (Java
        ``FileStoreCommitImpl.tryUpgrade``)."""
        schema, core = self.store.schema, self.store.schema.core
        lifts = schema.is_primary_key_table and core.value("overwrite-upgrade")
        waits = any(each.bucket < 0 or any(file.level > 0 for file in each.new_files) for each in messages)
        if not lifts or core.value("pk-clustering-override") or waits:
            return list(messages)
        key_of = comparable_keys([each.type for each in schema.key_fields])
        buckets: dict[tuple[bytes, int], list[DataFileMeta]] = {}
        for each in messages:
            buckets.setdefault((each.partition, each.bucket), []).extend(each.new_files)
        apart = {bucket for bucket, files in buckets.items() if _are_apart(files, key_of)}
        top = core.num_levels - 1
        return [
            replace(each, new_files=tuple(file.upgrade(top) for file in each.new_files))
            if (each.partition, each.bucket) in apart
            else each
            for each in messages
        ]

    def accepts(self) -> Callable[[bytes], bool]:
        """Return a test for the given partitions, or for all if none is given."""
        where, in_static = self.where or (lambda _: True), self._in_static()
        return lambda partition: where(partition) and in_static(partition)

    def _in_static(self) -> Callable[[bytes], bool]:
        if not self.static:
            return lambda _: True
        fields = self.store.partition_fields
        types = [each.type for each in fields]
        wanted = {
            position: _identity(_value(self.static[field.name], field.type), field.type)
            for position, field in enumerate(fields)
            if field.name in self.static
        }

        def accepts(partition: bytes) -> bool:
            values = self.store.partition_values(partition)
            return all(_identity(values[position], types[position]) == known for position, known in wanted.items())

        return accepts

    @property
    def _is_limited(self) -> bool:
        return bool(self.static) or self.where is not None

    @property
    def _is_dynamic(self) -> bool:
        if self.dynamic is not None:
            return self.dynamic
        return not self._is_limited and self.store.schema.core.dynamic_partition_overwrite


def _are_apart(files: Sequence[DataFileMeta], key_of: Callable[[bytes], Any]) -> bool:
    spans = sorted((key_of(file.min_key), key_of(file.max_key)) for file in files)
    return all(left[1] < right[0] for left, right in pairwise(spans))


def _value(array: pa.Array, data_type: DataType) -> Any:
    return decode_row(encode_columns([array], [data_type]).to_bytes(0), [data_type])[0]


def _identity(value: Any, data_type: DataType) -> bytes:
    return encode_row([_without_blanks(value, data_type)], [data_type])


def _without_blanks(value: Any, data_type: DataType) -> Any:
    return value if value is None or char_length(data_type) is None else value.rstrip(" ")
