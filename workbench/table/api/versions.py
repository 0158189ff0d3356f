"""The methods of `Table` that manage versions: tags, branches, rollback, consumers."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.table.writable_table import WritableTable

if TYPE_CHECKING:
    from workbench.metadata.repair import EarliestSnapshot
    from workbench.table.commits.commit import Commit
    from workbench.table.versions.branch_changes import BranchChange
    from workbench.table.versions.consumer_changes import ConsumerChange, ConsumersCleared
    from workbench.table.versions.fast_forward import FastForward
    from workbench.table.versions.rollback import Rollback
    from workbench.table.versions.tag_changes import TagChange


# --- tags -----------------------------------------------------------------------------------------------------


@checked
def create_tag(
    self: WritableTable, name: str, snapshot: int | None = None, time_retained: timedelta | str | None = None
) -> TagChange:
    """Create a tag, which keeps a snapshot and its files from expiring.

    Args:
        name: The name of the tag.
        snapshot: A snapshot id; the newest snapshot by default.
        time_retained: How long the tag is kept, such as ``7 d``. Default: option ``tag.default-time-retained``, and
            without it until the tag is deleted.

    Returns:
        The tag.

    Raises:
        AlreadyExists: There is a tag of that name, or another automatic tag of that snapshot.
        SnapshotNotFound: Neither a snapshot nor a tag has that id.
        InvalidRequest: The name is not valid for a tag.

    Example:
        >>> orders.create_tag("v1", time_retained="7 d")
    """
    from workbench.table.versions import tag_changes

    return tag_changes.create_tag(self._changeable(), name, snapshot, time_retained)


@checked
def create_tag_from_timestamp(
    self: WritableTable, name: str, timestamp: int | str | datetime | date, time_retained: timedelta | str | None = None
) -> TagChange:
    """Create a tag of the oldest snapshot at or after a time, even if only another tag still keeps this snapshot.

    Args:
        name: The name of the tag.
        timestamp: A time.
        time_retained: How long the tag is kept; see `create_tag`.

    Returns:
        The tag.

    Raises:
        SnapshotNotFound: Nothing was written at that time or later.
        AlreadyExists, InvalidRequest: As for `create_tag`.

    Example:
        >>> orders.create_tag_from_timestamp("november", "2026-11-01 00:00:00")
    """
    from workbench.table.versions import tag_changes

    return tag_changes.create_tag_from_timestamp(self._changeable(), name, timestamp, time_retained)


@checked
def replace_tag(
    self: WritableTable, name: str, snapshot: int | None = None, time_retained: timedelta | str | None = None
) -> TagChange:
    """Point a tag at another snapshot.

    Args:
        name: The name of the tag.
        snapshot: A snapshot id; the newest snapshot by default.
        time_retained: How long the tag is kept; by default until it is deleted, regardless of the options (as in Java).

    Raises:
        SnapshotNotFound: There is no such tag, or neither a snapshot nor a tag has that id.

    Example:
        >>> orders.replace_tag("stable")
    """
    from workbench.table.versions import tag_changes

    return tag_changes.replace_tag(self._changeable(), name, snapshot, time_retained)


@checked
def rename_tag(self: WritableTable, name: str, new_name: str) -> TagChange:
    """Rename a tag.

    Args:
        name: The name of the tag.
        new_name: Its new name.

    Raises:
        SnapshotNotFound: There is no such tag.
        AlreadyExists: There is a tag of the new name.
        InvalidRequest: The new name is not valid for a tag.

    Example:
        >>> orders.rename_tag("v1", "first")
    """
    from workbench.table.versions import tag_changes

    return tag_changes.rename_tag(self._changeable(), name, new_name)


@checked
def delete_tag(self: WritableTable, name: str) -> TagChange:
    """Delete a tag.

    Only the tag file is deleted; data files that are no longer used are left to `remove_orphan_files`. (Java deletes
    them immediately, even files that a branch created from the tag still uses.)

    Args:
        name: The name of the tag.

    Raises:
        SnapshotNotFound: There is no such tag; the message lists similar names.

    Example:
        >>> orders.delete_tag("v1")
    """
    from workbench.table.versions import tag_changes

    return tag_changes.delete_tag(self._changeable(), name)


# --- branches -------------------------------------------------------------------------------------------------


@checked
def create_branch(self: WritableTable, name: str, tag: str | None = None, snapshot: int | None = None) -> BranchChange:
    """Create a branch: a second history over the same data files, opened with `branch`.

    A tag keeps the files that the branch starts with. A snapshot alone does not: when it expires, Java deletes files
    that the branch uses. Prefer a tag, and keep it as long as the branch.

    Args:
        name: The name of the branch.
        tag: The tag to start from.
        snapshot: The snapshot to start from. With neither, the branch is empty and has the schemas of the table.

    Returns:
        The branch.

    Raises:
        AlreadyExists: There is a branch of that name.
        SnapshotNotFound: There is no such tag or snapshot.
        InvalidRequest: The name is not valid for a branch: ``main``, or only digits.

    Example:
        >>> orders.create_branch("experiment", tag="v1")
    """
    from workbench.table.versions import branch_changes

    return branch_changes.create_branch(self._changeable(), name, tag, snapshot)


@checked
def rename_branch(self: WritableTable, name: str, new_name: str) -> BranchChange:
    """Rename a branch.

    Args:
        name: The name of the branch.
        new_name: Its new name.

    Raises:
        TableNotFound: There is no such branch.
        AlreadyExists: There is a branch of the new name.
        InvalidRequest: The new name is not valid for a branch.
        WorkbenchError: An option of the table names the branch.

    Example:
        >>> orders.rename_branch("experiment", "trial")
    """
    from workbench.table.versions import branch_changes

    return branch_changes.rename_branch(self._changeable(), name, new_name)


@checked
def delete_branch(self: WritableTable, name: str) -> BranchChange:
    """Delete a branch: its schemas, snapshots, tags and consumers.

    Data files that only the branch uses are left to `remove_orphan_files`.

    Args:
        name: The name of the branch.

    Raises:
        TableNotFound: There is no such branch.
        WorkbenchError: Option ``scan.fallback-branch`` or ``scan.primary-branch`` names the branch.

    Example:
        >>> orders.delete_branch("experiment")
    """
    from workbench.table.versions import branch_changes

    return branch_changes.delete_branch(self._changeable(), name)


@checked
def fast_forward(self: WritableTable, name: str) -> FastForward:
    """Replace the table's snapshots and tags since the start of a branch with those of the branch.

    The table continues with the schema of the branch; tables that were opened before must be opened again.

    Args:
        name: The name of the branch.

    Returns:
        The replaced and the new snapshots.

    Raises:
        TableNotFound: There is no such branch.
        SnapshotNotFound: The branch has no snapshot.
        InvalidRequest: The branch is ``main`` or the open one, or older snapshots would lose their schemas.
        CommitConflict: Another writer committed concurrently.

    Example:
        >>> orders.fast_forward("experiment")
    """
    from workbench.table.versions import fast_forward

    done = fast_forward.fast_forward(self._changeable(), name)
    self._adopt_newest_schema()
    return done


@checked
def merge_branch(self: WritableTable, name: str) -> Commit:
    """Add the rows that only a branch has, in one commit that references the branch's data files. The branch is kept.

    Args:
        name: The name of the branch.

    Returns:
        The commit.

    Raises:
        TableNotFound: There is no such branch.
        SnapshotNotFound: The branch or the table has no snapshot.
        Unsupported: The table has a primary key or tracks rows, or the history contains expired snapshots, compactions
            or overwrites.
        InvalidRequest: The columns or the schema histories differ.

    Example:
        >>> orders.merge_branch("experiment")
    """
    from workbench.table.dml import branch_merge

    return branch_merge.merge_branch(self._changeable(rows=True), name)


# --- rollback -------------------------------------------------------------------------------------------------


@checked
def rollback_to(
    self: WritableTable,
    snapshot: int | None = None,
    tag: str | None = None,
    timestamp: int | str | datetime | date | None = None,
    watermark: int | None = None,
    *,
    as_latest: bool = False,
) -> Rollback:
    """Make an older version the newest one, and remove later snapshots, changelogs and tags.

    The newest schema stays current. Data files of later versions are left to `remove_orphan_files`. An expired snapshot
    is restored from its tag.

    Args:
        snapshot: A snapshot id.
        tag: The name of a tag.
        timestamp: A time; the newest version at or before it is chosen.
        watermark: Milliseconds; the newest version whose watermark is at or before it is chosen. (If all watermarks are
            later, Java takes the first version that has one.)
        as_latest: Whether to keep the later versions and restore the rows in a new commit. A tag is created to keep the
            files, which Java's expiry would otherwise delete; the tag may be deleted once all snapshots before the
            commit have expired.

    Returns:
        The rollback: the version and what was removed.

    Raises:
        SnapshotNotFound: There is no such version.
        CommitConflict: Another writer committed concurrently.

    Example:
        >>> orders.rollback_to(tag="v1")
    """
    from workbench.table.versions import rollback

    store = self._changeable()
    target = rollback.rollback_target(store, snapshot, tag, timestamp, watermark)
    if not as_latest:
        return rollback.roll_back(store, target)
    from workbench.table.versions.rollback_as_latest import rollback_as_latest

    store = self._changeable(rows=True)
    return rollback_as_latest(store, target)


@checked
def repair_earliest_snapshot(self: WritableTable, snapshot: int | None = None) -> EarliestSnapshot:
    """Make readers start after gaps in the snapshots, as left by an incomplete copy of the table.

    The first snapshot after which none is missing becomes the earliest. Older snapshots are kept, but not read.

    Args:
        snapshot: The id that you expect the earliest snapshot to have.

    Raises:
        SnapshotNotFound: The table has no snapshot, or its newest snapshot is missing.
        InvalidRequest: ``snapshot`` is not the earliest one; nothing is changed.

    Example:
        >>> orders.repair_earliest_snapshot()
    """
    from workbench.metadata import repair

    return repair.repair_earliest_snapshot(self._changeable(), snapshot)


# --- consumers ------------------------------------------------------------------------------------------------


@checked
def set_consumer(self: WritableTable, name: str, next_snapshot: int) -> ConsumerChange:
    """Set the snapshot that a streaming reader reads next; expiry keeps this snapshot and later ones.

    Args:
        name: The name of the consumer, new or existing.
        next_snapshot: A snapshot id.

    Raises:
        SnapshotNotFound: The snapshot does not exist and is not the next one to be written.

    Example:
        >>> orders.set_consumer("dashboard", 12)
    """
    from workbench.table.versions import consumer_changes

    return consumer_changes.set_consumer(self._changeable(), name, next_snapshot)


@checked
def delete_consumer(self: WritableTable, name: str) -> ConsumerChange:
    """Delete a consumer: the position of a streaming reader.

    Args:
        name: The name of the consumer.

    Raises:
        InvalidRequest: There is no such consumer.

    Example:
        >>> orders.delete_consumer("dashboard")
    """
    from workbench.table.versions import consumer_changes

    return consumer_changes.delete_consumer(self._changeable(), name)


@checked
def clear_consumers(
    self: WritableTable, including: str | None = None, excluding: str | None = None, dry_run: bool = False
) -> ConsumersCleared:
    """Delete consumers, all or those whose names match.

    Args:
        including: A regular expression that must match the whole name.
        excluding: A regular expression that must not match the whole name.
        dry_run: Whether to return the result without deleting anything.

    Raises:
        InvalidRequest: A regular expression is not valid.

    Example:
        >>> orders.clear_consumers(including="test_.*")
    """
    from workbench.table.versions import consumer_changes

    return consumer_changes.clear_consumers(self._changeable(dry_run=dry_run), including, excluding, dry_run)
