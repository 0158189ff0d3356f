"""Row counts and bounds of a plan that the metadata alone determines exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.modules import pc
from workbench.metadata.store import TableStore
from workbench.scan.kept import Kept, PrunedFile
from workbench.scan.split import Section, Split, files_of, is_raw

if TYPE_CHECKING:
    from workbench.expr.pruning import ColumnStatsBatch


def known_rows(store: TableStore, split: Split, section: Section) -> int | None:
    """Return the number of rows of a section, None if only a merge can determine it."""
    if not is_raw(section):
        return None
    rows = 0
    for file in section[0]:
        deletion = split.deletions.get(file.file_name)
        deleted = 0
        if deletion is not None:
            known = deletion.cardinality
            deleted = deletion.read(store, file).cardinality if known is None else known
        rows += file.row_count - deleted
    return rows


def count_by_metadata(
    store: TableStore, splits: Sequence[Split], *, every_row_matches: bool
) -> tuple[int, list[Split]]:
    """Return the number of rows that metadata determines, and a split for each section that must be read to count its
    rows."""
    certain, uncertain = 0, []
    for split in splits:
        for section in split.sections:
            rows = known_rows(store, split, section) if every_row_matches else None
            if rows is None:
                uncertain.append(replace(split, sections=(section,)))
            else:
                certain += rows
    return certain, uncertain


def within_limit(store: TableStore, splits: Sequence[Split], limit: int) -> Kept[Split]:
    """Keep the first sections of the splits, up to those that are known to have ``limit`` rows in total."""
    kept: list[Split] = []
    left_out: list[PrunedFile] = []
    rows = 0
    for split in splits:
        taken = 0
        for section in split.sections:
            if rows >= limit:
                break
            rows += known_rows(store, split, section) or 0
            taken += 1
        rest = split.sections[taken:]
        left_out += (PrunedFile(split.partition, split.bucket, file, "limit") for file in files_of(rest))
        if taken:
            kept.append(replace(split, sections=split.sections[:taken]) if rest else split)
    return Kept(kept, left_out)


def known_bounds(splits: Sequence[Split], stats: ColumnStatsBatch, column: str) -> tuple[pa.Scalar, pa.Scalar] | None:
    """Return the minimum and maximum of a column over all rows of the splits, NULL if it has no values, or None if the
    metadata does not determine them. ``stats`` are the statistics of the files of the splits.

    Bounds of integers and dates are actual values, as Java assumes (``PushDownUtils``); bounds of strings are
    truncated, and bounds of other types omit or round some values.
    """
    found = stats.columns.get(column)
    if found is None or found.minimum is None or found.maximum is None or found.null_count is None:
        return None
    kind = found.minimum.type
    merged = any(split.deletions or not all(map(is_raw, split.sections)) for split in splits)
    if merged or not (pa.types.is_integer(kind) or pa.types.is_date(kind)):
        return None
    only_nulls = pc.fill_null(pc.equal(found.null_count, stats.row_counts), False)
    is_known = pc.or_(only_nulls, pc.and_(found.minimum.is_valid(), found.maximum.is_valid()))
    if not pc.all(is_known, min_count=0).as_py():
        return None
    return pc.min(found.minimum), pc.max(found.maximum)
