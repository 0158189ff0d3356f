"""May these changes be applied to that version? (format §4.4, `ConflictDetection`). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from workbench.base.errors import CommitConflict
from workbench.format.data_file import FileKind, ManifestEntry

KeyOf = Callable[[bytes], Any]


def check_total_buckets(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry], table: str) -> None:
    """The bucket number of a partition changes only by an overwrite.

    Raises:
        CommitConflict: ``delta`` writes with another number of buckets than the partition has.
    """
    known = {entry.partition: entry.total_buckets for entry in base if entry.total_buckets > 0}
    for entry in delta:
        before = known.get(entry.partition)
        if before is not None and entry.total_buckets > 0 and entry.total_buckets != before:
            raise CommitConflict(
                f"A partition of {table} has {before} buckets and these files were written for {entry.total_buckets}.",
                "Overwrite the partition to change its bucket number.",
            )


def check_files(
    base: Sequence[ManifestEntry], delta: Sequence[ManifestEntry], key_of: KeyOf | None, table: str
) -> None:
    """Every removed file is still there, no file comes twice, and files of one level above 0 do not overlap.

    ``key_of`` turns a serialized key into something comparable; None for append tables.

    Raises:
        CommitConflict: another writer removed a file first, or added files that these overlap.
    """
    live = {entry.identifier: entry for entry in base}
    for entry in delta:
        if entry.kind == FileKind.DELETE:
            if live.pop(entry.identifier, None) is None:
                raise CommitConflict(
                    f"File {entry.file.file_name} of {table} was removed by another commit first.",
                    "Nothing was changed; run the operation again on the newest version.",
                )
        elif live.setdefault(entry.identifier, entry) is not entry:
            raise CommitConflict(f"File {entry.file.file_name} of {table} is there already.")
    if key_of is not None:
        _check_levels(live.values(), {(entry.partition, entry.bucket) for entry in delta}, key_of, table)


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
