"""Streams of rows in pieces of a size worth the work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa


def gathered(tables: Iterable[pa.Table], least_rows: int) -> Iterator[pa.Table]:
    """The same rows in pieces of at least ``least_rows``, but for the last; tables without rows are left out."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        if table.num_rows:
            waiting.append(table)
            rows += table.num_rows
        if rows >= max(least_rows, 1):
            yield pa.concat_tables(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting)
