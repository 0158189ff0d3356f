"""The changes after one version up to another (format §25.9): resolution of the versions and choice of the mode."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

import pyarrow as pa

from workbench.base.errors import SnapshotNotFound, Unsupported, WorkbenchError, did_you_mean
from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.time_travel import Version
from workbench.metadata.times import to_millis
from workbench.scan.incremental.history import History
from workbench.scan.incremental.row_kind_reader import KindReader
from workbench.scan.incremental.stored import StoredChanges
from workbench.scan.split import Split

AUTO, DELTA, CHANGELOG, DIFF = MODES = ("auto", "delta", "changelog", "diff")
_DATA_EVOLUTION = "data-evolution.enabled"


@dataclass(frozen=True)
class _Place:
    """A position in the history of a table: right after commit ``id``, where 0 is before the first commit. ``snapshot``
    is the state at this position if it is already known: a tag keeps its state when the snapshot expires."""

    id: int
    snapshot: Snapshot | None = None


@dataclass(frozen=True)
class Changes:
    """Reader of the changes of one table. ``newest`` is its current version. ``with_sequence``: `_SEQUENCE_NUMBER`
    follows the kind."""

    store: TableStore
    newest: Snapshot | None
    progress: Progress = field(default_factory=Progress)
    with_sequence: bool = False

    def between(self, start: Version, end: Version, mode: str) -> pa.Table:
        """Read the changes; `Table.changes` describes the arguments, the rows and the errors."""
        mode = self._mode(start, end, mode)
        history = History(self.store, with_changelogs=self._reads_changelogs(mode))
        first = _Place(0) if start is None else self._place(start, history)
        last = self._newest_place if end is None else self._place(end, history)
        if first.id > last.id:
            raise WorkbenchError(
                f"Version {first.id} is newer than version {last.id}.", "Pass the older version first."
            )
        if mode == DIFF:
            return self._difference(first, last)
        return self._stored(history.between(first.id, last.id), mode)

    def _mode(self, start: Version, end: Version, mode: str) -> str:
        if mode not in MODES:
            raise Unsupported(f"Mode '{mode}' of changes is unknown.", did_you_mean(mode, MODES) or _known_modes())
        if self.store.schema.options.get(_DATA_EVOLUTION, "false").lower() == "true":
            raise Unsupported(f"Changes of a table with option '{_DATA_EVOLUTION}' = 'true' are not supported.")
        if mode != AUTO:
            return mode
        if self._is_tag(start) and self._is_tag(end):
            return DIFF
        return DELTA if self._produces_none else CHANGELOG

    @property
    def _produces_none(self) -> bool:
        return self.store.schema.kind.changelog_producer == "none"

    def _reads_changelogs(self, mode: str) -> bool:
        """Return whether the mode reads long-lived changelogs. They keep what the table has no other record of: the
        changelog or, if none is produced, the delta (format §24.1)."""
        return mode == CHANGELOG or (mode == DELTA and self._produces_none)

    def _stored(self, snapshots: list[Snapshot], mode: str) -> pa.Table:
        stored = StoredChanges(self.store)
        splits = stored.delta(snapshots) if mode == DELTA else self._changelog(stored, snapshots)
        schema = self.store.schema
        reader = KindReader(
            self.store, schema, schema.field_names, progress=self.progress, with_sequence=self.with_sequence
        )
        files = sum(len(split.files) for split in splits)
        with self.progress.step(f"Reading changes of {self.store.name}", files, "files"):
            return reader.read_all(splits)

    def _changelog(self, stored: StoredChanges, snapshots: list[Snapshot]) -> list[Split]:
        if self._produces_none and snapshots and not any(each.changelog_manifest_list for each in snapshots):
            raise Unsupported(
                f"{self.store.name} stores no changelog: its option 'changelog-producer' is 'none'.",
                "Use mode 'delta' or 'diff'.",
            )
        return stored.changelog(snapshots)

    def _difference(self, first: _Place, last: _Place) -> pa.Table:
        if self.with_sequence:
            raise Unsupported(
                f"Two versions of {self.store.name} cannot be compared with sequence numbers.",
                "Use mode 'delta' or 'changelog', or read the changes of the table itself.",
            )
        # Loaded here: the comparison is slow to import, and stored changes do not need it.
        from workbench.scan.incremental.state_diff import StateDiff

        return StateDiff.of(self.store, self._state(first), self._state(last), self.progress).between()

    def _state(self, position: _Place) -> Snapshot | None:
        if position.id == 0 or position.snapshot is not None:
            return position.snapshot
        return self._snapshots.get(position.id)

    # --- resolution of versions -----------------------------------------------------------------------------------

    def _place(self, version: int | str | datetime | date, history: History) -> _Place:
        if isinstance(version, str):
            if self._is_tag(version):
                snapshot = Tags(self.store).get(version).snapshot
                return _Place(snapshot.id, snapshot)
            if version.strip().isdecimal():
                version = int(version)
        if isinstance(version, int):
            if version < 0 or version > self._newest_place.id:
                self._snapshots.get(version)
            return _Place(version)
        return _Place(history.at_or_before(self._millis(version)))

    def _millis(self, version: str | datetime | date) -> int:
        try:
            return to_millis(version)
        except WorkbenchError as error:
            hint = did_you_mean(str(version), self._tags) or "Write times as 2026-11-01 or 2026-11-01 12:30:00."
            raise SnapshotNotFound(
                f"'{version}' is not a tag of {self.store.name}, a snapshot id or a time.", hint
            ) from error

    def _is_tag(self, version: Version) -> bool:
        return isinstance(version, str) and version in self._tags

    @cached_property
    def _tags(self) -> frozenset[str]:
        return frozenset(Tags(self.store).names())

    @cached_property
    def _snapshots(self) -> Snapshots:
        return Snapshots(self.store)

    @cached_property
    def _newest_place(self) -> _Place:
        return _Place(0) if self.newest is None else _Place(self.newest.id, self.newest)


def _known_modes() -> str:
    return f"The modes are {', '.join(MODES)}."
