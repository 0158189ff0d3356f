"""Automatic tags that are created after a commit (`TagAutoCreation` and `TagBatchCreation` in Java)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from workbench.base.errors import InvalidRequest, InvalidSchema
from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.metadata.measuring import measured
from workbench.metadata.refs.tag_periods import PERIODIC, PROCESS_TIME, TagClock, TagPeriod
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.maintenance.delete_files import FileDeletion, delete_unused
from workbench.table.maintenance.expire_tags import TagExpiry, plan_removal, remove
from workbench.table.versions.tag_changes import create_tag, set_tag

_BATCH_PREFIX = "batch-write-"


@dataclass(frozen=True, repr=False)
class AutomaticTags(FileDeletion):
    """The names of the tags that were created, or would be, and of the tags removed to make room for them, with the
    paths of the files that only the removed tags used."""

    dry_run: bool
    created: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    metrics: Metrics | None = field(default=None, compare=False)


def trigger_tag_creation(store: TableStore, dry_run: bool, progress: Progress) -> AutomaticTags:
    """Create the tags that are due; see `Table.trigger_tag_automatic_creation`."""
    creation = store.schema.core.value("tag.automatic-creation")
    if creation not in PERIODIC:
        raise InvalidRequest(
            f"Option 'tag.automatic-creation' = '{creation}' of {store.name} creates no tags by time or watermark.",
            f"Set it to '{PERIODIC[0]}' or '{PERIODIC[1]}', or use create_tag.",
        )
    return create_periodic_tags(store, progress, dry_run)


@measured("create automatic tags")
def create_periodic_tags(store: TableStore, progress: Progress, dry_run: bool = False) -> AutomaticTags:
    """Create the tags of all complete periods; each tags the first snapshot after its period.

    Tags beyond option 'tag.num-retained-max' are removed, those of the oldest snapshots first.

    Raises:
        InvalidSchema: The delay is not shorter than the period, or a zone is unknown.
        AlreadyExists: A snapshot that is due has another automatic tag.
    """
    periodic = _Periodic(store)
    due = periodic.due_tags()
    if not due:
        return AutomaticTags(store.name, dry_run)
    known = Tags(store).names()
    new = [tag for tag in due if tag.name not in known]
    if not dry_run:
        for tag in new:
            create_tag(store, tag.name, tag.snapshot.id, None)
    removal = plan_removal(store, periodic.too_many(new), progress)
    if not dry_run:
        removal = remove(store, removal, progress)
    created = tuple(tag.name for tag in new)
    return AutomaticTags(
        store.name, dry_run, created, removal.tags, removal.data_files, removal.metadata_files, removal.bytes
    )


class _Periodic:
    """The state of a table's automatic tags; ``_due`` is the end of the period of the newest tag."""

    def __init__(self, store: TableStore) -> None:
        core = store.schema.core
        self._store = store
        self._snapshots = Snapshots(store)
        self._tags = Tags(store)
        self._period = TagPeriod.of(core)
        self._delay = timedelta(milliseconds=core.value("tag.creation-delay"))
        if self._delay >= self._period.length:
            raise InvalidSchema(
                f"Option 'tag.creation-delay' = '{core.text('tag.creation-delay')}' is not shorter than the period of "
                f"{self._period.length}.",
                "Set a shorter delay.",
            )
        self._clock = TagClock.of(core, core.value("tag.automatic-creation"))
        self._due: datetime | None = None

    def due_tags(self) -> list[Tag]:
        """Return the tags of all complete periods, including existing ones, the oldest first."""
        latest = self._snapshots.latest()
        if latest is None:
            return []
        start_measuring = {
            name: begin for name in self._tags.names() if (begin := self._period.begin(name)) is not None
        }
        start = self._snapshots.earliest_id() or 1
        if start_measuring:
            newest = max(start_measuring, key=lambda name: start_measuring[name])
            self._due = start_measuring[newest] + self._period.length
            start = max(start, self._tags.get(newest).snapshot.id + 1)
        # Times only increase, so the newest snapshot shows whether any tag is due.
        if self._time_of_tag(latest) is None:
            return []
        tags = []
        for number in range(start, latest.id + 1):
            snapshot = self._snapshots.find(number)
            begin = self._time_of_tag(snapshot) if snapshot is not None else None
            if snapshot is not None and begin is not None:
                tags.append(Tag(self._period.name(begin), snapshot))
                self._due = begin + self._period.length
        return tags

    def too_many(self, new: Sequence[Tag]) -> list[Tag]:
        """Return the automatic tags beyond the number to retain, once the new ones exist."""
        max_tags: int | None = self._store.schema.core.value("tag.num-retained-max")
        if max_tags is None:
            return []
        known = {**self._tags.all(), **{tag.name: tag for tag in new}}
        automatic = [tag for tag in known.values() if self._period.begin(tag.name) is not None]
        ids = sorted({tag.snapshot.id for tag in automatic})
        oldest = set(ids[: max(0, len(ids) - max_tags)])
        return [tag for tag in automatic if tag.snapshot.id in oldest]

    def _time_of_tag(self, snapshot: Snapshot) -> datetime | None:
        """Return the start of the period for which a snapshot is tagged; None if no tag is due."""
        moment = self._clock.time(snapshot)
        if moment is None:
            return None
        if self._due is not None and moment - self._delay < self._due + self._period.length:
            return None
        completes = self._store.schema.core.value("tag.automatic-completion") and self._due is not None
        return self._due if completes else self._period.last_over(moment)


def create_batch_tag(store: TableStore, progress: Progress) -> tuple[str, ...]:
    """Point the daily tag of batch jobs at the newest snapshot, and return its name.

    If there are then more tags of any kind than option 'tag.num-retained-max' allows, those of the oldest snapshots are
    removed.
    """
    latest = Snapshots(store).latest()
    if latest is None:
        return ()
    core = store.schema.core
    moment = TagClock.of(core, PROCESS_TIME).time(latest)
    assert moment is not None
    name = core.text("tag.batch.customized-name") or f"{_BATCH_PREFIX}{moment.date().isoformat()}"
    tags = Tags(store)
    replaced = [tags.get(name)] if name in tags.names() else []
    removal = plan_removal(store, replaced, progress)
    set_tag(store, name, latest)
    delete_unused(store, removal.data_files, removal.metadata_files, progress)
    max_tags: int | None = core.value("tag.num-retained-max")
    if max_tags is not None:
        ordered = sorted(tags.all().values(), key=lambda tag: (tag.snapshot.id, tags.file(tag.name).modified_millis))
        _remove(store, ordered[: max(0, len(ordered) - max_tags)], progress)
    return (name,)


def _remove(store: TableStore, tags: Sequence[Tag], progress: Progress) -> TagExpiry:
    return remove(store, plan_removal(store, tags, progress), progress)
