"""The changes of one snapshot, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.commit.index_changes import IndexChanges
from workbench.format.spec.data_file import BaseVersion, CommitMessage, ManifestEntry
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.snapshot import CommitKind


@dataclass(frozen=True)
class Changes:
    """The changes of one snapshot.

    Args:
        kind: The kind of the commit.
        delta: The added and removed data files.
        changelog: The added changelog files.
        check_files: False only if no file is removed: for appends of files that were just written, and for statistics.
        index: The added and removed index files.
        statistics: The name of a new statistics file.
        merges_all_manifests: Whether to merge all manifests regardless of their sizes.
        compactions: The messages of compactions, in order. A compaction is refused if the files in which it looked up
            rows have changed.
        assigned_by: The hash indexes by which keys were assigned to the buckets of the added files. The changes are
            refused if the current hash index of a bucket lacks one of these keys.
        bases: The versions from which the writers of the added files started. If the table no longer has one of them,
            the changes are refused unless the new sequence numbers are still the largest in their buckets. New column
            values are refused if any column of the same rows has changed since.
    """

    kind: CommitKind
    delta: tuple[ManifestEntry, ...]
    changelog: tuple[ManifestEntry, ...] = ()
    check_files: bool = True
    index: IndexChanges = field(default_factory=IndexChanges)
    statistics: str | None = None
    merges_all_manifests: bool = False
    compactions: tuple[CommitMessage, ...] = ()
    assigned_by: tuple[IndexEntry, ...] = ()
    bases: frozenset[BaseVersion] = frozenset()
