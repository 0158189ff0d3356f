"""A piece of a scan that one worker reads on its own: files of one bucket of one version (format §25)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain

from workbench.format.data_file import DataFileMeta
from workbench.table.index_files import DeletionFile

Run = tuple[DataFileMeta, ...]
Section = tuple[Run, ...]


@dataclass(frozen=True)
class Split:
    """``sections`` hold sorted runs, oldest first; keys of different sections never meet. For append tables each
    file is a section of its own. Picklable; ``partition`` is a serialized row; ``deletions`` tells by name of data file
    where the vectors of those lie that have deleted rows.
    """

    partition: bytes
    bucket: int
    total_buckets: int
    sections: tuple[Section, ...]
    directory: str
    deletions: Mapping[str, DeletionFile] = field(default_factory=dict)

    @property
    def raw_convertible(self) -> bool:
        """True where every file can be read on its own: nothing to merge, no deletes to apply."""
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
        """The full path of one of the files."""
        return file.external_path or f"{self.directory}/{file.file_name}"

    @property
    def row_count(self) -> int:
        """Stored rows, before any merge."""
        return sum(file.row_count for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.file_size for file in self.files)


def files_of(sections: Iterable[Section]) -> tuple[DataFileMeta, ...]:
    """All files of sections, in the order in which they are read."""
    return tuple(chain.from_iterable(chain.from_iterable(sections)))


def is_raw(section: Section) -> bool:
    """One run without deletes needs no merge. A count that old writers left out counts as none (format §25.2)."""
    return len(section) == 1 and not any(file.delete_row_count for file in section[0])


def pack(sections: Sequence[Section], weights: Sequence[int], target_size: int) -> list[Sequence[Section]]:
    """Neighbouring sections together up to the target size, for a task costs something by itself
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
