"""Helpers for all casts: conversion to NumPy arrays and back, and refusal of values that do not fit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray
from workbench.base.modules import pc
from workbench.format.types import DataType

_SHOWN = 60


class CastError(ValueError):
    """A value has no counterpart in the new type of its column; the message quotes it."""


def refuse(values: pa.Array, good: pa.Array, target: DataType) -> None:
    """Raise CastError for the first value that is not ``good``; nulls always count as good."""
    bad = values.filter(pc.and_(values.is_valid(), pc.invert(good)))
    if len(bad):
        raise misfit(str(bad[0])[:_SHOWN], target)


def misfit(text: str, target: DataType) -> CastError:
    """Return the error for a value that is shown as ``text``."""
    return CastError(f"'{text}' is not a valid {target.as_nullable()}")


def numbers_of(values: pa.Array, arrow_type: pa.DataType | None = None) -> AnyArray:
    """Return the values, or their storage as ``arrow_type``, as a NumPy array; zero for null."""
    plain = values if arrow_type is None else values.view(arrow_type)
    numbers: AnyArray = plain.fill_null(pa.scalar(0).cast(plain.type)).to_numpy(zero_copy_only=False)
    return numbers


def array_of(numbers: AnyArray, like: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return an array of ``arrow_type`` whose storage is ``numbers``; null where ``like`` is null."""
    nulls = like.is_null().to_numpy(zero_copy_only=False)
    return pa.array(numbers, mask=nulls).view(arrow_type)


def unscaled(decimals: pa.Array) -> pa.Array:
    """Return the unscaled integers of decimals with at most 38 digits."""
    return pa.Array.from_buffers(pa.decimal128(38, 0), len(decimals), decimals.buffers(), offset=decimals.offset)


def low_bits(decimals: pa.Array) -> AnyArray:
    """Return the low 64 bits of the unscaled integers of decimals with at most 38 digits; zero for null."""
    words = np.frombuffer(decimals.buffers()[1], np.int64)[2 * decimals.offset :][: 2 * len(decimals) : 2]
    nulls = decimals.is_null().to_numpy(zero_copy_only=False)
    return np.where(nulls, 0, words)
