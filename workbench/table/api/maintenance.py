"""The methods of `Table` that expire, clean up and analyze."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.table.writable_table import WritableTable

if TYPE_CHECKING:
    from workbench.table.maintenance.analyze import Analysis, Analyzer
    from workbench.table.maintenance.automatic_tags import AutomaticTags
    from workbench.table.maintenance.expire_changelogs import ChangelogExpiry
    from workbench.table.maintenance.expire_partitions import PartitionExpiry
    from workbench.table.maintenance.expire_snapshots import SnapshotExpiry
    from workbench.table.maintenance.expire_tags import TagExpiry
    from workbench.table.maintenance.mark_done import PartitionsDone
    from workbench.table.maintenance.orphan_files import OrphanFiles, OrphanSearch
    from workbench.table.maintenance.purge_files import PurgedFiles
    from workbench.table.maintenance.unexisting_files import UnexistingFiles


@checked
def expire_snapshots(
    self: WritableTable,
    retain_max: int | None = None,
    retain_min: int | None = None,
    older_than: int | str | datetime | date | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    max_deletes: int | None = None,
) -> SnapshotExpiry:
    """Expire old snapshots, and delete the files that no snapshot, tag or branch uses any more.

    Snapshots that streaming readers (`consumers`) still have to read are kept. Where options ``changelog.*`` retain
    changelogs longer, the changelogs are kept in separate files. If the call is interrupted after the first deletion,
    the remaining files of the expired snapshots are left to `remove_orphan_files`.

    Args:
        retain_max: Keep at most this many snapshots; without ``retain_min``, it also limits the configured minimum.
            Default: option ``snapshot.num-retained.max``.
        retain_min: Keep at least this many snapshots. Default: option ``snapshot.num-retained.min``.
        older_than: Between these two limits, keep snapshots that were still the newest at this time. Default: now minus
            option ``snapshot.time-retained``.
        dry_run: Whether to return the result without deleting anything.
        progress: Where progress is reported.
        max_deletes: Expire at most this many snapshots. Default: option ``snapshot.expire.limit``.

    Returns:
        The expired snapshots and the deleted files.

    Raises:
        InvalidRequest: ``retain_max`` is less than ``retain_min``, or an argument is less than 1.
        CorruptFile: A manifest that is still needed cannot be read; nothing is deleted.
        TableNotFound: A branch is incomplete, so its files are unknown; nothing is deleted.
        Unsupported: A file to delete is outside the warehouse; nothing is deleted.

    Example:
        >>> orders.expire_snapshots(retain_max=10, dry_run=True)
    """
    from workbench.table.maintenance import expire_snapshots

    return expire_snapshots.expire_snapshots(
        self._changeable(dry_run=dry_run),
        retain_max,
        retain_min,
        older_than,
        dry_run,
        progress or Progress(),
        max_deletes,
    )


@checked
def expire_changelogs(
    self: WritableTable,
    retain_max: int | None = None,
    retain_min: int | None = None,
    older_than: int | str | datetime | date | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    max_deletes: int | None = None,
) -> ChangelogExpiry:
    """Expire old changelogs that outlived their snapshots, and delete the files that only they use.

    Snapshots and changelogs are counted together. The newest one is kept, and so are changelogs that streaming readers
    (`consumers`) still have to read.

    Args:
        retain_max: Keep at most this many. Default: option ``changelog.num-retained.max``.
        retain_min: Keep at least this many. Default: option ``changelog.num-retained.min``.
        older_than: Between these two limits, keep changelogs created at this time or later. Default: now minus option
            ``changelog.time-retained``.
        dry_run: Whether to return the result without deleting anything.
        progress: Where progress is reported.
        max_deletes: Expire at most this many changelogs. Default: option ``snapshot.expire.limit``.

    Returns:
        The expired changelogs and the deleted files.

    Raises:
        InvalidRequest: ``retain_max`` is less than ``retain_min``, or an argument is less than 1.
        CorruptFile, TableNotFound, Unsupported: As for `expire_snapshots`; nothing is deleted.

    Example:
        >>> orders.expire_changelogs(retain_max=50)
    """
    from workbench.table.maintenance import expire_changelogs

    return expire_changelogs.expire_changelogs(
        self._changeable(dry_run=dry_run),
        retain_max,
        retain_min,
        older_than,
        dry_run,
        progress or Progress(),
        max_deletes,
    )


@checked
def expire_tags(
    self: WritableTable,
    older_than: int | str | datetime | date | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> TagExpiry:
    """Remove expired tags, and the files that only they use.

    Args:
        older_than: Also remove tags created before this time, including those without an expiry.
        dry_run: Whether to return the result without deleting anything.
        progress: Where progress is reported.

    Returns:
        The removed tags and the deleted files.

    Raises:
        CorruptFile, TableNotFound, Unsupported: As for `expire_snapshots`; nothing is deleted.

    Example:
        >>> orders.expire_tags()
    """
    from workbench.table.maintenance import expire_tags

    return expire_tags.expire_tags(self._changeable(dry_run=dry_run), older_than, dry_run, progress or Progress())


@checked
def trigger_tag_automatic_creation(
    self: WritableTable, dry_run: bool = False, progress: Progress | None = None
) -> AutomaticTags:
    """Create the tags that are due by option ``tag.automatic-creation``, as writers do after each commit.

    Call it for tables without active writers, or with ``write-only`` writers. Automatic tags beyond
    ``tag.num-retained-max`` are removed, those of the oldest snapshots first. `expire_tags` removes expired tags.

    Args:
        dry_run: Whether to return the result without changing anything.
        progress: Where progress is reported.

    Returns:
        The created and the removed tags.

    Raises:
        InvalidRequest: The option does not configure tags by time or watermark.
        InvalidSchema: The tag options contradict each other.
        AlreadyExists: A snapshot that is due has another automatic tag.
        CorruptFile, TableNotFound, Unsupported: As for `expire_snapshots`; nothing is deleted.

    Example:
        >>> orders.trigger_tag_automatic_creation()
    """
    from workbench.table.maintenance import automatic_tags

    return automatic_tags.trigger_tag_creation(self._changeable(dry_run=dry_run), dry_run, progress or Progress())


@checked
def expire_partitions(
    self: WritableTable,
    expiration_time: timedelta | str | None = None,
    older_than: int | str | datetime | date | None = None,
    strategy: str | None = None,
    timestamp_formatter: str | None = None,
    timestamp_pattern: str | None = None,
    max_num: int | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> PartitionExpiry:
    """Drop partitions that are too old, in new commits; older snapshots still contain these partitions.

    With strategy ``values-time``, a partition's time is read from its values. Partitions whose values contain no time
    are kept. DATE values contain none, because Java treats them as numbers of days. With ``update-time``, a partition's
    time is that of its newest file.

    Args:
        expiration_time: The maximum age, for example ``7 d``. Default: option ``partition.expiration-time``.
        older_than: Drop partitions before this time, instead of by age.
        strategy: ``values-time`` or ``update-time``. Default: option ``partition.expiration-strategy``.
        timestamp_formatter: A pattern such as ``yyyyMMdd``; without it and the option, times are written as
            ``2026-11-01 12:30:00`` or without the time of day.
        timestamp_pattern: How the values form a time, such as ``$dt $hour:00:00``; the first value by default.
        max_num: Drop at most this many partitions. Default: option ``partition.expiration-max-num``.
        dry_run: Whether to return the result without dropping anything.
        progress: Where progress is reported.

    Returns:
        The dropped partitions.

    Raises:
        InvalidRequest: The table has no partitions, or neither an argument nor an option sets the age.
        Unsupported: The strategy is unknown, or the formatter has letters that are not supported.
        CommitConflict: Other writers committed first on every attempt.

    Example:
        >>> orders.expire_partitions("7 d", timestamp_formatter="yyyyMMdd")
    """
    from workbench.table.maintenance import expire_partitions as expiry

    store = self._changeable(adds=True, dry_run=dry_run)
    age = expiry.age_of(store, expiration_time, older_than)
    rules = expiry.PartitionRules.of(store.schema.core, age, strategy, timestamp_formatter, timestamp_pattern, max_num)
    return expiry.expire_partitions(store, rules, dry_run, progress or Progress())


@checked
def remove_unexisting_files(
    self: WritableTable, dry_run: bool = True, progress: Progress | None = None
) -> UnexistingFiles:
    """Find data files that the newest snapshot lists but that are missing, and remove them from the table.

    The rows of these files are lost; removing the entries only makes the other rows readable again.

    Args:
        dry_run: Whether to return the result without changing the table.
        progress: Where progress is reported.

    Returns:
        The missing files.

    Raises:
        CorruptFile: A manifest cannot be read.
        CommitConflict: Another writer changed the same files first.

    Example:
        >>> orders.remove_unexisting_files(dry_run=False)
    """
    from workbench.table.maintenance import unexisting_files

    return unexisting_files.remove_unexisting_files(
        self._changeable(rows=True, dry_run=dry_run), dry_run, progress or Progress()
    )


@checked
def analyze(
    self: WritableTable,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
    *,
    analyzer: Analyzer | None = None,
) -> Analysis:
    """Compute the statistics of the newest snapshot for query optimizers, and commit them.

    Statistics are the numbers of rows and bytes and, for each column, the numbers of nulls and distinct values, the
    average and maximum length, and the minimum and maximum. System table ``$statistics`` shows them until the schema
    changes.

    Args:
        columns: The columns to analyze; by default, all columns whose types support it. An empty list selects none.
        progress: Where progress is reported.
        analyzer: Where the rows are read; in this process by default. `wb.spark.analyze` passes one that runs Spark
            jobs.

    Returns:
        The statistics and the commit.

    Raises:
        WorkbenchError: There is no such column.
        Unsupported: The type of the column cannot be analyzed, for example ARRAY.

    Example:
        >>> orders.analyze(["qty"])
    """
    from workbench.table.maintenance import analyze

    return analyze.analyze(self._changeable(rows=True), columns, progress or Progress(), analyzer)


@checked
def mark_partitions_done(self: WritableTable, partitions: Sequence[Mapping[str, Any]]) -> PartitionsDone:
    """Mark partitions as complete for other systems, by a file ``_SUCCESS`` in the directory of each.

    Args:
        partitions: For each partition, the values of all partition columns by name, as values or as strings.

    Returns:
        The marked partitions.

    Raises:
        InvalidRequest: The table has no partitions, or a column is missing.
        SchemaMismatch: A name is not a partition column, or a value does not fit it.
        Unsupported: Option ``partition.mark-done-action`` contains another action.

    Example:
        >>> orders.mark_partitions_done([{"day": "2026-11-01"}])
    """
    from workbench.table.maintenance import mark_done

    return mark_done.mark_partitions_done(self._changeable(), partitions)


@checked
def remove_orphan_files(
    self: WritableTable,
    older_than: int | str | datetime | date | None = None,
    dry_run: bool = True,
    progress: Progress | None = None,
    *,
    search: OrphanSearch | None = None,
) -> OrphanFiles:
    """Find files in the table directory that no snapshot, changelog or tag of any branch uses, and delete them.

    Crashed writers leave such files. Empty directories are deleted as well; files outside the table directory are not.

    Args:
        older_than: Consider only files last modified before this time, one day ago by default. Younger files may belong
            to a commit in progress: pass a later time only while there are no writers.
        dry_run: Whether to return the result without deleting anything.
        progress: Where progress is reported.
        search: Where the directories are listed; in this process by default. `wb.spark.remove_orphan_files` passes one
            that runs Spark jobs.

    Returns:
        The orphan files.

    Raises:
        InvalidRequest: ``older_than`` is in the future.
        CorruptFile: A metadata file cannot be read; nothing is deleted.
        TableNotFound: A branch is incomplete, so its files are unknown; nothing is deleted.

    Example:
        >>> orders.remove_orphan_files(dry_run=False)
    """
    from workbench.table.maintenance import orphan_files

    return orphan_files.remove_orphan_files(
        self._changeable(dry_run=dry_run), older_than, dry_run, progress or Progress(), search
    )


@checked
def purge_files(self: WritableTable, dry_run: bool = True, progress: Progress | None = None) -> PurgedFiles:
    """Delete all rows, older snapshots, branches, tags, consumers and retained changelogs, with all their files.

    The schema and one empty snapshot remain. There must be no concurrent writers: files of commits in progress are
    deleted too.

    Args:
        dry_run: Whether to return all files of the table without deleting any; the empty snapshot may still use some of
            the manifests.
        progress: Where progress is reported.

    Returns:
        The deleted files.

    Raises:
        InvalidRequest: The table is a branch of another table.
        WorkbenchError: An option of the table names a branch.
        CommitConflict: Other writers committed first on every attempt. In each of these cases nothing is deleted.

    Example:
        >>> orders.purge_files(dry_run=False)
    """
    from workbench.table.maintenance import purge_files

    return purge_files.purge_files(self._changeable(rows=True, dry_run=dry_run), dry_run, progress or Progress())
