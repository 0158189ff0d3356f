"""The stored versions of a row in their order, and their descent through compactions: pure functions of what was
read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.format.spec.data_file import FileSource
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.biography.lives import FileLife
from workbench.lens.biography.merging import StoredVersion, sequence_of
from workbench.lens.biography.value import VersionSource
from workbench.scan.stored_rows import StoredRow


@dataclass(frozen=True)
class Version:
    """A stored version of the row: the life of its file, and its position in it."""

    life: FileLife
    position: int
    stored: StoredVersion

    @property
    def id(self) -> int:
        """The number of the version."""
        return self.stored.id

    @property
    def table(self) -> pa.Table:
        """The row as it is stored."""
        return self.stored.table

    @property
    def commit(self) -> int | None:
        """The commit that added it, None if it is not known."""
        added = self.life.added
        return added.snapshot if added is not None and added.exact else None

    @property
    def removed_by(self) -> int | None:
        """The commit that removed its file, None if the version has it or the commit is not known."""
        removed = self.life.removed
        return removed.snapshot if removed is not None and removed.exact else None

    @property
    def is_live(self) -> bool:
        """Whether its file belongs to the version of the table."""
        return self.life.removed is None


@dataclass(frozen=True)
class Descent:
    """What compactions did with versions. ``inputs`` maps each output to its input versions, ``into`` each input to its
    outputs, and ``dropped`` each version that left no output to the commit that dropped it."""

    inputs: Mapping[int, tuple[int, ...]]
    into: Mapping[int, tuple[int, ...]]
    dropped: Mapping[int, int]


def numbered(found: Iterable[tuple[FileLife, str, StoredRow]]) -> tuple[Version, ...]:
    """Return the versions in the order of their commits, then of their sequence numbers; ids count from 1."""

    def order(each: tuple[FileLife, str, StoredRow]) -> tuple[object, ...]:
        life, _, row = each
        added = life.added
        when = -1.0 if added is None else added.snapshot if added.exact else added.snapshot - 0.5
        return when, sequence_of(row.values) or 0, life.file.level, life.file.file_name, row.position

    return tuple(
        Version(life, row.position, StoredVersion(number, path, life.file, row.values))
        for number, (life, path, row) in enumerate(sorted(found, key=order), 1)
    )


def source_of(version: Version, snapshots: Mapping[int, Snapshot]) -> VersionSource:
    """Return whether a write or a compaction stored a version; old writers do not record it."""
    recorded = version.life.file.file_source
    if recorded is not None:
        return "compaction" if recorded == FileSource.COMPACT else "write"
    commit = snapshots.get(version.commit or 0)
    if commit is None:
        return "compaction" if version.life.stays[0].level else "unknown"
    return "compaction" if commit.commit_kind == CommitKind.COMPACT else "write"


def descent_of(versions: Sequence[Version], snapshots: Mapping[int, Snapshot], *, is_keyed: bool) -> Descent:
    """Return which versions were made from which others, by compactions or by rewrites of files."""
    removed: dict[int, list[Version]] = {}
    added: dict[int, list[Version]] = {}
    for version in versions:
        if version.removed_by is not None:
            removed.setdefault(version.removed_by, []).append(version)
        if version.commit is not None:
            added.setdefault(version.commit, []).append(version)
    inputs: dict[int, tuple[int, ...]] = {}
    into: dict[int, tuple[int, ...]] = {}
    dropped: dict[int, int] = {}
    for commit, before in removed.items():
        compacts = commit in snapshots and snapshots[commit].commit_kind == CommitKind.COMPACT
        outputs = [
            version
            for version in added.get(commit, ())
            if compacts or (source_of(version, snapshots) == "compaction" if is_keyed else _is_copy(version, before))
        ]
        ids = tuple(version.id for version in before)
        inputs.update({version.id: ids for version in outputs})
        into.update({number: tuple(version.id for version in outputs) for number in ids if outputs})
        if compacts and not outputs:
            dropped.update(dict.fromkeys(ids, commit))
    return Descent(inputs, into, dropped)


def _is_copy(version: Version, before: Sequence[Version]) -> bool:
    """Return whether a rewrite of a file kept the row unchanged: such a copy keeps the sequence number of the row's
    last change."""
    return sequence_of(version.table) in {sequence_of(each.table) for each in before}
