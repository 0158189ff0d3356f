"""Writing of the metadata files of the next version: manifests first, then the manifest lists, at last its snapshot
(format §4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.base.errors import CorruptFile, WorkbenchError
from workbench.commit.index_changes import IndexChanges
from workbench.commit.manifest_merge import ManifestMergeOptions, merge_manifests
from workbench.commit.publication import Publication
from workbench.commit.row_ids import with_row_ids
from workbench.commit.written import Written, WrittenEntries, WrittenMerge
from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta
from workbench.format.spec.snapshot import CURRENT_VERSION, CommitKind, Snapshot
from workbench.metadata.index_files import index_entries
from workbench.metadata.layouts import check_same_layout
from workbench.metadata.manifests import ManifestFiles, WrittenList
from workbench.metadata.schemas import check_not_null_unchanged
from workbench.metadata.sequences import stamped, with_noted_sequence
from workbench.metadata.totals import partition_statistics

if TYPE_CHECKING:
    from workbench.commit.changes import Changes


class NextSnapshot:
    """Writes the metadata files to which the snapshots of a publication refer, and publishes these snapshots."""

    def __init__(self, publication: Publication, manifests: ManifestFiles) -> None:
        self._publication = publication
        self._store = publication.store
        self._manifests = manifests

    def prepare(self, latest: Snapshot | None, changes: Changes, schema_id: int, written: Written) -> Snapshot:
        """Return the snapshot that follows ``latest``, after its metadata files have been written.

        Files are recorded in ``written`` as soon as they exist; files of an earlier attempt are used again.

        Raises:
            CommitConflict: An index file was removed, a column was made NOT NULL concurrently, or options that
                determine the layout of compacted files changed.
        """
        written.begin()
        changes, next_row_id = self._tracked(latest, changes)
        base = self._write_base(latest, written, merges_all=changes.merges_all_manifests)
        delta = self._write_entries("delta", changes.delta, written)
        changelog = self._write_entries("changelog", changes.changelog, written) if changes.changelog else None
        delta_rows, core = _rows_of(changes.delta), self._store.schema.core
        noted = self._publication.snapshot_properties(changes.compactions)
        check_same_layout(self._store, changes.delta, schema_id)
        if changes.kind != CommitKind.COMPACT:
            added = (entry.file.schema_id for entry in changes.delta if entry.kind == FileKind.ADD)
            check_not_null_unchanged(self._store, added, schema_id)
        return Snapshot(
            uuid=self._store.ids.uuid(),
            id=latest.id + 1 if latest else 1,
            schema_id=schema_id,
            base_manifest_list=base.name,
            base_manifest_list_size=base.size,
            delta_manifest_list=delta.name,
            delta_manifest_list_size=delta.size,
            changelog_manifest_list=changelog.name if changelog else None,
            changelog_manifest_list_size=changelog.size if changelog else None,
            index_manifest=self._write_index(latest, changes.index, written),
            commit_user=self._publication.user,
            commit_identifier=self._publication.identifier,
            commit_kind=changes.kind,
            time_millis=self._store.clock.now_millis(),
            total_record_count=self._rows_before(latest) + delta_rows,
            delta_record_count=delta_rows,
            changelog_record_count=sum(entry.file.row_count for entry in changes.changelog) if changelog else None,
            watermark=latest.watermark if latest else None,
            statistics=changes.statistics or _lasting_statistics(latest, schema_id),
            properties=with_noted_sequence(noted, core, latest, changes.delta, self._manifests),
            next_row_id=next_row_id,
            operation=self._publication.operation,
        )

    def prepare_restored(
        self, latest: Snapshot, target: Snapshot, delta: Sequence[ManifestEntry], written: Written
    ) -> Snapshot:
        """Return the snapshot that follows ``latest`` and has the rows of ``target``; ``delta`` contains the changes
        that lead there.

        Files keep their row ids and sequence numbers; row ids that were assigned since ``target`` are not reused.
        """
        # The base contains live files only, without earlier removals: in Java, a file that any manifest removes is
        # gone, even if it is added again later.
        base = self._write_entries("base", self._manifests.live_files(latest), written)
        list_of_delta = self._write_entries("delta", delta, written)
        return replace(
            target,
            version=CURRENT_VERSION,
            uuid=self._store.ids.uuid(),
            id=latest.id + 1,
            base_manifest_list=base.name,
            base_manifest_list_size=base.size,
            delta_manifest_list=list_of_delta.name,
            delta_manifest_list_size=list_of_delta.size,
            changelog_manifest_list=None,
            changelog_manifest_list_size=None,
            commit_user=self._publication.user,
            writer_version=None,
            commit_identifier=self._publication.identifier,
            commit_kind=CommitKind.OVERWRITE,
            time_millis=self._store.clock.now_millis(),
            total_record_count=self._rows_before(target),
            delta_record_count=_rows_of(delta),
            changelog_record_count=None,
            properties=self._publication.snapshot_properties(),
            next_row_id=max(latest.next_row_id or 0, target.next_row_id or 0),
            operation=self._publication.operation,
        )

    def publish(
        self, snapshot: Snapshot, latest: Snapshot | None, delta: Sequence[ManifestEntry], written: Written
    ) -> bool:
        """Make a prepared snapshot visible as the one after ``latest``; return False if another writer was faster.

        Raises:
            WorkbenchError, OSError: The snapshot may have been published, so no file may be deleted.
        """
        written.in_doubt = True
        try:
            published = self._store.snapshot_commit.commit(
                snapshot, latest, lambda: partition_statistics(self._store, delta)
            )
        except CorruptFile as error:
            # Elsewhere, this error means that nothing was published.
            raise WorkbenchError(
                f"It is not known whether snapshot {snapshot.id} of {self._store.name} was published: {error}",
                "Look at the newest snapshots before you repeat the operation.",
            ) from error
        written.in_doubt = published
        return published

    def _tracked(self, latest: Snapshot | None, changes: Changes) -> tuple[Changes, int]:
        """Return the changes, with row ids for new rows if the table tracks rows, and the next free row id."""
        snapshot_id, next_row_id = (latest.id, latest.next_row_id or 0) if latest else (0, 0)
        if self._store.schema.core.sequence_snapshot_ordering:
            changes = replace(changes, delta=stamped(changes.delta, changes.kind, snapshot_id + 1))
        if not self._store.schema.core.row_tracking_enabled:
            return changes, next_row_id
        delta, next_row_id = with_row_ids(changes.delta, snapshot_id + 1, next_row_id)
        return replace(changes, delta=delta), next_row_id

    def _rows_before(self, latest: Snapshot | None) -> int:
        if latest is None:
            return 0
        if latest.total_record_count is not None:
            return latest.total_record_count
        return sum(entry.file.row_count for entry in self._manifests.live_files(latest))

    def _write_base(self, latest: Snapshot | None, written: Written, *, merges_all: bool) -> WrittenList:
        if latest is None:
            return self._write_list((), written)
        metas = self._manifests.data_manifests(latest)
        return self._write_list(self._merged(metas, written, merges_all=merges_all), written)

    def _merged(
        self, metas: Sequence[ManifestFileMeta], written: Written, *, merges_all: bool
    ) -> Sequence[ManifestFileMeta]:
        """Merge manifests in the first attempt only, as Java does.

        Later attempts must be quick. They use the result of the first one or, if other commits merged the same
        manifests, leave the merging to the next commit.
        """
        if written.merge is not None:
            again = written.merge.applied_to(metas)
            if again is not None:
                written.use(*(meta.file_name for meta in written.merge.merged.written))
                return again
            if not merges_all:
                return metas
        core = self._store.schema.core
        options = ManifestMergeOptions(
            core.manifest_target_file_size,
            1 if merges_all else core.manifest_merge_min_count,
            1 if merges_all else core.manifest_full_compaction_threshold_size,
        )
        merged = merge_manifests(self._manifests, metas, options)
        written.note(*(meta.file_name for meta in merged.written))
        written.merge = WrittenMerge(tuple(metas), merged)
        return merged.metas

    def _write_entries(self, role: str, entries: Sequence[ManifestEntry], written: Written) -> WrittenList:
        known = written.entries.get(role)
        if known is not None and known.entries == entries:
            written.use(*known.names)
            return known.list
        metas = self._manifests.write(entries)
        names = [meta.file_name for meta in metas]
        written.note(*names)
        manifest_list = self._write_list(metas, written)
        written.entries[role] = WrittenEntries(tuple(entries), manifest_list, (*names, manifest_list.name))
        return manifest_list

    def _write_index(self, latest: Snapshot | None, changes: IndexChanges, written: Written) -> str | None:
        """Write the index manifest of the next version, and return its name. If no index file changes, the manifest of
        the last version is kept."""
        if not changes:
            return latest.index_manifest if latest else None
        is_unaware = self._store.schema.is_bucket_unaware
        name = self._manifests.write_index(
            changes.applied_to(index_entries(self._store, latest), is_unaware=is_unaware)
        )
        written.note(name)
        return name

    def _write_list(self, metas: Sequence[ManifestFileMeta], written: Written) -> WrittenList:
        manifest_list = self._manifests.write_list(metas)
        written.note(manifest_list.name)
        return manifest_list


def _rows_of(delta: Iterable[ManifestEntry]) -> int:
    return sum(entry.file.row_count * (1 if entry.kind == FileKind.ADD else -1) for entry in delta)


def _lasting_statistics(latest: Snapshot | None, schema_id: int) -> str | None:
    """Return the statistics of the last version if the schema has not changed since."""
    return latest.statistics if latest and latest.schema_id == schema_id else None
