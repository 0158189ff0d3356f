"""Sorting more rows than fit into memory: sorted runs are spilled to disk, then merged range by range of the sort
key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.modules import pc
from workbench.format.options.core_options import CoreOptions
from workbench.write.files.spill import SpilledRows, SpillFile

_BATCH_ROWS = 1 << 15
_SAMPLE_STEP = 1 << 10
_RUN, _ROW = "_RUN", "_RUN_ROW"


class RowSorter:
    """Sorts rows by columns, ascending with NULL first; equal rows keep their order.

    Runs of about ``memory`` bytes are sorted and spilled. Rows sampled at regular intervals determine where all runs
    are cut into ranges that fit into memory; equal keys are ordered by run and row, so even the rows of a frequent key
    can be divided into ranges.
    """

    def __init__(self, core: CoreOptions, keys: Sequence[str], memory: int) -> None:
        self._core = core
        self._keys = list(keys)
        self._memory = memory
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0
        self._runs: list[SpilledRows] = []
        self._samples: list[pa.Table] = []
        self._file: SpillFile | None = None
        self._spilled_bytes = 0

    def add(self, rows: pa.Table) -> None:
        """Add rows, which have the same columns as the previous ones."""
        self._waiting.append(rows)
        self._waiting_bytes += rows.nbytes
        if self._waiting_bytes >= self._memory:
            self._spill()

    def sorted(self) -> Iterator[pa.Table]:
        """Yield all rows in order, in tables of at most about ``memory`` bytes; can be called once."""
        if self._runs and self._waiting:
            self._spill()
        if self._runs:
            yield from self._ranges()
        elif self._waiting:
            yield self._in_order(pa.concat_tables(self._waiting), self._keys)
            self._waiting = []

    def close(self) -> None:
        """Release the disk space."""
        if self._file is not None:
            self._file.close()

    def _in_order(self, rows: pa.Table, keys: Sequence[str]) -> pa.Table:
        return rows.take(_order(rows, keys))

    def _spill(self) -> None:
        run = self._in_order(pa.concat_tables(self._waiting), self._keys)
        self._waiting, self._waiting_bytes = [], 0
        if self._file is None:
            self._file = SpillFile(self._core)
        positions = np.arange(0, run.num_rows, _SAMPLE_STEP)
        sample = run.select(self._keys).take(pa.array(positions))
        sample = sample.append_column(_RUN, pa.array(np.full(len(positions), len(self._runs))))
        self._samples.append(sample.append_column(_ROW, pa.array(positions)))
        pieces = (run.slice(start, _BATCH_ROWS) for start in range(0, run.num_rows, _BATCH_ROWS))
        self._runs.append(self._file.add(pieces, run.schema))
        self._spilled_bytes += run.nbytes

    def _ranges(self) -> Iterator[pa.Table]:
        bounds = self._bounds()
        cuts = [self._cuts(number, run, bounds) for number, run in enumerate(self._runs)]
        readers = [_Reader(run) for run in self._runs]
        for position in range(bounds.num_rows + 1):
            parts = [
                part
                for reader, own in zip(readers, cuts, strict=True)
                for part in reader.take(int(own[position + 1] - own[position]))
            ]
            if parts:
                yield self._in_order(pa.concat_tables(parts), self._keys)

    def _bounds(self) -> pa.Table:
        """Return the rows at which ranges begin, except for the first range."""
        rows = sum(run.rows for run in self._runs)
        rows_per_range = max(1, self._memory * rows // max(self._spilled_bytes, 1))
        step = max(1, rows_per_range // _SAMPLE_STEP)
        samples = self._in_order(pa.concat_tables(self._samples), [*self._keys, _RUN, _ROW])
        return samples.take(pa.array(np.arange(step, samples.num_rows, step)))

    def _cuts(self, number: int, run: SpilledRows, bounds: pa.Table) -> Int64Array:
        """Return int64[ranges + 1]: the row of a run at which each range begins, and the end of the run."""
        origin = bounds.column(_RUN).to_numpy()
        keys = [pa.concat_tables([bounds.select(self._keys).filter(pa.array(origin < number))])]
        keys += [piece.select(self._keys) for piece in run.tables()]
        keys.append(bounds.select(self._keys).filter(pa.array(origin > number)))
        # A stable sort puts bounds of older runs before equal rows, and bounds of later runs after them.
        order = np.asarray(_order(pa.concat_tables(keys), self._keys))
        before = np.count_nonzero(origin < number)
        is_row = (order >= before) & (order < before + run.rows)
        rows_until = np.cumsum(is_row)
        positions = np.zeros(bounds.num_rows, np.int64)
        positions[origin == number] = bounds.column(_ROW).to_numpy()[origin == number]
        # Bounds are already in order, and keep their order when they are sorted together with the rows.
        positions[origin != number] = rows_until[~is_row]
        return np.concatenate([[0], positions, [run.rows]])


class _Reader:
    """A sequential reader of the rows of a run."""

    def __init__(self, run: SpilledRows) -> None:
        self._pieces = run.tables()
        self._rest: pa.Table | None = None

    def take(self, count: int) -> Iterator[pa.Table]:
        """Return the next rows."""
        while count > 0:
            piece = self._rest if self._rest is not None else next(self._pieces)
            yield piece.slice(0, count)
            self._rest = piece.slice(count) if piece.num_rows > count else None
            count -= piece.num_rows


def _order(rows: pa.Table, keys: Sequence[str]) -> pa.Array:
    """Return sort indices of the rows; equal rows keep their order."""
    columns: list[pa.ChunkedArray] = []
    for key in keys:
        column = rows.column(key)
        # Arrow's option for the position of NULL differs between versions; the order of False before True does not.
        columns += [column.is_valid(), column] if column.null_count else [column]
    named = pa.Table.from_arrays(columns, [str(position) for position in range(len(columns))])
    return pc.sort_indices(named, sort_keys=[(name, "ascending") for name in named.column_names])
