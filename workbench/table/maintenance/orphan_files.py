"""Finding and deleting files that no version of a table uses (format §24.2, `OrphanFilesClean` in Java)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from workbench.base.errors import InvalidRequest
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.progress import Progress
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.scan.table_directory import Directories, Listing, data_directories, list_data, list_metadata
from workbench.storage.file_io import FileStatus
from workbench.table.maintenance.delete_files import delete_files
from workbench.table.maintenance.used_files import all_histories, used_by_history

_DEFAULT_AGE = timedelta(days=1)


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


class OrphanSearch:
    """Lists the directories with data files, in this process."""

    def data(self, store: TableStore, directories: Directories, progress: Progress) -> Listing:
        """List directories of a table. Files that a version uses may be omitted."""
        with progress.step(f"Listing {store.name}"):
            return list_data(store, directories)


@measured("remove orphan files")
def remove_orphan_files(
    store: TableStore,
    older_than: int | str | datetime | date | None,
    dry_run: bool,
    progress: Progress,
    search: OrphanSearch | None = None,
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
    listing = list_metadata(store, histories)
    listing.add((search or OrphanSearch()).data(store, data_directories(store), progress))
    orphans = listing.orphans(used_by_histories(histories, progress), limit)
    directories = listing.emptied(orphans, limit)
    if not dry_run:
        delete_files(store, [each.path for each in orphans], f"Deleting orphan files of {store.name}", progress)
        # A writer may have added a file to an empty directory concurrently.
        directories = [each for each in directories if store.file_io.delete_empty_directory(each)]
    size = sum(each.size for each in orphans)
    return OrphanFiles(store.name, dry_run, tuple(each.path for each in orphans), tuple(directories), size)


def candidate_files(store: TableStore) -> list[FileStatus]:
    """Return the files in the table directory that are orphans unless a version uses them, and files that are always
    orphans."""
    listing = list_metadata(store, all_histories(store))
    listing.add(list_data(store, data_directories(store)))
    return [each for each in listing.candidates if not each.is_directory]


def used_by_histories(histories: Sequence[TableStore], progress: Progress) -> set[str]:
    """Return the names of all files that the branches of a table use."""
    used: set[str] = set()
    for history in histories:
        used |= used_by_history(history, progress)
    return used
