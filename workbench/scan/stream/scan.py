"""A streaming read: the splits of each snapshot, and the range of them that one batch reads (Java's
``DataTableStreamScan``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.errors import SchemaMismatch, SnapshotNotFound
from workbench.base.lazy import cached_property
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.expired_versions import reporting_expiry
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.schemas import check_version
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.scan.incremental.stored import StoredChanges
from workbench.scan.scan import Scan
from workbench.scan.split import Split, pack
from workbench.scan.stream.admission import Admission, ReadLimits
from workbench.scan.stream.offset import StreamOffset
from workbench.scan.stream.starting import StreamStart

# After this many snapshots without rows the position advances anyway, so that its snapshot does not expire.
_EMPTY_SNAPSHOTS = 5


@dataclass(frozen=True)
class Part:
    """Splits of a whole snapshot, whose rows are merged, or of changes, which are read without a merge."""

    splits: tuple[Split, ...]
    is_whole: bool


@dataclass(frozen=True)
class StreamScan:
    """A streaming read of ``columns``; ``store`` has the schema and the options with which the stream started."""

    store: TableStore
    columns: tuple[str, ...]

    @cached_property
    def start(self) -> StreamStart:
        """Where the stream starts."""
        return StreamStart(self.store)

    def newest(self) -> StreamOffset:
        """Return the position after everything that has been written."""
        return StreamOffset((self._snapshots.latest_id() or 0) + 1)

    def advanced(
        self, start: StreamOffset, limits: ReadLimits, last: int | None = None, *, waits: bool = False
    ) -> StreamOffset:
        """Return the end of the batch that follows ``start``; ``start`` itself if there is nothing to read.

        Args:
            start: The end of the previous batch.
            limits: How much the batch takes.
            last: The last snapshot to read; None for all.
            waits: Whether a batch with fewer rows than ``limits.min_rows`` is postponed.

        Raises:
            SnapshotNotFound: Snapshots after ``start`` have expired.
            SchemaMismatch: The columns of the stream have changed.
        """
        position, batch = start, Admission(limits)
        while last is None or position.snapshot_id <= last:
            splits = None if self._is_delayed(position) else self.splits(position)
            if splits is None:
                break
            waiting = splits[position.index + 1 :]
            taken = batch.admit(waiting)
            if taken < len(waiting):
                position = StreamOffset(position.snapshot_id, position.index + taken, position.scan_snapshot)
                break
            position = StreamOffset(position.snapshot_id + 1)
        is_empty = batch.files == 0 and position.snapshot_id - start.snapshot_id < _EMPTY_SNAPSHOTS
        return start if is_empty or (waits and batch.lacks_rows) else position

    def between(self, start: StreamOffset, end: StreamOffset) -> list[Part]:
        """Return the splits after ``start`` up to ``end``, in order.

        Raises:
            SnapshotNotFound: One of the snapshots has expired.
        """
        parts, position = [], start
        while (position.snapshot_id, position.index) < (end.snapshot_id, end.index):
            splits = self.splits(position)
            if splits is None:
                raise SnapshotNotFound(
                    f"Table {self.store.name} has no snapshot {position.snapshot_id}, which the checkpoint names.",
                    "The table was replaced or rolled back: start the stream with a new checkpoint.",
                )
            is_last = position.snapshot_id == end.snapshot_id
            wanted = splits[position.index + 1 : end.index + 1 if is_last else None]
            if wanted:
                parts.append(Part(tuple(wanted), position.scan_snapshot))
            position = end if is_last else StreamOffset(position.snapshot_id + 1)
        return parts

    def splits(self, position: StreamOffset) -> Sequence[Split] | None:
        """Return all splits of the snapshot of a position; None if it has not been written yet.

        Raises:
            SnapshotNotFound: The snapshot has expired.
            SchemaMismatch: The columns of the stream have changed.
        """
        snapshot = self._find(position.snapshot_id)
        if snapshot is None:
            return None
        self._check_schema(snapshot)
        if position.scan_snapshot:
            return Scan(self.start.full_store, snapshot).plan()
        with reporting_expiry(self.store, snapshot):
            return self._changes(snapshot)

    def _changes(self, snapshot: Snapshot) -> list[Split]:
        """Return the splits of the changes of one commit; commits that only replace or rearrange rows have none."""
        stored, schema = StoredChanges(self.store), self.store.schema
        if schema.kind.changelog_producer != "none":
            return self._selected(stored.changelog([snapshot]))
        overwrites = schema.core.value("streaming-read-append-overwrite") and not schema.is_primary_key_table
        if overwrites and snapshot.commit_kind == CommitKind.OVERWRITE:
            splits = stored.added(snapshot)
        else:
            splits = stored.delta([snapshot])
        return self._selected(splits)

    def _selected(self, splits: Sequence[Split]) -> list[Split]:
        """Return the splits that the options select, in order. If the rows of the table have no order, splits are
        divided by size."""
        core = self.store.schema.core
        bucket = core.value("scan.bucket")
        chosen = [split for split in splits if bucket is None or split.bucket == bucket]
        ordered = sorted(chosen, key=lambda split: (split.directory, split.bucket))
        if not self.store.schema.is_bucket_unaware:
            return ordered
        least = core.source_split_open_file_cost
        return [
            Split(split.partition, split.bucket, split.total_buckets, tuple(sections), split.directory)
            for split in ordered
            for sections in pack(
                split.sections, [max(file.file_size, least) for file in split.files], core.source_split_target_size
            )
        ]

    # --- snapshots ------------------------------------------------------------------------------------------------

    @cached_property
    def _snapshots(self) -> Snapshots:
        return Snapshots(self.store)

    def _find(self, snapshot_id: int) -> Snapshot | None:
        found = self._snapshots.find(snapshot_id)
        if found is not None:
            check_version(self.store, found)
            return found
        latest = self._snapshots.latest_id() or 0
        if snapshot_id == latest + 1 or (snapshot_id > latest and snapshot_id == self.start.snapshot_id):
            return None
        # The snapshot may have been written, or may have expired, since the first lookup.
        found = self._snapshots.find(snapshot_id) or Changelogs(self.store).find(snapshot_id)
        if found is not None:
            return found
        earliest = self._snapshots.earliest_id()
        if snapshot_id > latest:
            raise SnapshotNotFound(
                f"The next snapshot of the stream is {snapshot_id}, but the newest of {self.store.name} is {latest}.",
                "The table was replaced or rolled back: start the stream with a new checkpoint.",
            )
        raise SnapshotNotFound(
            f"Snapshot {snapshot_id} of {self.store.name}, which the stream reads next, has expired; the earliest is "
            f"{earliest}.",
            "Start the stream with a new checkpoint, keep snapshots longer, or set 'consumer-id'.",
        )

    def _is_delayed(self, position: StreamOffset) -> bool:
        """Return whether a commit is younger than the delay that the table's options define."""
        delay = self.store.schema.core.value("streaming.read.snapshot.delay")
        if delay is None or position.scan_snapshot:
            return False
        snapshot = self._find(position.snapshot_id)
        return snapshot is not None and snapshot.time_millis > self.store.clock.now_millis() - delay

    def _check_schema(self, snapshot: Snapshot) -> None:
        if snapshot.schema_id > self.store.schema.id and snapshot.schema_id in self.store.schemas.ids():
            check_same_columns(
                self.store.schema, self.store.schemas.get(snapshot.schema_id), self.columns, self.store.name
            )


def check_same_columns(known: TableSchema, newer: TableSchema, columns: Sequence[str], name: str) -> None:
    """Check that the columns of a stream have not changed since it started; other columns may have changed.

    Raises:
        SchemaMismatch: A column was dropped or renamed, or has another type.
    """
    by_id = {field.id: field for field in newer.fields}
    for column in columns:
        field = known.field(column)
        now = by_id.get(field.id)
        if now is not None and (now.name, now.type) == (field.name, field.type):
            continue
        change = "was dropped" if now is None else f"is now '{now.name}' of type {now.type}"
        raise SchemaMismatch(
            f"Column '{column}' of type {field.type}, which the stream reads, {change} in schema {newer.id} of {name}.",
            "Start the query again; its checkpoint can be kept if the query does not refer to the change.",
        )
