"""What users do to the versions of a table: tags, branches, rollback, consumers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from workbench.table.store import TableStore

if TYPE_CHECKING:
    from workbench.table.branch_changes import BranchChange
    from workbench.table.committing.commit import Commit
    from workbench.table.consumer_changes import ConsumerChange, ConsumersCleared
    from workbench.table.fast_forward import FastForward
    from workbench.table.repair import EarliestSnapshot
    from workbench.table.rollback import Rollback
    from workbench.table.tag_changes import TagChange


class VersionChanges(ABC):
    """The calls that change versions. A table says where they are and whether they may be changed.

    Every call fails with `WorkbenchError` for a table from `at` and for system tables, which can only be read.
    """

    @property
    @abstractmethod
    def store(self) -> TableStore:
        """Where its files are."""

    @abstractmethod
    def _check_changeable(self) -> None: ...

    @abstractmethod
    def _check_readable(self) -> None: ...

    @abstractmethod
    def _check_writable(self) -> None: ...

    def _changeable(self) -> TableStore:
        self._check_changeable()
        self._check_readable()
        return self.store

    # --- tags -----------------------------------------------------------------------------------------------------

    def create_tag(
        self, name: str, snapshot: int | None = None, time_retained: timedelta | str | None = None
    ) -> TagChange:
        """Keep a version, the newest unless ``snapshot`` names another, under a name: expiry leaves its files.

        ``time_retained``: how long from now on the tag is kept, as ``7 d`` or a timedelta; without it the table's
        option ``tag.default-time-retained`` counts, and without that the tag stays until it is deleted.

        Raises:
            AlreadyExists: there is a tag of that name, or another automatic one of that version.
            SnapshotNotFound: neither a snapshot nor a tag has that id.
            InvalidRequest: a name that no tag can have.
        """
        from workbench.table import tag_changes

        return tag_changes.create_tag(self._changeable(), name, snapshot, time_retained)

    def create_tag_from_timestamp(
        self, name: str, timestamp: int | str | datetime | date, time_retained: timedelta | str | None = None
    ) -> TagChange:
        """Keep the oldest version that was made at ``timestamp`` or later under a name, also one that by now only
        another tag keeps. ``time_retained`` and errors are as those of `create_tag`.

        Raises:
            SnapshotNotFound: nothing was written at that time or later.
        """
        from workbench.table import tag_changes

        return tag_changes.create_tag_from_timestamp(self._changeable(), name, timestamp, time_retained)

    def replace_tag(
        self, name: str, snapshot: int | None = None, time_retained: timedelta | str | None = None
    ) -> TagChange:
        """Let a tag name another version, the newest without ``snapshot``. Without ``time_retained`` it is kept until
        it is deleted, whatever the options say (as in Java).

        Raises:
            SnapshotNotFound: there is no such tag, or neither a snapshot nor a tag has that id.
        """
        from workbench.table import tag_changes

        return tag_changes.replace_tag(self._changeable(), name, snapshot, time_retained)

    def rename_tag(self, name: str, new_name: str) -> TagChange:
        """Give a tag another name. Raises SnapshotNotFound, AlreadyExists, InvalidRequest."""
        from workbench.table import tag_changes

        return tag_changes.rename_tag(self._changeable(), name, new_name)

    def delete_tag(self, name: str) -> TagChange:
        """Forget a tag. Only its own file is removed: data files that no version needs any more are left to orphan
        cleaning. (Java deletes them at once, also those that a branch made from the tag still needs.)

        Raises:
            SnapshotNotFound: there is no such tag; the message says what comes near.
        """
        from workbench.table import tag_changes

        return tag_changes.delete_tag(self._changeable(), name)

    # --- branches -------------------------------------------------------------------------------------------------

    def create_branch(self, name: str, tag: str | None = None, snapshot: int | None = None) -> BranchChange:
        """Begin another history over the same data files, to be opened by `branch`: empty with the schemas of the
        table, or at a tag or a snapshot.

        A tag keeps the files that the branch begins with. A snapshot alone does not: when it expires, Java deletes
        files that the branch needs. Prefer a tag, and keep it as long as the branch.

        Raises:
            AlreadyExists: there is a branch of that name.
            SnapshotNotFound: there is no such tag or snapshot.
            InvalidRequest: a name that no branch can have: ``main``, or digits only.
        """
        from workbench.table import branch_changes

        return branch_changes.create_branch(self._changeable(), name, tag, snapshot)

    def rename_branch(self, name: str, new_name: str) -> BranchChange:
        """Give a branch another name. Raises TableNotFound, AlreadyExists, InvalidRequest; WorkbenchError where an
        option of the table names the branch."""
        from workbench.table import branch_changes

        return branch_changes.rename_branch(self._changeable(), name, new_name)

    def delete_branch(self, name: str) -> BranchChange:
        """Forget a branch: its schemas, snapshots, tags and consumers. Data files that only it needs are left to
        orphan cleaning.

        Raises:
            TableNotFound: there is no such branch.
            WorkbenchError: option ``scan.fallback-branch`` or ``scan.primary-branch`` names it.
        """
        from workbench.table import branch_changes

        return branch_changes.delete_branch(self._changeable(), name)

    def fast_forward(self, name: str) -> FastForward:
        """Let the table go on as branch ``name`` did: snapshots and tags of the table since the first snapshot of the
        branch go, and those of the branch take their place. Open the table again to see its schema.

        Raises:
            TableNotFound: there is no such branch.
            SnapshotNotFound: the branch was never written.
            InvalidRequest: the branch is main or the one that the table stands at, or older snapshots would lose
                their schemas.
            CommitConflict: another writer committed meanwhile.
        """
        from workbench.table import fast_forward

        return fast_forward.fast_forward(self._changeable(), name)

    def merge_branch(self, name: str) -> Commit:
        """Add the rows that branch ``name`` has and the table has not, without writing them again: one commit that
        names the same files. The branch stays.

        Raises:
            TableNotFound: there is no such branch.
            SnapshotNotFound: the branch or the table was never written.
            Unsupported: a table with a primary key or tracked rows, or a history of which snapshots have expired, or
                in which something was compacted or overwritten.
            InvalidRequest: other columns, or another history of the schema.
        """
        from workbench.table import branch_merge

        self._check_writable()
        return branch_merge.merge_branch(self._changeable(), name)

    # --- going back -----------------------------------------------------------------------------------------------

    def rollback_to(
        self,
        snapshot: int | None = None,
        tag: str | None = None,
        timestamp: int | str | datetime | date | None = None,
        watermark: int | None = None,
        *,
        as_latest: bool = False,
    ) -> Rollback:
        """Make an older version the newest one: later snapshots, changelogs and tags go. The schema stays the newest.
        ``timestamp``: the newest version of that time or before; ``watermark``: the newest one whose watermark, in
        milliseconds, is that or before. (Where all are later, Java takes the first one that has any.) A version that
        expired is brought back from its tag.

        Data files of later versions are left to orphan cleaning.

        ``as_latest``: nothing goes. A commit on top of the later versions brings the rows back, and a tag that it makes
        keeps their files: without it, expiry by Java would delete them with the older snapshots. The tag may go when
        all snapshots from before the commit have expired.

        Raises:
            SnapshotNotFound: there is no such version.
            CommitConflict: another writer committed meanwhile.
        """
        from workbench.table import rollback

        store = self._changeable()
        target = rollback.rollback_target(store, snapshot, tag, timestamp, watermark)
        if not as_latest:
            return rollback.roll_back(store, target)
        from workbench.table.rollback_as_latest import go_back_as_latest

        self._check_writable()
        return go_back_as_latest(store, target)

    def repair_earliest_snapshot(self, snapshot: int | None = None) -> EarliestSnapshot:
        """Where some snapshots are missing between others, as after a copy that was not finished, let readers begin
        with the first one from which on none is missing. Older ones stay where they are, and are passed over.

        ``snapshot``: the one that you expect it to be.

        Raises:
            SnapshotNotFound: the table was never written, or its newest snapshot is missing.
            InvalidRequest: ``snapshot`` is another one; nothing is changed.
        """
        from workbench.table import repair

        return repair.repair_earliest_snapshot(self._changeable(), snapshot)

    # --- consumers ------------------------------------------------------------------------------------------------

    def set_consumer(self, name: str, next_snapshot: int) -> ConsumerChange:
        """Say which snapshot a streaming reader reads next, for a new reader or one that exists: expiry keeps that
        snapshot and later ones.

        Raises:
            SnapshotNotFound: the snapshot is not there, and is not the next one to come.
        """
        from workbench.table import consumer_changes

        return consumer_changes.set_consumer(self._changeable(), name, next_snapshot)

    def delete_consumer(self, name: str) -> ConsumerChange:
        """Forget how far a streaming reader has come. Raises InvalidRequest where there is no such reader."""
        from workbench.table import consumer_changes

        return consumer_changes.delete_consumer(self._changeable(), name)

    def clear_consumers(
        self, including: str | None = None, excluding: str | None = None, dry_run: bool = False
    ) -> ConsumersCleared:
        """Forget how far streaming readers have come: all of them, or those whose names the regular expression
        ``including`` matches as a whole and ``excluding`` does not. ``dry_run`` does nothing and returns the same.

        Raises:
            InvalidRequest: text that is no regular expression.
        """
        from workbench.table import consumer_changes

        return consumer_changes.clear_consumers(self._changeable(), including, excluding, dry_run)
