"""What the commit of a snapshot changed: rows, files, bytes and partitions, from its delta manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.base.texts import size_text
from workbench.format.spec.data_file import DataFileMeta, FileKind, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind, TableKind
from workbench.lens.wire import Int64
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore

_READERS = 8


@dataclass(frozen=True)
class _Words:
    """The words for the rows of a commit. ``has_deletes`` is whether files have delete rows, so that it is mentioned if
    there are none."""

    written: Callable[[int], str]
    removed: str
    dropped: str
    has_deletes: bool


_WORDS: Mapping[type[TableKind], _Words] = {
    KeyValueKind: _Words(lambda rows: counted(rows, "upserts"), "stored rows", "superseded rows", has_deletes=True),
    AppendOnlyKind: _Words(lambda rows: f"{counted(rows, 'rows')} added", "rows", "deleted rows", has_deletes=False),
}


@dataclass(frozen=True)
class CommitFiguresValue:
    """The changes of one commit. ``text`` says them in one sentence.

    ``rows_added`` and ``rows_removed`` are the stored rows of the files added and removed. ``upserts`` and ``deletes``
    are the rows that a commit other than a compaction wrote, and those it deleted, by delete rows or by deletion
    vectors; None if the writer did not record them. ``superseded`` are the rows that a compaction dropped, 0 for other
    commits. Files that only moved to another level are counted in ``files_moved`` alone.
    """

    text: str
    upserts: Int64 | None
    deletes: Int64 | None
    superseded: Int64
    rows_added: Int64
    rows_removed: Int64
    files_added: int
    files_removed: int
    files_moved: int
    bytes_added: Int64
    bytes_removed: Int64
    partitions: int
    buckets: int


def collect_commit_figures(
    store: TableStore, snapshots: Sequence[Snapshot], known: Mapping[int, Snapshot]
) -> dict[int, CommitFiguresValue]:
    """Return the changes of commits by snapshot id; reads their delta manifests.

    A commit whose manifests are damaged or have expired is left out: its snapshot can still be shown without them.
    ``known`` are snapshots by id that need not be read again.
    """

    def read(snapshot: Snapshot) -> CommitFiguresValue | None:
        try:
            entries = ManifestFiles(store).delta_entries(snapshot)
            marked = _newly_marked(store, snapshot, known)
        except CorruptFile:
            return None
        return describe_commit(store.schema, snapshot.commit_kind, entries, marked)

    values = parallel_map(read, snapshots, _READERS)
    return {each.id: value for each, value in zip(snapshots, values, strict=True) if value is not None}


def _newly_marked(store: TableStore, snapshot: Snapshot, known: Mapping[int, Snapshot]) -> int | None:
    """Return how many rows a commit marked in deletion vectors, None if that cannot be determined."""
    if snapshot.index_manifest is None:
        return 0
    previous = known.get(snapshot.id - 1) or store.snapshots.find(snapshot.id - 1)
    if previous is None and snapshot.id > 1:
        return None
    if previous is not None and snapshot.index_manifest == previous.index_manifest:
        return 0
    after, before = _marked(store, snapshot), _marked(store, previous)
    return None if after is None or before is None else after - before


def _marked(store: TableStore, snapshot: Snapshot | None) -> int | None:
    counts = [vector.cardinality for entry in index_entries(store, snapshot) for vector in entry.vectors]
    return None if None in counts else sum(count or 0 for count in counts)


def describe_commit(
    schema: TableSchema, kind: CommitKind, entries: Sequence[ManifestEntry], marked: int | None = 0
) -> CommitFiguresValue:
    """Return the changes of a commit from the entries of its delta manifests.

    Args:
        schema: The schema of the table.
        kind: The kind of the commit.
        entries: The files that the commit added and removed.
        marked: The rows it marked as deleted in deletion vectors, None if unknown.
    """
    names: dict[FileKind, set[str]] = {side: set() for side in FileKind}
    for entry in entries:
        names[entry.kind].add(entry.file.file_name)
    moved = names[FileKind.ADD] & names[FileKind.DELETE]
    changed = [entry for entry in entries if entry.file.file_name not in moved]
    added = [entry.file for entry in changed if entry.kind == FileKind.ADD]
    removed = [entry.file for entry in changed if entry.kind == FileKind.DELETE]
    rows_added, rows_removed = _rows(added), _rows(removed)
    compacts = kind == CommitKind.COMPACT
    delete_rows = 0 if compacts else _delete_rows(schema, added)
    figures = CommitFiguresValue(
        text="",
        upserts=0 if compacts else None if delete_rows is None else rows_added - delete_rows,
        deletes=0 if compacts else None if delete_rows is None or marked is None else delete_rows + max(0, marked),
        superseded=max(0, rows_removed - rows_added) if compacts else 0,
        rows_added=rows_added,
        rows_removed=rows_removed,
        files_added=len(added),
        files_removed=len(removed),
        files_moved=len(moved),
        bytes_added=sum(file.file_size for file in added),
        bytes_removed=sum(file.file_size for file in removed),
        partitions=len({entry.partition for entry in entries}),
        buckets=len({(entry.partition, entry.bucket) for entry in entries}),
    )
    return replace(figures, text=_merge_text(figures, schema) if compacts else _write_text(figures, schema))


def _rows(files: Sequence[DataFileMeta]) -> int:
    return sum(file.row_count for file in files)


def _delete_rows(schema: TableSchema, added: Sequence[DataFileMeta]) -> int | None:
    """Return the number of delete rows in files, None if a writer did not record it; append tables have none."""
    counts = [file.delete_row_count for file in added] if schema.kind.choose(_WORDS).has_deletes else []
    return None if None in counts else sum(count or 0 for count in counts)


def _merge_text(figures: CommitFiguresValue, schema: TableSchema) -> str:
    """Return ``Merged 10 files (388 KiB) into 2 (154 KiB), dropped 54,070 superseded rows.``"""
    words = schema.kind.choose(_WORDS)
    parts = []
    if figures.files_removed or figures.files_added:
        before = f"{counted(figures.files_removed, 'files')} ({size_text(figures.bytes_removed)})"
        parts.append(f"Merged {before} into {figures.files_added:,} ({size_text(figures.bytes_added)})")
        if words.has_deletes or figures.superseded:
            parts.append(f"dropped {counted(figures.superseded, words.dropped)}")
    if figures.files_moved:
        parts.append(f"{'moved' if parts else 'Moved'} {counted(figures.files_moved, 'files')} to another level")
    return f"{', '.join(parts)}." if parts else "No data file changed."


def _write_text(figures: CommitFiguresValue, schema: TableSchema) -> str:
    """Return ``0 upserts, 1,025 deletes; 3 files added in 2 partitions.``"""
    if not figures.partitions:
        return f"{counted(figures.deletes, 'rows')} deleted by vectors." if figures.deletes else "No data file changed."
    words = schema.kind.choose(_WORDS)
    rows = [f"{counted(figures.rows_added, 'rows')} written, deletes not recorded"]
    if figures.upserts is not None:
        rows = [words.written(figures.upserts)]
        if words.has_deletes or figures.deletes:
            rows.append("deletes not recorded" if figures.deletes is None else counted(figures.deletes, "deletes"))
    if figures.rows_removed:
        rows.append(f"{counted(figures.rows_removed, words.removed)} removed")
    files = [f"{counted(figures.files_added, 'files')} added"]
    if figures.files_removed:
        files.append(f"{figures.files_removed:,} removed")
    where = f" in {counted(figures.partitions, 'partitions')}" if schema.partition_keys else ""
    return f"{', '.join(rows)}; {', '.join(files)}{where}."
