"""The metadata files that one commit writes: some belong to one attempt, others are reused by the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.commit.manifest_merge import MergedManifests
from workbench.format.spec.data_file import ManifestEntry, ManifestFileMeta
from workbench.metadata.manifests import WrittenList


@dataclass(frozen=True)
class WrittenEntries:
    """Manifest entries, the manifest list of the manifests that contain them, and the names of all these files."""

    entries: tuple[ManifestEntry, ...]
    list: WrittenList
    names: tuple[str, ...]


@dataclass(frozen=True)
class WrittenMerge:
    """The manifests of a version, and the result of merging them."""

    before: tuple[ManifestFileMeta, ...]
    merged: MergedManifests

    def applied_to(self, metas: Sequence[ManifestFileMeta]) -> tuple[ManifestFileMeta, ...] | None:
        """Return the manifests of a later version with this merge applied; None if another commit has changed these
        manifests."""
        count = len(self.before)
        for start in range(len(metas) - count + 1):
            if tuple(metas[start : start + count]) == self.before:
                return (*metas[:start], *self.merged.metas, *metas[start + count :])
        return None


@dataclass
class Written:
    """The files of one commit. ``names`` lists those that exist now. While ``in_doubt`` is true, they must be kept even
    after an error, because a snapshot may refer to them."""

    names: list[str] = field(default_factory=list)
    entries: dict[str, WrittenEntries] = field(default_factory=dict)
    merge: WrittenMerge | None = None
    in_doubt: bool = False
    _used: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Begin an attempt, whose snapshot refers to no file yet."""
        self._used.clear()

    def note(self, *names: str) -> None:
        """Record files that were written for the snapshot of this attempt."""
        self.names.extend(names)
        self._used.update(names)

    def use(self, *names: str) -> None:
        """Record that the snapshot of this attempt refers to files that are stored already."""
        self._used.update(names)

    def lost(self) -> list[str]:
        """End an attempt without a snapshot, and return the files that the next attempt cannot reuse."""
        reusable = {name for each in self.entries.values() for name in each.names}
        if self.merge is not None:
            reusable.update(meta.file_name for meta in self.merge.merged.written)
        return self._without(reusable)

    def published(self) -> list[str]:
        """End an attempt whose snapshot was published, and return the files that it does not refer to."""
        return self._without(self._used)

    def _without(self, kept: set[str]) -> list[str]:
        dropped = [name for name in self.names if name not in kept]
        self.names = [name for name in self.names if name in kept]
        return dropped
