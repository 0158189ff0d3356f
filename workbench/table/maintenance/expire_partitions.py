"""Dropping partitions that are too old (format §24.2, `NormalPartitionExpire` and its strategies in Java)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.progress import Progress
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.partition_path import partition_text
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.measuring import measured
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_length, to_millis
from workbench.metadata.totals import Total
from workbench.scan.totals import partition_totals
from workbench.table.maintenance.partition_times import PartitionTimes

VALUES_TIME, UPDATE_TIME = "values-time", "update-time"
_NANOS_PER_MILLI = 1_000_000

IsOver = Callable[[bytes, Total], bool | None]
"""Whether a partition is expired; None if it has no readable time."""


@dataclass(frozen=True, repr=False)
class PartitionExpiry(Outcome):
    """The directories of the partitions that an expiry dropped, or would drop, in order of their names.

    ``files``, ``records`` and ``bytes`` count the files that later versions do not contain. ``unreadable`` are the
    partitions whose values do not contain a time; they are kept. ``snapshots`` are the ids of the commits.
    """

    dry_run: bool
    partitions: tuple[str, ...] = ()
    files: int = 0
    records: int = 0
    bytes: int = 0
    unreadable: tuple[str, ...] = ()
    snapshots: tuple[int, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)


@dataclass(frozen=True)
class PartitionRules:
    """The rules by which partitions expire: ``age`` in milliseconds; the other fields are the values of the options
    that they are named after."""

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
        """Return the rules of the table's options, overridden by the given values.

        Raises:
            InvalidRequest: Neither an argument nor an option sets the maximum age.
            Unsupported: The strategy is unknown.
        """
        age_limit = core.partition_expiration_time if age is None else age
        if age_limit is None:
            raise InvalidRequest(
                "The maximum age of partitions is not set.",
                "Pass expiration_time or older_than, or set option 'partition.expiration-time'.",
            )
        chosen = strategy or core.partition_expiration_strategy
        if chosen not in (VALUES_TIME, UPDATE_TIME):
            raise Unsupported(
                f"Option 'partition.expiration-strategy' = '{chosen}' is not supported.",
                f"Use '{VALUES_TIME}' or '{UPDATE_TIME}'.",
            )
        return cls(
            age_limit,
            chosen,
            formatter or core.partition_timestamp_formatter,
            pattern or core.partition_timestamp_pattern,
            core.partition_expiration_max_num if max_num is None else max_num,
        )


def age_of(
    store: TableStore, expiration_time: timedelta | str | None, older_than: int | str | datetime | date | None
) -> int | None:
    """Return the maximum age of partitions in milliseconds, from a duration or a time. Raises InvalidRequest if both
    are given."""
    if expiration_time is not None and older_than is not None:
        raise InvalidRequest("expiration_time and older_than are mutually exclusive.", "Pass only one of them.")
    if expiration_time is not None:
        return to_length(expiration_time)
    return None if older_than is None else store.clock.now_millis() - to_millis(older_than)


@measured("expire partitions")
def expire_partitions(store: TableStore, rules: PartitionRules, dry_run: bool, progress: Progress) -> PartitionExpiry:
    """Drop partitions that are too old; see `Table.expire_partitions`."""
    if not store.partition_fields:
        raise InvalidRequest(f"{store.name} has no partitions.", "Delete rows by a condition instead.")
    is_over = _rule(store, rules)
    with progress.step(f"Finding old partitions of {store.name}"):
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
    commit = _drop(store, chosen, progress)
    metrics = Metrics(files_deleted=planned.files, bytes_deleted=planned.bytes)
    return replace(planned, dry_run=False, snapshots=tuple(snapshot.id for snapshot in commit), metrics=metrics)


def _rule(store: TableStore, rules: PartitionRules) -> IsOver:
    limit = store.clock.local_wall_millis() - rules.age
    if rules.strategy == UPDATE_TIME:
        return lambda _, total: None if total.last_creation is None else total.last_creation < limit
    times = PartitionTimes.of(store.schema.partition_keys, rules.pattern, rules.formatter)

    def is_over(partition: bytes, _: Total) -> bool | None:
        time = times.of_values(_texts(store, partition))
        return None if time is None else time < limit * _NANOS_PER_MILLI

    return is_over


def _texts(store: TableStore, partition: bytes) -> list[str | None]:
    """Return the partition values as strings, as Java's strategies see them: printed Java objects, with dates as
    numbers of days."""
    values = zip(store.partition_values(partition), store.partition_fields, strict=True)
    return [partition_text(value, field.type, legacy=not isinstance(value, bytes)) for value, field in values]


def _sorting(store: TableStore, partition: bytes) -> str:
    default = store.schema.core.partition_default_name
    return ",".join(default if text is None else text for text in _texts(store, partition))


def _drop(store: TableStore, partitions: Sequence[bytes], progress: Progress) -> list[Snapshot]:
    """Drop partitions, with one commit for each batch."""
    size = store.schema.core.value("partition.expiration-batch-size")
    step = size if size is not None and size > 0 else max(1, len(partitions))
    batches = [frozenset(partitions[start : start + step]) for start in range(0, len(partitions), step)]
    snapshots = []
    with progress.step(f"Dropping partitions of {store.name}", len(partitions), "partitions"):
        for batch in batches:
            committer = TableCommit(Publication.by_new_user(store))
            snapshots.append(committer.overwrite((), batch.__contains__))
            progress.advance(len(batch))
    return snapshots
