"""Tags that are made by themselves after a commit (`TagAutoCreation` and `TagBatchCreation` in Java)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from workbench.base.errors import InvalidRequest, InvalidSchema
from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.base.session import machine_timezone
from workbench.format.snapshot import Snapshot
from workbench.format.tag import Tag
from workbench.table.maintenance.deleting import delete_unused
from workbench.table.maintenance.expire_tags import TagExpiry, plan_removal, remove
from workbench.table.measuring import measured
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tag_changes import create_tag, set_tag
from workbench.table.tag_periods import PERIODIC, TagPeriod
from workbench.table.tags import Tags

_BATCH_PREFIX = "batch-write-"
_NO_WATERMARK = -(2**63)


@dataclass(frozen=True, repr=False)
class AutomaticTags:
    """The names of the tags that were made, or would be, and of those that went for them, with the paths of the files
    that only these needed."""

    table: str
    dry_run: bool
    created: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    metrics: Metrics | None = field(default=None, compare=False)

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """Every file that went, or would go."""
        return (*self.data_files, *self.metadata_files)

    def __repr__(self) -> str:
        would = "would be " if self.dry_run else ""
        return f"<{self.table}: {len(self.created)} tags {would}created, {len(self.removed)} {would}removed>"


def trigger_tag_creation(store: TableStore, dry_run: bool, progress: Progress) -> AutomaticTags:
    """Make the tags that are due; see `MaintenanceCalls.trigger_tag_automatic_creation`."""
    creation = store.schema.core.value("tag.automatic-creation")
    if creation not in PERIODIC:
        raise InvalidRequest(
            f"Option 'tag.automatic-creation' of {store.name} is '{creation}', so no tags come to be due.",
            f"Set it to '{PERIODIC[0]}' or '{PERIODIC[1]}', or use create_tag.",
        )
    return create_periodic_tags(store, progress, dry_run)


@measured("create automatic tags")
def create_periodic_tags(store: TableStore, progress: Progress, dry_run: bool = False) -> AutomaticTags:
    """Make the tags of all periods that are over, each of the first snapshot after its period.

    Tags beyond the number of option 'tag.num-retained-max' go, those of the oldest snapshots first.

    Raises:
        InvalidSchema: the delay is no shorter than the period, or a zone is not known.
        AlreadyExists: a snapshot that is due has another automatic tag.
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
    going = plan_removal(store, periodic.too_many(new), progress)
    if not dry_run:
        going = remove(store, going, progress)
    created = tuple(tag.name for tag in new)
    return AutomaticTags(store.name, dry_run, created, going.tags, going.data_files, going.metadata_files, going.bytes)


class _Periodic:
    """Where the automatic tags of a table have come to: ``due`` is the end of the period of the newest one."""

    def __init__(self, store: TableStore) -> None:
        core = store.schema.core
        self._store = store
        self._snapshots = Snapshots(store)
        self._tags = Tags(store)
        self._period = TagPeriod.of(core)
        self._delay = timedelta(milliseconds=core.value("tag.creation-delay"))
        if self._delay >= self._period.length:
            raise InvalidSchema(
                f"Option 'tag.creation-delay' = '{core.text('tag.creation-delay')}' is no shorter than a period of "
                f"{self._period.length}.",
                "Give a shorter time.",
            )
        self._by_watermark = core.value("tag.automatic-creation") == "watermark"
        self._zone = _zone(store, "sink.watermark-time-zone" if self._by_watermark else "sink.process-time-zone")
        self._due: datetime | None = None

    def due_tags(self) -> list[Tag]:
        """The tags of all periods that are over, also those that are there already, the oldest first."""
        latest = self._snapshots.latest()
        if latest is None:
            return []
        begun = {name: begin for name in self._tags.names() if (begin := self._period.begin(name)) is not None}
        start = self._snapshots.earliest_id() or 1
        if begun:
            newest = max(begun, key=lambda name: begun[name])
            self._due = begun[newest] + self._period.length
            start = max(start, self._tags.get(newest).snapshot.id + 1)
        # Times only grow, so the newest snapshot tells whether any is due.
        if self._time_of_tag(latest) is None:
            return []
        found = []
        for number in range(start, latest.id + 1):
            snapshot = self._snapshots.find(number)
            begin = self._time_of_tag(snapshot) if snapshot is not None else None
            if snapshot is not None and begin is not None:
                found.append(Tag(self._period.name(begin), snapshot))
                self._due = begin + self._period.length
        return found

    def too_many(self, new: Sequence[Tag]) -> list[Tag]:
        """The automatic tags that are beyond the number to be kept, once there are the new ones."""
        most: int | None = self._store.schema.core.value("tag.num-retained-max")
        if most is None:
            return []
        known = {**self._tags.all(), **{tag.name: tag for tag in new}}
        automatic = [tag for tag in known.values() if self._period.begin(tag.name) is not None]
        ids = sorted({tag.snapshot.id for tag in automatic})
        oldest = set(ids[: max(0, len(ids) - most)])
        return [tag for tag in automatic if tag.snapshot.id in oldest]

    def _time_of_tag(self, snapshot: Snapshot) -> datetime | None:
        """The period of which a snapshot is to be the tag; None where it is not due."""
        millis = snapshot.watermark if self._by_watermark else snapshot.time_millis
        if millis is None or millis == _NO_WATERMARK:
            return None
        moment = _wall(millis, self._zone)
        if self._due is not None and moment - self._delay < self._due + self._period.length:
            return None
        completes = self._store.schema.core.value("tag.automatic-completion") and self._due is not None
        return self._due if completes else self._period.last_over(moment)


def create_batch_tag(store: TableStore, progress: Progress) -> tuple[str, ...]:
    """Let the tag of a batch job, one for each day, name the newest snapshot; its name.

    Of all tags those of the oldest snapshots go that are beyond the number of option 'tag.num-retained-max'.
    """
    latest = Snapshots(store).latest()
    if latest is None:
        return ()
    core = store.schema.core
    day = _wall(latest.time_millis, _zone(store, "sink.process-time-zone")).date()
    name = core.text("tag.batch.customized-name") or f"{_BATCH_PREFIX}{day.isoformat()}"
    tags = Tags(store)
    replaced = [tags.get(name)] if name in tags.names() else []
    going = plan_removal(store, replaced, progress)
    set_tag(store, name, latest)
    delete_unused(store, going.data_files, going.metadata_files, progress)
    most: int | None = core.value("tag.num-retained-max")
    if most is not None:
        ordered = sorted(tags.all().values(), key=lambda tag: (tag.snapshot.id, tags.file(tag.name).modified_millis))
        _remove(store, ordered[: max(0, len(ordered) - most)], progress)
    return (name,)


def _remove(store: TableStore, tags: Sequence[Tag], progress: Progress) -> TagExpiry:
    return remove(store, plan_removal(store, tags, progress), progress)


def _zone(store: TableStore, option: str) -> ZoneInfo:
    name = store.schema.core.text(option) or store.schema.core.value(option) or machine_timezone()
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise InvalidSchema(f"Option '{option}' cannot be '{name}'.", "Give a zone such as 'Europe/Berlin'.") from error


def _wall(millis: int, zone: ZoneInfo) -> datetime:
    """What clocks show in a zone, without the zone."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)).astimezone(zone).replace(tzinfo=None)
