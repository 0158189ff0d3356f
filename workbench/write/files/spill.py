"""Sorted rows that are spilled to the local disk until they are flushed (Java ``BinaryExternalSortBuffer``).

A spill file has no name, so the operating system removes it regardless of how the process ends.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import WorkbenchError
from workbench.format.options.core_options import CoreOptions
from workbench.metadata.ids import BucketId


class Spill:
    """The rows that a writer has spilled, by bucket."""

    def __init__(self, core: CoreOptions) -> None:
        self._core = core
        self._files: list[SpillFile] = []
        self._rows: dict[BucketId, list[SpilledRows]] = {}

    @property
    def has_room(self) -> bool:
        """Return whether the table's options allow spilling more rows."""
        return (
            self._core.write_buffer_spillable
            and len(self._files) < self._core.local_sort_max_num_file_handles
            and sum(file.size for file in self._files) < self._core.write_buffer_spill_max_disk_size
        )

    @property
    def buckets(self) -> Sequence[BucketId]:
        """The buckets that have rows on disk."""
        return list(self._rows)

    def rows_of(self, bucket: BucketId) -> Sequence[SpilledRows]:
        """Return the rows of a bucket, oldest first."""
        return self._rows.get(bucket, ())

    def begin(self) -> None:
        """Start a new file for the rows added next."""
        self._files.append(SpillFile(self._core))

    def add(self, bucket: BucketId, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
        """Append the sorted rows of a bucket to the current file."""
        self._rows.setdefault(bucket, []).append(self._files[-1].add(tables, schema))

    def clear(self) -> None:
        """Remove all rows, and free the disk space."""
        for file in self._files:
            file.close()
        self._files, self._rows = [], {}


@dataclass(frozen=True)
class SpilledRows:
    """The sorted rows of one bucket: a byte range of ``file``."""

    file: SpillFile
    start: int
    length: int
    rows: int

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows in the pieces in which they were added. Several threads may read at the same time, each a
        different bucket."""
        with pa.ipc.open_stream(self.file.part(self.start, self.length)) as stream:
            for batch in stream:
                yield pa.Table.from_batches([batch])


class SpillFile:
    """The rows that were spilled together when the memory was full, bucket by bucket."""

    def __init__(self, core: CoreOptions) -> None:
        # Loaded here, as few writes exceed the memory.
        import tempfile

        self._file = tempfile.TemporaryFile(prefix="paimon-workbench-spill-")  # noqa: SIM115 - `close` closes it
        self._options = pa.ipc.IpcWriteOptions(compression=_codec(core))
        self._mapped: pa.Buffer | None = None

    @property
    def size(self) -> int:
        """The number of bytes written so far."""
        return self._file.tell()

    def add(self, tables: Iterable[pa.Table], schema: pa.Schema) -> SpilledRows:
        """Append the rows of one bucket. All must be added before any are read.

        Raises:
            WorkbenchError: The disk is full or cannot be written.
        """
        import tempfile

        start, rows = self.size, 0
        try:
            with pa.ipc.new_stream(pa.PythonFile(self._file, mode="w"), schema, options=self._options) as stream:
                for table in tables:
                    rows += table.num_rows
                    stream.write_table(table.combine_chunks())
            self._file.flush()
        except OSError as error:
            raise WorkbenchError(
                f"Rows do not fit into memory and could not be spilled to {tempfile.gettempdir()}: {error}.",
                "Set TMPDIR to a directory with enough space, or set option 'write-buffer-spillable' to 'false'.",
            ) from error
        return SpilledRows(self, start, self.size - start, rows)

    def part(self, start: int, length: int) -> pa.BufferReader:
        """Return a byte range of the file."""
        if self._mapped is None:
            self._mapped = pa.py_buffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ))
        return pa.BufferReader(self._mapped.slice(start, length))

    def close(self) -> None:
        """Free the disk space as soon as all readers have finished."""
        self._mapped = None
        self._file.close()


def _codec(core: CoreOptions) -> pa.Codec | None:
    """Return the codec of option `spill-compression`; LZO, which Arrow does not support, is replaced by a similar
    one."""
    name = core.spill_compression.lower()
    if name == "none":
        return None
    return pa.Codec("zstd", core.spill_compression_level) if name == "zstd" else pa.Codec("lz4")
