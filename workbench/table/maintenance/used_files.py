"""The files that the versions of a table use, which no maintenance may delete (format §24).

Files are identified by their names, which contain a UUID. A name that is used anywhere in the table is kept everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.format.spec.data_file import FileKind, FileSource, ManifestEntry, ManifestFileMeta
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class VersionsToRemove:
    """The versions of a branch to be removed: snapshots and long-lived changelogs below these ids, and tags by name."""

    snapshots_below: int = 0
    changelogs_below: int = 0
    tags: frozenset[str] = frozenset()


_NOTHING = VersionsToRemove()
_READERS = 16


def all_histories(store: TableStore) -> list[TableStore]:
    """Return the table as seen by each of its branches, main included.

    Raises:
        TableNotFound: A branch has no schema: its creation was interrupted.
    """
    return [open_branch(store, name) for name in (paths.MAIN_BRANCH, *all_branches(store))]


def used_without(store: TableStore, removed: VersionsToRemove, progress: Progress) -> set[str]:
    """Return the names of all files that any branch uses once ``removed`` is removed from the branch of ``store``.

    Raises:
        CorruptFile: A metadata file is missing or invalid.
        TableNotFound: A branch is incomplete.
    """
    used: set[str] = set()
    for history in all_histories(store):
        used |= used_by_history(history, progress, removed if history.branch == store.branch else _NOTHING)
    return used


def used_by_history(store: TableStore, progress: Progress, removed: VersionsToRemove = _NOTHING) -> set[str]:
    """Return the names of all files that the snapshots, tags and long-lived changelogs of a branch use once ``removed``
    is removed.

    Raises:
        CorruptFile: A metadata file is missing or invalid.
    """
    snapshots = [snapshot for snapshot in Snapshots(store).all() if snapshot.id >= removed.snapshots_below]
    # After a rollback another snapshot may have the id of a tag's snapshot, but manifest lists are unique.
    kept = (tag.snapshot for tag in Tags(store).all().values() if tag.name not in removed.tags)
    tags = {snapshot.delta_manifest_list: snapshot for snapshot in kept}
    for snapshot in snapshots:
        tags.pop(snapshot.delta_manifest_list, None)
    # A tag retains the rows of a version, not its changelog.
    versions = [(snapshot, True) for snapshot in snapshots] + [(snapshot, False) for snapshot in tags.values()]
    used: set[str] = set()
    manifests = ManifestFiles(store)
    before: list[ManifestFileMeta] = []
    with progress.step(f"Looking for what {store.name} needs", len(versions), "versions"):
        # These are many small files: reading them sequentially would cost one round trip each.
        parallel_map(manifests.data_manifests, [snapshot for snapshot, _ in versions], _READERS)
        for snapshot, with_changelog in versions:
            used.update(_used_by_rows(store, manifests, snapshot, before))
            before = manifests.data_manifests(snapshot)
            if with_changelog:
                used.update(_used_by_list(store, manifests, snapshot.changelog_manifest_list, _is_added))
            progress.advance()
        for changelog in Changelogs(store).all():
            if changelog.id >= removed.changelogs_below:
                used.update(_used_by_changelog(store, manifests, changelog))
    return used


def names_of(entries: Iterable[ManifestEntry]) -> Iterator[str]:
    """Return the names of data files and of their extra files."""
    for entry in entries:
        yield entry.file.file_name
        yield from entry.file.extra_files


def _used_by_rows(
    store: TableStore, manifests: ManifestFiles, snapshot: Snapshot, before: Sequence[ManifestFileMeta]
) -> Iterator[str]:
    """Return the files that a version uses, except its changelog. Files in the manifests ``before`` may be omitted,
    because they were returned already."""
    base = manifests.read_list(snapshot.base_manifest_list, snapshot.base_manifest_list_size)
    delta = manifests.delta_list(snapshot)
    yield from (snapshot.base_manifest_list, snapshot.delta_manifest_list)
    yield from (meta.file_name for meta in (*base, *delta))
    if before and [meta.file_name for meta in base] == [meta.file_name for meta in before]:
        # The version only adds files to the one before. (Ids cannot show this: after a fast-forward the history may
        # differ.)
        yield from names_of(entry for entry in manifests.entries(delta) if _is_added(entry))
    else:
        yield from names_of(manifests.live_files(snapshot))
    yield from (name for name in (snapshot.index_manifest, snapshot.statistics) if name is not None)
    yield from (entry.file_name for entry in index_entries(store, snapshot))


def _used_by_changelog(store: TableStore, manifests: ManifestFiles, changelog: Snapshot) -> Iterator[str]:
    """Return the files that a long-lived changelog uses.

    Without a changelog producer, expiry keeps the base and delta manifest lists, because appended files serve as
    changelog.
    """
    yield from _used_by_list(store, manifests, changelog.base_manifest_list)
    yield from _used_by_list(store, manifests, changelog.delta_manifest_list, _is_appended)
    yield from _used_by_list(store, manifests, changelog.changelog_manifest_list, _is_added)


def _is_added(entry: ManifestEntry) -> bool:
    return entry.kind == FileKind.ADD


def _is_appended(entry: ManifestEntry) -> bool:
    # Old writers did not record the source of a file.
    return entry.kind == FileKind.ADD and entry.file.file_source != FileSource.COMPACT


def _used_by_list(
    store: TableStore,
    manifests: ManifestFiles,
    name: str | None,
    is_used: Callable[[ManifestEntry], bool] | None = None,
) -> Iterator[str]:
    """Return the files that a manifest list uses; none if it has expired. Data files are included only for entries that
    ``is_used`` accepts."""
    if name is None or not store.file_io.exists(store.path(paths.MANIFEST_DIRECTORY, name)):
        return
    metas = manifests.read_list(name)
    yield from chain((name,), (meta.file_name for meta in metas))
    if is_used is not None:
        yield from names_of(filter(is_used, manifests.entries(metas)))
