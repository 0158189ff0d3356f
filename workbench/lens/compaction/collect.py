"""Reading the compactions of a table: a page of them, the newest first, each with its reason."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import product

from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.buckets import BucketKey, bucket_order
from workbench.lens.catalog import check_limit
from workbench.lens.compaction.deltas import BucketContents, BucketDelta, bucket_deltas
from workbench.lens.compaction.describe import (
    NOT_EXPLAINED,
    Reason,
    describe_compaction,
    recomputed_reason,
    recorded_reasons,
)
from workbench.lens.compaction.explain import explain, unlisted_file
from workbench.lens.compaction.pickers import Vectors, picker_of
from workbench.lens.compaction.value import CompactionsValue, CompactionValue
from workbench.lsm.append_compaction import FileVector
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

DEFAULT_COMPACTIONS = 200
_CHUNK = 128
_READERS = 8
_VALUE_WEIGHT = 1200
# Options are rarely changed while a writer is open.
_OLDER_SCHEMAS = 4


def collect_compactions(
    table: ReadableTable,
    cursor: str | None = None,
    limit: int | None = DEFAULT_COMPACTIONS,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> CompactionsValue:
    """Return a page of the compactions of a table, the newest first; reads metadata only.

    Args:
        table: The table; at a fixed version, only the compactions up to that version are returned.
        cursor: The ``next`` of the previous page.
        limit: The number of compactions after which the page ends; the compactions of one commit stay together. None
            returns all.
        seconds: The time after which the page ends with fewer; None waits for all of them.
        progress: Counts the snapshots that were read, and can cancel the work.

    Raises:
        InvalidRequest: the cursor is not a snapshot id, or the limit is below 1.
    """
    check_limit(limit)
    newest = table.version
    first = None if newest is None else Snapshots(table.store).earliest_id()
    pages = CompactionReader(table.store, progress or Progress())
    found: list[CompactionValue] = []
    cut: str | None = None
    if newest is not None:
        start = newest.id + 1 if cursor is None else _snapshot_id(cursor)
        found, cut = pages.page(start, limit, None if seconds is None else time.monotonic() + seconds)
    return CompactionsValue(
        table=table.name,
        zone=session_options.timezone,
        kind=table.schema.kind.name,
        keys=tuple(field.name for field in table.schema.key_fields),
        first=first,
        last=None if newest is None else newest.id,
        compactions=tuple(found),
        next=cut,
        unread=tuple(pages.unread),
    )


def _snapshot_id(cursor: str) -> int:
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 19:
        raise InvalidRequest(f"Invalid cursor '{cursor[:60]}'.", "Pass the 'next' value of the previous page.")
    return int(cursor)


@dataclass
class CompactionReader:
    """Reads compactions, from newer to older snapshots. ``unread`` are snapshots whose manifests are damaged."""

    store: TableStore
    progress: Progress
    unread: list[int] = field(default_factory=list)
    _walk: _Walk = field(init=False)

    def __post_init__(self) -> None:
        self._walk = _Walk(self.store)

    def page(
        self, before: int, limit: int | None, deadline: float | None = None
    ) -> tuple[list[CompactionValue], str | None]:
        """Return compactions of snapshots below ``before``, and the cursor of the next page."""
        found: list[CompactionValue] = []
        for chunk in self._chunks(before):
            compacts = [each for each in chunk if each.commit_kind == CommitKind.COMPACT]
            needed = compacts if limit is None else compacts[: limit - len(found) + 1]
            for snapshot, values in zip(needed, self._values(needed, chunk), strict=False):
                found.extend(values)
                if limit is not None and len(found) >= limit:
                    return found, self._cursor(snapshot.id)
            if deadline is not None and time.monotonic() > deadline:
                return found, self._cursor(chunk[-1].id)
        return found, None

    def _chunks(self, before: int) -> Iterator[tuple[Snapshot, ...]]:
        snapshots = Snapshots(self.store)
        with self.progress.step("Reading compactions", unit="snapshots"):
            cursor: int | None = before
            while cursor is not None:
                page = snapshots.newest(_CHUNK, cursor)
                if page.snapshots:
                    self.progress.advance(len(page.snapshots))
                    yield page.snapshots
                cursor = page.next

    def _cursor(self, snapshot: int) -> str | None:
        earliest = Snapshots(self.store).earliest_id()
        return str(snapshot) if earliest is not None and snapshot > earliest else None

    def of(self, snapshot: Snapshot) -> tuple[CompactionValue, ...]:
        """Return the compactions of one commit."""
        return next(iter(self._values([snapshot], (snapshot,))), ())

    # --- reasons ------------------------------------------------------------------------------------------------------

    def _values(self, compacts: Sequence[Snapshot], chunk: Sequence[Snapshot]) -> Iterator[tuple[CompactionValue, ...]]:
        """Yield the compactions of each commit. ``chunk`` has all snapshots between them, the newest first."""
        self._read_ahead(compacts)
        self._walk.know(chunk)
        for snapshot in compacts:
            self.progress.check()
            key = ("compactions", self.store.location, self.store.branch, snapshot.id, snapshot.delta_manifest_list)
            load = partial(self._describe, snapshot)
            try:
                yield self.store.cache.get_or_load(key, load, lambda each: 200 + _VALUE_WEIGHT * len(each))
            except CorruptFile:
                self.unread.append(snapshot.id)
                yield ()

    def _read_ahead(self, snapshots: Sequence[Snapshot]) -> None:
        """Read the manifests of commits in parallel; damaged ones are ignored here and reported when each commit is
        described."""
        parallel_map(lambda each: readable_deltas(self.store, each), snapshots, _READERS)

    def _describe(self, snapshot: Snapshot) -> tuple[CompactionValue, ...]:
        schema = self.store.schema_of(snapshot.schema_id)
        deltas = {key: each for key, each in deltas_of(self.store, snapshot).items() if each.removed}
        recorded = recorded_reasons(snapshot)
        order = bucket_order(schema)
        return tuple(
            describe_compaction(
                schema, snapshot, key, deltas[key], self._reason(snapshot, schema, key, deltas, recorded)
            )
            for key in sorted(deltas, key=order)
        )

    def _reason(
        self,
        snapshot: Snapshot,
        schema: TableSchema,
        key: BucketKey,
        deltas: Mapping[BucketKey, BucketDelta],
        recorded: Mapping[tuple[str, int], Reason],
    ) -> Reason:
        known = recorded.get((self.store.partition_directory(key[0]), key[1]))
        if known is not None:
            return known
        files, delta = self._walk.before(snapshot).files(key), deltas[key]
        now, unlisted = local_millis(snapshot, delta.written), _unlisted(key, deltas)
        for known_to_writer, vectors in product(self._schemas(schema), self._walk.vectors(snapshot, key, delta)):
            several = known_to_writer.is_bucket_unaware
            picker = picker_of(known_to_writer, vectors, now, frozenset(file.level for file in delta.added))
            found = explain(files, delta, picker, several=several, unlisted=unlisted)
            if found is not None:
                return recomputed_reason(found)
        return NOT_EXPLAINED

    def _schemas(self, schema: TableSchema) -> Iterator[TableSchema]:
        """Yield a schema, then older schemas with different options: a writer keeps the options that it was opened
        with."""
        seen = [schema.options]
        yield schema
        for number in range(schema.id - 1, max(-1, schema.id - 1 - _OLDER_SCHEMAS), -1):
            try:
                older = self.store.schema_of(number)
            except CorruptFile:
                continue
            if older.options not in seen:
                seen.append(older.options)
                yield older


def _unlisted(key: BucketKey, deltas: Mapping[BucketKey, BucketDelta]) -> DataFileMeta | None:
    """Return the file in which a bucket received rows of postponed files, if the commit assigned them to buckets."""
    partition, _ = key
    postponed = deltas.get((partition, POSTPONE_BUCKET), BucketDelta()).removed
    return unlisted_file(postponed, sum(each == partition and bucket >= 0 for each, bucket in deltas))


def deltas_of(store: TableStore, snapshot: Snapshot) -> dict[BucketKey, BucketDelta]:
    """Return what the commit of a snapshot did to each bucket."""
    return bucket_deltas(ManifestFiles(store).delta_entries(snapshot))


def readable_deltas(store: TableStore, snapshot: Snapshot) -> dict[BucketKey, BucketDelta] | None:
    """Return what the commit of a snapshot did to each bucket, None if its manifests are damaged."""
    try:
        return deltas_of(store, snapshot)
    except CorruptFile:
        return None


def contents_before(store: TableStore, snapshot: Snapshot) -> BucketContents:
    """Return the files of all buckets before the commit of a snapshot, which its base manifests list."""
    manifests = ManifestFiles(store)
    metas = manifests.read_list(snapshot.base_manifest_list, snapshot.base_manifest_list_size)
    return BucketContents(manifests.merged(metas))


def local_millis(snapshot: Snapshot, written: Sequence[DataFileMeta]) -> int:
    """Return the local wall clock of the writer: files record it, a snapshot does not."""
    times = [file.creation_time for file in written if file.creation_time is not None]
    if times:
        return min(times)
    shown = datetime.fromtimestamp(snapshot.time_millis / 1000, session_options.zone()).replace(tzinfo=None)
    return int((shown - datetime(1970, 1, 1)).total_seconds() * 1000)


class _Walk:
    """The files of all buckets before each of several commits, which are visited from newer to older."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._known: dict[int, Snapshot] = {}
        self._contents: BucketContents | None = None
        self._at = 0

    def know(self, snapshots: Iterable[Snapshot]) -> None:
        """Remember snapshots that were read. Of those known earlier, keep only the ones that may still have to be
        undone."""
        later = {number: each for number, each in self._known.items() if self._at - _CHUNK <= number < self._at}
        self._known = later | {each.id: each for each in snapshots}

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, None if there is none of that id."""
        return self._known.get(snapshot_id) or Snapshots(self._store).find(snapshot_id)

    def before(self, snapshot: Snapshot) -> BucketContents:
        """Return the files before a commit, if possible by undoing commits from a later state that is already known."""
        # To undo many commits takes longer than to read all files.
        is_near = snapshot.id <= self._at <= snapshot.id + _CHUNK
        if self._contents is None or not is_near or not self._go_back(snapshot.id):
            self._contents = contents_before(self._store, snapshot)
        self._at = snapshot.id
        return self._contents

    def _go_back(self, target: int) -> bool:
        """Undo the commits down to the target. Return whether all of them could be read."""
        assert self._contents is not None
        for number in range(self._at - 1, target - 1, -1):
            snapshot = self.find(number)
            deltas = None if snapshot is None else readable_deltas(self._store, snapshot)
            if deltas is None:
                return False
            self._contents.undo(deltas)
        return True

    def vectors(self, snapshot: Snapshot, key: BucketKey, delta: BucketDelta) -> tuple[Vectors, ...]:
        """Return the deletion vectors that a bucket may have had before a commit.

        If the version before the commit has expired, two cases are returned: no compacted file had a vector, or all had
        one.
        """
        if not self._store.schema_of(snapshot.schema_id).core.deletion_vectors_enabled:
            return ({},)
        previous = self.find(snapshot.id - 1)
        if previous is None and snapshot.id > 1:
            return ({}, {file.file_name: FileVector("", None) for file in delta.removed})
        found = {
            each.data_file: FileVector(entry.file_name, each.cardinality)
            for entry in index_entries(self._store, previous)
            if (entry.partition, entry.bucket) == key
            for each in entry.vectors
        }
        return (found,)
