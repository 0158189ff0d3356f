"""The metadata files of one committer. The files that it wrote are cached and need not be read again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from workbench.base.errors import CorruptFile, WorkbenchError
from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.manifests import ENTRY_WEIGHT, META_WEIGHT, ManifestFiles, WrittenList
from workbench.metadata.store import TableStore


class OwnManifestFiles(ManifestFiles):
    """Caches the files that it writes as if they had been read, and the live files of the version that a commit
    publishes."""

    def __init__(self, store: TableStore) -> None:
        super().__init__(store)
        self._known: tuple[list[ManifestFileMeta], tuple[ManifestEntry, ...]] | None = None

    def write(self, entries: Sequence[ManifestEntry]) -> list[ManifestFileMeta]:
        """See `ManifestFiles.write`."""
        metas, end = super().write(entries), 0
        for meta in metas:
            start, end = end, end + meta.num_added_files + meta.num_deleted_files
            self._keep(meta.file_name, tuple(entries[start:end]), ENTRY_WEIGHT)
        return metas

    def write_list(self, metas: Sequence[ManifestFileMeta]) -> WrittenList:
        """See `ManifestFiles.write_list`."""
        written = super().write_list(metas)
        self._keep(written.name, tuple(metas), META_WEIGHT)
        return written

    def live_files(self, snapshot: Snapshot) -> tuple[ManifestEntry, ...]:
        """See `ManifestFiles.live_files`."""
        live = super().live_files(snapshot)
        self._known = self.data_manifests(snapshot), live
        return live

    def merged(self, metas: Sequence[ManifestFileMeta]) -> tuple[ManifestEntry, ...]:
        """See `ManifestFiles.merged`. If a version only adds files to the known ones, only new manifests are read."""
        if self._known is not None:
            known, live = self._known
            if list(metas[: len(known)]) == known:
                new = self.entries(metas[len(known) :])
                names = {entry.file.file_name for entry in new}
                only_adds = all(entry.kind == FileKind.ADD for entry in new) and len(names) == len(new)
                if only_adds and not any(entry.file.file_name in names for entry in live):
                    return (*live, *new)
        return super().merged(metas)

    def read_ahead(self, snapshot: Snapshot | None) -> None:
        """Read the files that the next attempt needs, so that it is quick and rarely loses to another commit. Files
        that cannot be read are left for the attempt to report."""
        if snapshot is None:
            return
        with suppress(CorruptFile):
            self.data_manifests(snapshot)
            if self._known is not None:
                self.live_files(snapshot)

    def follow(self, snapshot: Snapshot) -> None:
        """Remember the live files of the version just published, if it only adds files to the version before."""
        if self._known is None:
            return
        # The commit has succeeded: the version is published. Later readers report what is wrong with its files.
        with suppress(OSError, WorkbenchError):
            metas, before = self.data_manifests(snapshot), self._known[0]
            if metas[: len(before)] == before and not any(meta.num_deleted_files for meta in metas[len(before) :]):
                self.live_files(snapshot)

    def _keep(self, name: str, content: tuple[object, ...], weight: int) -> None:
        self._cached(self._path(name), lambda: content, weight)
