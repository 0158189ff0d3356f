"""The tags, branches and consumers that keep data files which the snapshots of a table no longer need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.format.spec.data_file import FileKind
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.lens.health.facts import HistoryFacts, HolderFacts
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

# The most snapshots to read of those that only a consumer keeps.
_MAX_READ = 500
_READERS = 8
_Files = dict[str, int]
"""The sizes of data files by name."""


def collect_holders(
    store: TableStore, history: HistoryFacts, tags: Mapping[str, Tag], consumers: Mapping[str, int]
) -> tuple[HolderFacts, ...]:
    """Return the tags, branches and consumers that keep data files that nothing else uses; reads the metadata of the
    kept versions.

    Raises:
        CorruptFile: The metadata of a version cannot be read.
    """
    if history.earliest is None:
        return ()
    manifests = ManifestFiles(store)
    retained = _Retained(manifests, history.earliest)
    kept: dict[tuple[str, str], tuple[int, _Files]] = {}
    for name, tag in tags.items():
        if tag.snapshot.id < history.earliest.id:
            kept["tag", name] = (tag.snapshot.id, retained.without(_files(manifests, tag.snapshot)))
    for name in all_branches(store):
        base = Snapshots(open_branch(store, name))
        first = base.earliest_id()
        if first is not None and first < history.earliest.id:
            kept["branch", name] = (first, retained.without(_files(manifests, base.get(first))))
    holders = Counter(name for _, files in kept.values() for name in files)
    found = [
        _holder(kind, name, snapshot, {file: size for file, size in files.items() if holders[file] == 1})
        for (kind, name), (snapshot, files) in kept.items()
    ]
    others = {name for _, files in kept.values() for name in files}
    consumer = _consumer(store, manifests, history, tags, consumers, others)
    return tuple(each for each in (*found, *([consumer] if consumer else [])) if each.files)


def _consumer(
    store: TableStore,
    manifests: ManifestFiles,
    history: HistoryFacts,
    tags: Mapping[str, Tag],
    consumers: Mapping[str, int],
    others: set[str],
) -> HolderFacts | None:
    """Return the consumer that is furthest behind, with the files that only its unread snapshots use."""
    if not history.blocked or history.earliest is None or history.latest is None:
        return None
    first = history.earliest.id + history.overdue
    end = first + history.blocked
    behind = [each for each in consumers.items() if each[1] <= first]
    if len(behind) != 1:
        # Several consumers wait at the same snapshot: removing one of them changes nothing.
        return None
    name = behind[0][0]
    end = min([end, *(number for other, number in consumers.items() if other != name)])
    numbers = range(first + 1, end + 1)
    snapshots = [each for each in parallel_map(Snapshots(store).find, numbers[:_MAX_READ], _READERS) if each]
    removed: _Files = {}
    for entries in parallel_map(manifests.delta_entries, snapshots, _READERS):
        removed.update((each.file.file_name, each.file.file_size) for each in entries if each.kind == FileKind.DELETE)
    if not snapshots:
        return None
    used = _files(manifests, snapshots[-1]).keys() | others
    for tag in tags.values():
        if first <= tag.snapshot.id < end:
            used |= _files(manifests, tag.snapshot).keys()
    held = {file: size for file, size in removed.items() if file not in used}
    return _holder("consumer", name, first, held, at_least=len(numbers) > _MAX_READ)


def _files(manifests: ManifestFiles, snapshot: Snapshot) -> _Files:
    return {each.file.file_name: each.file.file_size for each in manifests.live_files(snapshot)}


class _Retained:
    """The files of the oldest snapshot, read only if a tag or branch may keep others."""

    def __init__(self, manifests: ManifestFiles, snapshot: Snapshot) -> None:
        self._manifests = manifests
        self._snapshot = snapshot

    @cached_property
    def _files(self) -> _Files:
        return _files(self._manifests, self._snapshot)

    def without(self, files: _Files) -> _Files:
        """Return the files that the oldest snapshot does not use."""
        return {name: size for name, size in files.items() if name not in self._files}


def _holder(kind: str, name: str, snapshot: int, files: _Files, *, at_least: bool = False) -> HolderFacts:
    return HolderFacts(kind, name, snapshot, len(files), sum(files.values()), at_least)
