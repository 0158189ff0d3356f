"""DELETE from a primary-key table whose merge engine has no deletes: rows are removed from their files (Java
``DeleteFromPaimonTableCommand``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.cleanup import remove_files
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.scan.split import Split
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.dml.changes import RowChange
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.changes.key_deletes import KeyDeletes, stored_buckets
from workbench.write.changes.rewrite import Outcome, outcome_messages, sum_of_counts
from workbench.write.deletion_vectors import BucketVectors


@measured("change rows")
def delete_rows(
    store: TableStore, snapshot: Snapshot | None, change: RowChange, progress: Progress, properties: Mapping[str, str]
) -> RowChanges:
    """Find the keys to delete in the merged rows, and remove all rows of these keys, in one commit.

    Raises:
        Unsupported: The table has rows that are waiting for their buckets.
        CommitConflict: Another writer removed or marked one of these files first; nothing is visible.
    """
    started = store.clock.monotonic()
    work = _Work(store, snapshot, change, progress)
    messages = work.run()
    publication = Publication.by_new_user(store, properties, Operation.DELETE)
    commit = commit_messages(publication, messages, publish.commit)
    counts = {**sum_of_counts(work.outcomes), "deleted": work.deleted}
    return row_changes(commit, store.clock.monotonic() - started, **counts)


@dataclass
class _Work:
    """The execution of one statement."""

    store: TableStore
    snapshot: Snapshot | None
    change: RowChange
    progress: Progress
    deleted: int = 0
    outcomes: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._deletes = KeyDeletes(self.store)
        names = self.store.schema.field_names
        read = [name for name in names if name in {*self._deletes.columns, *self.change.reads}]
        # Progress counts buckets, so the reads get a separate progress that is not shown.
        self._scan = Scan(self.store, self.snapshot, read, self.change.where, None, Progress())

    def run(self) -> list[CommitMessage]:
        """Work on all buckets, and delete the new files again on failure."""
        found = stored_buckets(self.store, self.snapshot)
        read: defaultdict[BucketId, list[Split]] = defaultdict(list)
        for split in self._scan.plan():
            read[split.partition, split.bucket].append(split)
        vectors: list[BucketVectors] = []
        try:
            with self.progress.step(f"Changing rows of {self.store.name}", len(read), "buckets"):
                parallel_map(lambda bucket: self._work_on(found[bucket], read[bucket]), list(read))
            return outcome_messages(self.store, self.snapshot, self.outcomes, vectors)
        except BaseException:
            for each in vectors:
                each.abort()
            remove_files(self.store, [each.message() for each in self.outcomes])
            raise

    def _work_on(self, bucket: Split, read: list[Split]) -> None:
        self.progress.check()
        keys = pa.concat_tables(self._deleted_keys(read))
        for outcome in self._deletes.outcomes(bucket, keys, Progress()):
            with self._lock:
                self.outcomes.append(outcome)
        with self._lock:
            self.deleted += keys.num_rows
        self.progress.advance()

    def _deleted_keys(self, read: list[Split]) -> list[pa.Table]:
        """Return the keys of the rows that are deleted, as readers see them."""
        names = list(self._deletes.columns)
        found = [self._scan.reader.arrow_schema.empty_table().select(names)]
        for rows in self._scan.reader.stream(read):
            self.progress.check()
            mask = np.asarray(self.change.deleted(self.change.decide(rows)))
            found.append(rows.filter(pa.array(mask)).select(names))
        return found
