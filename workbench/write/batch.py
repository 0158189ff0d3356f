"""Writers of one batch or one stream, in this process or in others (format §4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.format.spec.table_kind import BucketMode
from workbench.metadata.bucket_states import BucketStates, KnownBuckets
from workbench.metadata.ids import new_commit_user
from workbench.metadata.store import TableStore
from workbench.write.input import Rows
from workbench.write.rules import writer_compacts
from workbench.write.writer import TableWriter

if TYPE_CHECKING:
    from workbench.write.postponed import PostponedWriter


@dataclass(frozen=True, repr=False)
class WritePlan:
    """The input of a writer in any process: the store and the state of its buckets. Picklable."""

    store: TableStore
    buckets: KnownBuckets

    def __repr__(self) -> str:
        return f"<WritePlan of {self.store.name}>"

    @checked
    def writer(self, progress: Progress | None = None) -> TableWriter:
        """Return a writer with unique file names."""
        return TableWriter(self.store, self.buckets, progress or Progress())


class MessageWriter:
    """The public writer of messages, created by `Table.writer`."""

    def __init__(self, store: TableStore, buckets: BucketStates, commit_user: str | None, progress: Progress) -> None:
        self.commit_user = commit_user or new_commit_user(store)
        self._writer = _streaming_writer(store, buckets, self.commit_user, progress)

    @checked
    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Add rows, of the same types as `Table.write` accepts."""
        self._writer.write(data, row_kind)

    @checked
    def write_rows(self, rows: Rows) -> None:
        """Add rows that already have the table's Arrow schema."""
        self._writer.write_rows(rows)

    def prepare(self) -> list[bytes]:
        """Finish all files, and return the messages for `Table.commit`."""
        return [message.to_bytes() for message in self._writer.prepare()]

    def close(self) -> None:
        """Remove the files that were written since the last `prepare`."""
        self._writer.abort()


def _streaming_writer(
    store: TableStore, buckets: BucketStates, user: str, progress: Progress
) -> TableWriter | PostponedWriter:
    """Return the writer of a stream. Several processes cannot agree on the buckets of a new partition, so tables with
    postponed buckets write rows to the waiting bucket."""
    if not _postpones(store):
        return TableWriter(store, buckets, progress, streams=True)
    # Loaded here, because few tables postpone their buckets.
    from workbench.write.postponed import PostponedWriter

    return PostponedWriter(store, user, progress)


def batch_writer(
    store: TableStore, buckets: BucketStates, user: str, progress: Progress, *, is_overwrite: bool = False
) -> TableWriter | PostponedWriter:
    """Return the writer of one batch, whose messages are committed as ``user``."""
    if _postpones(store) and not store.schema.core.postpone_batch_write_fixed_bucket:
        return _streaming_writer(store, buckets, user, progress)
    compacts = writer_compacts(store.schema.core, overwrite=is_overwrite)
    return TableWriter(store, buckets, progress, compacts=compacts, keeps_changelog=not is_overwrite)


def _postpones(store: TableStore) -> bool:
    return store.schema.kind.bucket_mode is BucketMode.POSTPONE_MODE
