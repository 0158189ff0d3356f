"""Merging of the rows that share a key: one interface for all merge engines (format §17), over whole groups of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int8Array, Int64Array
from workbench.base.errors import MergeError
from workbench.lsm.keys import KeyGroups

Kinds = Int8Array


class RowKind(IntEnum):
    """The kind of a row, as `_VALUE_KIND` stores it."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """The short form ``+I``, ``-U``, ``+U`` or ``-D``."""
        return ("+I", "-U", "+U", "-D")[self]


def is_retract(kinds: Kinds) -> BoolArray:
    """Return bool[rows]: which rows are retracts (-U, -D)."""
    retracts: BoolArray = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    return retracts


class RowSource(Protocol):
    """The value columns of the rows being merged, in input order. Requesting a column may read it, so request only
    necessary ones."""

    def column(self, name: str) -> pa.ChunkedArray:
        """Return the column ``name``, one value for each input row."""
        ...

    def levels(self) -> Int8Array:
        """Return int8[rows]: the level of the tree that each row comes from."""
        ...


class RefusedRows(MergeError):  # noqa: N818 - named as the other errors
    """The rows of one key that cannot be merged; ``row`` is one of these input rows. ``reason`` is a sentence without
    its period."""

    def __init__(self, reason: str, row: int, hint: str | None = None) -> None:
        super().__init__(f"{reason}.", hint)
        self.reason = reason
        self.row = row

    def of_key(self, key: str) -> MergeError:
        """Return the error that names the key."""
        return MergeError(f"{self.reason} in the rows of key {key}.", self.hint)


WIDER = "Change the column to a wider type."


@dataclass(frozen=True)
class Overflow:
    """A total that exceeds the precision of its column. Java continues with null, or with too many digits.

    ``row`` is an input row of the key, the first of several.
    """

    column: str
    function: str
    type_name: str
    row: int

    def refused(self) -> RefusedRows:
        """Return the error of a merge that must not store such a total."""
        return RefusedRows(f"The {self.function} of column '{self.column}' overflows {self.type_name}", self.row, WIDER)


@dataclass(frozen=True)
class Merged:
    """The result, at most one row for each key. ``rows`` (int64[keys]) is the input row of every column that
    ``columns`` does not replace; ``kinds`` (int8[keys]) are the resulting row kinds, None if all are inserts.
    ``positions`` (int64[keys]): the rank of each resulting key among all keys, None if the result has all keys in key
    order. ``overflows``: the columns with a total that exceeds their precision, each once.
    """

    rows: Int64Array
    kinds: Kinds | None
    columns: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)
    positions: Int64Array | None = None
    overflows: tuple[Overflow, ...] = ()


class MergeFunction(Protocol):
    """Combines the rows of each key into one. A key with a single row keeps it, regardless of its kind.

    Implementations are frozen dataclasses. Three optional fields have a meaning for other modules: ``ignores_deletes``,
    ``merged_below`` (of the rows above level 0 only those of the newest level count) and ``folds_lone`` (a single row
    is merged too).
    """

    @property
    def reads(self) -> tuple[str, ...]:
        """The value columns that merging uses."""
        ...

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group. ``kinds`` (int8[input rows]) is None if every row is an insert. Raises MergeError for rows
        that the engine cannot combine."""
        ...


def picked_rows(groups: KeyGroups, kinds: Int8Array, positions: Int64Array, there: BoolArray) -> Merged:
    """Return the rows at ``positions`` (int64[keys]) of ``order`` for the keys that still have a row (``there``)."""
    rows = groups.order[positions[there]]
    return Merged(rows, kinds[rows], positions=None if there.all() else np.flatnonzero(there))


def lone_or_added(groups: KeyGroups, kinds: Int8Array) -> BoolArray:
    """Return bool[positions]: which positions of ``order`` hold the only row of a key, or one that is not a retract."""
    sizes = groups.ends - groups.starts
    lone: BoolArray = np.repeat(sizes == 1, sizes)
    return lone | ~is_retract(kinds[groups.order])
