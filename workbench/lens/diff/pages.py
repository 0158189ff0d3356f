"""Pages of changed rows as texts: the old and the new row side by side, and which cells differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import InvalidRequest
from workbench.base.session import session_options
from workbench.expr.cells import cell_texts, is_number
from workbench.lens.catalog import check_limit
from workbench.lens.diff.filters import BoundFilter, DiffFilter
from workbench.lens.diff.source import Source
from workbench.lens.rows import RowsColumnValue
from workbench.lens.schema import role_of
from workbench.lsm.merge_function import RowKind
from workbench.scan.incremental.changed_rows import ChangedRows

MAX_CHANGES = 10_000
"""Changes that can be paged through. A page is read from the beginning, because a comparison has no index."""

_PAGE = 100
_SECONDS = 10.0


@dataclass(frozen=True)
class ChangeValue:
    """A changed row. ``kind`` is the row kind of the new row (+I or +U) or, if there is no new row, of the old one (-D
    or -U). ``before`` and ``after`` are the values of the columns as text, None if there is no such row; ``changed``
    are the positions of the columns whose values differ. Long values are cut, so cells that differ may show the same
    text."""

    kind: str
    before: tuple[str | None, ...] | None
    after: tuple[str | None, ...] | None
    changed: tuple[int, ...]


@dataclass(frozen=True)
class DiffRowsValue:
    """A page of at most ``limit`` changes, the first of which is at position ``start``. ``state`` is ``more`` if
    more changes follow, ``end`` after the last one, ``cut`` at the last one that can be paged to, and ``slow`` if the
    search was stopped because it took too long. ``zone`` is the time zone of instants."""

    columns: tuple[RowsColumnValue, ...]
    start: int
    limit: int
    rows: tuple[ChangeValue, ...]
    state: str
    zone: str


def collect_diff_rows(
    source: Source,
    chosen: DiffFilter | None = None,
    start: int = 0,
    limit: int = _PAGE,
    seconds: float = _SECONDS,
) -> DiffRowsValue:
    """Return a page of the changes that a filter keeps.

    Raises:
        InvalidRequest: The page is not within the first `MAX_CHANGES` changes.
        InvalidExpression: The condition of the filter is not valid.
        CorruptFile: A file is missing or damaged.
    """
    check_limit(limit)
    if not 0 <= start < MAX_CHANGES:
        raise InvalidRequest(f"start must be from 0 to {MAX_CHANGES - 1}, got {start}.", "Narrow the rows by a filter.")
    bound = BoundFilter.of(chosen or DiffFilter(), source.schema)
    end = min(start + limit, MAX_CHANGES)
    rows: list[ChangeValue] = []
    seen, state = 0, "end"
    deadline = time.monotonic() + seconds
    for piece in source.stream():
        changes = bound.apply(piece)
        first, last = max(start - seen, 0), min(end - seen, len(changes))
        if first < last:
            rows += _changes(changes.slice(first, last - first), source.schema.field_names)
        seen += len(changes)
        if seen > end:
            state = "cut" if end == MAX_CHANGES else "more"
            break
        if time.monotonic() > deadline:
            state = "slow"
            break
    return DiffRowsValue(_columns(source), start, limit, tuple(rows), state, session_options.timezone)


def _columns(source: Source) -> tuple[RowsColumnValue, ...]:
    schema = source.schema
    return tuple(
        RowsColumnValue(
            each.name,
            each.type.sql(),
            is_number(schema.arrow_schema.field(each.name).type),
            role_of(schema, each.name),
        )
        for each in schema.fields
    )


def _changes(changes: ChangedRows, names: Sequence[str]) -> list[ChangeValue]:
    old, new = (
        list(zip(*(cell_texts(column) for column in rows.columns), strict=True))
        for rows in (changes.old_rows(names), changes.new_rows(names))
    )
    none = np.zeros(len(changes), bool)
    differs = np.column_stack([changes.differs.get(name, none) for name in names])
    return [
        ChangeValue(
            RowKind(kind).short,
            before if left >= 0 else None,
            after if right >= 0 else None,
            tuple(np.flatnonzero(changed).tolist()),
        )
        for kind, left, right, before, after, changed in zip(
            changes.kinds.tolist(), changes.left.tolist(), changes.right.tolist(), old, new, differs, strict=True
        )
    ]
