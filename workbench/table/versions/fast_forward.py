"""Fast-forwarding a table to a branch (format §23, `FileSystemBranchManager.fastForward` in Java).

Java deletes first and then copies, so a crash in between leaves a table without its schema. Here the table is rolled
back to the start of the branch, takes over its schemas and tags, and then its snapshots one by one: it is readable at
every moment, with the same files in the end. The branch is not changed, so an interrupted run can be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import CommitConflict, CorruptFile, InvalidRequest, SnapshotNotFound
from workbench.base.observers import report_change
from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.protocol import BranchService
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots, snapshot_files
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join


@dataclass(frozen=True, repr=False)
class FastForward:
    """The ids of the snapshots that a table took over from a branch, and its own snapshots and tags that were dropped.

    ``snapshot`` is the newest version now. Snapshots and tags that were the same in both are not listed.
    """

    table: str
    branch: str
    snapshot: int
    taken_snapshots: tuple[int, ...]
    dropped_snapshots: tuple[int, ...]
    dropped_tags: tuple[str, ...]

    def __repr__(self) -> str:
        taken, dropped = len(self.taken_snapshots), len(self.dropped_snapshots)
        return (
            f"<{self.table}: fast-forwarded to snapshot {self.snapshot} of branch {self.branch}, "
            f"{counted(taken, 'snapshots')} taken over, {counted(dropped, 'snapshots')} and "
            f"{counted(len(self.dropped_tags), 'tags')} dropped>"
        )


@dataclass(frozen=True)
class _Takeover:
    """The changes that make a directory of the table equal to the branch's: the contents of ``new`` or different files,
    and the files to delete."""

    directory: str
    new: dict[str, bytes]
    deleted: tuple[str, ...]

    @classmethod
    def of(cls, store: TableStore, branch: TableStore, name: str, is_later: Callable[[str], bool]) -> _Takeover:
        """Compare the directories of the table and of the branch.

        ``is_later`` returns whether a file of the table is later than the start of the branch: such files are deleted
        unless the branch has the same file. Files other than versions, such as hints, are kept.
        """
        known = _IS_VERSION[name]
        ours, theirs = (
            {status.name: status.path for status in each.file_io.list_files(each.branch_path(name))}
            for each in (store, branch)
        )
        versions = {file: path for file, path in theirs.items() if known(file)}
        contents = dict(zip(versions, parallel_map(branch.read_metadata, versions.values()), strict=True))
        same = {
            file
            for file, content in contents.items()
            if file in ours and _value(content, versions[file]) == _value(store.read_metadata(ours[file]), ours[file])
        }
        return cls(
            store.branch_path(name),
            {file: content for file, content in contents.items() if file not in same},
            tuple(file for file in ours if known(file) and file not in same and is_later(file)),
        )


_IS_VERSION: dict[str, Callable[[str], bool]] = {
    paths.SNAPSHOT_DIRECTORY: lambda name: paths.snapshot_id(name) is not None,
    paths.SCHEMA_DIRECTORY: lambda name: paths.schema_id(name) is not None,
    paths.TAG_DIRECTORY: lambda name: paths.name_after("tag-", name) is not None and name != "tag-success-file",
}


def fast_forward(store: TableStore, name: str) -> FastForward:
    """Fast-forward to a branch; see `Table.fast_forward`."""
    if name in (paths.MAIN_BRANCH, store.branch):
        raise InvalidRequest(
            f"{store.name} cannot be fast-forwarded to branch '{name}'.", "Pass a branch that was created from it."
        )
    branch = open_branch(store, name)
    begin = Snapshots(branch).earliest_id()
    newest = Snapshots(branch).latest_id()
    if begin is None or newest is None:
        raise SnapshotNotFound(f"Branch '{name}' of {store.name} has no snapshots.", "Write to it first.")
    service = store.branch_service
    if service is not None:
        done = _forwarded_by(service, store, branch, begin, newest)
        report_change(store.name)
        return done
    files = snapshot_files(store, "Fast-forwarding to a branch")
    before = store.snapshots.latest()
    with store.lock.lock(*store.name.split(".", 1)):
        done = _Forwarding(store, files, branch, begin, newest).run()
    report_change(store.name)
    store.runtime.environment.snapshots_replaced(store.table_branch, before, store.snapshots.latest())
    return done


def _forwarded_by(
    service: BranchService, store: TableStore, branch: TableStore, begin: int, newest: int
) -> FastForward:
    """Let a service fast-forward, and return what it does by the versions of both before."""
    ours, theirs = ({each.id: each for each in Snapshots(side).all() if each.id >= begin} for side in (store, branch))
    tags = set(Tags(store).names())
    service.fast_forward(branch.branch)
    return FastForward(
        store.name,
        branch.branch,
        newest,
        tuple(each for each in sorted(theirs) if ours.get(each) != theirs[each]),
        tuple(each for each in sorted(ours) if theirs.get(each) != ours[each]),
        tuple(sorted(tags - set(Tags(store).names()))),
    )


class _Forwarding:
    """One fast-forward; ``begin`` and ``newest`` are the ids of the first and the last snapshot of the branch."""

    def __init__(
        self, store: TableStore, files: FileSystemSnapshotStore, branch: TableStore, begin: int, newest: int
    ) -> None:
        self._store = store
        self._files = files
        self._branch = branch
        self._begin = begin
        self._newest = newest
        since_schema = Snapshots(branch).get(begin).schema_id
        tags = Tags(store).all()
        self._later_tags = {paths.tag_name(tag.name) for tag in tags.values() if tag.snapshot.id >= begin}
        self._snapshots = self._takeover(paths.SNAPSHOT_DIRECTORY, lambda file: (paths.snapshot_id(file) or 0) >= begin)
        self._schemas = self._takeover(
            paths.SCHEMA_DIRECTORY, lambda file: (paths.schema_id(file) or 0) >= since_schema
        )
        self._tags = self._takeover(paths.TAG_DIRECTORY, lambda file: file in self._later_tags)
        kept = [each.schema_id for each in Snapshots(store).all() if each.id < begin]
        self._kept_schema = max(
            [*kept, *(tag.snapshot.schema_id for tag in tags.values() if tag.snapshot.id < begin)], default=-1
        )

    def _takeover(self, directory: str, is_later: Callable[[str], bool]) -> _Takeover:
        return _Takeover.of(self._store, self._branch, directory, is_later)

    def run(self) -> FastForward:
        """Roll back to the common history, then add the schemas, tags and snapshots of the branch."""
        self._check_schemas_of_the_past()
        dropped = _ids(self._snapshots.deleted)
        tags = tuple(sorted(_tag_names(self._tags.deleted) - _tag_names(self._tags.new)))
        Tags(self._store).unregister(tags)
        self._files.delete_newest(dropped)
        # Deleted tags refer to the deleted schemas, and new tags to the new schemas.
        self._remove(self._tags, self._tags.deleted)
        self._add(self._schemas)
        self._remove(self._schemas, set(self._schemas.deleted) - set(self._schemas.new))
        self._add(self._tags)
        Tags(self._store).register(sorted(_tag_names(self._tags.new)))
        taken = _ids(self._snapshots.new)
        for number in taken:
            self._publish(number, self._snapshots.new[paths.snapshot_name(number)])
        self._files.lower_earliest_hint(self._begin)
        self._files.confirm_latest(self._newest)
        name = self._branch.branch
        return FastForward(self._store.name, name, self._newest, tuple(taken), tuple(dropped), tags)

    def _check_schemas_of_the_past(self) -> None:
        changed = [
            number
            for number in map(paths.schema_id, (*self._schemas.new, *self._schemas.deleted))
            if number is not None
        ]
        if min(changed, default=self._kept_schema + 1) <= self._kept_schema:
            raise InvalidRequest(
                f"Snapshots of {self._store.name} that are older than branch '{self._branch.branch}' have schemas that "
                "are missing or different in the branch.",
                f"Roll the table back to a snapshot before {self._begin} with a schema of the branch first.",
            )

    def _add(self, takeover: _Takeover) -> None:
        for file in sorted(takeover.new, key=_order):
            self._store.file_io.overwrite_atomic(join(takeover.directory, file), takeover.new[file])

    def _remove(self, takeover: _Takeover, files: Iterable[str]) -> None:
        for file in sorted(files, key=_order, reverse=True):
            self._store.file_io.delete(join(takeover.directory, file))

    def _publish(self, number: int, content: bytes) -> None:
        path = self._files.path(number)
        # If the response to a successful request was lost, its repetition is refused, but the stored content is ours.
        if not self._store.file_io.put_if_absent(path, content) and self._store.read_metadata(path) != content:
            raise CommitConflict(
                f"Another writer committed snapshot {number} to {self._store.name} while it was fast-forwarded.",
                "Stop the writers and try again.",
            )


def _ids(names: dict[str, bytes] | tuple[str, ...]) -> list[int]:
    return sorted(number for number in map(paths.snapshot_id, names) if number is not None)


def _tag_names(files: Iterable[str]) -> set[str]:
    return {file.removeprefix("tag-") for file in files}


def _order(name: str) -> tuple[int, str]:
    """Return a key that sorts schemas by id, so that 10 follows 9."""
    return paths.schema_id(name) or 0, name


def _value(content: bytes, path: str) -> Any:
    """Return the JSON value of a file, for comparison regardless of its layout."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CorruptFile(path, f"not JSON ({error})") from error
