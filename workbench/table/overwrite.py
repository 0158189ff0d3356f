"""Which partitions an overwrite replaces (format §4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.format.binary_row import encode_row
from workbench.format.binary_row_columns import encode_columns
from workbench.format.data_file import CommitMessage
from workbench.format.types import field_to_arrow
from workbench.table.store import TableStore


@dataclass(frozen=True)
class Overwrite:
    """``static``: the partition columns that were named, as one-row Arrow arrays of their types; empty where none
    were."""

    store: TableStore
    static: Mapping[str, pa.Array]

    @classmethod
    def of(cls, store: TableStore, partition: Mapping[str, Any] | None) -> Overwrite:
        """An overwrite of the partition that ``partition`` names, of all partitions written to for None.

        Raises:
            SchemaMismatch: a name that is no partition column, or a value that does not fit it.
        """
        static = {}
        for name, value in (partition or {}).items():
            if name not in store.schema.partition_keys:
                raise SchemaMismatch(
                    f"'{name}' is not a partition column of {store.name}.",
                    did_you_mean(name, store.schema.partition_keys),
                )
            field = store.schema.field(name)
            try:
                static[name] = pa.array([value], field_to_arrow(field).type)
            except (pa.ArrowException, TypeError, OverflowError) as error:
                raise SchemaMismatch(
                    f"{value!r} is not a value of partition column '{name}' ({field.type})."
                ) from error
        return cls(store, static)

    def check(self, messages: Sequence[CommitMessage]) -> None:
        """Raises SchemaMismatch where rows lie outside the named partition: they would be added without replacing
        anything."""
        accepts = self._accepts()
        outside = next((each.partition for each in messages if not accepts(each.partition)), None)
        if outside is not None:
            raise SchemaMismatch(
                f"Some rows belong to partition {self.store.partition_directory(outside)}, which is not overwritten."
            )

    def replaced(self, messages: Sequence[CommitMessage]) -> Callable[[bytes], bool] | None:
        """A test for partitions whose files go; None where an overwrite by the rows' own partitions has no rows."""
        dynamic = self.store.schema.core.dynamic_partition_overwrite
        if self.static or not self.store.partition_fields or not dynamic:
            return self._accepts()
        written = {message.partition for message in messages}
        return written.__contains__ if written else None

    def _accepts(self) -> Callable[[bytes], bool]:
        if not self.static:
            return lambda _: True
        fields = self.store.partition_fields
        types = [each.type for each in fields]
        wanted = {
            place: _identity(self.static[field.name], field.type)
            for place, field in enumerate(fields)
            if field.name in self.static
        }

        def accepts(partition: bytes) -> bool:
            values = self.store.partition_values(partition)
            return all(encode_row([values[place]], [types[place]]) == identity for place, identity in wanted.items())

        return accepts


def _identity(value: pa.Array, kind: Any) -> bytes:
    return encode_columns([value], [kind]).to_bytes(0)
