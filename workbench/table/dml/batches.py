"""Rebatching of streams of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa


def rebatched(tables: Iterable[pa.Table], min_rows: int) -> Iterator[pa.Table]:
    """Yield the same rows in tables of at least ``min_rows``, except for the last; empty tables are omitted."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        if table.num_rows:
            waiting.append(table)
            rows += table.num_rows
        if rows >= max(min_rows, 1):
            yield pa.concat_tables(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting)
