"""`%paimon diff`: a sample of each kind of change, with the cells that an update changed."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from workbench.base.modules import pc
from workbench.lens.diff import DiffValue
from workbench.notebook.views import View
from workbench.sql.grid import Grid, count_text, grid_html, grid_of

_KINDS = "+I inserted, -U before an update, +U after it, -D deleted."
_MOST_PARTITIONS = 10


@dataclass(frozen=True, eq=False, repr=False)
class DiffView(View):
    """The changed rows. ``changed`` are the cells that updates changed, by row and column of the grid."""

    changed: frozenset[tuple[int, int]] = frozenset()

    def _html(self) -> str:
        (grid,) = self.grids
        # A text that no value contains.
        mark = uuid.uuid4().hex
        marked = tuple(
            tuple(
                f"{mark}{'NULL' if text is None else text}" if (row, column) in self.changed else text
                for column, text in enumerate(texts)
            )
            for row, texts in enumerate(grid.rows)
        )
        html = grid_html(replace(grid, rows=marked))
        return re.sub(f"{mark}(.*?)</td>", r'<b class="wb-kind wb-add">\1</b></td>', html, flags=re.DOTALL)


def diff_view(diff: DiffValue, limit: int, partition_keys: Sequence[str] = ()) -> DiffView:
    """Return the view of changed rows: at most ``limit``, of each kind if there are several, with their counts."""
    caption = f"{diff.table}, snapshot {diff.start:,} → {diff.end:,}: {diff.summary}"
    kinds = diff.rows.column("rowkind").to_pylist()
    shown = _sample(kinds, limit)
    rows = diff.rows.take(pa.array(shown, pa.int64()))
    notes = [note for note in (_partitions(diff.rows, partition_keys), _KINDS) if note]
    grid = grid_of(rows, caption, len(shown), diff.rows.num_rows, notes, "change")
    return DiffView((grid,), diff.rows, diff, changed=_changed(grid))


def _sample(kinds: Sequence[str], limit: int) -> list[int]:
    """Return the positions of the rows to show. The two rows of an update are one change, and are kept together."""
    if len(kinds) <= limit:
        return list(range(len(kinds)))
    by_kind: dict[str, list[tuple[int, ...]]] = {"+I": [], "-U": [], "-D": []}
    for position, kind in enumerate(kinds):
        if kind != "+U":
            by_kind[kind].append((position, position + 1) if kind == "-U" else (position,))
    chosen: list[int] = []
    waiting = [changes for changes in by_kind.values() if changes]
    # The rarest kind first, so that what it leaves of its share is used by the others.
    waiting.sort(key=lambda changes: len(changes) * len(changes[0]))
    for number, changes in enumerate(waiting):
        share = (limit - len(chosen)) // (len(waiting) - number)
        size = len(changes[0])
        chosen += [position for change in changes[: share // size] for position in change]
    return sorted(chosen)


def _changed(grid: Grid) -> frozenset[tuple[int, int]]:
    """Return the cells of ``+U`` rows that differ from the ``-U`` row above them."""
    cells = set()
    for row, (before, after) in enumerate(zip(grid.rows, grid.rows[1:], strict=False), 1):
        if before[0] == "-U" and after[0] == "+U":
            cells |= {(row, column) for column in range(1, len(after)) if before[column] != after[column]}
    return frozenset(cells)


def _partitions(rows: pa.Table, keys: Sequence[str]) -> str:
    """Return the number of changes by partition, the largest first; an update is one change."""
    if not keys:
        return ""
    changes = rows.filter(pc.not_equal(rows.column("rowkind"), "-U"))
    order = [("count_all", "descending"), *((key, "ascending") for key in keys)]
    counted = changes.group_by(list(keys)).aggregate([([], "count_all")]).sort_by(order)
    found = counted.slice(0, _MOST_PARTITIONS).to_pylist()
    texts = [f"{', '.join(f'{key}={each[key]}' for key in keys)}: {each['count_all']:,}" for each in found]
    more = counted.num_rows - len(texts)
    rest = f"; and {count_text(more, 'more partition')}" if more else ""
    return f"Changes by partition: {'; '.join(texts)}{rest}."
