"""The snapshots of the tables of a REST service: the service says which is the newest one and commits the next; older
ones are files, as for Java."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.base.errors import (
    AlreadyExists,
    DatabaseNotFound,
    NoAnswer,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
)
from workbench.catalog.rest.table import Json, RestTable
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.protocol import (
    PartitionStatistics,
    SnapshotCommit,
    SnapshotFinder,
    SnapshotPage,
    SnapshotStore,
    TableBranch,
)
from workbench.metadata.small_files import read_small

_ATTEMPTS = 5
_PAUSE_SECONDS = 0.5


class RestSnapshotStore(SnapshotStore):
    """The snapshots of one branch.

    Args:
        table: The table in the service.
        branch: The branch.
    """

    def __init__(self, table: RestTable, branch: TableBranch) -> None:
        self._table = table
        self._branch = branch
        self._name = table.object_of(branch.branch)
        self._files = FileSystemSnapshotStore(branch)

    def latest_id(self) -> int | None:
        """Return the id of the newest snapshot, None if the branch was never written."""
        newest = self.latest()
        return None if newest is None else newest.id

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None if the branch was never written, or does not exist."""
        try:
            answer = self._table.api.snapshot(self._table.database, self._name)
        except (SnapshotNotFound, TableNotFound, DatabaseNotFound):
            return None
        return self._parsed(answer["snapshot"])

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        first = self._files.earliest_id()
        return self.latest_id() if first is None else first

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        return self._ids(self.latest())

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no snapshot with this id."""
        found = self._files.find(snapshot_id)
        if found is None:
            with suppress(SnapshotNotFound, TableNotFound, DatabaseNotFound, Unsupported):
                return self._parsed(self._table.api.snapshot_of(self._table.database, self._name, str(snapshot_id)))
        return found

    def finder(self) -> SnapshotFinder:
        """Return a way to find many snapshots that does not read again what is cached."""
        return replace(self._files.finder(), ids=self.ids)

    def page(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return snapshots, newest first: at most ``limit`` (1 or more), with ids below ``before``."""
        newest = self.latest()
        if newest is None:
            return SnapshotPage((), None, frozenset())
        page = self._files.page(limit, newest.id + 1 if before is None else min(before, newest.id + 1))
        is_first = before is None or before > newest.id
        if not is_first or (page.snapshots and page.snapshots[0].id == newest.id):
            return page
        # Its file is not there yet.
        shown = (newest, *page.snapshots)[:limit]
        following = page.next if len(shown) > len(page.snapshots) else shown[-1].id
        return SnapshotPage(shown, following, frozenset(self._ids(newest)))

    def expire(self, ids: Sequence[int], first_kept: int) -> None:
        """Delete the files of snapshots, as Java does."""
        self._files.expire(ids, first_kept)

    def roll_back(self, target: Snapshot) -> list[int]:
        """Let the service make ``target`` the newest snapshot, and return the ids of the removed later ones."""
        removed = [each for each in self.ids() if each > target.id]
        self._table.api.roll_back(self._table.database, self._name, self._instant(target))
        return removed

    def _ids(self, newest: Snapshot | None) -> list[int]:
        if newest is None:
            return []
        return sorted({newest.id, *(each for each in self._files.ids() if each < newest.id)})

    def _instant(self, target: Snapshot) -> Json:
        if self._files.find(target.id) is None:
            directory = self._branch.path(paths.TAG_DIRECTORY)
            for file in self._branch.file_io.list_files(directory):
                name = paths.name_after("tag-", file.name)
                if name is not None and json.loads(read_small(self._branch.file_io, file.path)).get("id") == target.id:
                    return {"type": "tag", "tagName": name}
        return {"type": "snapshot", "snapshotId": target.id}

    def _parsed(self, document: Json) -> Snapshot:
        return Snapshot.from_json(json.dumps(document), f"the snapshot of {self._branch.name} in its catalog")


class RestSnapshotCommit(SnapshotCommit):
    """Lets the service commit snapshots (Java ``CatalogSnapshotCommit``).

    A request whose answer is lost may have been successful. The snapshot has a unique id, so that the newest snapshots
    show whether it was; otherwise it is sent again, which cannot commit it twice, because it names its predecessor.

    Args:
        table: The table in the service.
        branch: The branch.
        snapshots: Its snapshots.
    """

    def __init__(self, table: RestTable, branch: TableBranch, snapshots: RestSnapshotStore) -> None:
        self._table = table
        self._name = table.object_of(branch.branch)
        self._is_main = branch.branch == paths.MAIN_BRANCH
        self._snapshots = snapshots

    def commit(
        self,
        snapshot: Snapshot,
        base: Snapshot | None,
        statistics: Callable[[], Sequence[PartitionStatistics]],
    ) -> bool:
        """Commit a snapshot; return False if another writer was first.

        Raises:
            NoAnswer: The service does not answer, so that it is not known whether the snapshot was committed.
            TableNotFound: The table was dropped, and may have been created again.
        """
        body = {
            "tableId": self._table_id(),
            "baseSnapshotUuid": None if base is None else base.uuid,
            "snapshot": json.loads(snapshot.to_json()),
            "statistics": [_to_json(each) for each in statistics()],
        }
        for attempt in range(_ATTEMPTS):
            try:
                if self._table.api.commit(self._table.database, self._name, body):
                    return True
                # The reason may be this snapshot: an earlier request, or a copy of this one that a proxy sent.
                return self._is_committed(snapshot) is True
            except AlreadyExists:
                return self._is_committed(snapshot) is True
            except NoAnswer:
                known = self._is_committed(snapshot)
                if known is not None:
                    return known
                if attempt == _ATTEMPTS - 1:
                    raise
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _is_committed(self, snapshot: Snapshot) -> bool | None:
        """Return whether a snapshot was committed; None if neither it nor another one with its id was."""
        newest = self._snapshots.latest()
        if newest is None or newest.id < snapshot.id:
            return None
        there = newest if newest.id == snapshot.id else self._snapshots.find(snapshot.id)
        return there is not None and there.uuid == snapshot.uuid

    def _table_id(self) -> str:
        if self._is_main:
            return self._table.uuid
        return str(self._table.api.object("tables", self._table.database, self._name)["id"])


def _to_json(statistics: PartitionStatistics) -> Json:
    return {
        "spec": dict(statistics.spec),
        "recordCount": statistics.record_count,
        "fileSizeInBytes": statistics.file_size_in_bytes,
        "fileCount": statistics.file_count,
        "lastFileCreationTime": statistics.last_file_creation_time,
        "totalBuckets": statistics.total_buckets,
    }
