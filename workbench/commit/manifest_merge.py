"""Merging of manifests at each commit, which keeps their number small (format §5.1, `ManifestFileMerger`). It never
changes the live files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta, merge_entries
from workbench.metadata.manifests import ManifestFiles


@dataclass(frozen=True)
class ManifestMergeOptions:
    """The options `manifest.target-file-size`, `manifest.merge-min-count` and
    `manifest.full-compaction-threshold-size`; sizes are in bytes."""

    target_size: int
    merge_min_count: int
    full_threshold: int


@dataclass(frozen=True)
class MergedManifests:
    """The manifests of a version after a merge, in order, and those of them that the merge wrote."""

    metas: tuple[ManifestFileMeta, ...]
    written: tuple[ManifestFileMeta, ...]


def merge_manifests(
    files: ManifestFiles, metas: Sequence[ManifestFileMeta], options: ManifestMergeOptions
) -> MergedManifests:
    """Merge in full if the manifests that are small or remove files reach the threshold in total; otherwise, merge only
    neighbors."""
    return _merge_fully(files, metas, options) or _merge_neighbors(files, metas, options)


def needs_rewrite(meta: ManifestFileMeta, target_size: int) -> bool:
    """Return whether a full merge rewrites a manifest in any case: it is small, or removes files."""
    return meta.num_deleted_files > 0 or meta.file_size < target_size


def _merge_fully(
    files: ManifestFiles, metas: Sequence[ManifestFileMeta], options: ManifestMergeOptions
) -> MergedManifests | None:
    """Rewrite all manifests that are small or remove files, leaving out files that were added and later removed.

    Large manifests are read only if files were removed from their partitions.
    """
    untidy = [meta for meta in metas if needs_rewrite(meta, options.target_size)]
    if sum(meta.file_size for meta in untidy) < options.full_threshold:
        return None
    removals = files.entries([meta for meta in untidy if meta.num_deleted_files])
    deleted = {entry.identifier for entry in removals if entry.kind == FileKind.DELETE}
    partitions = {entry.partition for entry in removals if entry.kind == FileKind.DELETE}
    names = {meta.file_name for meta in untidy}
    touched = [meta for meta in metas if meta.file_name in names or files.may_hold(meta, partitions)]
    if len(touched) <= 1:
        return None
    rewritten: list[ManifestEntry] = []
    changed = set(names)
    for meta in touched:
        entries = files.read(meta)
        if meta.file_name in names or any(entry.identifier in deleted for entry in entries):
            changed.add(meta.file_name)
            rewritten.extend(entries)
    kept = [meta for meta in metas if meta.file_name not in changed]
    written = files.write(merge_entries(rewritten))
    return MergedManifests((*kept, *written), tuple(written))


def _merge_neighbors(
    files: ManifestFiles, metas: Sequence[ManifestFileMeta], options: ManifestMergeOptions
) -> MergedManifests:
    """Join consecutive manifests up to the target size, in order, because a removal applies to earlier manifests."""
    result: list[ManifestFileMeta] = []
    written: list[ManifestFileMeta] = []
    waiting: list[ManifestFileMeta] = []

    def join_waiting() -> None:
        if len(waiting) == 1:
            result.append(waiting[0])
        elif waiting:
            joined = files.write(merge_entries(files.entries(waiting)))
            written.extend(joined)
            result.extend(joined)
        waiting.clear()

    for meta in metas:
        waiting.append(meta)
        if sum(each.file_size for each in waiting) >= options.target_size:
            join_waiting()
    if len(waiting) >= options.merge_min_count:
        join_waiting()
    return MergedManifests((*result, *waiting), tuple(written))
