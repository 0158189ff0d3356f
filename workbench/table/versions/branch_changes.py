"""Creating, renaming and deleting branches (format §1, §23, `FileSystemBranchManager` in Java)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from workbench.base.errors import AlreadyExists, InvalidRequest, Unsupported, WorkbenchError
from workbench.format.spec import paths
from workbench.metadata.protocol import BranchService, branch_location
from workbench.metadata.refs.branches import all_branches, check_branch
from workbench.metadata.refs.ref_names import checked_name
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import snapshot_files
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join
from workbench.table.versions.tag_changes import version_of_id


@dataclass(frozen=True, repr=False)
class BranchChange:
    """A change to a branch. ``done`` is what was done: created, renamed or deleted.

    ``snapshot`` is the id of the version that a new branch starts from, None for an empty one; ``tag`` the tag it was
    created from; ``before`` the previous name of a renamed branch.
    """

    table: str
    done: str
    name: str
    snapshot: int | None = None
    tag: str | None = None
    before: str | None = None

    def __repr__(self) -> str:
        start = "" if self.snapshot is None else f" at snapshot {self.snapshot}"
        tag = "" if self.tag is None else f" of tag {self.tag}"
        before = "" if self.before is None else f", which was {self.before}"
        return f"<{self.table}: branch {self.name} {self.done}{start}{tag}{before}>"


def create_branch(store: TableStore, name: str, tag: str | None, snapshot: int | None) -> BranchChange:
    """Create a branch over the same data files; see `Table.create_branch`."""
    if tag is not None and snapshot is not None:
        raise InvalidRequest("A branch starts from a tag or a snapshot, not both.", "Pass one of them, or neither.")
    _check_free(store, name)
    service = store.branch_service
    if service is not None:
        return _created(store, service, name, tag, snapshot)
    snapshot_files(store, "Creating a branch")
    files: dict[str, bytes] = {}
    start = None
    if tag is not None:
        files[join(paths.TAG_DIRECTORY, paths.tag_name(tag))] = store.file_io.read_bytes(Tags(store).file(tag).path)
        start = Tags(store).get(tag).snapshot
    elif snapshot is not None:
        start = version_of_id(store, snapshot)
    if start is not None:
        files[join(paths.SNAPSHOT_DIRECTORY, paths.snapshot_name(start.id))] = start.to_json().encode()
    for number in store.schemas.ids():
        if start is None or number <= start.schema_id:
            schema = join(paths.SCHEMA_DIRECTORY, paths.schema_name(number))
            files[schema] = store.read_metadata(store.branch_path(schema))
    _put_together(store, name, files)
    return BranchChange(store.name, "created", name, None if start is None else start.id, tag)


def _created(
    store: TableStore, service: BranchService, name: str, tag: str | None, snapshot: int | None
) -> BranchChange:
    """Let a service create a branch, which starts from a tag."""
    if snapshot is not None:
        raise Unsupported(
            f"The catalog of {store.name} does not create branches from a snapshot.",
            "Create a tag of the snapshot, and the branch from the tag.",
        )
    start = None if tag is None else Tags(store).get(tag).snapshot.id
    service.create(name, tag)
    return BranchChange(store.name, "created", name, start, tag)


def rename_branch(store: TableStore, name: str, new_name: str) -> BranchChange:
    """Rename a branch; see `Table.rename_branch`."""
    _check_not_main(name, "renamed")
    check_branch(store, name)
    _check_not_read_through(store, name)
    _check_free(store, new_name)
    service = store.branch_service
    if service is not None:
        service.rename(name, new_name)
        return BranchChange(store.name, "renamed", new_name, before=name)
    _move(store, branch_location(store.location, name), new_name)
    return BranchChange(store.name, "renamed", new_name, before=name)


def delete_branch(store: TableStore, name: str) -> BranchChange:
    """Delete a branch; see `Table.delete_branch`."""
    check_deletable(store, name)
    service = store.branch_service
    if service is not None:
        service.delete(name)
        return BranchChange(store.name, "deleted", name)
    # Renamed first, because deleting a directory is not atomic: after a crash the rest is not part of any branch.
    aside = _hidden(store, name)
    store.file_io.rename(branch_location(store.location, name), aside)
    store.file_io.delete_directory(aside)
    return BranchChange(store.name, "deleted", name)


def check_deletable(store: TableStore, name: str) -> None:
    """Raise the errors that `delete_branch` would raise."""
    _check_not_main(name, "deleted")
    check_branch(store, name)
    _check_not_read_through(store, name)


def _check_free(store: TableStore, name: str) -> None:
    checked_name("branch", name)
    if name == paths.MAIN_BRANCH:
        raise InvalidRequest("A branch cannot be named 'main'.", "That is the table itself; choose another name.")
    if name.isdecimal():
        raise InvalidRequest(f"The branch name '{name}' consists of digits only.", "Add a letter to it.")
    if name in all_branches(store):
        raise _taken(store, name)


def _check_not_main(name: str, done: str) -> None:
    if name == paths.MAIN_BRANCH:
        raise InvalidRequest(f"The main branch cannot be {done}.", "It is the table itself.")


def _check_not_read_through(store: TableStore, name: str) -> None:
    for option, branch in store.schema.core.other_branches.items():
        if branch == name:
            raise WorkbenchError(
                f"Branch '{name}' of {store.name} is in use: option '{option}' names it.", "Remove the option first."
            )


def _put_together(store: TableStore, name: str, files: dict[str, bytes]) -> None:
    """Create a branch from these files atomically: other processes see all of it or nothing."""
    scratch = _hidden(store, name)
    try:
        for file, content in files.items():
            store.file_io.write_bytes(join(scratch, file), content)
        _move(store, scratch, name)
    except BaseException:
        # The first error is the one to report; the leftover directory is hidden and small.
        with suppress(OSError):
            store.file_io.delete_directory(scratch)
        raise


def _hidden(store: TableStore, name: str) -> str:
    """Return a directory next to the branches that is not recognized as a branch."""
    return store.path(paths.BRANCH_DIRECTORY, f".{paths.branch_name(name)}.{store.ids.uuid()}.tmp")


def _move(store: TableStore, directory: str, name: str) -> None:
    try:
        store.file_io.rename(directory, branch_location(store.location, name))
    except FileExistsError as error:
        raise _taken(store, name) from error


def _taken(store: TableStore, name: str) -> AlreadyExists:
    return AlreadyExists(f"{store.name} already has a branch '{name}'.", "Choose another name.")
