"""A column of large objects in separate files (format §26): only their indexes are read here, not the objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.lazy import cached_property
from workbench.format.blob.descriptor import descriptor_column
from workbench.format.blob.file import PLACEHOLDER_LENGTH, TAIL_BYTES, BlobIndex, index_bytes, read_index
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore

_DESCRIPTOR_BYTES = 100


class BlobFiles:
    """The ``column`` of ``row_count`` rows starting at row id ``first_row_id``, as descriptors.

    A newer file contains the rows that were updated, and placeholders for the others.
    """

    def __init__(
        self,
        store: TableStore,
        column: str,
        files: Sequence[tuple[str, DataFileMeta]],
        first_row_id: int,
        row_count: int,
    ) -> None:
        self.columns = frozenset((column,))
        self._store = store
        self._files = sorted(files, key=lambda each: -each[1].max_sequence_number)
        starts = [(file.first_row_id or 0) - first_row_id for _, file in self._files]
        self._row_ranges = [
            range(start, start + file.row_count) for start, (_, file) in zip(starts, self._files, strict=True)
        ]
        self._row_count = row_count

    def _check_rows(self) -> None:
        covered = np.zeros(self._row_count, bool)
        for row_range in self._row_ranges:
            covered[max(row_range.start, 0) : max(row_range.stop, 0)] = True
        if not covered.all() or any(
            row_range.start < 0 or row_range.stop > self._row_count for row_range in self._row_ranges
        ):
            raise CorruptFile(
                self._files[0][0], "this file and its sibling files do not contain exactly the rows of their range"
            )

    @property
    def uncompressed_size(self) -> int:
        """The size of the descriptors."""
        return self._row_count * _DESCRIPTOR_BYTES

    def cuts(self, rows: int) -> Sequence[int]:
        """Return row numbers at which to divide the column; any row is possible."""
        return range(0, self._row_count, rows)

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """Yield the ``rows`` in pieces."""
        (name,) = columns
        for first in range(rows.start, rows.stop, batch_rows or len(rows)):
            end = min(rows.stop, first + (batch_rows or len(rows)))
            yield pa.table({name: self._descriptors(slice(first, end))})

    def _descriptors(self, rows: slice) -> pa.Array:
        numbers, offsets, lengths = (each[rows] for each in self._located)
        order = np.argsort(numbers, kind="stable")
        pieces = []
        for number in np.unique(numbers).tolist():
            of_file = order[np.searchsorted(numbers[order], number) : np.searchsorted(numbers[order], number, "right")]
            pieces.append(descriptor_column(self._files[number][0], offsets[of_file], lengths[of_file]))
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return pa.concat_arrays(pieces).take(pa.array(back))

    @cached_property
    def _located(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """For each row, the number of the file with its object, and the object's offset and length; offset -1 is
        NULL."""
        numbers, lengths = np.zeros(self._row_count, np.int64), np.zeros(self._row_count, np.int64)
        self._check_rows()
        offsets = np.full(self._row_count, -1, np.int64)
        unknown = np.ones(self._row_count, bool)
        for number, ((path, file), row_range) in enumerate(zip(self._files, self._row_ranges, strict=True)):
            index = self._index(path, file)
            rows = slice(row_range.start, row_range.stop)
            here = unknown[rows] & (index.lengths != PLACEHOLDER_LENGTH)
            for result, values in ((numbers, number), (offsets, index.offsets), (lengths, index.lengths)):
                result[rows] = np.where(here, values, result[rows])
            unknown[rows] &= ~here
        return numbers, offsets, lengths

    def _index(self, path: str, file: DataFileMeta) -> BlobIndex:
        def load() -> BlobIndex:
            file_io = self._store.file_io
            try:
                with reading(path):
                    if file.file_size < TAIL_BYTES:
                        raise ValueError("it is too small to be a blob file")
                    size = index_bytes(file_io.read_range(path, file.file_size - TAIL_BYTES, TAIL_BYTES))
                    data_bytes = file.file_size - TAIL_BYTES - size
                    if data_bytes < 0:
                        raise ValueError("its index is longer than the file")
                    index = read_index(file_io.read_range(path, data_bytes, size), data_bytes)
            except ValueError as error:
                raise CorruptFile(path, str(error)) from error
            if len(index.lengths) != file.row_count:
                raise CorruptFile(
                    path, f"it holds {counted(len(index.lengths), 'rows')} and its manifest says {file.row_count}"
                )
            return index

        return self._store.cache.get_or_load(("blob index", path), load, lambda index: index.weight)
