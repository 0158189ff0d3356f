"""The execution of a statement that changes rows of a table without a key, part by part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit.cleanup import remove_files
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.dml.changes import RowChange
from workbench.write.deletion_vectors import BucketVectors
from workbench.write.input import Rows
from workbench.write.writer import TableWriter

Part = TypeVar("Part")


@dataclass
class Execution(ABC, Generic[Part]):
    """The execution of one statement. ``counts`` are its numbers of changed rows and files."""

    store: TableStore
    snapshot: Snapshot | None
    change: RowChange
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._vectors: list[BucketVectors] = []
        live = ManifestFiles(self.store).live_files(self.snapshot) if self.snapshot else ()
        buckets = known_buckets(live, index_entries(self.store, self.snapshot))
        # Nothing is compacted, because a compaction could include a file that is replaced here. Progress counts files,
        # not the rows of this writer.
        self._added = TableWriter(self.store, buckets, Progress(), compacts=False)

    def run(self) -> list[CommitMessage]:
        """Write all files, and delete them again on failure."""
        try:
            parts = self._parts()
            with self.progress.step(f"Changing rows of {self.store.name}", len(parts), "files"):
                parallel_map(self._work_on, parts)
            for rows in self.change.inserted():
                self.progress.check()
                self._count(inserted=rows.num_rows)
                self._add(rows)
            self.progress.check()
            return [*self._messages(), *self._added.prepare()]
        except BaseException:
            self._added.abort()
            for each in self._vectors:
                each.abort()
            remove_files(self.store, self._written())
            raise

    @abstractmethod
    def _parts(self) -> Sequence[Part]:
        """Return the parts of the table where the statement may find rows."""

    @abstractmethod
    def _work_on(self, part: Part) -> None:
        """Change the rows of one part, on any thread."""

    @abstractmethod
    def _messages(self) -> list[CommitMessage]:
        """Return the changes of all parts, including the deletion vectors, which are also recorded in ``_vectors``."""

    @abstractmethod
    def _written(self) -> list[CommitMessage]:
        """Return messages with the files that were written so far."""

    def _add(self, rows: pa.Table) -> None:
        with self._lock:
            self._added.write_rows(Rows(rows))

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, count in more.items():
                self.counts[name] = self.counts.get(name, 0) + count
