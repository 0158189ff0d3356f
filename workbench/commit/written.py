"""The metadata files that one commit writes: some are for one attempt, others are used again by the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.commit.manifest_merge import MergedManifests
from workbench.format.spec.data_file import ManifestEntry, ManifestFileMeta
from workbench.metadata.manifests import WrittenList


@dataclass(frozen=True)
class WrittenEntries:
    """Entries in their manifests, the list of these, and the names of all these files."""

    entries: tuple[ManifestEntry, ...]
    list: WrittenList
    names: tuple[str, ...]


@dataclass(frozen=True)
class WrittenMerge:
    """The manifests of a version, and what they were merged to."""

    before: tuple[ManifestFileMeta, ...]
    merged: MergedManifests

    def applied_to(self, metas: Sequence[ManifestFileMeta]) -> tuple[ManifestFileMeta, ...] | None:
        """Return the manifests of a later version, merged as those of the earlier one; None if others changed them."""
        count = len(self.before)
        for start in range(len(metas) - count + 1):
            if tuple(metas[start : start + count]) == self.before:
                return (*metas[:start], *self.merged.metas, *metas[start + count :])
        return None


@dataclass
class Written:
    """The files of one commit. ``names`` are those that are stored now; ``in_doubt`` is true while they must stay
    after an error, since a snapshot may refer to them."""

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
        """End an attempt without a snapshot, and return the files that the next one cannot use."""
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
