"""Making, renaming and deleting branches (format §1, §23, `FileSystemBranchManager` in Java)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from workbench.base.errors import AlreadyExists, InvalidRequest, WorkbenchError
from workbench.format import paths
from workbench.storage.file_io import join
from workbench.table.branches import all_branches, check_branch
from workbench.table.schemas import schema_ids
from workbench.table.store import TableStore, branch_location
from workbench.table.tag_changes import version_of_id
from workbench.table.tags import Tags
from workbench.table.version_names import checked_name

_READ_THROUGH = ("scan.fallback-branch", "scan.primary-branch")


@dataclass(frozen=True, repr=False)
class BranchChange:
    """What was done to a branch. ``done``: created, renamed or deleted.

    ``snapshot`` is the id of the version that a new branch begins with, None for an empty one; ``tag`` the tag it was
    made from; ``before`` the name that a renamed branch had.
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
    """Begin another history over the same data files; see `VersionChanges.create_branch`."""
    if tag is not None and snapshot is not None:
        raise InvalidRequest("A branch begins at a tag or at a snapshot.", "Pass one of tag and snapshot, or neither.")
    _check_free(store, name)
    files: dict[str, bytes] = {}
    start = None
    if tag is not None:
        files[join(paths.TAG_DIRECTORY, paths.tag_name(tag))] = store.file_io.read_bytes(Tags(store).file(tag).path)
        start = Tags(store).get(tag).snapshot
    elif snapshot is not None:
        start = version_of_id(store, snapshot)
    if start is not None:
        files[join(paths.SNAPSHOT_DIRECTORY, paths.snapshot_name(start.id))] = start.to_json().encode()
    for number in schema_ids(store.file_io, store.branch_location):
        if start is None or number <= start.schema_id:
            schema = join(paths.SCHEMA_DIRECTORY, paths.schema_name(number))
            files[schema] = store.read_metadata(store.branch_path(schema))
    _put_together(store, name, files)
    return BranchChange(store.name, "created", name, None if start is None else start.id, tag)


def rename_branch(store: TableStore, name: str, new_name: str) -> BranchChange:
    """Give a branch another name; see `VersionChanges.rename_branch`."""
    _check_not_main(name, "renamed")
    check_branch(store, name)
    _check_not_read_through(store, name)
    _check_free(store, new_name)
    _move(store, branch_location(store.location, name), new_name)
    return BranchChange(store.name, "renamed", new_name, before=name)


def delete_branch(store: TableStore, name: str) -> BranchChange:
    """Forget a branch; see `VersionChanges.delete_branch`."""
    check_deletable(store, name)
    # Out of sight first, for a directory is not deleted at once: what a crash leaves is nobody's branch.
    aside = _hidden(store, name)
    store.file_io.rename(branch_location(store.location, name), aside)
    store.file_io.delete_directory(aside)
    return BranchChange(store.name, "deleted", name)


def check_deletable(store: TableStore, name: str) -> None:
    """Raise as `delete_branch` would."""
    _check_not_main(name, "deleted")
    check_branch(store, name)
    _check_not_read_through(store, name)


def _check_free(store: TableStore, name: str) -> None:
    checked_name("branch", name)
    if name == paths.MAIN_BRANCH:
        raise InvalidRequest("A branch cannot be called 'main'.", "That is the table itself; choose another name.")
    if name.isdecimal():
        raise InvalidRequest(f"The name '{name}' of a branch has only digits.", "Put a letter into it.")
    if name in all_branches(store):
        raise _taken(store, name)


def _check_not_main(name: str, done: str) -> None:
    if name == paths.MAIN_BRANCH:
        raise InvalidRequest(f"The main branch cannot be {done}.", "It is the table itself.")


def _check_not_read_through(store: TableStore, name: str) -> None:
    for option in _READ_THROUGH:
        if store.schema.core.text(option) == name:
            raise WorkbenchError(
                f"Branch '{name}' of {store.name} is in use: option '{option}' names it.", "Remove the option first."
            )


def _put_together(store: TableStore, name: str, files: dict[str, bytes]) -> None:
    """Make a branch of these files at once: another process, or one after a crash, sees all of it or nothing."""
    scratch = _hidden(store, name)
    try:
        for file, content in files.items():
            store.file_io.write_bytes(join(scratch, file), content)
        _move(store, scratch, name)
    except BaseException:
        # What went wrong first is what to tell; the directory is hidden, and small.
        with suppress(OSError):
            store.file_io.delete_directory(scratch)
        raise


def _hidden(store: TableStore, name: str) -> str:
    """A directory beside the branches that nobody takes for one."""
    return store.path(paths.BRANCH_DIRECTORY, f".{paths.branch_name(name)}.{store.ids.uuid()}.tmp")


def _move(store: TableStore, directory: str, name: str) -> None:
    try:
        store.file_io.rename(directory, branch_location(store.location, name))
    except FileExistsError as error:
        raise _taken(store, name) from error


def _taken(store: TableStore, name: str) -> AlreadyExists:
    return AlreadyExists(f"{store.name} has a branch '{name}' already.", "Choose another name.")
