"""Checks whether changes can be applied to a version (format §4.4, `ConflictDetection`). Free of I/O."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import CommitConflict
from workbench.commit.changes import Changes
from workbench.commit.index_changes import IndexChanges
from workbench.format.spec.data_file import CommitMessage, FileKind, ManifestEntry
from workbench.format.spec.index_entry import DELETION_VECTORS, HASH, IndexEntry
from workbench.metadata.bucket_states import BucketState, KnownBuckets
from workbench.metadata.ids import BucketId

KeyOf = Callable[[bytes], Any]
_AGAIN = "Nothing was changed; run the operation again on the newest version."


@dataclass(frozen=True)
class Vectors:
    """The index files of a version of an append table, and the changes to them."""

    base: Sequence[IndexEntry]
    changes: IndexChanges


@dataclass(frozen=True)
class _Change:
    """An added or removed file. ``name`` identifies it."""

    kind: FileKind
    name: Hashable
    entry: ManifestEntry


def check_total_buckets(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry], table: str) -> None:
    """Check that the number of buckets of a partition stays the same: only an overwrite changes it.

    Raises:
        CommitConflict: ``delta`` has files for another number of buckets than the partition has.
    """
    known = {entry.partition: entry.total_buckets for entry in base if entry.total_buckets > 0}
    for entry in delta:
        if entry.total_buckets <= 0:
            continue
        before = known.setdefault(entry.partition, entry.total_buckets)
        if entry.total_buckets != before:
            raise CommitConflict(
                f"A partition of {table} has {counted(before, 'buckets')} and these files were written for "
                f"{entry.total_buckets}.",
                "Overwrite the partition to change its bucket number.",
            )


def check_sequences(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry], table: str) -> None:
    """Check that new rows have larger sequence numbers than all rows of their buckets. This is necessary if they
    continue the sequence numbers of a version that the table no longer has.

    Java does not check this: old rows that a rollback restored can win over rows that are written after it.

    Raises:
        CommitConflict: A bucket already has rows with equal or larger sequence numbers.
    """
    newest: dict[BucketId, int] = {}
    for entry in base:
        bucket = (entry.partition, entry.bucket)
        newest[bucket] = max(newest.get(bucket, -1), entry.file.max_sequence_number)
    for entry in delta:
        if entry.kind == FileKind.ADD and entry.file.min_sequence_number <= newest.get(
            (entry.partition, entry.bucket), -1
        ):
            raise CommitConflict(
                f"Rows for {table} were prepared on top of a snapshot that the table no longer has, because it was "
                f"rolled back or fast-forwarded; they would lose to older rows of bucket {entry.bucket}.",
                "Nothing was committed; write the rows again.",
            )


def check_column_files(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry], seen: int, table: str) -> None:
    """Check that the row ranges for which a statement writes new column values have not changed since it read them
    (format §26).

    Args:
        base: The files of the version.
        delta: The added and removed files.
        seen: The id of the snapshot that the statement has read.
        table: The name of the table.

    Raises:
        CommitConflict: Another writer removed a range or changed its columns.
    """
    ranges: dict[tuple[bytes, int | None, int], int] = {}
    for entry in base:
        key = (entry.partition, entry.file.first_row_id, entry.file.row_count)
        ranges[key] = max(ranges.get(key, 0), entry.file.max_sequence_number)
    for entry in delta:
        if entry.kind != FileKind.ADD or entry.file.first_row_id is None:
            continue
        newest = ranges.get((entry.partition, entry.file.first_row_id, entry.file.row_count))
        if newest is None or newest > seen:
            raise CommitConflict(
                f"Another commit changed rows of {table} first, starting at row id {entry.file.first_row_id}.",
                _AGAIN,
            )


def check_files(
    base: Sequence[ManifestEntry],
    delta: Sequence[ManifestEntry],
    key_of: KeyOf | None,
    table: str,
    vectors: Vectors | None = None,
) -> None:
    """Check that removed files exist, that no file is added twice, and that files of a level above 0 do not overlap.

    Args:
        base: The files of the version.
        delta: The added and removed files.
        key_of: A function from a serialized key to a comparable value; None for append tables.
        table: The name of the table.
        vectors: The deletion vectors of an append table. A file whose vector has changed counts as a different file,
            because a commit that replaces the file must have seen all rows that are deleted by now.

    Raises:
        CommitConflict: Another writer removed a file first, or added files that overlap the new ones.
    """
    changed = {(entry.partition, entry.bucket) for entry in delta} if key_of is not None else set()
    base = _concerned(base, delta, changed, vectors)
    before, changes = (_plain(base), _plain(delta)) if vectors is None else _with_vectors(base, delta, vectors, table)
    # First check the changes alone: readers would lose a file that is removed and added again under the same name.
    _merged(changes, table)
    merged = _merged([*before, *changes], table)
    for change in merged:
        if change.kind == FileKind.DELETE:
            raise CommitConflict(
                f"File {change.entry.file.file_name} of {table} was removed by another commit first.", _AGAIN
            )
    if key_of is not None:
        _check_levels((change.entry for change in merged), changed, key_of, table)


def _concerned(
    base: Sequence[ManifestEntry], delta: Sequence[ManifestEntry], changed: set[BucketId], vectors: Vectors | None
) -> list[ManifestEntry]:
    """Return the files to compare with the changes: those that they name, and those whose key ranges new files may
    overlap.

    A commit usually changes few of many files, so most files need not be compared.
    """
    names = {entry.file.file_name for entry in delta}
    if vectors is not None:
        indexes = (*vectors.changes.removed, *vectors.changes.added)
        names.update(vector.data_file for entry in indexes for vector in entry.vectors)
    return [
        entry
        for entry in base
        if entry.file.file_name in names or ((entry.partition, entry.bucket) in changed and entry.file.level > 0)
    ]


def check_bucket_vectors(base: Iterable[IndexEntry], changes: IndexChanges, table: str) -> None:
    """Check that each new index file was derived from the current one of its bucket, which has the deletion vectors of
    all data files of the bucket. Otherwise rows that another commit deleted would reappear.

    Raises:
        CommitConflict: Another commit changed the deletion vectors of a bucket first.
    """
    current: dict[tuple[bytes, int], set[str]] = defaultdict(set)
    for entry in (*base, *changes.added):
        if entry.index_type == DELETION_VECTORS:
            current[entry.partition, entry.bucket].add(entry.file_name)
    for entry in changes.removed:
        if entry.index_type == DELETION_VECTORS:
            names = current[entry.partition, entry.bucket]
            if entry.file_name not in names:
                raise _other_vectors(entry, table)
            names.remove(entry.file_name)
    for entry in changes.added:
        if entry.index_type == DELETION_VECTORS and len(current[entry.partition, entry.bucket]) > 1:
            raise _other_vectors(entry, table)


def _other_vectors(entry: IndexEntry, table: str) -> CommitConflict:
    return CommitConflict(f"Another commit deleted rows of bucket {entry.bucket} of {table} first.", _AGAIN)


def check_assignments(
    base: Iterable[IndexEntry], changes: Changes, has_all_keys: Callable[[IndexEntry, IndexEntry], bool], table: str
) -> None:
    """Check that each bucket that receives rows still has all keys of the hash index that was used to assign the rows.
    Otherwise, a later writer would assign these keys to a second bucket.

    Args:
        base: The index files of the version.
        changes: The changes.
        has_all_keys: A function that reads two hash indexes and returns whether the first has all keys of the second,
            which has since been replaced.
        table: The name of the table.

    Raises:
        CommitConflict: Another commit overwrote a bucket first, or the commit that was to add the keys never took
            place.
    """
    current = {(entry.partition, entry.bucket): entry for entry in base if entry.index_type == HASH}
    own = {entry.file_name for entry in changes.index.added}
    for entry in changes.assigned_by:
        known = current.get((entry.partition, entry.bucket))
        if entry.file_name in own or (known is not None and known.file_name == entry.file_name):
            continue
        if known is None or not has_all_keys(known, entry):
            raise CommitConflict(f"Another commit removed keys of bucket {entry.bucket} of {table} first.", _AGAIN)


def check_lookups(buckets: KnownBuckets, compactions: Iterable[CommitMessage], table: str) -> None:
    """Check that compactions that looked up older rows saw all files and deletion vectors above level 0.

    Changes by earlier compactions of the same commit are included. If a compaction missed another commit, a key that
    the other commit added would be duplicated, and a row that it deleted would reappear.

    Raises:
        CommitConflict: Another commit compacted or overwrote a bucket first.
    """
    states: dict[BucketId, BucketState] = {}
    for message in compactions:
        bucket = (message.partition, message.bucket)
        state = states.get(bucket) or buckets.state(bucket)
        if message.looked_up_in is not None and not state.matches(message.looked_up_in):
            raise CommitConflict(f"Another commit compacted bucket {message.bucket} of {table} first.", _AGAIN)
        states[bucket] = state.after(message)


def _plain(entries: Iterable[ManifestEntry]) -> list[_Change]:
    return [_Change(entry.kind, entry.identifier, entry) for entry in entries]


def _with_vectors(
    base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry], vectors: Vectors, table: str
) -> tuple[list[_Change], list[_Change]]:
    """Return the files before the commit, and the changes. A file is identified by its name and by the index file that
    contains its deletion vector.

    A file whose deletion vector is added or removed is a changed file, although it stays in the version.
    """
    known = {vector.data_file: entry.file_name for entry in vectors.base for vector in entry.vectors}
    before = [_Change(each.kind, (each.identifier, known.get(each.file.file_name)), each) for each in base]
    changed: dict[str, list[tuple[FileKind, str]]] = defaultdict(list)
    for kind, entries in ((FileKind.DELETE, vectors.changes.removed), (FileKind.ADD, vectors.changes.added)):
        for entry in entries:
            for vector in entry.vectors:
                changed[vector.data_file].append((kind, entry.file_name))
    changes = []
    for each in delta:
        of_file = changed.pop(each.file.file_name, [])
        if len(of_file) > 1:
            raise CommitConflict(f"File {each.file.file_name} of {table} changes together with its deletion vector.")
        changes.append(_Change(each.kind, (each.identifier, of_file[0][1] if of_file else None), each))
    staying = {each.file.file_name: each for each in base}
    for file_name, of_file in changed.items():
        if file_name not in staying:
            raise CommitConflict(f"File {file_name} of {table} was removed by another commit first.", _AGAIN)
        changes += _of_staying(staying[file_name], of_file)
    return before, changes


def _of_staying(entry: ManifestEntry, of_file: Sequence[tuple[FileKind, str]]) -> Iterator[_Change]:
    removed = replace(entry, kind=FileKind.DELETE)
    for kind, index_file in of_file:
        yield _Change(kind, (entry.identifier, index_file), entry if kind == FileKind.ADD else removed)
    if [kind for kind, _ in of_file] == [FileKind.ADD]:
        yield _Change(FileKind.DELETE, (entry.identifier, None), removed)


def _merged(changes: Iterable[_Change], table: str) -> list[_Change]:
    """Return the changes that remain after additions and removals of the same file cancel out."""
    left: dict[Hashable, _Change] = {}
    for change in changes:
        if change.kind == FileKind.ADD:
            if left.setdefault(change.name, change) is not change:
                raise CommitConflict(f"File {change.entry.file.file_name} is already in {table}.")
        elif left.pop(change.name, None) is None:
            left[change.name] = change
    return list(left.values())


def _check_levels(live: Iterable[ManifestEntry], changed: set[tuple[bytes, int]], key_of: KeyOf, table: str) -> None:
    levels: dict[tuple[bytes, int, int], list[ManifestEntry]] = defaultdict(list)
    for entry in live:
        if entry.file.level > 0 and (entry.partition, entry.bucket) in changed:
            levels[entry.partition, entry.bucket, entry.file.level].append(entry)
    for (_, bucket, level), entries in levels.items():
        spans = sorted(
            ((key_of(entry.file.min_key), key_of(entry.file.max_key), entry) for entry in entries),
            key=lambda span: span[:2],
        )
        for left, right in pairwise(spans):
            if left[1] >= right[0]:
                raise CommitConflict(
                    f"Files {left[2].file.file_name} and {right[2].file.file_name} of {table} would overlap on level "
                    f"{level} of bucket {bucket}.",
                    "Another writer compacted the bucket; run the compaction again.",
                )
