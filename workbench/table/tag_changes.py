"""Making, replacing, renaming and deleting tags (format §23, `TagManager` in Java)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.base.errors import AlreadyExists, InvalidRequest, SnapshotNotFound, Unsupported
from workbench.format import paths
from workbench.format.options import parse_duration
from workbench.format.snapshot import Snapshot
from workbench.format.tag import Tag
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.success_files import write_success
from workbench.table.tag_periods import PERIODIC, TagPeriod
from workbench.table.tags import Tags
from workbench.table.travel import to_millis
from workbench.table.version_names import checked_name

_SUCCESS_DIRECTORY = "tag-success-file"
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, repr=False)
class TagChange:
    """What was done to a tag. ``done``: created, set, replaced, renamed or deleted.

    ``snapshot`` and ``retained`` are those of the tag, None where it was not looked at or is kept for ever; ``before``
    is the name that a renamed tag had.
    """

    table: str
    done: str
    name: str
    snapshot: int | None = None
    retained: timedelta | None = None
    before: str | None = None

    def __repr__(self) -> str:
        of = "" if self.snapshot is None else f" of snapshot {self.snapshot}"
        kept = "" if self.retained is None else f", kept for {self.retained}"
        before = "" if self.before is None else f", which was {self.before}"
        return f"<{self.table}: tag {self.name}{of} {self.done}{kept}{before}>"


def create_tag(store: TableStore, name: str, snapshot: int | None, retained: timedelta | str | None) -> TagChange:
    """Keep a version under a name; see `VersionChanges.create_tag`."""
    return _create(store, name, _version(store, snapshot), retained)


def _create(store: TableStore, name: str, found: Snapshot, retained: timedelta | str | None) -> TagChange:
    _check_name(name)
    check_callbacks(store)
    kept = _default_length(store) if retained is None else _length(retained)
    _check_automatic(store, name, found)
    tag = _tag(store, name, found, kept)
    content = tag.to_json().encode()
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    # The answer to a first try that worked may be lost, and the second one refused: then the content is ours.
    if not store.file_io.put_if_absent(path, content) and store.file_io.read_bytes(path) != content:
        raise AlreadyExists(f"{store.name} has a tag '{name}' already.", "Use replace_tag, or another name.")
    _tell_success(store, name)
    return TagChange(store.name, "created", name, found.id, kept)


def create_tag_from_timestamp(
    store: TableStore,
    name: str,
    timestamp: int | str | datetime | date,
    retained: timedelta | str | None,
) -> TagChange:
    """Keep the first version of a time or later under a name; see `VersionChanges.create_tag_from_timestamp`."""
    millis = to_millis(timestamp)
    kept = (tag.snapshot for tag in Tags(store).all().values() if tag.snapshot.time_millis >= millis)
    candidates = [each for each in (Snapshots(store).at_or_after(millis), next(kept, None)) if each is not None]
    if not candidates:
        raise SnapshotNotFound(
            f"Table {store.name} has no snapshot of that time or later.", "System table $snapshots shows the times."
        )
    # Of a snapshot and a tag of the same time, the snapshot counts.
    return _create(store, name, min(candidates, key=lambda each: each.time_millis), retained)


def keep_version(store: TableStore, name: str, snapshot: Snapshot) -> None:
    """Keep a version for ever, under a name that nobody else has. Nobody is told."""
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    store.file_io.put_if_absent(path, _tag(store, name, snapshot, None).to_json().encode())


def set_tag(store: TableStore, name: str, snapshot: Snapshot) -> TagChange:
    """Let a tag name a version, whether there was one of that name or not; kept as long as the options say.

    Raises:
        InvalidRequest: a name that no tag can have.
        Unsupported: something has to be told of tags that cannot be.
    """
    _check_name(name)
    check_callbacks(store)
    kept = _default_length(store)
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    store.file_io.overwrite_atomic(path, _tag(store, name, snapshot, kept).to_json().encode())
    _tell_success(store, name)
    return TagChange(store.name, "set", name, snapshot.id, kept)


def replace_tag(store: TableStore, name: str, snapshot: int | None, retained: timedelta | str | None) -> TagChange:
    """Let a tag name another version; see `VersionChanges.replace_tag`."""
    path = Tags(store).file(name).path
    check_callbacks(store)
    found = _version(store, snapshot)
    _check_automatic(store, name, found)
    kept = _length(retained)
    store.file_io.overwrite_atomic(path, _tag(store, name, found, kept).to_json().encode())
    return TagChange(store.name, "replaced", name, found.id, kept)


def rename_tag(store: TableStore, name: str, new_name: str) -> TagChange:
    """Give a tag another name; see `VersionChanges.rename_tag`."""
    source = Tags(store).file(name).path
    _check_name(new_name)
    try:
        store.file_io.rename(source, store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(new_name)))
    except FileExistsError as error:
        raise AlreadyExists(f"{store.name} has a tag '{new_name}' already.", "Choose another name.") from error
    return TagChange(store.name, "renamed", new_name, before=name)


def delete_tag(store: TableStore, name: str) -> TagChange:
    """Forget a tag; see `VersionChanges.delete_tag`."""
    Tags(store).file(name)
    check_callbacks(store)
    forget_tag(store, name)
    return TagChange(store.name, "deleted", name)


def forget_tag(store: TableStore, name: str) -> None:
    """Remove the file of a tag, and the one that tells of it; it is fine if they are gone already."""
    # The tag goes last: as long as it is there, this can be done again.
    if store.schema.core.value("tag.create-success-file"):
        store.file_io.delete(_success_path(store, name))
    store.file_io.delete(store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name)))


def version_of_id(store: TableStore, snapshot_id: int) -> Snapshot:
    """A version by its id, also one that expired and is kept by a tag.

    Raises:
        SnapshotNotFound: neither a snapshot nor a tag has it.
    """
    snapshots = Snapshots(store)
    found = snapshots.find(snapshot_id)
    if found is None:
        tag = Tags(store).of_snapshot(snapshot_id)
        found = snapshots.get(snapshot_id) if tag is None else tag.snapshot
    return found


def _version(store: TableStore, snapshot_id: int | None) -> Snapshot:
    if snapshot_id is not None:
        return version_of_id(store, snapshot_id)
    latest = Snapshots(store).latest()
    if latest is None:
        raise SnapshotNotFound(f"Table {store.name} was never written.", "Write to it before you tag it.")
    return latest


def _tag(store: TableStore, name: str, snapshot: Snapshot, retained: timedelta | None) -> Tag:
    created = _EPOCH + timedelta(milliseconds=store.clock.local_wall_millis())
    return Tag(name, snapshot, None if retained is None else created, retained)


def _default_length(store: TableStore) -> timedelta | None:
    millis = store.schema.core.tag_default_time_retained
    return None if millis is None else timedelta(milliseconds=millis)


def _length(retained: timedelta | str | None) -> timedelta | None:
    length = timedelta(milliseconds=parse_duration(retained)) if isinstance(retained, str) else retained
    if length is not None and length < timedelta(0):
        raise InvalidRequest(f"A tag cannot be kept for {length}.", "Give a time such as '7 d'.")
    return length


def _check_name(name: str) -> None:
    checked_name("tag", name)
    if paths.tag_name(name) == _SUCCESS_DIRECTORY:
        raise InvalidRequest(f"'{name}' cannot be the name of a tag.", "Paimon keeps a directory under that name.")


def check_callbacks(store: TableStore) -> None:
    """Raise Unsupported where something has to be told of tags and is not."""
    core = store.schema.core
    for option, off in (("tag.callbacks", ("", None)), ("metadata.iceberg.storage", ("disabled", None))):
        value = core.value(option)
        if value not in off:
            raise Unsupported(f"Changing tags of a table with option '{option}' = '{value}' is not supported.")


def _check_automatic(store: TableStore, name: str, snapshot: Snapshot) -> None:
    """A version has one tag at most of those that engines make by themselves: they look for the last of them by its
    name, and stop at two."""
    core = store.schema.core
    if core.value("tag.automatic-creation") not in PERIODIC:
        return
    period = TagPeriod.of(core)
    if period.begin(name) is None:
        return
    taken = [tag.name for tag in Tags(store).all().values() if tag.snapshot.id == snapshot.id]
    automatic = next((each for each in taken if period.begin(each) is not None), None)
    if automatic is not None:
        raise AlreadyExists(
            f"Snapshot {snapshot.id} of {store.name} has the automatic tag '{automatic}' already.",
            f"Use a name that is not of the period which option 'tag.creation-period' makes tags for, unlike '{name}'.",
        )


def _tell_success(store: TableStore, name: str) -> None:
    if store.schema.core.value("tag.create-success-file"):
        write_success(store, _success_path(store, name))


def _success_path(store: TableStore, name: str) -> str:
    return store.branch_path(paths.TAG_DIRECTORY, _SUCCESS_DIRECTORY, f"{name}_SUCCESS")
