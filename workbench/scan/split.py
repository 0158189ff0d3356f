"""A part of a scan that one worker reads independently: files of one bucket of one snapshot (format §25)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

from workbench.base.lazy import cached_property
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.index_files import DeletionFile

Run = tuple[DataFileMeta, ...]
Section = tuple[Run, ...]


@dataclass(frozen=True)
class Split:
    """``sections`` hold sorted runs, oldest first; keys of different sections never overlap. In append tables each file
    is a separate section. Picklable; ``partition`` is a serialized row; ``deletions`` maps a data file's name to the
    location of its deletion vector.
    """

    partition: bytes
    bucket: int
    total_buckets: int
    sections: tuple[Section, ...]
    directory: str
    deletions: Mapping[str, DeletionFile] = field(default_factory=dict)

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


def files_of(sections: Iterable[Section]) -> tuple[DataFileMeta, ...]:
    """Return all files of sections, in the order in which they are read."""
    return tuple(chain.from_iterable(chain.from_iterable(sections)))


def is_raw(section: Section) -> bool:
    """Return whether a section needs no merge, that is whether it is one run without deletes. A missing count by old
    writers counts as zero (format §25.2)."""
    return len(section) == 1 and not any(file.delete_row_count for file in section[0])


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
