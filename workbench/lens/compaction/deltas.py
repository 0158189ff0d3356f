"""What commits did to the files of single buckets, and the files of buckets before and after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from workbench.format.spec.data_file import DataFileMeta, FileKind, ManifestEntry
from workbench.lens.buckets import BucketKey

FileId: TypeAlias = tuple[str, int]
"""The name of a file and its level: a file that moves is removed from one level and added to another."""


def file_id(file: DataFileMeta) -> FileId:
    """Return the identity of a file in its bucket."""
    return file.file_name, file.level


@dataclass(frozen=True)
class BucketDelta:
    """The files that a commit removed from a bucket and added to it, in the order of its manifest entries.

    Files that were only moved to another level are in both.
    """

    removed: tuple[DataFileMeta, ...] = ()
    added: tuple[DataFileMeta, ...] = ()

    @property
    def moved(self) -> frozenset[str]:
        """The names of the files that were moved to another level without being rewritten."""
        return frozenset(file.file_name for file in self.removed) & {file.file_name for file in self.added}

    @property
    def read(self) -> tuple[DataFileMeta, ...]:
        """The files that were removed, without those that moved."""
        return tuple(file for file in self.removed if file.file_name not in self.moved)

    @property
    def written(self) -> tuple[DataFileMeta, ...]:
        """The files that were added, without those that moved."""
        return tuple(file for file in self.added if file.file_name not in self.moved)


def bucket_deltas(entries: Iterable[ManifestEntry]) -> dict[BucketKey, BucketDelta]:
    """Return what a commit did to each bucket, in the order in which its manifest entries name the buckets."""
    sides: dict[BucketKey, tuple[list[DataFileMeta], list[DataFileMeta]]] = {}
    for entry in entries:
        removed, added = sides.setdefault((entry.partition, entry.bucket), ([], []))
        (added if entry.kind == FileKind.ADD else removed).append(entry.file)
    return {key: BucketDelta(tuple(removed), tuple(added)) for key, (removed, added) in sides.items()}


class BucketContents:
    """The files of all buckets at one version. `undo` moves it back to an earlier version, commit by commit.

    Undoing a commit needs only its own manifests, so the manifests of a whole version are read only once.
    """

    def __init__(self, entries: Iterable[ManifestEntry]) -> None:
        self._files: dict[BucketKey, dict[FileId, DataFileMeta]] = {}
        for entry in entries:
            self._files.setdefault((entry.partition, entry.bucket), {})[file_id(entry.file)] = entry.file

    @property
    def buckets(self) -> Iterable[BucketKey]:
        """The buckets that have files, or had some at a later version."""
        return self._files.keys()

    def files(self, key: BucketKey) -> tuple[DataFileMeta, ...]:
        """Return the files of a bucket."""
        return tuple(self._files.get(key, {}).values())

    def undo(self, deltas: Mapping[BucketKey, BucketDelta]) -> None:
        """Go back to the version before a commit."""
        for key, delta in deltas.items():
            files = self._files.setdefault(key, {})
            for file in delta.added:
                files.pop(file_id(file), None)
            for file in delta.removed:
                files[file_id(file)] = file


def applied(files: Sequence[DataFileMeta], delta: BucketDelta) -> tuple[DataFileMeta, ...]:
    """Return the files of a bucket after a commit."""
    gone = {file_id(file) for file in delta.removed}
    return (*(file for file in files if file_id(file) not in gone), *delta.added)
