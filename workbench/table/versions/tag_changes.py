"""Creating, replacing, renaming and deleting tags (format §23, `TagManager` in Java)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.base.errors import AlreadyExists, InvalidRequest, SnapshotNotFound, Unsupported
from workbench.format.options.values import parse_duration
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.metadata.refs.ref_names import checked_name
from workbench.metadata.refs.success_files import write_success
from workbench.metadata.refs.tag_periods import PERIODIC, TagPeriod
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis

_SUCCESS_DIRECTORY = "tag-success-file"
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, repr=False)
class TagChange:
    """A change to a tag. ``done`` is what was done: created, set, replaced, renamed or deleted.

    ``snapshot`` is the id of the tagged snapshot, and ``retained`` is how long the tag is kept; None if unknown or, for
    ``retained``, if the tag is kept until it is deleted. ``before`` is the previous name of a renamed tag.
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
    """Create a tag; see `Table.create_tag`."""
    return _create(store, name, _version(store, snapshot), retained)


def _create(store: TableStore, name: str, snapshot: Snapshot, retained: timedelta | str | None) -> TagChange:
    _check_name(name)
    check_callbacks(store)
    kept = _default_length(store) if retained is None else _length(retained)
    _check_automatic(store, name, snapshot)
    tag = _tag(store, name, snapshot, kept)
    content = tag.to_json().encode()
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    # If the response to a successful request was lost, its repetition is refused, but the stored content is ours.
    if not store.file_io.put_if_absent(path, content) and store.file_io.read_bytes(path) != content:
        raise AlreadyExists(f"{store.name} already has a tag '{name}'.", "Use replace_tag, or another name.")
    Tags(store).register([name])
    _write_success_file(store, name)
    return TagChange(store.name, "created", name, snapshot.id, kept)


def create_tag_from_timestamp(
    store: TableStore,
    name: str,
    timestamp: int | str | datetime | date,
    retained: timedelta | str | None,
) -> TagChange:
    """Create a tag of the first version at a time or later; see `Table.create_tag_from_timestamp`."""
    millis = to_millis(timestamp)
    kept = (tag.snapshot for tag in Tags(store).all().values() if tag.snapshot.time_millis >= millis)
    candidates = [each for each in (Snapshots(store).at_or_after(millis), next(kept, None)) if each is not None]
    if not candidates:
        raise SnapshotNotFound(
            f"Table {store.name} has no snapshot at or after that time.", "System table $snapshots shows the times."
        )
    # If a snapshot and a tag have the same time, the snapshot is used.
    return _create(store, name, min(candidates, key=lambda each: each.time_millis), retained)


def keep_version(store: TableStore, name: str, snapshot: Snapshot) -> None:
    """Create a permanent tag with a unique name, without running callbacks."""
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    store.file_io.put_if_absent(path, _tag(store, name, snapshot, None).to_json().encode())


def set_tag(store: TableStore, name: str, snapshot: Snapshot) -> TagChange:
    """Create a tag, or point an existing one at a version; it is retained as the options define.

    Raises:
        InvalidRequest: The name is not valid for a tag.
        Unsupported: A tag callback is configured that cannot be run.
    """
    _check_name(name)
    check_callbacks(store)
    kept = _default_length(store)
    path = store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name))
    store.file_io.overwrite_atomic(path, _tag(store, name, snapshot, kept).to_json().encode())
    Tags(store).register([name])
    _write_success_file(store, name)
    return TagChange(store.name, "set", name, snapshot.id, kept)


def replace_tag(store: TableStore, name: str, snapshot: int | None, retained: timedelta | str | None) -> TagChange:
    """Point a tag at another version; see `Table.replace_tag`."""
    path = Tags(store).file(name).path
    check_callbacks(store)
    version = _version(store, snapshot)
    _check_automatic(store, name, version)
    kept = _length(retained)
    store.file_io.overwrite_atomic(path, _tag(store, name, version, kept).to_json().encode())
    return TagChange(store.name, "replaced", name, version.id, kept)


def rename_tag(store: TableStore, name: str, new_name: str) -> TagChange:
    """Rename a tag; see `Table.rename_tag`."""
    source = Tags(store).file(name).path
    _check_name(new_name)
    # Java keeps the partition of the old name, which cannot be read any more, and adds none of the new name.
    Tags(store).unregister([name])
    try:
        store.file_io.rename(source, store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(new_name)))
    except FileExistsError as error:
        Tags(store).register([name])
        raise AlreadyExists(f"{store.name} already has a tag '{new_name}'.", "Choose another name.") from error
    Tags(store).register([new_name])
    return TagChange(store.name, "renamed", new_name, before=name)


