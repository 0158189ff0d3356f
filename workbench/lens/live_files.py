"""Whether the files of a version are in storage: by listing their directories, and by the reads that failed before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.failed_reads import FAILED_READS, MISSING, Fingerprint
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.base.secrets import without_credentials
from workbench.format.spec import paths
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.damage import RecordedFile
from workbench.lens.error import ErrorValue, describe_error
from workbench.lens.wire import Int64
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

_LISTERS = 8
# Listing a directory of another storage costs a request.
_MOST_LOCAL, _MOST_REMOTE = 2000, 4
_Listing = Mapping[str, Fingerprint]


@dataclass(frozen=True)
class LostFile:
    """A file of a version that cannot be read. ``path`` is shown without credentials; ``rows`` is None if it is not a
    data file."""

    path: str
    reason: str
    rows: int | None

    @property
    def is_missing(self) -> bool:
        """Whether there is no such file."""
        return self.reason == MISSING

    def error(self) -> ErrorValue:
        """Return what a read of the file reports."""
        return describe_error(CorruptFile(self.path, self.reason, transient=True))


@dataclass(frozen=True)
class LiveFiles:
    """What is known of the ``files`` of a version. ``checked`` of them were looked for, ``lost`` are those that cannot
    be read."""

    files: int = 0
    checked: int = 0
    lost: tuple[LostFile, ...] = ()


NOT_LOOKED_FOR = LiveFiles()


@dataclass(frozen=True)
class LiveFilesValue:
    """Whether the files of a version are in storage. ``checked`` of the ``files`` were looked for; ``damage`` is the
    error that a read of a missing or damaged one reports."""

    files: Int64
    checked: Int64
    damage: ErrorValue | None


def collect_live_files(
    store: TableStore, snapshot: Snapshot | None, progress: Progress | None = None, *, everything: bool = False
) -> LiveFiles:
    """Look for the files of a version, and compare their sizes with those in its metadata.

    Their content is not read, but a file that this process failed to read counts as lost, until it changes.

    Args:
        store: The table, with the schema of the version.
        snapshot: The version; None for a table that was never written.
        progress: Where cancellation is requested.
        everything: Whether to list all directories, instead of a sample if there are very many.

    Raises:
        CorruptFile: The manifests of the version cannot be read.
        Cancelled: Cancellation was requested.
    """
    if snapshot is None:
        return LiveFiles()
    progress = progress or Progress()
    by_directory: dict[str, list[RecordedFile]] = defaultdict(list)
    for file in _files(store, snapshot):
        by_directory[file.directory].append(file)
    chosen = list(by_directory) if everything else _sample(store, by_directory)
    listings = parallel_map(lambda each: _listing(store, each, progress), chosen, _LISTERS)
    listed = {directory: found for directory, found in zip(chosen, listings, strict=True) if found is not None}
    lost = [
        each
        for directory in listed
        for file in by_directory[directory]
        if (each := _lost(file, listed[directory].get(file.path))) is not None
    ]
    return LiveFiles(
        sum(map(len, by_directory.values())),
        sum(len(by_directory[each]) for each in listed),
        tuple(sorted(lost, key=lambda each: each.path)),
    )


def collect_live_files_value(table: ReadableTable, progress: Progress | None = None) -> LiveFilesValue:
    """Return whether the files of a table's version are there; see `collect_live_files`."""
    live = collect_live_files(table.store, table.version, progress)
    return LiveFilesValue(live.files, live.checked, next((each.error() for each in live.lost), None))


def collect_failed_read(store: TableStore, snapshot: Snapshot | None) -> ErrorValue | None:
    """Return the error of a file of a version that this process failed to read; None if every read was successful.
    Without failures, this costs nothing."""
    if snapshot is None or not len(FAILED_READS):
        return None
    for file in _files(store, snapshot):
        if FAILED_READS.find(file.path) is not None:
            status = store.file_io.status(file.path)
            lost = _lost(file, None if status is None else Fingerprint(status.size, status.modified_millis))
            if lost is not None:
                return lost.error()
    return None


