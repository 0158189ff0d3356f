"""Publishing messages as snapshots: the second phase of every write, by one process, several, or Spark (format
§4.3).

Each function takes a `Publication` and the messages to publish, and returns a `CommitOutcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.commit.cleanup import remove_files
from workbench.commit.commit import TableCommit
from workbench.commit.outcome import CommitOutcome, reason_of
from workbench.commit.overwrite import Overwrite
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.schemas import check_writer_schemas
from workbench.metadata.store import TableStore

Publish = Callable[[Publication, Sequence[CommitMessage]], CommitOutcome]
"""A function of this module, with its other arguments."""


def commit(publication: Publication, messages: Sequence[CommitMessage]) -> CommitOutcome:
    """Commit what was written as one snapshot, and what was compacted as a second one, unless the user already
    committed the identifier. Files that the table already has are refused.

    The compaction only helps readers: if another writer compacted the same files first, it is dropped, and the rows
    remain committed.
    """
    committer = TableCommit(publication)
    if committer.is_committed():
        return CommitOutcome(publication, is_skipped=True)
    check_writer_schemas(publication.store, messages)
    return _commit(committer, messages, check_files=True)


def commit_written(publication: Publication, messages: Sequence[CommitMessage]) -> CommitOutcome:
    """Commit what this process just wrote as one snapshot, and what it compacted as a second one."""
    return _commit(TableCommit(publication), messages, check_files=False)


def overwrite(publication: Publication, messages: Sequence[CommitMessage], spec: Overwrite) -> CommitOutcome:
    """Replace partitions with the rows that several processes wrote, unless the user already committed the
    identifier."""
    committer = TableCommit(publication)
    if committer.is_committed():
        return CommitOutcome(publication, is_skipped=True)
    check_writer_schemas(publication.store, messages)
    spec.check_keys()
    return _overwrite(committer, messages, spec)


def overwrite_written(publication: Publication, messages: Sequence[CommitMessage], spec: Overwrite) -> CommitOutcome:
    """Replace partitions with the rows that this process just wrote; do nothing if none is replaced."""
    return _overwrite(TableCommit(publication), messages, spec)


def replace_partitions(
    publication: Publication, messages: Sequence[CommitMessage], replaced: Callable[[bytes], bool]
) -> CommitOutcome:
    """Commit one snapshot in which new files replace all files of the partitions that ``replaced`` accepts."""
    return _replace_partitions(TableCommit(publication), messages, replaced)


def compact(publication: Publication, messages: Sequence[CommitMessage]) -> CommitOutcome:
    """Commit a compaction that is not part of a write."""
    started = publication.store.clock.monotonic()
    snapshot = TableCommit(publication).compact(messages)
    return _outcome(publication, started, snapshot, _Compaction(messages))


def replace_files(
    publication: Publication,
    messages: Sequence[CommitMessage],
    base: Sequence[ManifestEntry],
    base_index: Iterable[IndexEntry],
) -> CommitOutcome:
    """Replace ``base``, which is all files in the buckets of some partitions, with new files. ``base_index`` contains
    the index files of the version that ``base`` was read from.

    Raises CommitConflict if another commit changed these partitions, or deleted rows in them.
    """
    started, committer = publication.store.clock.monotonic(), TableCommit(publication)
    snapshot = committer.replace(messages, base, base_index)
    return _with_compaction(committer, messages, snapshot, started, keeps_changelog=False)


def _commit(committer: TableCommit, messages: Sequence[CommitMessage], *, check_files: bool) -> CommitOutcome:
    publication = committer.publication
    started = publication.store.clock.monotonic()
    snapshot = committer.append(messages, force=publication.is_forced, check_files=check_files)
    return _with_compaction(committer, messages, snapshot, started)


def _overwrite(committer: TableCommit, messages: Sequence[CommitMessage], spec: Overwrite) -> CommitOutcome:
    spec.check(messages)
    replaced = spec.replaced(messages)
    if replaced is None:
        return CommitOutcome(committer.publication, is_skipped=True)
    compacted = any(each.compact_before for each in messages)
    messages = messages if compacted else spec.upgraded_to_last_level(messages)
    return _replace_partitions(committer, messages, replaced)


def _replace_partitions(
    committer: TableCommit, messages: Sequence[CommitMessage], replaced: Callable[[bytes], bool]
) -> CommitOutcome:
    started = committer.publication.store.clock.monotonic()
    snapshot = committer.overwrite(messages, replaced)
    return _with_compaction(committer, messages, snapshot, started, keeps_changelog=False)


@dataclass(frozen=True)
class _Compaction:
    """What became of the compaction of a write: the messages as they were committed, and else the fields of
    `CommitOutcome`."""

    messages: Sequence[CommitMessage]
    snapshot: Snapshot | None = None
    abandoned: str | None = None
    lost: frozenset[BucketId] = frozenset()


def _with_compaction(
    committer: TableCommit,
    messages: Sequence[CommitMessage],
    published: Snapshot | None,
    started: float,
    *,
    keeps_changelog: bool = True,
) -> CommitOutcome:
    """Commit the compaction of a write whose rows are published."""
    compaction = _commit_compaction(committer, messages, published)
    return _outcome(committer.publication, started, published, compaction, keeps_changelog=keeps_changelog)


def _commit_compaction(
    committer: TableCommit, messages: Sequence[CommitMessage], published: Snapshot | None
) -> _Compaction:
    """Commit the compaction of a write. If another commit wins, the compaction is dropped, since the rows are already
    committed."""
    store = committer.publication.store
    if any(each.needs_compaction for each in messages):
        return _lost(store, messages, f"Another commit compacted buckets of {store.name} first.")
    try:
        return _Compaction(messages, committer.compact(messages))
    except CommitConflict as error:
        if published is None:
            raise
        if store.schema.kind.hides_level_0:
            return _lost(store, messages, str(error))
        remove_files(store, messages, written=False)
        return _Compaction(messages, abandoned=str(error))
    except (OSError, CorruptFile) as error:
        # The rows are committed, so this must not look like a failed write. The snapshot may exist, so files are kept.
        if published is None:
            raise
        return _Compaction(messages, abandoned=reason_of(store, error))


def _lost(store: TableStore, messages: Sequence[CommitMessage], reason: str) -> _Compaction:
    remove_files(store, messages, written=False)
    buckets = frozenset(
        (each.partition, each.bucket) for each in messages if each.compact_before or each.needs_compaction
    )
    return _Compaction([each.without_compaction() for each in messages], abandoned=reason, lost=buckets)


def _outcome(
    publication: Publication,
    started: float,
    published: Snapshot | None,
    compaction: _Compaction,
    *,
    keeps_changelog: bool = True,
) -> CommitOutcome:
    return CommitOutcome(
        publication,
        tuple(each for each in (published, compaction.snapshot) if each is not None),
        compaction.messages,
        compaction.lost,
        compaction.abandoned,
        keeps_changelog,
        publication.store.clock.monotonic() - started,
    )
