"""Deleting many files, and directories that become empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.base.outcome import Outcome
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.metadata.store import TableStore
from workbench.storage.file_io import parent

_WORKERS = 8


class FileDeletion(Outcome):
    """The result of deleting versions: the paths of the files that only they used."""

    data_files: tuple[str, ...]
    metadata_files: tuple[str, ...]

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """All files that were deleted, or would be."""
        return (*self.data_files, *self.metadata_files)


def delete_files(store: TableStore, files: Sequence[str], label: str, progress: Progress) -> None:
    """Delete files, ignoring missing ones. May raise Cancelled between two files."""

    def delete(path: str) -> None:
        store.file_io.delete(path)
        progress.advance()

    with progress.step(label, len(files)):
        parallel_map(delete, files, _WORKERS)


def delete_unused(store: TableStore, data: Sequence[str], metadata: Sequence[str], progress: Progress) -> None:
    """Delete data files, then metadata files and, if the table's options require it, directories that become empty.

    A failure in between leaves files to orphan cleaning.
    """
    delete_files(store, data, f"Deleting data files of {store.name}", progress)
    delete_files(store, metadata, f"Deleting metadata files of {store.name}", progress)
    if store.schema.core.snapshot_clean_empty_directories:
        delete_empty_directories(store, {parent(path) for path in data})


def delete_empty_directories(store: TableStore, directories: Iterable[str]) -> None:
    """Delete empty bucket directories, and then empty partition directories."""
    todo = {each for each in directories if each.startswith(f"{store.location}/")}
    while todo:
        deleted = [each for each in sorted(todo) if store.file_io.delete_empty_directory(each)]
        todo = {above for above in map(parent, deleted) if "=" in above.rsplit("/", 1)[-1]}
