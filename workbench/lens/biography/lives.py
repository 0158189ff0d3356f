"""Which files may hold the row, and between which commits: pure functions of the changes in manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.format.spec.data_file import DataFileMeta, FileKind, ManifestEntry

FileId = tuple[bytes, int, str]
"""Serialized partition, bucket and name of a data file."""


def file_id(entry: ManifestEntry) -> FileId:
    """Return the identity of the file of an entry, regardless of its level."""
    return entry.partition, entry.bucket, entry.file.file_name


@dataclass(frozen=True)
class FileChange:
    """The addition of a file to a level, or its removal, by commit ``snapshot`` or, if not ``exact``, by an expired
    commit before it."""

    snapshot: int
    kind: FileKind
    level: int
    exact: bool = True


@dataclass(frozen=True)
class FileStay:
    """The stay of a file on a level: from commit ``since`` up to, but not including, commit ``until``. Either is None
    if the change was not read or has not happened."""

    level: int
    since: FileChange | None
    until: FileChange | None = None

    def holds_at(self, snapshot: int) -> bool:
        """Return whether the file belongs to a snapshot."""
        return (self.since is None or _begins(self.since) <= snapshot) and (
            self.until is None or snapshot < _begins(self.until)
        )


def _begins(change: FileChange) -> float:
    # A change that is not exact happened before the commit, at which it was noticed.
    return change.snapshot if change.exact else change.snapshot - 0.5


@dataclass(frozen=True)
class FileLife:
    """A file that may hold the row. ``entry`` is one of its manifest entries; ``stays`` are the oldest first."""

    entry: ManifestEntry
    stays: tuple[FileStay, ...]

    @property
    def id(self) -> FileId:
        """The identity of the file."""
        return file_id(self.entry)

    @property
    def file(self) -> DataFileMeta:
        """The file, on its last level."""
        return self.entry.file.upgrade(self.stays[-1].level)

    @property
    def added(self) -> FileChange | None:
        """The change that added the file, None if it was not read."""
        return self.stays[0].since

    @property
    def removed(self) -> FileChange | None:
        """The change that removed the file, None if the version has it."""
        return self.stays[-1].until

    def exists_for(self, snapshots: Iterable[int]) -> bool:
        """Return whether any of the given snapshots contains the file, so that it still exists."""
        return any(stay.holds_at(snapshot) for snapshot in snapshots for stay in self.stays)


@dataclass(frozen=True)
class Delta:
    """The manifest entries of a commit, limited to files that may hold the row."""

    snapshot: int
    entries: Sequence[ManifestEntry]
    exact: bool = True


def lives_of(live: Mapping[FileId, ManifestEntry], deltas: Iterable[Delta]) -> list[FileLife]:
    """Return the lives of all files of a version and of the deltas up to it, the oldest delta first."""
    entries: dict[FileId, ManifestEntry] = {}
    changes: dict[FileId, list[FileChange]] = {}
    for delta in deltas:
        # A file that moves to another level is removed and added by one commit.
        for entry in sorted(delta.entries, key=lambda each: each.kind == FileKind.ADD):
            entries[file_id(entry)] = entry
            change = FileChange(delta.snapshot, entry.kind, entry.file.level, delta.exact)
            changes.setdefault(file_id(entry), []).append(change)
    lives = []
    for key, entry in {**entries, **live}.items():
        stays = _stays(changes.get(key, ()))
        if not stays:
            stays = (FileStay(entry.file.level, None),)
        lives.append(FileLife(entry, stays))
    return lives


def _stays(changes: Iterable[FileChange]) -> tuple[FileStay, ...]:
    stays: list[FileStay] = []
    for change in changes:
        if change.kind == FileKind.ADD:
            stays.append(FileStay(change.level, change))
        elif stays and stays[-1].until is None:
            stays[-1] = FileStay(stays[-1].level, stays[-1].since, change)
        else:
            stays.append(FileStay(change.level, None, change))
    return tuple(stays)


def before(live: Mapping[FileId, ManifestEntry], entries: Iterable[ManifestEntry]) -> dict[FileId, ManifestEntry]:
    """Return the files before a commit, given the files after it (``live``) and the ``entries`` of the commit."""
    result = dict(live)
    changed = list(entries)
    for entry in changed:
        if entry.kind == FileKind.ADD:
            result.pop(file_id(entry), None)
    for entry in changed:
        if entry.kind == FileKind.DELETE:
            result[file_id(entry)] = entry
    return result


def difference(older: Mapping[FileId, ManifestEntry], newer: Mapping[FileId, ManifestEntry]) -> list[ManifestEntry]:
    """Return the entries that lead from one set of files to a newer one."""

    def level(files: Mapping[FileId, ManifestEntry], key: FileId) -> int | None:
        return files[key].file.level if key in files else None

    changed = [key for key in {**older, **newer} if level(older, key) != level(newer, key)]
    removed = [_as(older[key], FileKind.DELETE) for key in changed if key in older]
    return [*removed, *(_as(newer[key], FileKind.ADD) for key in changed if key in newer)]


def _as(entry: ManifestEntry, kind: FileKind) -> ManifestEntry:
    return ManifestEntry(kind, entry.partition, entry.bucket, entry.total_buckets, entry.file)
