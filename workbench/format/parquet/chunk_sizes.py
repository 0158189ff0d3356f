"""The compressed size of each column in each row group of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array

if TYPE_CHECKING:
    from workbench.base.modules import pq


@dataclass(frozen=True)
class ChunkSizes:
    """The sizes of columns in bytes, by row group and column: the nested fields of a column are added up."""

    names: tuple[str, ...]
    sizes: Int64Array

    def of_columns(self, row_groups: Iterable[int]) -> dict[str, int]:
        """Return the size in bytes of each column in some row groups."""
        return dict(zip(self.names, self.sizes[list(row_groups)].sum(axis=0).tolist(), strict=True))


def chunk_sizes(metadata: pq.FileMetaData) -> ChunkSizes:
    """Return the sizes that are stored in a footer."""
    fields = list(metadata.schema.to_arrow_schema())
    # Leaves follow each other in the order of the columns; names may contain dots, so paths do not identify columns.
    leaves = np.array([_leaves(field.type) for field in fields], np.int64)
    sizes = np.zeros((metadata.num_row_groups, len(fields)), np.int64)
    column_of_leaf = np.repeat(np.arange(len(fields)), leaves)
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        chunks = [row_group.column(leaf).total_compressed_size for leaf in range(row_group.num_columns)]
        np.add.at(sizes[group], column_of_leaf, chunks)
    return ChunkSizes(tuple(field.name for field in fields), sizes)


def chunk_ranges(metadata: pq.FileMetaData, columns: Iterable[str], row_groups: Iterable[int]) -> list[tuple[int, int]]:
    """Return the offset and the length of the bytes of columns in row groups, as stored in a footer."""
    fields = list(metadata.schema.to_arrow_schema())
    wanted = set(columns)
    is_wanted = [field.name in wanted for field in fields for _ in range(_leaves(field.type))]
    ranges = []
    for group in map(metadata.row_group, row_groups):
        for chunk in (group.column(leaf) for leaf, wants in enumerate(is_wanted) if wants):
            pages = (chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset)
            ranges.append((min(pages), chunk.total_compressed_size))
    return ranges


def _leaves(arrow_type: pa.DataType) -> int:
    count = arrow_type.num_fields
    return sum(_leaves(arrow_type.field(index).type) for index in range(count)) if count else 1