def _sample(store: TableStore, by_directory: Mapping[str, Sequence[RecordedFile]]) -> list[str]:
    """Return all directories if they are few. Otherwise, return those of failed reads, and some that are evenly
    spread."""
    most = _MOST_LOCAL if store.is_local else _MOST_REMOTE
    if len(by_directory) <= most:
        return list(by_directory)
    failed = [
        directory
        for directory, files in by_directory.items()
        if len(FAILED_READS) and any(FAILED_READS.find(file.path) for file in files)
    ]
    directories = list(by_directory)
    spread = directories[:: -(-len(directories) // most)]
    return list(dict.fromkeys([*failed[:most], *spread]))


def _listing(store: TableStore, directory: str, progress: Progress) -> _Listing | None:
    """Return the files of a directory; None if the storage does not allow it to be listed."""
    progress.check()
    try:
        listed = store.file_io.list_files(directory)
    except PermissionError:
        return None
    return {each.path: Fingerprint(each.size, each.modified_millis) for each in listed if not each.is_directory}


def _lost(file: RecordedFile, found: Fingerprint | None) -> LostFile | None:
    path = without_credentials(file.path)
    if found is None:
        return LostFile(path, MISSING, file.rows)
    if file.size is not None and found.size != file.size:
        return LostFile(path, f"it has {found.size:,} bytes, but its metadata says {file.size:,}", file.rows)
    failed = FAILED_READS.find(file.path)
    if failed is None:
        return None
    if failed.still_holds(found):
        return LostFile(path, failed.reason, file.rows)
    FAILED_READS.forget(file.path)
    return None


# --- the files of a version ---------------------------------------------------------------------------------------


def _files(store: TableStore, snapshot: Snapshot) -> Iterator[RecordedFile]:
    manifests = ManifestFiles(store)
    live = manifests.live_files(snapshot)
    for entry in live:
        yield from _data_files(store, entry)
    for index in index_entries(store, snapshot):
        # A file outside of the warehouse is not opened, so nothing is known about it.
        with suppress(Unsupported):
            yield RecordedFile(index_file_path(store, index), index.file_size)
    yield from _metadata(store, snapshot, manifests)
    if isinstance(store.runtime.environment, FileSystemEnvironment):
        for number in {snapshot.schema_id, *(entry.file.schema_id for entry in live)}:
            yield RecordedFile(store.branch_path(paths.SCHEMA_DIRECTORY, paths.schema_name(number)), None)
    yield from _failed_changelog(store, snapshot, manifests)


def _data_files(store: TableStore, entry: ManifestEntry) -> Iterator[RecordedFile]:
    with suppress(Unsupported):
        path = store.data_file_path(entry.partition, entry.bucket, entry.file)
        data = RecordedFile(path, entry.file.file_size, entry.file.row_count)
        yield data
        for name in entry.file.extra_files:
            yield RecordedFile(f"{data.directory}/{name}", None)


def _metadata(store: TableStore, snapshot: Snapshot, manifests: ManifestFiles) -> Iterator[RecordedFile]:
    for meta in manifests.data_manifests(snapshot):
        yield RecordedFile(store.path(paths.MANIFEST_DIRECTORY, meta.file_name), meta.file_size)
    for name, size in (
        (snapshot.base_manifest_list, snapshot.base_manifest_list_size),
        (snapshot.delta_manifest_list, snapshot.delta_manifest_list_size),
        (snapshot.index_manifest, None),
    ):
        if name is not None:
            yield RecordedFile(store.path(paths.MANIFEST_DIRECTORY, name), size)
    if snapshot.statistics is not None:
        yield RecordedFile(store.path(paths.STATISTICS_DIRECTORY, snapshot.statistics), None)


def _failed_changelog(store: TableStore, snapshot: Snapshot, manifests: ManifestFiles) -> Iterator[RecordedFile]:
    """Yield the changelog files that could not be read. The others are not looked for, because they expire earlier than
    their snapshot."""
    name = snapshot.changelog_manifest_list
    if name is None or not len(FAILED_READS):
        return
    files = [RecordedFile(store.path(paths.MANIFEST_DIRECTORY, name), snapshot.changelog_manifest_list_size)]
    with suppress(CorruptFile):
        metas = manifests.changelog_list(snapshot)
        files += [RecordedFile(store.path(paths.MANIFEST_DIRECTORY, each.file_name), each.file_size) for each in metas]
        files += [file for entry in manifests.entries(metas) for file in _data_files(store, entry)]
    yield from (file for file in files if FAILED_READS.find(file.path))
