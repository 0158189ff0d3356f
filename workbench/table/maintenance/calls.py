"""What users call to keep a table small."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from workbench.base.progress import Progress
from workbench.table.store import TableStore

if TYPE_CHECKING:
    from workbench.table.maintenance.analyze import Analysis
    from workbench.table.maintenance.automatic_tags import AutomaticTags
    from workbench.table.maintenance.expire_changelogs import ChangelogExpiry
    from workbench.table.maintenance.expire_partitions import PartitionExpiry
    from workbench.table.maintenance.expire_snapshots import SnapshotExpiry
    from workbench.table.maintenance.expire_tags import TagExpiry
    from workbench.table.maintenance.mark_done import PartitionsDone
    from workbench.table.maintenance.orphan_files import OrphanFiles
    from workbench.table.maintenance.purge_files import PurgedFiles
    from workbench.table.maintenance.unexisting_files import UnexistingFiles


class MaintenanceCalls(ABC):
    """The calls that delete what nothing needs any more, and those that note what there is.

    Every call fails with `WorkbenchError` for a table from `at` and for system tables, which can only be read.
    """

    @abstractmethod
    def _changeable(self) -> TableStore: ...

    @abstractmethod
    def _check_writable(self) -> None: ...

    def expire_snapshots(
        self,
        retain_max: int | None = None,
        retain_min: int | None = None,
        older_than: int | str | datetime | date | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        max_deletes: int | None = None,
    ) -> SnapshotExpiry:
        """Forget old snapshots, and delete the files that no snapshot, tag or branch needs any more.

        ``retain_max`` and ``retain_min`` snapshots are kept at most and at least (``retain_max`` alone lowers the
        least, too); between the two, those are kept that were still the newest one at ``older_than``. Without an
        argument the options ``snapshot.num-retained.max``, ``snapshot.num-retained.min`` and
        ``snapshot.time-retained`` count. Streaming readers (`consumers`) keep what they still have to read, and at most
        ``max_deletes`` go in one call, by default as many as option ``snapshot.expire.limit`` says. Where options
        ``changelog.*`` keep changelogs for longer, they stay as files of their own.

        ``dry_run`` does nothing and returns the same. If it is interrupted after the first deletion, the files of the
        snapshots that went are left to `remove_orphan_files`.

        Raises:
            InvalidRequest: ``retain_max`` is less than ``retain_min``, or one of them or
                ``max_deletes`` less than 1.
            CorruptFile: a manifest of something that is kept cannot be read; nothing is deleted.
            TableNotFound: a branch was not made to its end, so that nobody knows what it needs; nothing is deleted.
            Unsupported: a file to be deleted lies outside of the warehouse; nothing is deleted.
        """
        from workbench.table.maintenance import expire_snapshots

        return expire_snapshots.expire_snapshots(
            self._changeable(), retain_max, retain_min, older_than, dry_run, progress or Progress(), max_deletes
        )

    def expire_changelogs(
        self,
        retain_max: int | None = None,
        retain_min: int | None = None,
        older_than: int | str | datetime | date | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        max_deletes: int | None = None,
    ) -> ChangelogExpiry:
        """Forget old changelogs that outlived their snapshots, and delete the files that only they need.

        Counted are snapshots and changelogs together: ``retain_max`` and ``retain_min`` are kept at most and at least;
        between the two, those that were made at ``older_than`` or later. Without an argument the options
        ``changelog.num-retained.max``, ``changelog.num-retained.min`` and ``changelog.time-retained`` count. The newest
        one stays, and so do those that streaming readers (`consumers`) still have to read. At most ``max_deletes`` go
        in one call, by default as many as option ``snapshot.expire.limit`` says. ``dry_run`` does nothing and returns
        the same.

        Raises:
            InvalidRequest: ``retain_max`` is less than ``retain_min``, or one of them or
                ``max_deletes`` less than 1.
            CorruptFile, TableNotFound, Unsupported: as `expire_snapshots`; nothing is deleted.
        """
        from workbench.table.maintenance import expire_changelogs

        return expire_changelogs.expire_changelogs(
            self._changeable(), retain_max, retain_min, older_than, dry_run, progress or Progress(), max_deletes
        )

    def expire_tags(
        self,
        older_than: int | str | datetime | date | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> TagExpiry:
        """Remove the tags whose time is over, and the files that only they need.

        ``older_than``: tags that were made before then go as well, also those that would be kept for ever. ``dry_run``
        does nothing and returns the same.

        Raises:
            CorruptFile, TableNotFound, Unsupported: as `expire_snapshots`; nothing is deleted.
        """
        from workbench.table.maintenance import expire_tags

        return expire_tags.expire_tags(self._changeable(), older_than, dry_run, progress or Progress())

    def trigger_tag_automatic_creation(self, dry_run: bool = False, progress: Progress | None = None) -> AutomaticTags:
        """Make the tags that are due by option ``tag.automatic-creation``, as writers do after each commit: for tables
        that nobody writes to just now, or that only ``write-only`` jobs write to. Of the automatic tags those of the
        oldest snapshots go that are beyond ``tag.num-retained-max``. `expire_tags` removes tags whose time is over.

        ``dry_run`` does nothing and returns the same.

        Raises:
            InvalidRequest: the option asks for no tags by time or watermark.
            InvalidSchema: the options of the tags contradict each other.
            AlreadyExists: a snapshot that is due has another automatic tag.
            CorruptFile, TableNotFound, Unsupported: as `expire_snapshots`; nothing is deleted.
        """
        from workbench.table.maintenance import automatic_tags

        return automatic_tags.trigger_tag_creation(self._changeable(), dry_run, progress or Progress())

    def expire_partitions(
        self,
        expiration_time: timedelta | str | None = None,
        older_than: int | str | datetime | date | None = None,
        strategy: str | None = None,
        timestamp_formatter: str | None = None,
        timestamp_pattern: str | None = None,
        max_num: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PartitionExpiry:
        """Drop partitions that are too old, in commits that take their files away; older versions still have them.

        A partition is too old when its time is more than ``expiration_time`` (``7 d``) ago, or before ``older_than``.
        By ``strategy`` ``values-time`` its values tell the time: the first one, or what ``timestamp_pattern`` makes of
        them (``$dt $hour:00:00``), written as ``2026-11-01 12:30:00``, without the time of day, or as
        ``timestamp_formatter`` says (``yyyyMMdd``). Partitions whose values tell none stay: dates, which Java sees as
        numbers of days, are among them. By ``update-time`` it is that of the newest file. At most ``max_num`` go in one
        call. Without an argument the options ``partition.expiration-…`` and ``partition.timestamp-…`` count.

        ``dry_run`` does nothing and returns the same.

        Raises:
            InvalidRequest: the table has no partitions, or nobody says how old they may become.
            Unsupported: another strategy, or a formatter with letters that are not understood.
            CommitConflict: other writers committed first each time.
        """
        from workbench.table.maintenance import expire_partitions as expiry

        self._check_writable()
        store = self._changeable()
        age = expiry.age_of(store, expiration_time, older_than)
        rules = expiry.PartitionRules.of(
            store.schema.core, age, strategy, timestamp_formatter, timestamp_pattern, max_num
        )
        return expiry.expire_partitions(store, rules, dry_run, progress or Progress())

    def remove_unexisting_files(self, dry_run: bool = True, progress: Progress | None = None) -> UnexistingFiles:
        """Find data files that the newest version names and that are not there, and let the table go without them
        unless this is a ``dry_run``. Their rows are lost: it only makes the other rows readable again.

        Raises:
            CorruptFile: a manifest cannot be read.
            CommitConflict: another writer changed the same files first.
        """
        from workbench.table.maintenance import unexisting_files

        self._check_writable()
        return unexisting_files.remove_unexisting_files(self._changeable(), dry_run, progress or Progress())

    def analyze(self, columns: Sequence[str] | None = None, progress: Progress | None = None) -> Analysis:
        """Read the newest version and note what it holds, for the optimizers of engines: rows and bytes, and of
        ``columns`` how many values, how many different ones, how long, from which to which. All columns without
        ``columns``, but those of types that cannot be analyzed; only the rows are counted with an empty list.

        System table ``$statistics`` shows what was noted. It stays until the schema changes.

        Raises:
            WorkbenchError: there is no such column.
            Unsupported: the column is of a type that cannot be analyzed, such as ARRAY.
        """
        from workbench.table.maintenance import analyze

        self._check_writable()
        return analyze.analyze(self._changeable(), columns, progress or Progress())

    def mark_partitions_done(self, partitions: Sequence[Mapping[str, Any]]) -> PartitionsDone:
        """Tell other systems that partitions are complete: a file ``_SUCCESS`` in the directory of each.

        ``partitions``: the values of all partition columns by name, as values or as texts.

        Raises:
            InvalidRequest: the table has no partitions, or a column is missing.
            SchemaMismatch: a name that is no partition column, or a value that does not fit it.
            Unsupported: option ``partition.mark-done-action`` asks for something else.
        """
        from workbench.table.maintenance import mark_done

        return mark_done.mark_partitions_done(self._changeable(), partitions)

    def remove_orphan_files(
        self,
        older_than: int | str | datetime | date | None = None,
        dry_run: bool = True,
        progress: Progress | None = None,
    ) -> OrphanFiles:
        """Find files in the directory of the table that no snapshot, changelog or tag of any branch names, as writers
        that were killed leave them, and delete them unless this is a ``dry_run``. Directories that are empty go too.

        ``older_than``: only files last changed before then, one day ago by default. Younger ones may belong to a
        commit that is just being made: name a later time only while nobody writes. Files outside of the directory of
        the table are left alone.

        Raises:
            InvalidRequest: ``older_than`` is in the future.
            CorruptFile: something that names files cannot be read; nothing is deleted.
            TableNotFound: a branch was not made to its end; nothing is deleted.
        """
        from workbench.table.maintenance import orphan_files

        return orphan_files.remove_orphan_files(self._changeable(), older_than, dry_run, progress or Progress())

    def purge_files(self, dry_run: bool = True, progress: Progress | None = None) -> PurgedFiles:
        """Empty the table for good, unless this is a ``dry_run``: its rows, older versions, branches, tags, consumers
        and kept changelogs go, with all their files. What stays is the schema, and one empty version.

        Nobody may write meanwhile: files of commits that are just being made go too. A ``dry_run`` does nothing and
        tells of all files there are; of the manifests, the empty version may still name some.

        Raises:
            InvalidRequest: the table is a branch of another.
            WorkbenchError: an option of the table names a branch.
            CommitConflict: other writers commit first each time. Nothing is deleted by then, as with the others.
        """
        from workbench.table.maintenance import purge_files

        self._check_writable()
        return purge_files.purge_files(self._changeable(), dry_run, progress or Progress())
