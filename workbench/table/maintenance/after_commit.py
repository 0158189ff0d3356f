"""The maintenance that follows a commit, as the table's options define: the steps of `TableCommitImpl.maintain` in
Java, in the same order, then those that engines run at the end of a batch job.

The commit has already succeeded, so failures here are only reported and logged. The steps after a failure are left to
the next commit, because a snapshot that was not tagged must not expire.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER
from workbench.metadata.refs.tag_periods import PERIODIC
from workbench.metadata.store import TableStore

if TYPE_CHECKING:
    from workbench.table.maintenance.expire_snapshots import NextExpiry

_log = logging.getLogger("workbench.table.maintenance")
# The time of the last check for old partitions in this process, by the directory of the branch.
_partitions_checked: dict[str, int] = {}
# In a remote store: the time of the last check for old tags, and what snapshots of the branch wait for.
_tags_checked: dict[str, int] = {}
_snapshots_due: dict[str, NextExpiry] = {}
_REMOTE_INTERVAL = 60_000


@dataclass(frozen=True, repr=False)
class AfterCommit:
    """The maintenance done after a commit: names of tags and consumers, directories of partitions, ids of snapshots.

    ``failure`` is the reason why the rest was left to the next commit. ``in_background``: the maintenance is still
    running, and its result is only logged.
    """

    tags_created: tuple[str, ...] = ()
    tags_expired: tuple[str, ...] = ()
    partitions_dropped: tuple[str, ...] = ()
    consumers_expired: tuple[str, ...] = ()
    snapshots_expired: tuple[int, ...] = ()
    changelogs_expired: tuple[int, ...] = ()
    partitions_done: tuple[str, ...] = ()
    failure: str | None = None
    in_background: bool = False

    def __repr__(self) -> str:
        shown = {name: value for name, value in asdict(self).items() if value}
        return f"<After commit: {', '.join(f'{name} {value}' for name, value in shown.items()) or 'nothing was due'}>"


Step = Callable[[AfterCommit], AfterCommit]


def after_commit(
    store: TableStore, messages: Sequence[CommitMessage], identifier: int, newest: int | None = None
) -> AfterCommit:
    """Run the maintenance that the options configure, without raising errors.

    Args:
        store: The table.
        messages: The changes of the commit.
        identifier: The identifier of the commit.
        newest: The id of the last snapshot of the commit, if it made one.
    """
    is_async = store.schema.core.value("snapshot.expire.execution-mode") == "async"
    if is_async and identifier != BATCH_COMMIT_IDENTIFIER:
        _background().submit(_do, store, messages, identifier, newest)
        return AfterCommit(in_background=True)
    return _do(store, messages, identifier, newest)


@lru_cache
def _background() -> ThreadPoolExecutor:
    """Return the executor that runs the maintenance of commits one after the other, in their order."""
    return ThreadPoolExecutor(1, "workbench-maintenance")


def _do(store: TableStore, messages: Sequence[CommitMessage], identifier: int, newest: int | None) -> AfterCommit:
    done = AfterCommit()
    try:
        for step in _steps(store, messages, identifier, newest):
            done = step(done)
    except Exception as error:  # noqa: BLE001 - nothing that happens here may look like a failed commit
        _log.warning("The commit to %s succeeded, but its follow-up work failed: %s", store.name, error, exc_info=True)
        return replace(done, failure=str(error) or type(error).__name__)
    if done != AfterCommit():
        _log.info("%s: %s", store.name, done)
    return done


def _steps(store: TableStore, messages: Sequence[CommitMessage], identifier: int, newest: int | None) -> Iterator[Step]:
    """Yield the steps that are due; their modules are imported one by one, since most tables need few of them."""
    core = store.schema.core
    creation = core.value("tag.automatic-creation")
    is_batch = identifier == BATCH_COMMIT_IDENTIFIER
    if not core.write_only:
        if creation in PERIODIC:
            yield lambda done: _create_tags(store, done)
        if core.value("tag.time-expire-enabled") and _checks_tags(store):
            yield lambda done: _expire_tags(store, done)
        if (
            core.partition_expiration_time is not None
            and store.partition_fields
            and _checks_partitions(store, is_batch)
        ):
            yield lambda done: _expire_partitions(store, done)
        if core.consumer_expiration_time is not None:
            yield lambda done: _expire_consumers(store, done)
        if _checks_snapshots(store, newest):
            yield lambda done: _expire_snapshots(store, done)
    if is_batch and messages:
        if creation == "batch":
            yield lambda done: _create_batch_tag(store, done)
        if core.value("partition.end-input-to-done") and store.partition_fields:
            yield lambda done: _mark_done(store, messages, done)


def _create_tags(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.automatic_tags import create_periodic_tags

    return replace(done, tags_created=create_periodic_tags(store, Progress()).created)


def _expire_tags(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.metadata.refs.tags import Tags

    if not Tags(store).names():
        return done
    from workbench.table.maintenance.expire_tags import expire_tags

    return replace(done, tags_expired=expire_tags(store, None, False, Progress()).tags)


def _checks_tags(store: TableStore) -> bool:
    """Return whether it is time to check the ages of tags again, which takes a request."""
    now = store.clock.now_millis()
    if not store.file_io.is_local and now < _tags_checked.get(store.branch_location, 0) + _REMOTE_INTERVAL:
        return False
    _tags_checked[store.branch_location] = now
    return True


def _checks_snapshots(store: TableStore, newest: int | None) -> bool:
    """Return whether a snapshot may have to expire. Finding out takes several requests, so in a remote store the answer
    is kept until it may change."""
    due = _snapshots_due.get(store.branch_location)
    return store.file_io.is_local or newest is None or due is None or due.is_reached(store, newest)


def _checks_partitions(store: TableStore, is_batch: bool) -> bool:
    """Return whether it is time to check for old partitions again.

    As in Java, the first check of a process is at a random time within an interval: short jobs may never check, unless
    the options require a check at the end of a job.
    """
    core = store.schema.core
    interval: int = core.value("partition.expiration-check-interval")
    now = store.clock.now_millis()
    last = _partitions_checked.setdefault(store.branch_location, now - random.randrange(max(1, interval)))
    at_end = is_batch and core.value("end-input.check-partition-expire")
    return interval == 0 or now > last + interval or at_end


def _expire_partitions(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.expire_partitions import PartitionRules, expire_partitions

    expiry = expire_partitions(store, PartitionRules.of(store.schema.core), False, Progress())
    _partitions_checked[store.branch_location] = store.clock.now_millis()
    return replace(done, partitions_dropped=expiry.partitions)


def _expire_consumers(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.expire_consumers import expire_consumers

    age = store.schema.core.consumer_expiration_time
    return done if age is None else replace(done, consumers_expired=expire_consumers(store, age))


def _expire_snapshots(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.expire_snapshots import changelogs_outlive_snapshots, expire_snapshots

    core = store.schema.core
    snapshots = expire_snapshots(store, None, None, None, False, Progress()).snapshots
    if not store.file_io.is_local:
        _note_next_expiry(store)
    done = replace(done, snapshots_expired=snapshots)
    if not changelogs_outlive_snapshots(
        core, core.snapshot_num_retained_max, core.snapshot_num_retained_min, core.snapshot_time_retained
    ):
        return done
    from workbench.table.maintenance.expire_changelogs import expire_changelogs

    return replace(done, changelogs_expired=expire_changelogs(store, None, None, None, False, Progress()).changelogs)


def _note_next_expiry(store: TableStore) -> None:
    from workbench.table.maintenance.expire_snapshots import next_expiry

    due = next_expiry(store)
    if due is None:
        _snapshots_due.pop(store.branch_location, None)
    else:
        _snapshots_due[store.branch_location] = due


def _create_batch_tag(store: TableStore, done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.automatic_tags import create_batch_tag

    return replace(done, tags_created=(*done.tags_created, *create_batch_tag(store, Progress())))


def _mark_done(store: TableStore, messages: Sequence[CommitMessage], done: AfterCommit) -> AfterCommit:
    from workbench.table.maintenance.mark_done import mark_directories_done

    written = dict.fromkeys(store.partition_directory(message.partition) for message in messages)
    return replace(done, partitions_done=mark_directories_done(store, tuple(written)).partitions)
