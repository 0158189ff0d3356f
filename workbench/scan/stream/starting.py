"""The position at which a stream starts, by the options of the table and of the read (Java's ``StartingScanner``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from workbench.base.errors import SnapshotNotFound, Unsupported, WorkbenchError
from workbench.base.lazy import cached_property
from workbench.metadata.read_options import BUCKET, MODE, ReadOptions
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.time_travel import newest_compacted
from workbench.metadata.times import to_millis
from workbench.scan.stream.offset import StreamOffset

_SNAPSHOT, _CREATED, _FILES_CREATED = "scan.snapshot-id", "scan.creation-time-millis", "scan.file-creation-time-millis"
_MILLIS, _TIMESTAMP = "scan.timestamp-millis", "scan.timestamp"
_OF_BATCHES = ("scan.tag-name", "scan.version", "scan.watermark")
# The mode that each option selects if the scan mode is the default.
_DEFAULT_MODES = {
    _SNAPSHOT: "from-snapshot",
    _MILLIS: "from-timestamp",
    _TIMESTAMP: "from-timestamp",
    _FILES_CREATED: "from-file-creation-time",
    _CREATED: "from-creation-timestamp",
}


@dataclass(frozen=True)
class StreamStart:
    """The start of a stream; ``store`` has the options of the read."""

    store: TableStore

    @cached_property
    def offset(self) -> StreamOffset:
        """The position before the first split.

        Raises:
            SnapshotNotFound: The snapshot has expired, or does not exist yet.
            Unsupported, WorkbenchError: The options do not describe the start of a stream.
        """
        self._check()
        consumed = self._consumer
        if consumed is not None:
            return StreamOffset(max(consumed, self._earliest))
        return _STARTS[self.mode](self)

    @cached_property
    def mode(self) -> str:
        """The scan mode; the default mode is replaced by the one that the other options select."""
        core = self.store.schema.core
        mode = str(core.value(MODE))
        if mode == "default":
            return next((named for option, named in _DEFAULT_MODES.items() if core.text(option) is not None), "full")
        return mode

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot at which option 'scan.snapshot-id' starts the stream, if it does; it may not exist yet."""
        requested = self.store.schema.core.value(_SNAPSHOT) if self.mode == "from-snapshot" else None
        return None if requested is None else int(requested)

    @property
    def full_store(self) -> TableStore:
        """The table as the scan of a whole snapshot sees it: without the files that the options leave out, and without
        those whose rows a later compaction puts into the changelog."""
        core = self.store.schema.core
        created = {"from-file-creation-time": _FILES_CREATED, "from-creation-timestamp": _CREATED}.get(self.mode)
        least = {"lookup": 1, "full-compaction": core.num_levels - 1}.get(self.store.schema.kind.changelog_producer, 0)
        options = ReadOptions(
            bucket=core.value(BUCKET),
            created_since=None if created is None else self._required(created),
            min_level=least,
        )
        return replace(self.store, read_options=options)

    def _check(self) -> None:
        core = self.store.schema.core
        for name in _OF_BATCHES:
            if core.text(name) is not None:
                raise Unsupported(f"A stream cannot start at option '{name}'.", f"Set '{_SNAPSHOT}' instead.")
        if self.mode not in _STARTS:
            raise Unsupported(f"A stream cannot start with option '{MODE}' = '{self.mode}'.")

    @property
    def _consumer(self) -> int | None:
        core = self.store.schema.core
        name = core.value("consumer-id")
        if name is None or core.value("consumer.ignore-progress"):
            return None
        return all_consumers(self.store).get(name)

    @cached_property
    def _snapshots(self) -> Snapshots:
        return Snapshots(self.store)

    @property
    def _earliest(self) -> int:
        """The id of the oldest commit whose changes are known; 1 for a table that was never written."""
        return min([*Changelogs(self.store).ids()[:1], self._snapshots.earliest_id() or 1])

    def _required(self, name: str) -> Any:
        value = self.store.schema.core.value(name)
        if value is None:
            raise WorkbenchError(f"Option '{MODE}' = '{self.mode}' requires option '{name}'.", f"Set '{name}' too.")
        return value

    # --- the modes ------------------------------------------------------------------------------------------------

    def _newest(self) -> StreamOffset:
        return self._whole(self._snapshots.latest_id())

    def _whole(self, snapshot_id: int | None) -> StreamOffset:
        return StreamOffset(1) if snapshot_id is None else StreamOffset(snapshot_id, scan_snapshot=True)

    def _changes_of_newest(self) -> StreamOffset:
        return StreamOffset(self._snapshots.latest_id() or 1)

    def _compacted(self) -> StreamOffset:
        compacted = newest_compacted(self.store)
        return self._newest() if compacted is None else self._whole(compacted.id)

    def _from_snapshot(self) -> StreamOffset:
        return StreamOffset(max(self._required(_SNAPSHOT), self._earliest))

    def _from_whole_snapshot(self) -> StreamOffset:
        wanted = self._required(_SNAPSHOT)
        earliest, latest = self._snapshots.earliest_id(), self._snapshots.latest_id()
        if earliest is None or latest is None:
            return StreamOffset(1)
        if wanted > latest:
            raise SnapshotNotFound(
                f"Table {self.store.name} has no snapshot {wanted}.", f"Its newest snapshot is {latest}."
            )
        return self._whole(max(wanted, earliest))

    def _from_timestamp(self) -> StreamOffset:
        text = self.store.schema.core.value(_TIMESTAMP)
        millis = self._required(_MILLIS) if text is None else to_millis(text)
        before = self._snapshots.newest_before(millis)
        return StreamOffset(self._earliest if before is None else before.id + 1)

    def _from_creation(self) -> StreamOffset:
        before = self._snapshots.newest_before(self._required(_CREATED))
        if before is None or self._snapshots.find(before.id + 1) is None:
            return self._newest()
        return StreamOffset(before.id + 1)

    def _from_file_creation(self) -> StreamOffset:
        self._required(_FILES_CREATED)
        return self._newest()


_STARTS: dict[str, Callable[[StreamStart], StreamOffset]] = {
    "full": StreamStart._newest,
    "latest-full": StreamStart._newest,
    "latest": StreamStart._changes_of_newest,
    "compacted-full": StreamStart._compacted,
    "from-snapshot": StreamStart._from_snapshot,
    "from-snapshot-full": StreamStart._from_whole_snapshot,
    "from-timestamp": StreamStart._from_timestamp,
    "from-creation-timestamp": StreamStart._from_creation,
    "from-file-creation-time": StreamStart._from_file_creation,
}
