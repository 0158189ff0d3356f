"""A part of a scan that one worker reads independently: files of one bucket of one snapshot (format §25)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

from workbench.base.card import MOST_ROWS, Card, HasCard, Listing, shortened
from workbench.base.counting import counted
from workbench.base.lazy import cached_property
from workbench.base.markup import printable
from workbench.base.texts import size_text
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.index_files import DeletionFile

Run = tuple[DataFileMeta, ...]
Section = tuple[Run, ...]
_SHOWN_FOLDERS = 2


@dataclass(frozen=True, repr=False)
class Split(HasCard):
    """Files of one bucket that one worker reads. Picklable.

    ``sections`` hold sorted runs, oldest first; keys of different sections never overlap. In append tables each file is
    a separate section. ``partition`` is a serialized row; ``deletions`` maps the name of a data file to the location of
    its deletion vector; ``waiting`` has the names of the files with postponed rows, which may belong to any bucket.
    """

    partition: bytes
    bucket: int
    total_buckets: int
    sections: tuple[Section, ...]
    directory: str
    deletions: Mapping[str, DeletionFile] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return printable(f"<Split of {self.directory}: {self._summary}>")

    def _card(self) -> Card:
        """Return what is read, and a row for each file."""
        facts = (("directory", self.directory), ("reads", self._summary), ("merge", merge_text(self)))
        rows = tuple(
            (
                file.file_name,
                f"{file.level}",
                f"{file.row_count:,}",
                size_text(file.file_size),
                "yes" if file.file_name in self.deletions else "",
            )
            for file in self.files
        )
        headings = ("file", "level", "stored rows", "size", "deletion vector")
        card = Card(
            f"Split of bucket {self.bucket}", facts, headings, rows, frozenset({"level", "stored rows", "size"})
        )
        return shortened(card, "file")

    @property
    def _summary(self) -> str:
        return f"{counted(len(self.files), 'files')}, {self.row_count:,} stored rows, {size_text(self.size)}"

    @property
    def raw_convertible(self) -> bool:
        """Whether every file can be read separately: nothing to merge, no deletes to apply."""
        return not self.deletions and all(is_raw(section) for section in self.sections)

    @cached_property
    def files(self) -> tuple[DataFileMeta, ...]:
        """All files, in the order in which they are read."""
        return files_of(self.sections)

    @property
    def paths(self) -> tuple[str, ...]:
        """The full path of each file."""
        return tuple(self.path(file) for file in self.files)

    def path(self, file: DataFileMeta) -> str:
        """Return the full path of one of the files."""
        return file.external_path or f"{self.directory}/{file.file_name}"

    @property
    def row_count(self) -> int:
        """The number of stored rows, before any merge."""
        return sum(file.row_count for file in self.files)

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return sum(file.file_size for file in self.files)


class SplitList(Listing[Split]):
    """The splits of a scan, in the order in which they are read."""

    def _card(self) -> Card:
        """Return a row for each split."""
        rows = tuple(
            (
                "/".join(each.directory.split("/")[-_SHOWN_FOLDERS:]),
                f"{len(each.files):,}",
                f"{each.row_count:,}",
                size_text(each.size),
                merge_text(each),
            )
            for each in self[:MOST_ROWS]
        )
        headings = ("directory", "files", "stored rows", "size", "merge")
        card = Card(counted(len(self), "splits"), (), headings, rows, frozenset(headings[1:4]))
        return shortened(card, "split", len(self))


def merge_text(split: Split) -> str:
    """Return how many sorted runs a read merges at most, or that it merges none."""
    runs = max(map(len, split.sections), default=0)
    return counted(runs, "sorted runs") if runs > 1 else "none"


def files_of(sections: Iterable[Section]) -> tuple[DataFileMeta, ...]:
    """Return all files of sections, in the order in which they are read."""
    return tuple(chain.from_iterable(chain.from_iterable(sections)))


def is_raw(section: Section) -> bool:
    """Return whether a section needs no merge, that is, whether it is one run without deletes. Old writers do not
    record the number of deletes; it counts as zero (format §25.2)."""
    return len(section) == 1 and not any(file.delete_row_count for file in section[0])


def is_merged(schema: TableSchema, section: Section) -> bool:
    """Return whether the rows of a section are merged by key, which never happens in tables without keys."""
    return schema.is_primary_key_table and not is_raw(section)


def pack(sections: Sequence[Section], weights: Sequence[int], target_size: int) -> list[Sequence[Section]]:
    """Pack neighboring sections together up to the target size, because each task has a fixed cost
    (`MergeTreeSplitGenerator`). ``weights`` are those of the files, in order."""
    ends = [0, *accumulate(weights)]
    if len(weights) > len(sections):
        ends = [0, *map(ends.__getitem__, accumulate(sum(map(len, section)) for section in sections))]
    packed, start = [], 0
    while start < len(sections):
        end = max(start + 1, bisect_right(ends, ends[start] + target_size) - 1)
        packed.append(sections[start:end])
        start = end
    return packed
