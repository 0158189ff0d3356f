"""The index files of the next version: those of the last version, with the changes of a commit applied (format §7,
`IndexManifestFileHandler`). Free of I/O."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from workbench.base.errors import CommitConflict
from workbench.format.spec.index_entry import DELETION_VECTORS, HASH, IndexEntry


@dataclass(frozen=True)
class IndexChanges:
    """The index files that a commit adds and removes."""

    added: tuple[IndexEntry, ...] = ()
    removed: tuple[IndexEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    @property
    def has_deletion_vectors(self) -> bool:
        """Whether deletion vectors are added or removed."""
        return any(entry.index_type == DELETION_VECTORS for entry in (*self.added, *self.removed))

    def applied_to(self, base: Iterable[IndexEntry], *, is_unaware: bool) -> tuple[IndexEntry, ...]:
        """Return the entries of the next version.

        A bucket has one index file of each type, which a new one replaces. Other files are identified by their names.

        Args:
            base: The entries of the last version.
            is_unaware: Whether this is an append table without buckets, whose deletion vectors may be in several files.

        Raises:
            CommitConflict: Another commit removed one of the files first, added deletion vectors for the same data
                files, or assigned buckets to keys concurrently.
        """
        base = tuple(base)
        entries = {_identity(entry, is_unaware=is_unaware): entry for entry in base}
        self._check_hashes(base)
        for entry in self.removed:
            gone = entries.pop(_identity(entry, is_unaware=is_unaware), None)
            if gone is None and is_unaware and entry.index_type == DELETION_VECTORS:
                raise CommitConflict(
                    f"Index file {entry.file_name} was removed by another commit first.",
                    "Nothing was changed; run the operation again on the newest version.",
                )
        for entry in self._lasting:
            entries[_identity(entry, is_unaware=is_unaware)] = entry
        _check_vectors(entries.values())
        return tuple(entries.values())

    @property
    def _lasting(self) -> list[IndexEntry]:
        """The added files that the same changes do not remove again. (A writer that prepares several commits replaces
        its own hash indexes.)"""
        removed = {entry.file_name for entry in self.removed if entry.index_type == HASH}
        return [entry for entry in self.added if entry.file_name not in removed]

    def _check_hashes(self, base: Iterable[IndexEntry]) -> None:
        """Check that each hash index replaces the current one of its bucket, from which it was derived. Otherwise the
        keys of another commit would be forgotten and assigned to a second bucket."""
        removed = {entry.file_name for entry in self.removed}
        there = {(entry.partition, entry.bucket): entry.file_name for entry in base if entry.index_type == HASH}
        for entry in self._lasting:
            if entry.index_type != HASH:
                continue
            known = there.get((entry.partition, entry.bucket))
            if known is not None and known not in removed:
                raise CommitConflict(
                    f"Another writer assigned keys to bucket {entry.bucket} of the same partition first.",
                    "Nothing was changed; write the rows again, and let only one writer at a time add keys.",
                )
            there[entry.partition, entry.bucket] = entry.file_name


def _identity(entry: IndexEntry, *, is_unaware: bool) -> Hashable:
    of_bucket = entry.index_type == HASH or (entry.index_type == DELETION_VECTORS and not is_unaware)
    if of_bucket:
        return entry.index_type, entry.partition, entry.bucket
    return entry.index_type, entry.file_name


def _check_vectors(entries: Iterable[IndexEntry]) -> None:
    """Check that each data file has at most one deletion vector: with two, each would restore rows that the other
    deletes."""
    seen: set[tuple[bytes, int, str]] = set()
    for entry in entries:
        for vector in entry.vectors:
            key = (entry.partition, entry.bucket, vector.data_file)
            if key in seen:
                raise CommitConflict(
                    f"Rows of data file {vector.data_file} were deleted by another commit first.",
                    "Nothing was changed; run the operation again on the newest version.",
                )
            seen.add(key)