def delete_tag(store: TableStore, name: str) -> TagChange:
    """Delete a tag; see `Table.delete_tag`."""
    Tags(store).file(name)
    check_callbacks(store)
    delete_tag_files(store, name)
    return TagChange(store.name, "deleted", name)


def delete_tag_files(store: TableStore, name: str) -> None:
    """Delete the file of a tag and its success file, if they exist.

    Raises:
        CatalogError: The catalog has the tags of the table and does not answer; nothing is deleted.
    """
    Tags(store).unregister([name])
    # The tag is deleted last: as long as it exists, the deletion can be repeated.
    if store.schema.core.value("tag.create-success-file"):
        store.file_io.delete(_success_path(store, name))
    store.file_io.delete(store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name)))


def version_of_id(store: TableStore, snapshot_id: int) -> Snapshot:
    """Return a version by its id, even if its snapshot has expired and only a tag keeps it.

    Raises:
        SnapshotNotFound: Neither a snapshot nor a tag has the id.
    """
    snapshots = Snapshots(store)
    snapshot = snapshots.find(snapshot_id)
    if snapshot is None:
        tag = Tags(store).of_snapshot(snapshot_id)
        snapshot = snapshots.get(snapshot_id) if tag is None else tag.snapshot
    return snapshot


def _version(store: TableStore, snapshot_id: int | None) -> Snapshot:
    if snapshot_id is not None:
        return version_of_id(store, snapshot_id)
    latest = Snapshots(store).latest()
    if latest is None:
        raise SnapshotNotFound(f"Table {store.name} was never written.", "Write to it before you create a tag.")
    return latest


def _tag(store: TableStore, name: str, snapshot: Snapshot, retained: timedelta | None) -> Tag:
    created = _EPOCH + timedelta(milliseconds=store.clock.local_wall_millis())
    return Tag(name, snapshot, None if retained is None else created, retained)


def _default_length(store: TableStore) -> timedelta | None:
    millis = store.schema.core.tag_default_time_retained
    return None if millis is None else timedelta(milliseconds=millis)


def _length(retained: timedelta | str | None) -> timedelta | None:
    try:
        length = timedelta(milliseconds=parse_duration(retained)) if isinstance(retained, str) else retained
    except OverflowError as error:
        raise InvalidRequest(f"A tag cannot be kept for '{retained}'.", "Pass a shorter time.") from error
    if length is not None and length < timedelta(0):
        raise InvalidRequest(f"A tag cannot be kept for {length}.", "Pass a time such as '7 d'.")
    return length


def _check_name(name: str) -> None:
    checked_name("tag", name)
    if paths.tag_name(name) == _SUCCESS_DIRECTORY:
        raise InvalidRequest(
            f"A tag cannot be named '{name}'.", "Choose another name: Paimon uses a directory of that name."
        )


def check_callbacks(store: TableStore) -> None:
    """Raise Unsupported if the table has tag callbacks, which are not run here."""
    core = store.schema.core
    for option, off in (("tag.callbacks", ("", None)), ("metadata.iceberg.storage", ("disabled", None))):
        value = core.value(option)
        if value not in off:
            raise Unsupported(f"Changing tags of a table with option '{option}' = '{value}' is not supported.")


def _check_automatic(store: TableStore, name: str, snapshot: Snapshot) -> None:
    """Raise AlreadyExists if the version would get a second automatic tag: engines look for the automatic tag of the
    last tagged snapshot, and fail if there are two."""
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
            f"Snapshot {snapshot.id} of {store.name} already has the automatic tag '{automatic}'.",
            f"Use another name: '{name}' has the form of the tags that option 'tag.creation-period' creates.",
        )


def _write_success_file(store: TableStore, name: str) -> None:
    if store.schema.core.value("tag.create-success-file"):
        write_success(store, _success_path(store, name))


def _success_path(store: TableStore, name: str) -> str:
    return store.branch_path(paths.TAG_DIRECTORY, _SUCCESS_DIRECTORY, f"{name}_SUCCESS")
