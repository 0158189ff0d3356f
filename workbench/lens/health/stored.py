"""What is in storage: data files that are missing, and files that no version uses."""

from __future__ import annotations

from workbench.base.errors import CorruptFile, TableNotFound, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.credentials import without_credentials
from workbench.lens.health.facts import StoredFiles
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.maintenance.orphan_files import remove_orphan_files
from workbench.table.readable_table import ReadableTable

_LISTERS = 8


def collect_stored_files(table: ReadableTable, snapshot: Snapshot, progress: Progress) -> StoredFiles:
    """List the directories of a table. Files younger than a day are not orphans: they may belong to a commit that is in
    progress."""
    store = table.store
    rows = _rows_by_path(store, snapshot)
    directories = sorted({path.rpartition("/")[0] for path in rows})
    listed = parallel_map(lambda path: _names(store, path, progress), directories, _LISTERS)
    existing = {path for each in listed for path in each}
    missing = sorted(rows.keys() - existing)
    orphans = _orphans(store, progress)
    return StoredFiles(
        tuple(map(without_credentials, missing)),
        sum(rows[path] for path in missing),
        *orphans,
    )


def _rows_by_path(store: TableStore, snapshot: Snapshot) -> dict[str, int]:
    result = {}
    for each in ManifestFiles(store).live_files(snapshot):
        try:
            result[store.data_file_path(each.partition, each.bucket, each.file)] = each.file.row_count
        except Unsupported:
            # A file outside of the warehouse is not opened, so nothing is known about it.
            continue
    return result


def _names(store: TableStore, directory: str, progress: Progress) -> list[str]:
    progress.check()
    return [status.path for status in store.file_io.list_files(directory)]


def _orphans(store: TableStore, progress: Progress) -> tuple[tuple[str, ...], int]:
    try:
        found = remove_orphan_files(store, None, True, progress)
    except (CorruptFile, TableNotFound):
        # What is used cannot be determined; the damaged file is a finding of another check.
        return (), 0
    return tuple(map(without_credentials, found.files)), found.bytes
