"""Whether a snapshot is part of the history of its table: other writers may have expired its id before it was
written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from workbench.format.spec import manifest, paths
from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta, merge_entries
from workbench.format.spec.index_manifest import read_index_manifest
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.protocol import TableBranch
from workbench.metadata.small_files import read_small
from workbench.storage.file_io import join


class Succession:
    """Compares two snapshots of a branch with consecutive ids by their manifests."""

    def __init__(self, branch: TableBranch) -> None:
        self._branch = branch

    def is_followed(self, snapshot: Snapshot, successor: Snapshot) -> bool:
        """Return whether ``successor`` was committed on top of ``snapshot``, not on another snapshot of the same id.

        Raises:
            FileNotFoundError: A manifest has been deleted.
        """
        rows, total, added = snapshot.total_record_count, successor.total_record_count, successor.delta_record_count
        # Very old writers did not count.
        if rows is not None and total is not None and added is not None and rows != total - added:
            return False
        delta, base = self._list(snapshot.delta_manifest_list), self._list(successor.base_manifest_list)
        if not delta:
            return self._index_files(snapshot) <= self._index_files(successor)
        if {each.file_name for each in delta} & {each.file_name for each in base}:
            return True
        # Otherwise the successor merged them, or never saw them.
        live = {each.identifier for each in merge_entries(self._entries(base))}
        return all((each.identifier in live) == (each.kind == FileKind.ADD) for each in self._entries(delta))

    def _list(self, name: str) -> Sequence[ManifestFileMeta]:
        path = self._path(name)
        return manifest.read_manifest_list(read_small(self._branch.file_io, path), path)

    def _entries(self, metas: Iterable[ManifestFileMeta]) -> Iterator[ManifestEntry]:
        for meta in metas:
            path = self._path(meta.file_name)
            yield from manifest.read_manifest(read_small(self._branch.file_io, path), path)

    def _index_files(self, snapshot: Snapshot) -> set[str]:
        if snapshot.index_manifest is None:
            return set()
        path = self._path(snapshot.index_manifest)
        return {each.file_name for each in read_index_manifest(read_small(self._branch.file_io, path), path)}

    def _path(self, name: str) -> str:
        return join(self._branch.location, paths.MANIFEST_DIRECTORY, name)
