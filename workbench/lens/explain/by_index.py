"""The suggestion of a file index for a condition on some values of a column whose ranges overlap."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Float64Array
from workbench.base.counting import counted
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.types import to_arrow
from workbench.lens.explain.situation import ReadContext, rows_of
from workbench.lens.explain.sorted_layout import stored_ranges
from workbench.lens.explain.statements import call, set_options
from workbench.lens.explain.value import Certainty, SuggestionValue
from workbench.scan.explained.indexed import indexed_columns

_FALSE_POSITIVES = 0.1
_OPTION = "file-index.bloom-filter.columns"


def bloom_filter(situation: ReadContext) -> SuggestionValue | None:
    """Suggest a bloom filter on the column by which the most bytes would be left out."""
    if not situation.equalities or not situation.raw or not situation.schema.core.file_index_read_enabled:
        return None
    indexed = indexed_columns(situation.scan, situation.raw)
    found = [_saving(situation, name, indexed) for name in situation.equalities]
    best = max((each for each in found if each is not None), key=lambda each: each[1], default=None)
    if best is None:
        return None
    files, size, certainty, column = best
    if files < 1 or not situation.is_worth(size):
        return None
    name = situation.scan.store.name
    columns = [each.strip() for each in situation.schema.options.get(_OPTION, "").split(",") if each.strip()]
    return SuggestionValue(
        "bloom-filter",
        f"Add a bloom filter of {column}",
        f"The ranges of {column} in {counted(len(situation.raw), 'files')} include the requested values, and no index "
        "says which files have them.",
        files,
        size,
        certainty,
        (
            set_options(name, {_OPTION: ",".join(dict.fromkeys([*columns, column]))}),
            call("rewrite_file_index", table=name),
        ),
    )


def _saving(situation: ReadContext, name: str, indexed: list[frozenset[str]]) -> tuple[int, int, Certainty, str] | None:
    """Return how many files and bytes a bloom filter would leave out."""
    files = [file for (_, file), columns in zip(situation.raw, indexed, strict=True) if name not in columns]
    wanted = situation.equalities[name]
    sizes = np.array([file.file_size for file in files], np.int64)
    likely = _likely(situation, name, files, wanted)
    if likely is not None:
        out = (1 - likely) * (1 - _FALSE_POSITIVES)
        return int(out.sum()), int((out * sizes).sum()), "estimate", name
    if not files or situation.filtered.keys() != {name}:
        return None
    if situation.returned is not None:
        # Each row that was returned is in one file.
        saved = max(0, len(files) - situation.returned)
        return saved, int(np.sort(sizes)[:saved].sum()), "at least", name
    return len(files) - 1, int(np.sort(sizes)[1:].sum()), "at most", name


def _likely(situation: ReadContext, name: str, files: list[DataFileMeta], wanted: int) -> Float64Array | None:
    """Return, for each file, an upper bound of the probability that it has a requested value; None if it is not known.

    It follows from the number of distinct values that ANALYZE found or, for integers and dates, from the number of
    values that are possible between the bounds of the file.
    """
    rows = rows_of(files)
    distinct = situation.distinct.get(name)
    if distinct:
        return np.minimum(1.0, wanted * rows / distinct)
    kind = to_arrow(situation.schema.field(name).type)
    if not files or not (pa.types.is_integer(kind) or pa.types.is_date(kind)):
        return None
    stats = situation.stats_of(name, files)
    ranges = None if stats is None else stored_ranges(stats, rows)
    if ranges is None:
        return None
    number = pa.int32() if pa.types.is_date(kind) else pa.int64()
    low, high = (
        bound.view(number) if pa.types.is_date(kind) else bound.cast(number)
        for bound in (ranges.minimum, ranges.maximum)
    )
    span = high.to_numpy(zero_copy_only=False).astype(np.float64) - low.to_numpy(zero_copy_only=False) + 1
    likely: Float64Array = np.minimum(1.0, wanted * rows / np.nan_to_num(span, nan=1.0))
    return likely
