"""A merge engine from outside the package: of the rows of a key, the one with the longest text is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import MergeError
from workbench.format.options.merge_engine import MergeEngine
from workbench.format.spec.schema import TableSchema
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowSource, is_retract


@dataclass(frozen=True)
class KeepLongest:
    """Keeps the longest text, the newer one of two equally long ones. A delete removes all older rows."""

    takes_deletes: bool
    reads: tuple[str, ...] = ("text",)

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Keep one row of every group."""
        kinds = np.zeros(len(groups.order), np.int8) if kinds is None else kinds
        if is_retract(kinds).any() and not self.takes_deletes:
            raise MergeError("Merge engine 'keep-longest' does not take deletes.")
        sizes = [len(text or "") for text in source.column("text").to_pylist()]
        kept = []
        for start, end in zip(groups.starts, groups.ends, strict=True):
            rows = groups.order[start:end].tolist()
            removed = [position for position, row in enumerate(rows) if is_retract(kinds[[row]])[0]]
            left = rows[removed[-1] + 1 :] if removed else rows
            kept.append(max(reversed(left), key=sizes.__getitem__) if left else rows[-1])
        chosen = np.array(kept, np.int64)
        return Merged(chosen, kinds[chosen])


def keep_longest_of(schema: TableSchema, columns: Sequence[str]) -> KeepLongest:  # noqa: ARG001
    """Return the merge function of a table."""
    return KeepLongest(schema.core.engine.takes_deletes)


KEEP_LONGEST = MergeEngine("keep-longest", "tests.support.keep_longest:keep_longest_of")
