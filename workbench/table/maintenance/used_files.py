"""Which files the versions of a table need: what no maintenance may delete (format §24).

Files are told apart by their names, which hold a UUID. A name that is needed anywhere in the table is kept everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format import paths
from workbench.format.data_file import FileKind, FileSource, ManifestEntry, ManifestFileMeta
from workbench.format.snapshot import Snapshot
from workbench.table.branches import all_branches, open_branch
from workbench.table.changelogs import Changelogs
from workbench.table.index_files import index_entries
from workbench.table.manifests import ManifestFiles
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tags import Tags


@dataclass(frozen=True)
class Going:
    """What of a branch is about to go: snapshots and long-lived changelogs of ids below, and tags by their names."""

    snapshots_below: int = 0
    changelogs_below: int = 0
    tags: frozenset[str] = frozenset()


_NOTHING = Going()
_READERS = 16


def all_histories(store: TableStore) -> list[TableStore]:
    """The table as each of its branches knows it, main among them.

    Raises:
        TableNotFound: a branch has no schema: it was not made to its end.
    """
    return [open_branch(store, name) for name in (paths.MAIN_BRANCH, *all_branches(store))]


def used_without(store: TableStore, going: Going, progress: Progress) -> set[str]:
    """The names of all files that any branch of the table needs once ``going`` is gone from that of ``store``.

    Raises:
        CorruptFile: something that names files is missing or garbled.
        TableNotFound: a branch was not made to its end.
    """
    used: set[str] = set()
    for history in all_histories(store):
        used |= used_by_history(history, progress, going if history.branch == store.branch else _NOTHING)
    return used


def used_by_history(store: TableStore, progress: Progress, going: Going = _NOTHING) -> set[str]:
    """The names of all files that the snapshots, tags and long-lived changelogs of a branch need without ``going``.

    Raises:
        CorruptFile: something that names files is missing or garbled.
    """
    snapshots = [snapshot for snapshot in Snapshots(store).all() if snapshot.id >= going.snapshots_below]
    # Of the id of a tag there may be another snapshot by now, but no two have the same list.
    kept = (tag.snapshot for tag in Tags(store).all().values() if tag.name not in going.tags)
    tags = {snapshot.delta_manifest_list: snapshot for snapshot in kept}
    for snapshot in snapshots:
        tags.pop(snapshot.delta_manifest_list, None)
    # A tag keeps the rows of a version, not its changelog.
    versions = [(snapshot, True) for snapshot in snapshots] + [(snapshot, False) for snapshot in tags.values()]
    used: set[str] = set()
    manifests = ManifestFiles(store)
    before: list[ManifestFileMeta] = []
    with progress.step(f"Looking for what {store.name} needs", len(versions), "versions"):
        # Many small files: read one after the other they would take as many round trips to the store.
        parallel_map(manifests.data_manifests, [snapshot for snapshot, _ in versions], _READERS)
        for snapshot, with_changelog in versions:
            used.update(_used_by_rows(store, manifests, snapshot, before))
            before = manifests.data_manifests(snapshot)
            if with_changelog:
                used.update(_used_by_list(store, manifests, snapshot.changelog_manifest_list, _is_added))
            progress.advance()
        for changelog in Changelogs(store).all():
            if changelog.id >= going.changelogs_below:
                used.update(_used_by_changelog(store, manifests, changelog))
    return used


def names_of(entries: Iterable[ManifestEntry]) -> Iterator[str]:
    """The names of data files and of the files that belong to them."""
    for entry in entries:
        yield entry.file.file_name
        yield from entry.file.extra_files


def _used_by_rows(
    store: TableStore, manifests: ManifestFiles, snapshot: Snapshot, before: Sequence[ManifestFileMeta]
) -> Iterator[str]:
    """What a version needs without its changelog. ``before``: the manifests of another one, which was looked at."""
    base = manifests.read_list(snapshot.base_manifest_list, snapshot.base_manifest_list_size)
    delta = manifests.delta_list(snapshot)
    yield from (snapshot.base_manifest_list, snapshot.delta_manifest_list)
    yield from (meta.file_name for meta in (*base, *delta))
    if before and [meta.file_name for meta in base] == [meta.file_name for meta in before]:
        # It only added to that one. (Ids do not tell: after a fast-forward, the next one may be of another history.)
        yield from names_of(entry for entry in manifests.entries(delta) if _is_added(entry))
    else:
        yield from names_of(manifests.live_files(snapshot))
    yield from (name for name in (snapshot.index_manifest, snapshot.statistics) if name is not None)
    yield from (entry.file_name for entry in index_entries(store, snapshot))


def _used_by_changelog(store: TableStore, manifests: ManifestFiles, changelog: Snapshot) -> Iterator[str]:
    """What a changelog needs that outlived its snapshot. Where nobody makes changelogs, expiry leaves it the lists of
    rows, of which what writers appended serves as changelog."""
    yield from _used_by_list(store, manifests, changelog.base_manifest_list)
    yield from _used_by_list(store, manifests, changelog.delta_manifest_list, _is_appended)
    yield from _used_by_list(store, manifests, changelog.changelog_manifest_list, _is_added)


def _is_added(entry: ManifestEntry) -> bool:
    return entry.kind == FileKind.ADD


def _is_appended(entry: ManifestEntry) -> bool:
    # Old writers did not say who made a file.
    return entry.kind == FileKind.ADD and entry.file.file_source != FileSource.COMPACT


def _used_by_list(
    store: TableStore,
    manifests: ManifestFiles,
    name: str | None,
    is_used: Callable[[ManifestEntry], bool] | None = None,
) -> Iterator[str]:
    """What a manifest list needs that may have expired before what names it: then nothing. Of data files, those whose
    entries are used."""
    if name is None or not store.file_io.exists(store.path(paths.MANIFEST_DIRECTORY, name)):
        return
    metas = manifests.read_list(name)
    yield from chain((name,), (meta.file_name for meta in metas))
    if is_used is not None:
        yield from names_of(filter(is_used, manifests.entries(metas)))
