"""Building the file indexes of existing data files again, as the options of the table define them now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.base.errors import CommitConflict
from workbench.base.outcome import Outcome
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.datafile.open import open_data_file
from workbench.expr.expressions import Expr
from workbench.format.index.file_index.collecting import IndexCollector
from workbench.format.index.file_index.requests import IndexRequest, index_requests
from workbench.format.spec import paths
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join, parent
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.compaction.compact_table import live_files
from workbench.write.compact_append import BATCH_ROWS

_WORKERS = 4


@dataclass(frozen=True, repr=False)
class IndexRewrite(Outcome):
    """The numbers of partitions and of data files that got new indexes; ``snapshot`` is the id of the commit, None if
    there is none."""

    partitions: int = 0
    indexes: int = 0
    snapshot: int | None = None


def rewrite_file_indexes(
    store: TableStore, latest: Snapshot | None, where: Expr | None, progress: Progress
) -> IndexRewrite:
    """Give the data files of a version new indexes, in one commit; see `Table.rewrite_file_indexes`."""
    entries = [] if latest is None else live_files(store, latest, where)

    def indexed(entry: ManifestEntry) -> DataFileMeta:
        progress.check()
        file = _with_index(store, entry)
        progress.advance()
        return file

    with progress.step(f"Indexing {store.name}", len(entries), "files"):
        files = parallel_map(indexed, entries, _WORKERS)
    changed = [each for each in zip(entries, files, strict=True) if each[0].file != each[1]]
    if not changed:
        return IndexRewrite(store.name)
    commit = commit_messages(Publication.by_new_user(store), _messages(changed), publish.commit)
    if not commit.snapshots:
        # Nothing refers to the new index files; they are left to orphan cleaning.
        raise CommitConflict(f"Another writer replaced files of {store.name} while they were indexed.", "Try again.")
    partitions = {entry.partition for entry, _ in changed}
    return IndexRewrite(store.name, len(partitions), len(changed), commit.snapshots[-1].id)


def _with_index(store: TableStore, entry: ManifestEntry) -> DataFileMeta:
    """Return the data file with the indexes that the table's options define; the stored rows do not change."""
    file = entry.file
    others = tuple(name for name in file.extra_files if not name.endswith(paths.FILE_INDEX_SUFFIX))
    requests = _requests_of(store, file)
    if not requests:
        return replace(file, extra_files=others, embedded_index=None)
    schema = store.schema_of(file.schema_id)
    path = store.data_file_path(entry.partition, entry.bucket, file)
    columns = list(dict.fromkeys(request.field.name for request in requests))
    collector = IndexCollector(requests)
    for batch in open_data_file(store, path, file, schema).batches(columns, BATCH_ROWS):
        collector.update(batch)
    container = collector.container()
    if len(container) <= store.schema.core.file_index_in_manifest_threshold:
        return replace(file, extra_files=others, embedded_index=container)
    # The new index gets a new file, because older versions still use the old one.
    name = paths.file_index_name(f"{file.file_name}.{store.ids.uuid()}")
    store.file_io.write_bytes(join(parent(path), name), container)
    return replace(file, extra_files=(*others, name), embedded_index=None)


def _requests_of(store: TableStore, file: DataFileMeta) -> list[IndexRequest]:
    """Return the requested indexes of columns that the file contains with their current type, under their names in the
    file."""
    written = {field.id: field for field in store.schema_of(file.schema_id).fields}
    found = []
    for request in index_requests(store.schema):
        field = written.get(request.field.id)
        if field is not None and field.type == request.field.type:
            found.append(replace(request, field=field))
    return found


def _messages(changed: Sequence[tuple[ManifestEntry, DataFileMeta]]) -> list[CommitMessage]:
    """Return one message for each bucket."""
    buckets: dict[tuple[bytes, int, int], list[tuple[DataFileMeta, DataFileMeta]]] = {}
    for entry, file in changed:
        buckets.setdefault((entry.partition, entry.bucket, entry.total_buckets), []).append((entry.file, file))
    return [
        CommitMessage(
            *bucket, compact_before=tuple(old for old, _ in files), compact_after=tuple(new for _, new in files)
        )
        for bucket, files in buckets.items()
    ]
