"""The consumers of a table: streaming readers that keep snapshots from expiring (format §23, `ConsumerManager`)."""

from __future__ import annotations

from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.consumer import next_snapshot
from workbench.metadata.small_files import read_small
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileStatus


def all_consumers(store: TableStore) -> dict[str, int]:
    """Return the id of the snapshot that each consumer reads next, by consumer name."""
    known = consumer_files(store)
    positions = parallel_map(lambda status: _position(store, status), known.values())
    return dict(sorted((name, at) for name, at in zip(known, positions, strict=True) if at is not None))


def consumer_files(store: TableStore) -> dict[str, FileStatus]:
    """Return the file of each consumer by name, without reading it."""
    listed = store.file_io.list_files(store.branch_path(paths.CONSUMER_DIRECTORY))
    named = ((paths.name_after("consumer-", status.name), status) for status in listed if not status.is_directory)
    return {name: status for name, status in named if name is not None}


def _position(store: TableStore, status: FileStatus) -> int | None:
    """Return the position in a listed file; None if the file no longer exists."""
    try:
        return next_snapshot(read_small(store.file_io, status.path), status.path)
    except FileNotFoundError:
        return None
