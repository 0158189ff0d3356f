"""Listing the files in a table directory, in this process or in Spark tasks, to find those that no version uses."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileStatus

_TEMPORARY = re.compile(r"\..+\.tmp")
_READERS = 8
_HINTS = (paths.LATEST, paths.EARLIEST)
# Java tracks these packs of large objects by separate references, which are not read here.
_KEPT_SUFFIX = ".managed.blob"

Directories = Sequence[FileStatus]
"""Directories that contain data files, directly or in subdirectories."""


@dataclass
class Listing:
    """Files in a table directory.

    ``candidates`` are files that a version would have to use, and files that no version can use; ``directories`` may be
    deleted when empty, with their contents.
    """

    candidates: list[FileStatus] = field(default_factory=list)
    directories: dict[FileStatus, list[FileStatus]] = field(default_factory=dict)

    def add(self, other: Listing) -> None:
        """Add the contents of another listing."""
        self.candidates += other.candidates
        self.directories.update(other.directories)

    def orphans(self, used: Container[str], limit: int) -> list[FileStatus]:
        """Return the files that were last modified before ``limit`` and are not used, by path."""
        found = (each for each in self.candidates if _is_old(each, limit) and each.name not in used)
        return sorted(found, key=lambda each: each.path)

    def without(self, used: Container[str]) -> Listing:
        """Return the files that are not used, and the directories that could be empty without them."""
        unused = [each for each in self.candidates if each.name not in used and not each.is_directory]
        gone = {each.path for each in unused}
        emptied = {
            directory: children
            for directory, children in self.directories.items()
            if all(child.is_directory or child.path in gone for child in children)
        }
        return Listing(unused, emptied)

    def emptied(self, orphans: Sequence[FileStatus], limit: int) -> list[str]:
        """Return the directories that become empty without the orphans, innermost first.

        A directory that is already empty may have just been created, so it must be older than ``limit``.
        """
        removed = {each.path for each in orphans}
        found = []
        for directory in sorted(self.directories, key=lambda each: (-each.path.count("/"), each.path)):
            children = self.directories[directory]
            is_old = bool(children) or 0 < directory.modified_millis < limit
            if is_old and all(child.path in removed for child in children):
                removed.add(directory.path)
                found.append(directory.path)
        return found


def data_directories(store: TableStore) -> Directories:
    """Return the outermost directories with data files: those of partitions, or of buckets if there are no
    partitions."""
    directory = store.schema.core.data_file_path_directory
    inside = store.file_io.list_files(store.location if directory is None else store.check_path(store.path(directory)))
    return _holding_data(inside, is_bucket=not store.partition_fields)


def list_data(store: TableStore, directories: Directories, readers: int = _READERS) -> Listing:
    """List some of the `data_directories` of a table on ``readers`` threads, down to the files of the buckets."""
    listing, inside = Listing(), list(directories)
    levels = len(store.partition_fields)
    for level in range(levels + 1):
        holders = _holding_data(inside, is_bucket=level == levels)
        children = parallel_map(lambda each: store.file_io.list_files(each.path), holders, readers)
        listing.directories.update(zip(holders, children, strict=True))
        inside = [status for group in children for status in group]
        if level < levels:
            # Success files of partitions are first written as temporary files, too.
            listing.candidates += [each for each in inside if _TEMPORARY.fullmatch(each.name)]
    listing.candidates += inside
    return listing


def list_metadata(store: TableStore, histories: Sequence[TableStore]) -> Listing:
    """List everything else: metadata files, and files that were left behind in temporary directories."""
    listing, file_io = Listing(), store.file_io
    for name in (paths.MANIFEST_DIRECTORY, paths.INDEX_DIRECTORY, paths.STATISTICS_DIRECTORY):
        listing.candidates += file_io.list_files(store.path(name))
    for history in histories:
        listing.candidates += _left_in_history(history)
    # Spark writes files into temporary directories of the table before they are moved to their buckets.
    for path in (store.location, store.path(paths.BRANCH_DIRECTORY)):
        for status in file_io.list_files(path):
            if status.is_directory and _TEMPORARY.fullmatch(status.name):
                _list_all(store, status, listing)
    return listing


def _left_in_history(history: TableStore) -> list[FileStatus]:
    """Return temporary files that were never renamed, and other files among snapshots or changelogs."""
    found: list[FileStatus] = []
    for directory, prefix in ((paths.SNAPSHOT_DIRECTORY, "snapshot-"), (paths.CHANGELOG_DIRECTORY, "changelog-")):
        inside = history.file_io.list_files(history.branch_path(directory))
        found += [each for each in inside if not each.name.startswith(prefix) and each.name not in _HINTS]
    for directory in (paths.SCHEMA_DIRECTORY, paths.TAG_DIRECTORY, paths.CONSUMER_DIRECTORY):
        inside = history.file_io.list_files(history.branch_path(directory))
        found += [each for each in inside if _TEMPORARY.fullmatch(each.name)]
    return found


def _list_all(store: TableStore, directory: FileStatus, listing: Listing) -> None:
    children = store.file_io.list_files(directory.path)
    listing.directories[directory] = children
    listing.candidates += children
    for child in children:
        if child.is_directory:
            _list_all(store, child, listing)


def _holding_data(inside: Sequence[FileStatus], *, is_bucket: bool) -> list[FileStatus]:
    return [
        each
        for each in inside
        if each.is_directory and (each.name.startswith("bucket-") if is_bucket else "=" in each.name)
    ]


def _is_old(status: FileStatus, limit: int) -> bool:
    """Return whether a file may be deleted if it is unused. A file without a modification time may be new."""
    known = not status.is_directory and not status.name.endswith(_KEPT_SUFFIX)
    return known and 0 < status.modified_millis < limit
