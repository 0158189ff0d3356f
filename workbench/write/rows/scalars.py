"""Conversion of Python values that are not nested. Values of different Python types are converted separately: Arrow
would infer one type for all of them, and drop the time of a datetime after a date, or the zone of a datetime after one
without a zone."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.format.types import DataType, to_arrow
from workbench.write.rows.casts import FAILURES, cast_leaf, first_line
from workbench.write.rows.columns import decoded

_Kind = tuple[type, bool]
_PLAIN = {bool, int, float, str, bytes, date, Decimal}
"""Types whose values need no further look: Arrow infers one type that represents them all."""


def types_of(values: Iterable[Any]) -> set[type]:
    """Return the types that occur, without that of None. This takes much less time than looking at the values."""
    return set(map(type, values)) - {type(None)}


def without_markers(values: Sequence[Any]) -> Sequence[Any]:
    """Return values with None instead of pandas' and NumPy's markers of missing values, other than NaN."""
    kinds = types_of(values)
    pandas = sys.modules.get("pandas")
    if pandas is not None and kinds & {type(pandas.NA), type(pandas.NaT)}:
        values = [None if each is pandas.NA or each is pandas.NaT else each for each in values]
    if np.datetime64 in kinds:
        values = [None if type(each) is np.datetime64 and np.isnat(each) else each for each in values]
    return values


def scalars(values: Sequence[Any], data_type: DataType, path: str) -> Any:
    """Return values as an Arrow array of a type that is not nested.

    Raises:
        SchemaMismatch: A value cannot be converted without loss.
    """
    if isinstance(values, np.ndarray):
        return cast_leaf(decoded(pa.array(values)), data_type, path)
    types = types_of(values)
    if len(types) == 1 and types <= _PLAIN:
        return _of_kind(values, types.pop(), False, data_type, path)
    values = without_markers(values)
    target = to_arrow(data_type)
    groups = _groups(values)
    if len(groups) == 1:
        return _of_kind(values, *groups[0], data_type, path)
    if not groups:
        return pa.nulls(len(values), target)
    arrays, positions = [pa.nulls(1, target)], np.zeros(len(values), np.int64)
    for kind in groups:
        chosen = [at for at, each in enumerate(values) if each is not None and _kind(each) == kind]
        positions[chosen] = np.arange(len(chosen)) + sum(map(len, arrays))
        arrays.append(_of_kind([values[at] for at in chosen], *kind, data_type, path))
    return pa.concat_arrays(arrays).take(pa.array(positions))


def _groups(values: Sequence[Any]) -> list[_Kind]:
    """Return the kinds of values that occur, without nulls."""
    types = types_of(values)
    if types == {datetime} and {each.tzinfo for each in values if each is not None} == {None}:
        return [(datetime, False)]
    if any(issubclass(each, datetime) for each in types):
        return list(dict.fromkeys(_kind(each) for each in values if each is not None))
    return [(each, False) for each in types]


def _kind(value: Any) -> _Kind:
    """Return the type of a value, and whether it is a datetime with a zone."""
    return type(value), isinstance(value, datetime) and value.utcoffset() is not None


def _of_kind(values: Sequence[Any], kind: type, zoned: bool, data_type: DataType, path: str) -> Any:
    target = to_arrow(data_type)
    try:
        given = _inferred(values, kind, zoned)
        if given is None or _means_by_type(given.type, target):
            return pa.array(values, target)
    except FAILURES as error:
        raise SchemaMismatch(
            f"Column '{path}' is {data_type}, and these values do not fit: {first_line(error)}."
        ) from error
    return cast_leaf(given, data_type, path)


def _inferred(values: Sequence[Any], kind: type, zoned: bool) -> Any:
    """Return values of one kind in the type that represents them exactly; None if they are integers too large for
    64 bits."""
    if issubclass(kind, datetime) and hasattr(kind, "nanosecond"):
        return _with_nanoseconds(values, zoned)
    if kind is np.datetime64:
        return pa.array(np.array([np.datetime64("NaT") if each is None else each for each in values]))
    if issubclass(kind, time) and any(each is not None and each.tzinfo is not None for each in values):
        raise ValueError("a time has a zone")
    try:
        return pa.array(values)
    except OverflowError:
        if issubclass(kind, int):
            return None
        raise


def _with_nanoseconds(values: Sequence[Any], zoned: bool) -> Any:
    """Return timestamps of pandas with their nanoseconds, which Arrow drops."""
    if not any(each is not None and each.nanosecond for each in values):
        return pa.array(values)
    counts = [None if each is None else each.as_unit("ns").value for each in values]
    return pa.array(counts, pa.int64()).cast(pa.timestamp("ns", "UTC" if zoned else None))


def _means_by_type(given: pa.DataType, target: pa.DataType) -> bool:
    """Return whether Python values of the type ``given`` can only be interpreted with the target type: integers for a
    DATE, text for BYTES."""
    if isinstance(given, pa.BaseExtensionType):
        return True
    texts = (pa.string(), pa.binary())
    return (given in texts and target in texts) or (pa.types.is_integer(given) and pa.types.is_temporal(target))
