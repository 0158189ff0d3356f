"""Counts the differences of two states row by row, to be compared with `workbench.lens.diff`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.lens.diff.counts import DiffCountsValue


@dataclass
class Counted:
    """Differences: by kind, by column, and by the values of the partition."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    columns: Counter[str] = field(default_factory=Counter)
    partitions: Counter[tuple[str, ...]] = field(default_factory=Counter)


def count_differences(before: pa.Table, after: pa.Table, keys: list[str], partition: list[str]) -> Counted:
    """Compare two states as dicts, or as multisets if there is no key."""
    counted = Counted()
    old, new = (_texts(table) for table in (before, after))
    if not keys:
        rows = [Counter(tuple(sorted(row.items())) for row in each) for each in (old, new)]
        for row, count in (rows[1] - rows[0]).items():
            counted.inserted += count
            counted.partitions[_place(dict(row), partition)] += count
        for row, count in (rows[0] - rows[1]).items():
            counted.deleted += count
            counted.partitions[_place(dict(row), partition)] += count
        return counted
    olds, news = ({tuple(row[key] for key in keys): row for row in each} for each in (old, new))
    for key in {**olds, **news}:
        one, other = olds.get(key), news.get(key)
        if one == other:
            continue
        counted.partitions[_place(other or one or {}, partition)] += 1
        if one is None:
            counted.inserted += 1
        elif other is None:
            counted.deleted += 1
        else:
            counted.updated += 1
            counted.columns.update(name for name in one if one[name] != other[name])
    return counted


def _texts(table: pa.Table) -> list[dict[str, str]]:
    columns = {name: [repr(value) for value in _plain(table.column(name))] for name in table.schema.names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_temporal(column.type):
        return column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64()).to_pylist()
    return column.to_pylist()


def _place(row: dict[str, str], partition: list[str]) -> tuple[str, ...]:
    return tuple(row[name] for name in partition)


def same(counts: DiffCountsValue, counted: Counted) -> None:
    """Assert that all numbers are equal."""
    assert (counts.inserted, counts.updated, counts.deleted) == (counted.inserted, counted.updated, counted.deleted)
    assert {each.name: each.rows for each in counts.columns if each.rows} == dict(counted.columns)
    by_kind = {each.kind: each.rows for each in counts.kinds}
    assert by_kind == {"+I": counted.inserted, "-U": counted.updated, "+U": counted.updated, "-D": counted.deleted}
    if counted.partitions and counts.partition_total:
        assert sorted(each.changes for each in counts.partitions) == sorted(counted.partitions.values())
