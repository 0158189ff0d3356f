"""The retained commits of a table up to a version, walked back from it, with the files that may hold a row."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file import ManifestEntry, ManifestFileMeta
from workbench.format.spec.paths import MAIN_BRANCH
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.biography.identity import RowIdentity
from workbench.lens.biography.lives import Delta, FileId, FileLife, before, difference, file_id, lives_of
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.tags import Tags
from workbench.metadata.store import TableStore
from workbench.scan.pruning import FilePruner
from workbench.scan.split import files_of
from workbench.scan.split_generator import split_generator

ManifestReader = Callable[[Snapshot], Sequence[ManifestFileMeta]]

_PAGE = 256
_READERS = 8


@dataclass(frozen=True)
class RowHistory:
    """The files that may hold a row up to a version, and the commits that can be read.

    ``snapshots`` are the commits that were walked, the oldest first; ``expired`` are the ids of those that only a tag
    keeps. ``considered`` counts the files whose metadata was judged. ``changelogs`` are the changelog files that may
    contain the row, by commit. ``first`` is the oldest commit that can be read.
    """

    snapshots: tuple[Snapshot, ...] = ()
    expired: frozenset[int] = frozenset()
    lives: tuple[FileLife, ...] = ()
    changelogs: tuple[tuple[Snapshot, ManifestEntry], ...] = ()
    first: int | None = None
    complete: bool = True
    considered: int = 0


class HistoryWalk:
    """Walks the commits back from a version. ``deadline`` is the time at which to stop, None for no limit; the commit
    of the version is always read."""

    def __init__(
        self, store: TableStore, row: RowIdentity, deadline: float | None, progress: Progress | None = None
    ) -> None:
        self._store = store
        self._manifests = ManifestFiles(store)
        self._pruner = FilePruner(store, row.schema, row.pruning)
        self._deadline = deadline
        self._progress = progress or Progress()
        self._kept: dict[FileId, bool] = {}

    def read(self, version: Snapshot) -> RowHistory:
        """Return the history up to a version."""
        points = ReadableCommits(self._store, version)
        live = self._live(version)
        current = live
        deltas: list[Delta] = []
        walked: list[Snapshot] = []
        changelogs: list[tuple[Snapshot, ManifestEntry]] = []
        complete = True
        for page in points.pages():
            self._progress.check()
            if walked and self._deadline is not None and time.monotonic() > self._deadline:
                complete = False
                break
            entries = self._of_lists(page, self._manifests.delta_list)
            logged = self._of_lists(
                [each for each in page if each.changelog_manifest_list], self._manifests.changelog_list
            )
            for snapshot in page:
                if walked and walked[-1].id != snapshot.id + 1:
                    # Commits between the two have expired: only the difference of their files can be known.
                    older = self._live(snapshot)
                    deltas.append(Delta(walked[-1].id, difference(older, current), exact=False))
                    current = older
                deltas.append(Delta(snapshot.id, entries[snapshot.id]))
                current = before(current, entries[snapshot.id])
                walked.append(snapshot)
                changelogs += ((snapshot, each) for each in logged.get(snapshot.id, ()))
        changelogs += self._long_lived(version, {each.id for each in walked}) if complete else []
        return RowHistory(
            tuple(reversed(walked)),
            points.expired,
            tuple(lives_of(live, reversed(deltas))),
            tuple(sorted(changelogs, key=lambda each: each[0].id)),
            points.first,
            complete,
            len(self._kept),
        )

    def _long_lived(self, version: Snapshot, known: set[int]) -> list[tuple[Snapshot, ManifestEntry]]:
        """Return the changelogs that outlived their snapshots."""
        stored = [each for each in Changelogs(self._store).all() if each.id not in known and each.id <= version.id]
        logged = self._of_lists(stored, self._manifests.changelog_list)
        return [(snapshot, entry) for snapshot in stored for entry in logged[snapshot.id]]

    def _live(self, snapshot: Snapshot) -> dict[FileId, ManifestEntry]:
        metas = self._pruner.manifests(self._manifests.data_manifests(snapshot))
        return {file_id(each): each for each in self._holding(self._manifests.merged(metas))}

    def _of_lists(self, snapshots: Sequence[Snapshot], read: ManifestReader) -> dict[int, list[ManifestEntry]]:
        """Return, for each commit, the entries of its manifests whose files may hold the row."""
        lists = parallel_map(read, snapshots, _READERS)
        every = [meta for metas in lists for meta in metas]
        chosen = {id(meta) for meta in self._pruner.manifests(every)}
        wanted = [[meta for meta in metas if id(meta) in chosen] for metas in lists]
        # Read together, because many small manifests are read faster at once.
        self._manifests.entries([meta for metas in wanted for meta in metas])
        entries = [self._manifests.entries(metas) for metas in wanted]
        self._judge(entry for each in entries for entry in each)
        return {
            snapshot.id: [entry for entry in each if self._kept[file_id(entry)]]
            for snapshot, each in zip(snapshots, entries, strict=True)
        }

    def _holding(self, entries: Sequence[ManifestEntry]) -> list[ManifestEntry]:
        self._judge(entries)
        return [entry for entry in entries if self._kept[file_id(entry)]]

    def _judge(self, entries: Iterable[ManifestEntry]) -> None:
        """Decide by partition, bucket, key range and file index which files may hold the row."""
        new = {file_id(entry): entry for entry in entries if file_id(entry) not in self._kept}
        self._kept.update(dict.fromkeys(new, False))
        generator = split_generator(self._store, self._pruner)
        by_bucket: dict[tuple[bytes, int], list[ManifestEntry]] = {}
        for entry in self._pruner.partitions_and_buckets(list(new.values())).items:
            by_bucket.setdefault((entry.partition, entry.bucket), []).append(entry)
        for bucket, members in by_bucket.items():
            sections = [((entry.file,),) for entry in generator.files(members).items]
            kept = files_of(generator.kept(bucket, sections).items)
            self._kept.update({(*bucket, file.file_name): True for file in kept})


class ReadableCommits:
    """The commits up to a version that can be read: its snapshots, the snapshots of the main branch from before the
    branch began, and the snapshots that only tags keep. ``expired`` are the ids of the latter."""

    def __init__(self, store: TableStore, version: Snapshot) -> None:
        self._store = store
        self._version = version
        tagged = {tag.snapshot.id: tag.snapshot for tag in Tags(store).all().values() if tag.snapshot.id < version.id}
        page = store.snapshots.page(1, version.id)
        self._ids = {number for number in page.ids if number < version.id}
        self._main = self._before_branch()
        known = self._ids | {each.id for each in self._main}
        self._tagged = sorted((each for number, each in tagged.items() if number not in known), key=_newest)
        is_kept = version.id in page.ids
        self.expired = frozenset({each.id for each in self._tagged} | (set() if is_kept else {version.id}))
        self.first = min([version.id, *known, *self.expired])

    def pages(self) -> Iterator[Sequence[Snapshot]]:
        """Yield the commits in pages, the newest first."""
        yield (self._version,)
        cursor: int | None = self._version.id
        while cursor is not None:
            page = self._store.snapshots.page(_PAGE, cursor)
            if page.snapshots:
                yield page.snapshots
            cursor = page.next
        rest = sorted([*self._main, *self._tagged], key=_newest)
        for start in range(0, len(rest), _PAGE):
            yield rest[start : start + _PAGE]

    def _before_branch(self) -> list[Snapshot]:
        """Return the snapshots of the main branch that the branch was made from."""
        if self._store.branch == MAIN_BRANCH:
            return []
        first = min([self._version.id, *self._ids])
        main = open_branch(self._store, MAIN_BRANCH).snapshots
        own = self._version if first == self._version.id else self._store.snapshots.find(first)
        shared = main.find(first)
        if own is None or shared is None or shared.delta_manifest_list != own.delta_manifest_list:
            return []
        return list(main.page(None, first).snapshots)


def _newest(snapshot: Snapshot) -> int:
    return -snapshot.id
