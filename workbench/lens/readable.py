"""The newest version of a damaged table that can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, SnapshotNotFound, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.secrets import without_credentials
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.damage import DamagedFileValue, RecordedFile, collect_damaged_file, data_files
from workbench.lens.wire import Int64
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

_MAX_TRIES = 50
_LISTERS = 8


@dataclass(frozen=True)
class ReadableVersionValue:
    """The newest version that can be read, as far as can be seen without reading data files. ``snapshot`` is None if
    none of the newest 50 can be read; ``damaged`` is the file that was named in the request, None if the table has no
    such file."""

    snapshot: Int64 | None
    damaged: DamagedFileValue | None


def collect_readable_version(
    table: ReadableTable, snapshot: int | None = None, tag: str | None = None, damaged: str | None = None
) -> ReadableVersionValue:
    """Return the newest version that can be read instead of one that cannot.

    To find it, metadata is read, and the sizes of data files are compared with those in the metadata.

    Args:
        table: The table.
        snapshot: The damaged snapshot: only older ones are considered.
        tag: The tag of the damaged version.
        damaged: The path of a file that is known to be damaged, as an error shows it: no version that uses it is
            considered.
    """
    store = table.store
    ids = sorted(Snapshots(store).ids(), reverse=True)
    candidates = [number for number in ids if snapshot is None or number < snapshot][:_MAX_TRIES]
    storage = _Storage(store)
    found = next((number for number in candidates if _can_be_read(store, number, damaged, storage)), None)
    file = collect_damaged_file(store, _version(store, snapshot, tag), damaged) if damaged else None
    return ReadableVersionValue(found, file)


def _version(store: TableStore, snapshot: int | None, tag: str | None) -> Snapshot | None:
    """Return the metadata of the damaged version; None if the metadata itself cannot be read."""
    try:
        if tag is not None:
            return Tags(store).get(tag).snapshot
        return Snapshots(store).latest() if snapshot is None else Snapshots(store).get(snapshot)
    except (CorruptFile, SnapshotNotFound):
        return None


class _Storage:
    """The sizes of the files in storage; each directory is listed once."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._sizes: dict[str, dict[str, int]] = {}

    def holds(self, files: Sequence[RecordedFile]) -> bool:
        """Return whether all files exist in their recorded sizes."""
        directories = sorted({file.directory for file in files} - self._sizes.keys())
        self._sizes.update(zip(directories, parallel_map(self._list, directories, _LISTERS), strict=True))
        return all(self._sizes[file.directory].get(file.path) == file.size for file in files)

    def _list(self, directory: str) -> dict[str, int]:
        return {status.path: status.size for status in self._store.file_io.list_files(directory)}


def _can_be_read(store: TableStore, snapshot_id: int, damaged: str | None, storage: _Storage) -> bool:
    try:
        snapshot = Snapshots(store).get(snapshot_id)
        store.schema_of(snapshot.schema_id)
        files = data_files(store, snapshot)
    except (CorruptFile, SnapshotNotFound, Unsupported):
        return False
    return not any(without_credentials(file.path) == damaged for file in files) and storage.holds(files)
