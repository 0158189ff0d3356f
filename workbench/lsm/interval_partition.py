"""Partitioning of files by key range into disjoint sections, each with the fewest sorted runs (format §18.3, §25.2).

Rows of different sections never share a key, so sections are read, merged and compacted separately.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.levels import Key, KeyOf, SortedRun

_Range = tuple[Key, Key, DataFileMeta]


def partition_into_sections(files: Iterable[DataFileMeta], key_of: KeyOf) -> list[list[SortedRun]]:
    """Return sections in key order, each a list of sorted runs; the number of runs is the maximum number of files that
    overlap at a key.

    This is Java's ``IntervalPartition``. The order of the runs inside a section has no meaning.
    """
    ranges = [(key_of(file.min_key), key_of(file.max_key), file) for file in files]
    ranges.sort(key=lambda each: each[:2])
    sections: list[list[SortedRun]] = []
    section: list[_Range] = []
    bound: Key = ()
    for each in ranges:
        min_key, max_key, _ = each
        if section and min_key > bound:
            sections.append(_fewest_runs(section))
            section = []
        section.append(each)
        bound = max(bound, max_key)
    if section:
        sections.append(_fewest_runs(section))
    return sections


def _fewest_runs(section: list[_Range]) -> list[SortedRun]:
    """Assign each file to the run that ends first, or open a new run if even that one overlaps the file."""
    runs: list[list[DataFileMeta]] = []
    ends: list[tuple[Key, int]] = []
    for min_key, max_key, file in section:
        if ends and min_key > ends[0][0]:
            index = ends[0][1]
            runs[index].append(file)
            heapq.heapreplace(ends, (max_key, index))
        else:
            heapq.heappush(ends, (max_key, len(runs)))
            runs.append([file])
    return [SortedRun(tuple(run)) for run in runs]
