"""Where a read begins and which files it takes, as options say it: those that a table stores, and those of a read.

The rules are those of a batch read in Java 2.0.0 (`CoreOptions.startupMode`, `AbstractDataTableScan`,
`TimeTravelUtil`). Where Java refuses two options together, or lets one of them pass in silence, both are refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.base.session import session_options
from workbench.format import paths
from workbench.format.data_file import ManifestEntry
from workbench.format.options import check_user_options, find_option
from workbench.format.schema import TableSchema
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.table import Table
from workbench.table.travel import to_millis

MODE, BUCKET = "scan.mode", "scan.bucket"
_NEWEST = ("default", "latest-full", "full", "latest")
_COMPACTED = "compacted-full"
_VERSION_MODES = ("default", "from-snapshot")
_TIME_MODES = ("default", "from-timestamp")
# Which modes a place goes with.
_PLACES = {
    "scan.snapshot-id": (*_VERSION_MODES, "from-snapshot-full"),
    "scan.tag-name": _VERSION_MODES,
    "scan.version": _VERSION_MODES,
    "scan.watermark": _VERSION_MODES,
    "scan.timestamp": _TIME_MODES,
    "scan.timestamp-millis": _TIME_MODES,
    "scan.creation-time-millis": ("default", "from-creation-timestamp"),
    "scan.file-creation-time-millis": ("default", "from-file-creation-time"),
}
READ_OPTIONS = (*_PLACES, MODE, BUCKET)
"""The options with which a user reads. Others that say what to read are refused by `check_supported`."""
_OTHER_BRANCHES = ("scan.fallback-branch", "scan.primary-branch")


@dataclass(frozen=True)
class ReadOptions:
    """What options ask of a read beside its version. ``created_since``: milliseconds since the epoch;
    ``without_partitions``: serialized rows of partitions that are read from another branch."""

    bucket: int | None = None
    created_since: int | None = None
    without_partitions: frozenset[bytes] = frozenset()
    answered: ClassVar[Container[str]] = (*READ_OPTIONS, *_OTHER_BRANCHES)

    def hides(self) -> dict[str, Callable[[ManifestEntry], bool]]:
        """Which files are left out, by the option that does it."""
        rules: dict[str, Callable[[ManifestEntry], bool]] = {}
        if self.bucket is not None:
            rules[f"option '{BUCKET}'"] = lambda entry: entry.bucket != self.bucket
        if self.created_since is not None:
            rules["option 'scan.file-creation-time-millis'"] = self._is_older
        if self.without_partitions:
            rules["another branch"] = lambda entry: entry.partition in self.without_partitions
        return rules

    def _is_older(self, entry: ManifestEntry) -> bool:
        created = entry.file.creation_time
        if created is None:
            raise Unsupported(
                f"Data file {entry.file.file_name} does not tell when it was made.",
                "Options 'scan.creation-time-millis' and 'scan.file-creation-time-millis' cannot be used here.",
            )
        assert self.created_since is not None
        return _instant(created) < self.created_since


def _instant(clock_millis: int) -> int:
    """What a clock of the session zone showed, as milliseconds since the epoch."""
    from datetime import UTC, datetime, timedelta

    shown = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=clock_millis)
    return to_millis(shown.replace(tzinfo=session_options.zone()))


def open_for_read(table: Table, given: Mapping[str, str] | None = None) -> Table:
    """The table as its stored options and those ``given`` with a read want it read.

    Raises:
        UnknownOption, InvalidSchema: an option that nobody knows, or a value that it cannot take.
        SnapshotNotFound: there is no such version.
        WorkbenchError: options that exclude each other, or that a read cannot set.
    """
    schema = _with_options(table.store.schema, given or {})
    core = schema.core
    places = [name for name in _PLACES if core.text(name) is not None]
    mode = core.value(MODE)
    _check_together(places, mode)
    place = places[0] if places else None
    value: Any = None if place is None else core.value(place)
    asked = ReadOptions(bucket=core.value(BUCKET))
    table = table.over(replace(table.store, schema=schema, read_options=asked))
    if any((core.text(name) or "").strip() for name in _OTHER_BRANCHES):
        # Loaded here, for few tables are read from two branches.
        from workbench.table.fallback import with_other_branch

        table = with_other_branch(table)
    if place is None:
        return table.over(table.store, _compacted(table.store)) if mode == _COMPACTED else table
    if place == "scan.file-creation-time-millis":
        return _files_since(table, value)
    if place == "scan.creation-time-millis":
        return _since(table, value)
    at = table.at
    if place == "scan.snapshot-id":
        return at(snapshot=value)
    if place == "scan.watermark":
        return at(watermark=value)
    if place == "scan.tag-name":
        return at(tag=value)
    return at(version=value) if place == "scan.version" else at(timestamp=value)


def _check_together(places: list[str], mode: str) -> None:
    if len(places) > 1:
        raise WorkbenchError(f"Options {' and '.join(places)} exclude each other.", "Leave one of them.")
    if places and mode not in _PLACES[places[0]]:
        raise WorkbenchError(
            f"Option '{places[0]}' does not go with 'scan.mode' = '{mode}'.",
            f"Leave out 'scan.mode', or set it to '{_PLACES[places[0]][-1]}'.",
        )
    if not places and mode not in (*_NEWEST, _COMPACTED):
        wanted = " or ".join(name for name, modes in _PLACES.items() if mode in modes)
        raise WorkbenchError(
            f"Option 'scan.mode' = '{mode}' is not enough to read by.", f"Set {wanted} too." if wanted else None
        )


def _files_since(table: Table, millis: int) -> Table:
    """The newest version, of which the files made at that time or later."""
    asked = table.store.read_options
    assert asked is not None
    return table.over(replace(table.store, read_options=replace(asked, created_since=millis)))


def _since(table: Table, millis: int) -> Table:
    """The first version made at that time or later; where it may have expired or is still to come, files since then."""
    store = table.store
    if store.file_io.list_files(store.branch_path(paths.CHANGELOG_DIRECTORY)):
        raise Unsupported("Option 'scan.creation-time-millis' is not supported where changelogs outlive snapshots.")
    snapshots = Snapshots(store)
    before = snapshots.newest_before(millis)
    after = None if before is None else snapshots.find(before.id + 1)
    # Java shows the columns of now here.
    return _files_since(table, millis) if after is None else table.over(store, after)


def _compacted(store: TableStore) -> Snapshot | None:
    """The newest version that a compaction made, a full one where these are made by number; else the newest."""
    core = store.schema.core
    commits = core.full_compaction_delta_commits
    if commits is None and core.changelog_producer == "full-compaction":
        commits = 1
    snapshots = Snapshots(store)
    for number in reversed(snapshots.ids()):
        found = snapshots.find(number)
        if found is not None and found.commit_kind == CommitKind.COMPACT:
            identifier = found.commit_identifier
            if commits is None or identifier == BATCH_COMMIT_IDENTIFIER or identifier % commits == 0:
                return found
    return None


def _with_options(schema: TableSchema, given: Mapping[str, str]) -> TableSchema:
    """The schema with the options of a read among its own."""
    check_user_options(given)
    for name, text in given.items():
        option = find_option(name)
        if option is not None and option.immutable and schema.core.text(option.name) != text:
            raise WorkbenchError(f"Option '{name}' cannot be set for a read.", "It says how the table is stored.")
    return replace(schema, options={**schema.options, **given})
