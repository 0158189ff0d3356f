"""Dropping partitions that are too old (format §24.2, `NormalPartitionExpire` and its strategies in Java)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.format.options import CoreOptions
from workbench.format.partition_path import partition_text
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from workbench.table.committing.commit import TableCommit, new_commit_user
from workbench.table.committing.two_phase import commit_properties
from workbench.table.maintenance.partition_times import PartitionTimes
from workbench.table.measuring import measured
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.system.totals import Total, partition_totals
from workbench.table.travel import to_length, to_millis

VALUES_TIME, UPDATE_TIME = "values-time", "update-time"
_NANOS_PER_MILLI = 1_000_000

IsOver = Callable[[bytes, Total], bool | None]
"""Whether the time of a partition is over; None where it has none that could be told."""


@dataclass(frozen=True, repr=False)
class PartitionExpiry:
    """What an expiry dropped, or would drop: the directories of partitions, the oldest names first.

    ``files``, ``records`` and ``bytes`` are those of the files that are in no later version. ``unreadable`` are the
    partitions of which the values tell no time; they stay. ``snapshots`` are the ids of the commits.
    """

    table: str
    dry_run: bool
    partitions: tuple[str, ...] = ()
    files: int = 0
    records: int = 0
    bytes: int = 0
    unreadable: tuple[str, ...] = ()
    snapshots: tuple[int, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        done = "would be dropped" if self.dry_run else "dropped"
        unreadable = f"; {len(self.unreadable)} of which the values tell no time" if self.unreadable else ""
        return (
            f"<{self.table}: {len(self.partitions)} partitions {done}, with {self.files} files, {self.records:,} rows "
            f"and {self.bytes:,} bytes{unreadable}>"
        )


@dataclass(frozen=True)
class PartitionRules:
    """When a partition is too old. ``age`` is in milliseconds; the others are as the options of their names."""

    age: int
    strategy: str
    formatter: str | None
    pattern: str | None
    max_num: int

    @classmethod
    def of(
        cls,
        core: CoreOptions,
        age: int | None = None,
        strategy: str | None = None,
        formatter: str | None = None,
        pattern: str | None = None,
        max_num: int | None = None,
    ) -> PartitionRules:
        """Rules of the options of a table, but for those that are given.

        Raises:
            InvalidRequest: nobody says how old partitions may become.
            Unsupported: a strategy that is not known.
        """
        found = core.partition_expiration_time if age is None else age
        if found is None:
            raise InvalidRequest(
                "It is not said how old partitions may become.",
                "Pass expiration_time or older_than, or set option 'partition.expiration-time'.",
            )
        chosen = strategy or core.partition_expiration_strategy
        if chosen not in (VALUES_TIME, UPDATE_TIME):
            raise Unsupported(
                f"Option 'partition.expiration-strategy' = '{chosen}' is not supported.",
                f"Use '{VALUES_TIME}' or '{UPDATE_TIME}'.",
            )
        return cls(
            found,
            chosen,
            formatter or core.partition_timestamp_formatter,
            pattern or core.partition_timestamp_pattern,
            core.partition_expiration_max_num if max_num is None else max_num,
        )


def age_of(
    store: TableStore, expiration_time: timedelta | str | None, older_than: int | str | datetime | date | None
) -> int | None:
    """How old a partition may be, in milliseconds, by one of the ways to say so. Raises InvalidRequest for both."""
    if expiration_time is not None and older_than is not None:
        raise InvalidRequest("The age of partitions is given twice.", "Pass expiration_time or older_than.")
    if expiration_time is not None:
        return to_length(expiration_time)
    return None if older_than is None else store.clock.now_millis() - to_millis(older_than)


@measured("expire partitions")
def expire_partitions(store: TableStore, rules: PartitionRules, dry_run: bool, progress: Progress) -> PartitionExpiry:
    """Drop partitions that are too old; see `MaintenanceCalls.expire_partitions`."""
    if not store.partition_fields:
        raise InvalidRequest(f"{store.name} has no partitions.", "Delete rows by a condition instead.")
    is_over = _rule(store, rules)
    with progress.step(f"Looking for old partitions of {store.name}"):
        totals = partition_totals(store, Snapshots(store).latest(), with_postponed=True)
    judged = {partition: is_over(partition, total) for partition, total in totals.items()}
    over = sorted((each for each, answer in judged.items() if answer), key=lambda each: _sorting(store, each))
    chosen = over[: rules.max_num]
    dropped = [totals[each] for each in chosen]
    planned = PartitionExpiry(
        store.name,
        True,
        tuple(store.partition_directory(each) for each in chosen),
        sum(total.files for total in dropped),
        sum(total.records for total in dropped),
        sum(total.size for total in dropped),
        tuple(store.partition_directory(each) for each, answer in judged.items() if answer is None),
    )
    if dry_run:
        return planned
    made = _drop(store, chosen, progress)
    metrics = Metrics(files_deleted=planned.files, bytes_deleted=planned.bytes)
    return replace(planned, dry_run=False, snapshots=tuple(snapshot.id for snapshot in made), metrics=metrics)


def _rule(store: TableStore, rules: PartitionRules) -> IsOver:
    limit = store.clock.local_wall_millis() - rules.age
    if rules.strategy == UPDATE_TIME:
        return lambda _, total: None if total.last_creation is None else total.last_creation < limit
    times = PartitionTimes.of(rules.pattern, rules.formatter)
    names = [field.name for field in store.partition_fields]

    def is_over(partition: bytes, _: Total) -> bool | None:
        told = times.of_values(names, _texts(store, partition))
        return None if told is None else told < limit * _NANOS_PER_MILLI

    return is_over


def _texts(store: TableStore, partition: bytes) -> list[str | None]:
    """The values as Java prints its objects, dates as days: so its strategies see them."""
    values = zip(store.partition_values(partition), store.partition_fields, strict=True)
    return [partition_text(value, field.type, legacy=not isinstance(value, bytes)) for value, field in values]


def _sorting(store: TableStore, partition: bytes) -> str:
    default = store.schema.core.partition_default_name
    return ",".join(default if text is None else text for text in _texts(store, partition))


def _drop(store: TableStore, partitions: Sequence[bytes], progress: Progress) -> list[Snapshot]:
    """One commit for each batch."""
    size = store.schema.core.value("partition.expiration-batch-size")
    step = size if size is not None and size > 0 else max(1, len(partitions))
    batches = [frozenset(partitions[start : start + step]) for start in range(0, len(partitions), step)]
    made = []
    with progress.step(f"Dropping partitions of {store.name}", len(partitions), "partitions"):
        for batch in batches:
            committer = TableCommit(store, new_commit_user(store))
            made.append(committer.overwrite((), batch.__contains__, BATCH_COMMIT_IDENTIFIER, commit_properties({})))
            progress.advance(len(batch))
    return made
