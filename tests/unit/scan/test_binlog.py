"""Rows of ``$binlog``: changes of one key in one row, also where a batch ends between them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from workbench.format.types import DataField, parse_type
from workbench.scan.incremental.binlog import binlog_field, changed_batches, changed_rows, separate_rows

FIELDS = [binlog_field(DataField(0, "k", parse_type("INT NOT NULL")))]
CHANGES = [("+I", 1), ("-U", 2), ("+U", 3), ("-U", 4), ("-D", 5), ("-U", 6), ("+U", 7), ("+U", 8), ("-U", 9)]
PACKED = [("+I", [1]), ("+U", [2, 3]), ("-U", [4]), ("-D", [5]), ("+U", [6, 7]), ("+U", [8]), ("-U", [9])]


def table(rows: list[tuple[str, int]]) -> pa.Table:
    kinds, keys = zip(*rows, strict=True) if rows else ((), ())
    return pa.table({"rowkind": pa.array(kinds, pa.string()), "k": pa.array(keys, pa.int32())})


def listed(rows: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in rows.to_pylist()]


def test_rows_of_a_version_are_separate() -> None:
    assert listed(separate_rows(table(CHANGES), FIELDS)) == [(kind, [key]) for kind, key in CHANGES]


def test_updates_are_one_row() -> None:
    assert listed(changed_rows(table(CHANGES), FIELDS)) == PACKED


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_updates_may_continue_in_the_next_batch(size: int) -> None:
    batches = table(CHANGES).to_batches(max_chunksize=size)
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    assert [row for rows in changed_batches(reader, FIELDS) for row in listed(rows)] == PACKED
    assert [row for rows in changed_batches(table([]).to_reader(), FIELDS) for row in listed(rows)] == []
