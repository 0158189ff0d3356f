"""Forms of a history with less detail, for notebooks that save them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from workbench.lens.history.history import HistoryBins, HistoryValue

Number = TypeVar("Number", int, int | None)


def coarser(history: HistoryValue) -> HistoryValue:
    """Return a history with every two neighboring bins combined into one, and with the newer half of its marks."""
    bins, count = history.bins, len(history.bins.ids)
    # With an odd number of bins, the oldest one remains as it is.
    pairs = [slice(max(end - 2, 0), end) for end in range(2 - count % 2, count + 1, 2)]

    def newest(values: Sequence[Number]) -> tuple[Number, ...]:
        halves = ((values[pair][-1], values[pair][0]) for pair in pairs)
        return tuple(older if newer is None else newer for newer, older in halves)

    def summed(values: Sequence[int]) -> tuple[int, ...]:
        return tuple(sum(values[pair]) for pair in pairs)

    def added(values: Sequence[int | None]) -> tuple[int | None, ...]:
        known = ([each for each in values[pair] if each is not None] for pair in pairs)
        return tuple(sum(each) if each else None for each in known)

    combined = HistoryBins(
        ids=newest(bins.ids),
        times=newest(bins.times),
        rows=newest(bins.rows),
        added=added(bins.added),
        appends=summed(bins.appends),
        compacts=summed(bins.compacts),
        overwrites=summed(bins.overwrites),
        analyzes=summed(bins.analyzes),
        files=newest(bins.files),
        bytes=newest(bins.bytes),
        runs=newest(bins.runs),
    )
    return replace(history, bins=combined, marks=history.marks[len(history.marks) // 2 :])


def history_since(history: HistoryValue, start: int) -> HistoryValue:
    """Return the part of a history that begins with snapshot ``start``, without marks. The history must have one bin
    for each snapshot."""
    columns = vars(history.bins)
    first = bisect_left(history.bins.ids, start)
    bins = HistoryBins(**{name: values[first:] for name, values in columns.items()})
    total = len(bins.ids)
    return replace(history, start=bins.ids[0], since_millis=bins.times[0], total=total, read=total, bins=bins, marks=())
