"""The new files of a writer that are not yet part of a message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import pyarrow as pa

from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import FileNames
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.compact_inline import InlineCompaction
from workbench.write.input import Rows
from workbench.write.routing import Routed
from workbench.write.sequence_numbers import SequenceNumbers

# Below this file size threads spend more time waiting for the interpreter than for the disk.
_THREAD_BYTES = 1 << 18
# Where every request takes long, this many small files are uploaded at the same time.
_UPLOADS = 16


@dataclass
class NewFiles:
    """The new files of one bucket."""

    files: list[DataFileMeta] = field(default_factory=list)
    changelog: list[DataFileMeta] = field(default_factory=list)


class BucketFiles(ABC):
    """The new files of a writer that are not yet part of a message (Java ``AbstractFileStoreWrite``).

    Args:
        store: The table.
        numbers: The sequence numbers of its rows.
        progress: Where cancellation is checked.
        workers: The number of threads to use.
        keeps_changelog: Whether changes are written to the changelog if the options of the table require it.
    """

    can_compact_later: bool
    """Whether a bucket whose compaction lost to another commit is compacted again after the commit."""

    def __init__(
        self, store: TableStore, numbers: SequenceNumbers, progress: Progress, workers: int, *, keeps_changelog: bool
    ) -> None:
        self.written: dict[BucketId, NewFiles] = {}
        self._store = store
        self._numbers = numbers
        self._progress = progress
        self._workers = workers
        self._keeps_changelog = keeps_changelog
        self._names = FileNames(store.ids.uuid(), store.schema.core.data_file_prefix)

    @abstractmethod
    def accepted(self, rows: Rows) -> Rows:
        """Return the rows to write, with their kinds if the table has kinds."""

    @abstractmethod
    def write(self, routed: Routed | None) -> None:
        """Write rows; None if there are only rows that were put aside before."""

    def make_room(self, routed: Routed | None) -> None:
        """Take rows that no longer fit into memory."""
        self.write(routed)

    def finish(self) -> dict[BucketId, NewFiles]:
        """Complete the files, and return those of each bucket, which are ``written``."""
        return self.written

    @abstractmethod
    def compaction(self, bucket: BucketId, state: BucketState, full: bool, /) -> InlineCompaction | None:
        """Return the compaction of a bucket, which held ``state`` before the write; None if it is not compacted."""

    def abort(self) -> None:
        """Remove all files."""
        for (partition, bucket), new in self.written.items():
            for file in (*new.files, *new.changelog):
                self._store.discard_data_file(partition, bucket, file)
        self.written = {}

    def _workers_for(self, table: pa.Table, files: int) -> int:
        """Return how many threads write this many files of the rows."""
        if table.nbytes >= _THREAD_BYTES * files:
            return self._workers
        return 1 if self._store.is_local else self._uploads

    @property
    def _uploads(self) -> int:
        """How many threads write small files to a remote storage, which takes hardly more than the requests."""
        return max(self._workers, _UPLOADS)
