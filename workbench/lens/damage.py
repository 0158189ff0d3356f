"""Damaged files: the size that one should have, and the size that it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.secrets import without_credentials
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.wire import Int64
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class DamagedFileValue:
    """A damaged file. ``expected_bytes`` is its size according to the metadata of the table, None if no size is
    recorded; ``found_bytes`` is None if the file is missing."""

    path: str
    expected_bytes: Int64 | None
    found_bytes: Int64 | None


@dataclass(frozen=True)
class RecordedFile:
    """A file of a version. ``size`` is None if it is not recorded; ``rows`` are the rows of a data file, None for other
    files."""

    path: str
    size: int | None
    rows: int | None = None

    @property
    def directory(self) -> str:
        """The path of its directory."""
        return self.path.rpartition("/")[0]


def collect_damaged_file(store: TableStore, snapshot: Snapshot | None, path: str) -> DamagedFileValue | None:
    """Return the sizes of a damaged file; None if the table has no file of that path.

    Args:
        store: The table.
        snapshot: The version that uses the file, None if the version itself cannot be read.
        path: The path as an error shows it, which is without credentials.
    """
    recorded = () if snapshot is None else _files(store, snapshot)
    file = next((each for each in recorded if without_credentials(each.path) == path), None) or _own_file(store, path)
    if file is None:
        return None
    found = store.file_io.status(file.path)
    if found is not None and found.is_directory:
        return None
    return DamagedFileValue(path, file.size, None if found is None else found.size)


def data_files(store: TableStore, snapshot: Snapshot) -> list[RecordedFile]:
    """Return the data files of a version with their sizes.

    Raises:
        CorruptFile: A manifest is missing or damaged.
        Unsupported: A file is outside of the warehouse.
    """
    entries = ManifestFiles(store).live_files(snapshot)
    return [
        RecordedFile(store.data_file_path(each.partition, each.bucket, each.file), each.file.file_size)
        for each in entries
    ]


def _own_file(store: TableStore, path: str) -> RecordedFile | None:
    """Return a file in the directory of a table, such as its schema, by the shown path; None for other paths."""
    shown = without_credentials(store.location).rstrip("/") + "/"
    inside = path.removeprefix(shown)
    is_inside = path.startswith(shown) and ".." not in inside.split("/")
    return RecordedFile(store.path(inside), None) if is_inside else None


def _files(store: TableStore, snapshot: Snapshot) -> Iterator[RecordedFile]:
    """Yield the files of a version, as far as its metadata can be read: the files that only a damaged file lists are
    left out."""
    manifests = ManifestFiles(store)
    for name, size in (
        (snapshot.base_manifest_list, snapshot.base_manifest_list_size),
        (snapshot.delta_manifest_list, snapshot.delta_manifest_list_size),
    ):
        yield RecordedFile(store.path(paths.MANIFEST_DIRECTORY, name), size)
        try:
            metas = manifests.read_list(name, size)
        except CorruptFile:
            continue
        for meta in metas:
            yield RecordedFile(store.path(paths.MANIFEST_DIRECTORY, meta.file_name), meta.file_size)
    yield from _data_files(store, snapshot)
    yield from _index_files(store, snapshot)


def _data_files(store: TableStore, snapshot: Snapshot) -> list[RecordedFile]:
    try:
        return data_files(store, snapshot)
    except (CorruptFile, Unsupported):
        return []


def _index_files(store: TableStore, snapshot: Snapshot) -> list[RecordedFile]:
    try:
        entries = index_entries(store, snapshot)
        return [RecordedFile(index_file_path(store, each), each.file_size) for each in entries]
    except (CorruptFile, Unsupported):
        return []
