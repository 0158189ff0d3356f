"""The data file writers of one write, of which a limited number have an open file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from workbench.base.parallel import parallel_map
from workbench.datafile.data_file_writer import DataFileWriter
from workbench.format.spec.data_file import DataFileMeta

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

# Operating systems allow a process 256 or 1024 open files, of which other parts of the process need some.
_MOST_OPEN = 128


@dataclass
class OpenWriters(Generic[Key]):
    """Writers of data files, one for each key; ``begin`` returns the writer of a new key.

    Rows may go to any number of partitions. Before more than `_MOST_OPEN` files are open, the files that were not
    written to for the longest time are finished; later rows of their keys go to other files.
    """

    begin: Callable[[Key], DataFileWriter]
    _writers: dict[Key, DataFileWriter] = field(default_factory=dict)
    # In the order of their last use, the oldest first.
    _open: dict[Key, None] = field(default_factory=dict)

    def turns(self, items: Sequence[Item], key: Callable[[Item], Key]) -> Iterator[Sequence[Item]]:
        """Yield the items in parts that are small enough to be written at the same time. Items of open files come
        first, so that few files are finished early."""
        ordered = items if len(items) <= _MOST_OPEN else sorted(items, key=lambda item: key(item) not in self._open)
        for start in range(0, len(ordered), _MOST_OPEN):
            yield ordered[start : start + _MOST_OPEN]

    def of(self, keys: Sequence[Key], workers: int = 1) -> list[DataFileWriter]:
        """Return the writers of some keys, and finish files of other keys if too many would be open."""
        for key in keys:
            self._open.pop(key, None)
        surplus = max(0, min(len(self._open), len(self._open) + len(keys) - _MOST_OPEN))
        finished = [self._writers[key] for key in list(self._open)[:surplus]]
        parallel_map(DataFileWriter.roll, finished, workers)
        self._open = dict.fromkeys([*list(self._open)[surplus:], *keys])
        for key in keys:
            if key not in self._writers:
                self._writers[key] = self.begin(key)
        return [self._writers[key] for key in keys]

    def close(self, workers: int = 1) -> dict[Key, list[DataFileMeta]]:
        """Finish all files, and return those of each key, in the order in which the keys were written first."""
        files = parallel_map(DataFileWriter.close, self._writers.values(), workers)
        closed = dict(zip(self._writers, files, strict=True))
        self._writers, self._open = {}, {}
        return closed

    def abort(self) -> None:
        """Remove all files."""
        for writer in self._writers.values():
            writer.abort()
        self._writers, self._open = {}, {}
