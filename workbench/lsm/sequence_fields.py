"""Columns that determine which of two rows is newer: option `sequence.field`, and the sequence columns of sequence
groups (format §16).

Nulls come first, regardless of the direction; among equal values the sequence number of the row decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import UInt64Array
from workbench.base.errors import Unsupported
from workbench.format.spec.schema import TableSchema
from workbench.format.types.data_types import DataType
from workbench.lsm.keys import column_words, pack_words

_LARGEST = (1 << 64) - 1


_WITHOUT_ORDER = ("ARRAY", "MAP", "MULTISET", "ROW", "VECTOR", "VARIANT", "BLOB", "GEOMETRY", "GEOGRAPHY")


def has_order(data_type: DataType) -> bool:
    """Return whether the values of a type can determine which row is newer."""
    return data_type.root not in _WITHOUT_ORDER


@dataclass(frozen=True)
class SequenceFields:
    """The columns of option `sequence.field`, the most significant first; ``descending``: the smaller value is
    newer."""

    names: tuple[str, ...] = ()
    descending: bool = False

    @staticmethod
    def of(schema: TableSchema) -> SequenceFields:
        """Return the sequence fields of a table.

        Raises:
            SchemaMismatch: The option names a column that does not exist.
            Unsupported: It names a column whose values have no order.
        """
        core = schema.core
        for name in core.sequence_field:
            check_sequence_column(schema, name)
        return SequenceFields(core.sequence_field, core.sequence_field_is_descending)

    def words(self, columns: Sequence[pa.ChunkedArray]) -> list[UInt64Array]:
        """Return the columns as words whose order is the age of rows, oldest first. Raises TypeError for types without
        order."""
        return [word for column in columns for word in nullable_words(column, descending=self.descending)]


def check_sequence_column(schema: TableSchema, name: str) -> None:
    """Check a sequence column. Raises SchemaMismatch if it does not exist, Unsupported if its values have no order."""
    data_type = schema.field(name).type
    if not has_order(data_type):
        raise Unsupported(f"Column '{name}' of type {data_type} cannot be used as a sequence field.")


def nullable_words(column: pa.ChunkedArray | pa.Array, *, descending: bool = False) -> list[UInt64Array]:
    """Return a column that may hold nulls as words, the most significant first: nulls below every value."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    words = column_words(pa.chunked_array([stored_values(chunk) for chunk in chunks], column.type))
    if descending:
        words = [~word for word in words]
    if not column.null_count:
        return words
    known = np.asarray(column.is_valid())
    # Any value can represent nulls: one in the range of the others keeps the words narrow.
    fillers = [word.min(where=known, initial=np.uint64(_LARGEST)) for word in words]
    filled = [np.where(known, word, filler) for word, filler in zip(words, fillers, strict=True)]
    return [known.astype(np.uint64), *filled]


def stored_values(array: pa.Array) -> pa.Array:
    """Return the same array without its null mask: nulls are replaced by the values that are stored at their
    positions."""
    if not array.null_count:
        return array
    return pa.Array.from_buffers(array.type, len(array), [None, *array.buffers()[1:]], 0, array.offset)


def order_ranks(columns: Sequence[pa.ChunkedArray | pa.Array]) -> UInt64Array:
    """Return uint64[rows]: one number for each row, in the order of its values; rows that consist only of nulls have
    the smallest number."""
    words = pack_words([word for column in columns for word in nullable_words(column)])
    if not words:
        return np.zeros(len(columns[0]), np.uint64)
    if len(words) == 1:
        return words[0]
    # lexsort expects its most significant key last.
    order = np.lexsort(words[::-1])
    rises = np.zeros(len(order), bool)
    for word in words:
        ordered = word[order]
        rises[1:] |= ordered[1:] != ordered[:-1]
    ranks = np.empty(len(order), np.uint64)
    ranks[order] = np.cumsum(rises)
    return ranks
