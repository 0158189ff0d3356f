"""What becomes of the rows that share a key. One interface for all merge engines (format §17), over whole groups of
rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.errors import MergeError
from workbench.lsm.keys import KeyGroups, Rows
from workbench.lsm.steps import without_merged_before

Kinds = npt.NDArray[np.int8]


class RowKind(IntEnum):
    """The kind of a row, as `_VALUE_KIND` stores it."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """``+I``, ``-U``, ``+U`` or ``-D``."""
        return ("+I", "-U", "+U", "-D")[self]


def is_retract(kinds: Kinds) -> npt.NDArray[np.bool_]:
    """bool[rows]: which rows take something away (-U, -D)."""
    retracts: npt.NDArray[np.bool_] = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    return retracts


class RowSource(Protocol):
    """The value columns of the rows being merged, in input order. Asking for a column may read it, so ask only for
    what counts."""

    def column(self, name: str) -> pa.ChunkedArray:
        """The column ``name``, one value for each input row."""
        ...

    def levels(self) -> npt.NDArray[np.int8]:
        """int8[rows]: the level of the tree that each row comes from."""
        ...


@dataclass(frozen=True)
class Merged:
    """The result, one row for each key, or none where nothing is left of it. ``rows`` (int64[keys]) is the input row
    from which every column is taken that ``columns`` does not replace; ``kinds`` (int8[keys]) the resulting row kinds,
    None where all are inserts. ``places`` (int64[keys]): the rank of each key among all, None where all keys are there
    in their order.
    """

    rows: Rows
    kinds: Kinds | None
    columns: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)
    places: Rows | None = None


class MergeFunction(Protocol):
    """Combines the rows of each key into one. A key with a single row keeps it, whatever it is."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The value columns that merging looks at."""
        ...

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group. ``kinds`` (int8[input rows]) is None where every row is an insert. Raises MergeError for
        rows that the engine cannot combine."""
        ...


@dataclass(frozen=True)
class DeduplicateMergeFunction:
    """The newest row of a key wins, whatever its kind; with ``ignores_deletes`` the newest that is no retract
    (`DeduplicateMergeFunction` in Java). ``merged_below``: of the rows above level 0 only that of the newest level
    counts, whatever sequence fields say (`LookupMergeFunction`)."""

    ignores_deletes: bool = False
    merged_below: bool = False
    reads: tuple[str, ...] = ()

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Keep the last row of every group; no value column is read."""
        if self.merged_below and len(groups.order):
            groups = without_merged_before(groups, source.levels())
        if kinds is not None and self.ignores_deletes:
            places = _lone_or_added(groups, kinds)
            newest = np.maximum.reduceat(np.where(places, np.arange(len(places)), -1), groups.starts)
            return _picked(groups, kinds, newest, newest >= 0)
        rows = groups.newest()
        return Merged(rows, None if kinds is None else kinds[rows])


@dataclass(frozen=True)
class FirstRowMergeFunction:
    """The oldest row of a key wins; retracts are refused, or with ``ignores_deletes`` passed over
    (`FirstRowMergeFunction` in Java). ``folds_lone``: lone ones too."""

    ignores_deletes: bool = False
    folds_lone: bool = False
    reads: tuple[str, ...] = ()

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:  # noqa: ARG002
        """Keep the first row of every group; no value column is read."""
        if kinds is None:
            return Merged(groups.order[groups.starts], None)
        places = ~is_retract(kinds[groups.order]) if self.folds_lone else _lone_or_added(groups, kinds)
        if not self.ignores_deletes and not places.all():
            raise MergeError(
                "A table with merge engine 'first-row' holds deleted rows, which it does not take.",
                "Set 'ignore-delete' = 'true' to ignore them.",
            )
        oldest = np.minimum.reduceat(np.where(places, np.arange(len(places)), len(places)), groups.starts)
        return _picked(groups, kinds, oldest, oldest < len(places))


def _picked(groups: KeyGroups, kinds: Kinds, places: Rows, there: npt.NDArray[np.bool_]) -> Merged:
    """The rows at ``places`` (int64[keys]) of ``order``, of the keys of which something is left."""
    rows = groups.order[places[there]]
    return Merged(rows, kinds[rows], places=None if there.all() else np.flatnonzero(there))


def _lone_or_added(groups: KeyGroups, kinds: Kinds) -> npt.NDArray[np.bool_]:
    """bool[places]: which places of ``order`` hold the only row of a key, or one that is no retract."""
    sizes = groups.ends - groups.starts
    lone: npt.NDArray[np.bool_] = np.repeat(sizes == 1, sizes)
    return lone | ~is_retract(kinds[groups.order])
