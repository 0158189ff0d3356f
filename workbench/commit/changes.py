"""The changes of one snapshot, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.commit.index_changes import IndexChanges
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.format.spec.snapshot import CommitKind


@dataclass(frozen=True)
class Changes:
    """The changes of one snapshot.

    ``check_files`` is false only where no file is removed: for appends of files that were just written, and for
    ``statistics``, the name of a new statistics file. ``compactions`` are the messages of compactions in their order;
    they are refused where the files in which they looked rows up have changed.
    """

    kind: CommitKind
    delta: tuple[ManifestEntry, ...]
    changelog: tuple[ManifestEntry, ...] = ()
    check_files: bool = True
    index: IndexChanges = field(default_factory=IndexChanges)
    statistics: str | None = None
    merges_all_manifests: bool = False
    compactions: tuple[CommitMessage, ...] = ()
