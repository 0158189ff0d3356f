"""Index files that a version names: those that change which rows there are must be understood, or refused (format
§7)."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.format import paths
from workbench.format.index_manifest import index_types
from workbench.format.snapshot import Snapshot
from workbench.table.store import TableStore

DELETION_VECTORS = "DELETION_VECTORS"


def check_index_files(store: TableStore, snapshot: Snapshot | None) -> None:
    """Raises Unsupported where rows are hidden by deletion vectors. Other indexes only speed reads up and may be
    ignored."""
    if snapshot is None or snapshot.index_manifest is None:
        return
    path = store.path(paths.MANIFEST_DIRECTORY, snapshot.index_manifest)
    found = store.cache.get_or_load(path, lambda: index_types(store.read_metadata(path), path), lambda _: 200)
    if DELETION_VECTORS in found:
        raise Unsupported(f"{store.name} has deletion vectors, which are not supported yet.")
