"""Forms of the compactions of a table with less detail, for notebooks that save them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.lens.compaction.value import CompactionsValue


def smaller_compactions(value: CompactionsValue) -> Iterator[CompactionsValue]:
    """Yield forms with less and less detail: neither replay nor costs, fewer compactions, then no story."""
    value = replace(value, replay=None, costs=None)
    yield value
    while len(value.compactions) > 1:
        compactions = value.compactions[: len(value.compactions) * 3 // 4]
        value = replace(value, compactions=compactions, next=None)
        yield value
    yield replace(value, story=None)
