"""Finding and deleting files that no version of a table uses (format §24.2, `OrphanFilesClean` in Java)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from workbench.base.errors import InvalidRequest
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.storage.file_io import FileStatus
from workbench.table.maintenance.delete_files import delete_files
from workbench.table.maintenance.used_files import all_histories, used_by_history

_DEFAULT_AGE = timedelta(days=1)
_TEMPORARY = re.compile(r"\..+\.tmp")
_READERS = 8
_HINTS = (paths.LATEST, paths.EARLIEST)
# Java tracks these packs of large objects by separate references, which are not read here.
_KEPT_SUFFIX = ".managed.blob"


@dataclass(frozen=True, repr=False)
class OrphanFiles(Outcome):
    """The paths of the files that no version uses, with their ``bytes``, and of the empty directories."""

    dry_run: bool
    files: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    bytes: int = 0
    metrics: Metrics | None = field(default=None, compare=False)

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """All files that were deleted, or would be."""
        return self.files


@measured("remove orphan files")
def remove_orphan_files(
    store: TableStore, older_than: int | str | datetime | date | None, dry_run: bool, progress: Progress
) -> OrphanFiles:
    """Find and delete orphan files; see `Table.remove_orphan_files`."""
    now = store.clock.now_millis()
    limit = now - _DEFAULT_AGE // timedelta(milliseconds=1) if older_than is None else to_millis(older_than)
    if limit > now:
        raise InvalidRequest(
            "older_than must not be in the future: files of commits in progress would be deleted.",
            "Pass a time in the past.",
        )
    histories = all_histories(store)
    # Listed before the used files are determined, so that files of concurrent commits count as used.
    listed = _Listed(store, histories)
    used: set[str] = set()
    for history in histories:
        used |= used_by_history(history, progress)
    orphans = sorted(
        (each for each in listed.candidates if _is_old(each, limit) and each.name not in used),
        key=lambda each: each.path,
    )
    directories = _emptied(listed, orphans, limit)
    if not dry_run:
        delete_files(store, [each.path for each in orphans], f"Deleting orphan files of {store.name}", progress)
        # A writer may have added a file to one concurrently.
        directories = [each for each in directories if store.file_io.delete_empty_directory(each)]
    size = sum(each.size for each in orphans)
    return OrphanFiles(store.name, dry_run, tuple(each.path for each in orphans), tuple(directories), size)


def candidate_files(store: TableStore) -> list[FileStatus]:
    """Return the files in the table directory that are orphans unless a version uses them, and files that are always
    orphans."""
    return [each for each in _Listed(store, all_histories(store)).candidates if not each.is_directory]


class _Listed:
    """The files in a table directory.

    ``candidates`` are files that a version would have to use, and files that no version can use; ``directories`` may be
    deleted when empty, with their contents, outer ones first.
    """

    def __init__(self, store: TableStore, histories: Sequence[TableStore]) -> None:
        self._file_io = store.file_io
        self.candidates: list[FileStatus] = []
        self.directories: dict[FileStatus, list[FileStatus]] = {}
        for name in (paths.MANIFEST_DIRECTORY, paths.INDEX_DIRECTORY, paths.STATISTICS_DIRECTORY):
            self.candidates += self._file_io.list_files(store.path(name))
        self._list_data(store)
        for history in histories:
            self._list_history(history)
        # Spark writes files into temporary directories of the table before they are moved to their buckets.
        parents = (store.location, store.path(paths.BRANCH_DIRECTORY))
        for status in (status for path in parents for status in self._file_io.list_files(path)):
            if status.is_directory and _TEMPORARY.fullmatch(status.name):
                self._list_all(status)

    def _list_data(self, store: TableStore) -> None:
        directory = store.schema.core.data_file_path_directory
        inside = self._file_io.list_files(
            store.location if directory is None else store.check_path(store.path(directory))
        )
        levels = len(store.partition_fields)
        for level in range(levels + 1):
            directories = [each for each in inside if each.is_directory and _holds_data(each.name, level == levels)]
            children = parallel_map(lambda each: self._file_io.list_files(each.path), directories, _READERS)
            self.directories.update(zip(directories, children, strict=True))
            inside = [status for group in children for status in group]
            if level < levels:
                # Success files of partitions are first written as temporary files, too.
                self.candidates += [each for each in inside if _TEMPORARY.fullmatch(each.name)]
        self.candidates += inside

    def _list_history(self, history: TableStore) -> None:
        """List temporary files that were never renamed, and other files among snapshots or changelogs."""
        numbered = {paths.SNAPSHOT_DIRECTORY: "snapshot-", paths.CHANGELOG_DIRECTORY: "changelog-"}
        for directory, prefix in numbered.items():
            for status in self._file_io.list_files(history.branch_path(directory)):
                if not status.name.startswith(prefix) and status.name not in _HINTS:
                    self.candidates.append(status)
        for directory in (paths.SCHEMA_DIRECTORY, paths.TAG_DIRECTORY, paths.CONSUMER_DIRECTORY):
            for status in self._file_io.list_files(history.branch_path(directory)):
                if _TEMPORARY.fullmatch(status.name):
                    self.candidates.append(status)

    def _list_all(self, directory: FileStatus) -> None:
        children = self._file_io.list_files(directory.path)
        self.directories[directory] = children
        self.candidates += children
        for child in children:
            if child.is_directory:
                self._list_all(child)


def _holds_data(name: str, is_bucket: bool) -> bool:
    return name.startswith("bucket-") if is_bucket else "=" in name


def _is_old(status: FileStatus, limit: int) -> bool:
    """Return whether a file may be deleted if it is unused. A file without a modification time may be new."""
    known = not status.is_directory and not status.name.endswith(_KEPT_SUFFIX)
    return known and 0 < status.modified_millis < limit


def _emptied(listed: _Listed, orphans: Iterable[FileStatus], limit: int) -> list[str]:
    """Return the directories that are empty without the orphans, inner ones first.

    A directory that is empty already may have just been created.
    """
    removed = {each.path for each in orphans}
    emptied = []
    for directory, children in reversed(listed.directories.items()):
        if all(child.path in removed for child in children) and (children or 0 < directory.modified_millis < limit):
            removed.add(directory.path)
            emptied.append(directory.path)
    return emptied
