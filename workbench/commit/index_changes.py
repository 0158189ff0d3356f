"""The index files of the next version: those of the last one, less what goes, plus what comes (format §7,
`IndexManifestFileHandler`). Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from workbench.base.errors import CommitConflict
from workbench.format.spec.index_entry import DELETION_VECTORS, HASH, IndexEntry


@dataclass(frozen=True)
class IndexChanges:
    """Index files that a commit brings, and those that it takes away."""

    added: tuple[IndexEntry, ...] = ()
    removed: tuple[IndexEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    @property
    def has_deletion_vectors(self) -> bool:
        """Whether rows vanish or come back by them."""
        return any(entry.index_type == DELETION_VECTORS for entry in (*self.added, *self.removed))

    def applied_to(self, base: Iterable[IndexEntry], *, is_unaware: bool) -> tuple[IndexEntry, ...]:
        """The entries of the next version. ``is_unaware``: an append table without buckets, whose deletion vectors may
        lie in several files.

        A bucket has one file of each type, and a new one replaces it; other files are known by their names.

        Raises:
            CommitConflict: another commit removed such a file first, brought vectors for the same data files, or gave
                buckets to keys beside this one.
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
        """What was added and not removed again: a writer that prepares several times replaces hash indexes of its
        own."""
        removed = {entry.file_name for entry in self.removed if entry.index_type == HASH}
        return [entry for entry in self.added if entry.file_name not in removed]

    def _check_hashes(self, base: Iterable[IndexEntry]) -> None:
        """A hash index was made from the one that it replaces: that must be the one that is there. Else the keys of
        another commit would be forgotten, and get a second bucket."""
        removed = {entry.file_name for entry in self.removed}
        there = {(entry.partition, entry.bucket): entry.file_name for entry in base if entry.index_type == HASH}
        for entry in self._lasting:
            if entry.index_type != HASH:
                continue
            known = there.get((entry.partition, entry.bucket))
            if known is not None and known not in removed:
                raise CommitConflict(
                    f"Another writer gave keys to bucket {entry.bucket} of the same partition first.",
                    "Nothing was changed; write the rows again, and let one writer at a time add keys.",
                )
            there[entry.partition, entry.bucket] = entry.file_name


def _identity(entry: IndexEntry, *, is_unaware: bool) -> Hashable:
    of_bucket = entry.index_type == HASH or (entry.index_type == DELETION_VECTORS and not is_unaware)
    if of_bucket:
        return entry.index_type, entry.partition, entry.bucket
    return entry.index_type, entry.file_name


def _check_vectors(entries: Iterable[IndexEntry]) -> None:
    """A data file has one deletion vector: of two, either would bring back rows that the other hides."""
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
