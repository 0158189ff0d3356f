"""The values of a biography."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.lens.wire import Int64

RowState = Literal["present", "deleted", "absent"]
VersionState = Literal["read", "skipped", "hidden", "marked", "gone"]
VersionSource = Literal["write", "compaction", "unknown"]


@dataclass(frozen=True)
class BiographyKey:
    """A column that identifies the row, and its value; ``text`` is as an SQL literal compares it."""

    name: str
    text: str


@dataclass(frozen=True)
class BiographyCommit:
    """A commit that changed which files hold the row, or that is shown as the version. ``text`` says what it did to the
    row.

    ``expired`` is whether only a tag or a changelog keeps it. ``statement``, ``cell``, ``writer`` and ``reason`` are
    '' if they are not recorded.
    """

    id: Int64
    kind: str
    time_millis: Int64
    user: str
    operation: str
    statement: str
    cell: str
    writer: str
    reason: str
    tags: tuple[str, ...]
    expired: bool
    text: str


@dataclass(frozen=True)
class BiographyLane:
    """A level of a bucket. ``partition`` is '' for a table without partitions."""

    partition: str
    bucket: int
    level: int


@dataclass(frozen=True)
class BiographyStay:
    """The stay of a version on a lane, from snapshot ``since`` up to, but not including, snapshot ``until``. ``since``
    is None if the stay began before the history that was read, ``until`` is None if it has not ended. A change that is
    not exact (``since_exact``, ``until_exact``) happened in commits that have expired, before the named one."""

    lane: int
    since: Int64 | None
    until: Int64 | None
    since_exact: bool
    until_exact: bool


@dataclass(frozen=True)
class BiographyVersion:
    """A stored row with the key, in one file. ``id`` numbers the versions, the oldest first.

    ``values`` are the values of the columns, as read with the current schema; ``absent`` are the positions of columns
    that the file does not have. ``commit`` is the commit that added the file, None if it has expired. ``inputs`` are
    the versions that a compaction merged into this one, ``looked_up`` the versions on deeper levels that the compaction
    read without removing them, ``into`` the versions that it was merged into. ``dropped`` is the compaction that
    removed it without a successor, ``marked`` the commit whose deletion vector hides the row.

    ``state``: reads merge the stored row (``read``) or skip it, because a newer level contains its values
    (``skipped``); it becomes visible only with a compaction (``hidden``), is marked as deleted (``marked``), or its
    file is not part of the table's version (``gone``).
    """

    id: int
    file: str
    position: Int64
    partition: str
    bucket: int
    level: int
    kind: str
    sequence: Int64 | None
    schema_id: Int64
    values: tuple[str | None, ...]
    absent: tuple[int, ...]
    source: VersionSource
    commit: Int64 | None
    stays: tuple[BiographyStay, ...]
    inputs: tuple[int, ...]
    looked_up: tuple[int, ...]
    into: tuple[int, ...]
    dropped: Int64 | None
    marked: Int64 | None
    state: VersionState


@dataclass(frozen=True)
class BiographyLogged:
    """A row of the changelog that a commit stored."""

    snapshot: Int64
    kind: str
    sequence: Int64 | None
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class BiographyUse:
    """What the aggregate of a column did with a version: ``added``, ``added as older``, ``retracted`` or
    ``replaced``."""

    version: int
    effect: str


@dataclass(frozen=True)
class BiographyField:
    """A column of the row. ``value`` is None for NULL, or if there is no row.

    ``winner`` is the version that a read takes the value from, None if the value is computed from ``uses``, or if no
    version has a value. ``origins`` are the written versions that the value was followed back to through compactions.
    ``rule`` names the rule by which the column is merged, ``why`` states how it applies here.
    """

    name: str
    type: str
    number: bool
    key: bool
    value: str | None
    winner: int | None
    uses: tuple[BiographyUse, ...]
    origins: tuple[int, ...]
    rule: str
    why: str


@dataclass(frozen=True)
class BiographyUnread:
    """A file of the history that could not be read, and why."""

    file: str
    why: str


@dataclass(frozen=True)
class BiographyValue:
    """The life of one row up to a version of its table. ``snapshot`` is None for a table that was never written.

    ``versions`` are in the order of writing, ``commits`` and ``changelog`` the oldest first. ``order`` are the versions
    that a read merges, the oldest first. ``first`` is the oldest commit that can still be read, ``read_from`` the
    oldest that was read: until ``complete`` is true, the same request reads more. ``agrees`` is whether the
    explained row equals what a read returns. ``history`` states which part of the history has expired, '' if none has.
    """

    table: str
    snapshot: Int64 | None
    zone: str
    engine: str
    key: tuple[BiographyKey, ...]
    state: RowState
    summary: str
    commits: tuple[BiographyCommit, ...]
    lanes: tuple[BiographyLane, ...]
    versions: tuple[BiographyVersion, ...]
    order: tuple[int, ...]
    fields: tuple[BiographyField, ...]
    changelog: tuple[BiographyLogged, ...]
    first: Int64 | None
    read_from: Int64 | None
    complete: bool
    history: str
    agrees: bool
    files_considered: int
    files_opened: int
    unread: tuple[BiographyUnread, ...]
