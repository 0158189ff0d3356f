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

from workbench.lsm.keys import KeyGroups, Rows

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


@dataclass(frozen=True)
class Merged:
    """The result, one row for each key. ``rows`` (int64[keys]) is the input row from which every column is taken that
    ``columns`` does not replace; ``kinds`` (int8[keys]) the resulting row kinds, None where all are inserts.
    """

    rows: Rows
    kinds: Kinds | None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)


class MergeFunction(Protocol):
    """Combines the rows of each key into one."""

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group. ``kinds`` (int8[input rows]) is None where every row is an insert."""
        ...


class DeduplicateMergeFunction:
    """The newest row of a key wins, whatever its kind (`DeduplicateMergeFunction` in Java)."""

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:  # noqa: ARG002
        """Keep the last row of every group; no value column is read."""
        rows = groups.newest()
        return Merged(rows, None if kinds is None else kinds[rows])
