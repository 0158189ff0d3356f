"""Suggestions that place rows differently: sorted files, partitions, buckets by another column."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.counting import counted
from workbench.expr.expressions import Expr
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch, may_match
from workbench.expr.sql_text import quote_name
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.types import to_arrow
from workbench.lens.explain.funnel import Amount, amount_of
from workbench.lens.explain.situation import ReadContext, rows_of
from workbench.lens.explain.sorted_layout import StoredRanges, sorted_stats, stored_ranges
from workbench.lens.explain.statements import call, named_like, properties, sql_name
from workbench.lens.explain.value import SuggestionValue

_MOST_PARTITIONS = 10_000


@dataclass(frozen=True)
class _Saving:
    column: str
    files: int
    size: int
    left: Amount


def sort_by_column(situation: ReadContext) -> SuggestionValue | None:
    """Suggest sorting the rows of an append table by the column whose condition would then exclude the most bytes."""
    schema = situation.schema
    if not schema.is_bucket_unaware or schema.core.row_tracking_enabled:
        return None
    savings = [_if_sorted(situation, name, part) for name, part in situation.filtered.items()]
    best = max((each for each in savings if each is not None), key=lambda each: each.size, default=None)
    if best is None or best.files < 1 or not situation.is_worth(best.size):
        return None
    name = situation.scan.store.name
    return SuggestionValue(
        "sort",
        f"Sort the rows by {best.column}",
        f"The ranges of {best.column} in {counted(situation.amount.files, 'files')} overlap; sorted, about "
        f"{counted(best.left.files, 'files')} would remain.",
        best.files,
        best.size,
        "estimate",
        (call("compact", table=name, order_strategy="order", order_by=best.column),),
    )


def _if_sorted(situation: ReadContext, name: str, part: Expr) -> _Saving | None:
    """Return what would be saved if the files of each partition were sorted by a column."""
    files = [file for _, file in situation.before_values]
    stats = situation.stats_of(name, files)
    ranges = None if stats is None else stored_ranges(stats, rows_of(files))
    if ranges is None:
        return None
    target = situation.schema.kind.target_file_size
    members: defaultdict[bytes, list[int]] = defaultdict(list)
    for position, (partition_row, _) in enumerate(situation.before_values):
        members[partition_row].append(position)
    sizes: list[float] = []
    bounds: list[ColumnStats] = []
    for positions in members.values():
        amount = amount_of(files[position] for position in positions)
        count = max(1, min(amount.rows, -(-amount.size // target)))
        sorted_files = sorted_stats(_some(ranges, positions), count)
        if sorted_files is None:
            return None
        bounds.append(sorted_files)
        sizes += [amount.size / count] * count
    keep = may_match(part, ColumnStatsBatch(pa.nulls(len(sizes), pa.int64()), {name: _joined(bounds)}))
    left = Amount(int(keep.sum()), round(np.array(sizes)[keep].sum()))
    return _Saving(name, situation.amount.files - left.files, situation.amount.size - left.size, left)


def _some(ranges: StoredRanges, positions: list[int]) -> StoredRanges:
    chosen = pa.array(positions, pa.int64())
    at = np.array(positions)
    return StoredRanges(ranges.minimum.take(chosen), ranges.maximum.take(chosen), ranges.rows[at], ranges.nulls[at])


def _joined(bounds: list[ColumnStats]) -> ColumnStats:
    return ColumnStats(
        pa.concat_arrays([each.minimum for each in bounds]),
        pa.concat_arrays([each.maximum for each in bounds]),
        pa.concat_arrays([each.null_count for each in bounds]),
    )


def partition(situation: ReadContext) -> SuggestionValue | None:
    """Suggest partitioning by a filtered column that has no more values than there are files, so that a partition would
    on average be at least as large as a file is now."""
    schema = situation.schema
    if schema.core.row_tracking_enabled:
        return None
    files = [file for _, file in situation.before_values]
    everything = amount_of(files)
    found = []
    for name, part in situation.filtered.items():
        share = _share_of_values(situation, name, part, files)
        if share is not None:
            size = situation.amount.size - round(share * everything.size)
            found.append((size, situation.amount.files - max(1, round(share * everything.files)), name))
    size, count, name = max(found, default=(0, 0, ""))
    if count < 1 or not situation.is_worth(size):
        return None
    store = situation.scan.store
    columns = ", ".join(map(quote_name, (*schema.partition_keys, name)))
    new = named_like(store.name, f"_by_{name}")
    return SuggestionValue(
        "partition",
        f"Partition the table by {name}",
        f"A partition of each value of {name} is as large as a file, and the condition selects few of the values.",
        count,
        size,
        "estimate",
        (f"CREATE TABLE {new} PARTITIONED BY ({columns}) AS SELECT * FROM {sql_name(store.name)}",),
    )


def _share_of_values(situation: ReadContext, name: str, part: Expr, files: list[DataFileMeta]) -> float | None:
    """Return the share of the values of a column that a condition selects; None if there are more values than files, or
    their number is not known."""
    kind = to_arrow(situation.schema.field(name).type)
    if pa.types.is_integer(kind) or pa.types.is_date(kind):
        stats = situation.stats_of(name, files)
        ranges = None if stats is None else stored_ranges(stats, rows_of(files))
        if ranges is None or ranges.nulls.any() or not len(ranges.minimum):
            return None
        number = pa.int32() if pa.types.is_date(kind) else kind
        low = min(ranges.minimum.view(number).to_pylist())
        high = max(ranges.maximum.view(number).to_pylist())
        if high - low >= min(len(files), _MOST_PARTITIONS):
            return None
        values = pa.array(range(low, high + 1), number).view(kind)
        nulls = pa.array(np.zeros(len(values), np.int64))
        keep = may_match(
            part, ColumnStatsBatch(pa.nulls(len(values), pa.int64()), {name: ColumnStats(values, values, nulls)})
        )
        return float(keep.mean())
    distinct, wanted = situation.distinct.get(name), situation.equalities.get(name)
    if not distinct or not wanted or distinct > len(files):
        return None
    return min(1.0, wanted / distinct)


def bucket_key(situation: ReadContext) -> SuggestionValue | None:
    """Suggest distributing rows to buckets by a column that the condition restricts to fewer values than there are
    buckets."""
    schema = situation.schema
    buckets, keys = schema.core.bucket, frozenset(schema.bucket_keys)
    equal = situation.equalities
    if buckets < 2 or keys <= equal.keys():
        return None
    allowed = schema.trimmed_primary_keys or schema.field_names
    candidates = [(count, name) for name, count in equal.items() if name in allowed and count < buckets]
    if not candidates:
        return None
    count, name = min(candidates)
    share = 1 - count / buckets
    size, files = int(situation.amount.size * share), int(situation.amount.files * share)
    if files < 1 or not situation.is_worth(size):
        return None
    store = situation.scan.store
    new = named_like(store.name, f"_by_{name}")
    now = ", ".join(schema.bucket_keys) or "the whole row"
    return SuggestionValue(
        "bucket-key",
        f"Distribute rows to buckets by {name}",
        f"The bucket depends on {now}, so every bucket is read; by {name} alone, {counted(count, 'buckets')} of "
        f"{buckets:,} would be.",
        files,
        size,
        "estimate",
        (
            f"CREATE TABLE {new} LIKE {sql_name(store.name)} TBLPROPERTIES ({properties({'bucket-key': name})})",
            f"INSERT INTO {new} SELECT * FROM {sql_name(store.name)}",
        ),
    )
