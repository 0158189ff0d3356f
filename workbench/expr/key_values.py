"""Computes the keys that a predicate allows, for bucket pruning and point lookups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from workbench.expr.expressions import And, Column, Comparison, Expr, In, IsNull, Literal, Or

MAX_KEYS = 1000
_MAX_MERGES = 100 * MAX_KEYS

_Binding = dict[str, Any]


def equality_values(expr: Expr, column_names: Sequence[str]) -> list[tuple[Any, ...]] | None:
    """Return the keys that a row satisfying a resolved predicate may have; None if there may be more than `MAX_KEYS`.

    The keys are tuples of internal values in the order of ``column_names``. An empty list means that no row matches.
    None within a tuple is NULL (from IS NULL or ``<=>``). Zero of a FLOAT or DOUBLE occurs twice, as 0.0 and -0.0,
    which are equal but have different hashes.
    """
    names = tuple(column_names)
    bindings = _bindings(expr, frozenset(names))
    if bindings is None or any(name not in binding for binding in bindings for name in names):
        return None
    keys: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for binding in bindings:
        choices = [_with_both_zeros(binding[name]) for name in names]
        for key in product(*choices):
            # 0.0 and -0.0 are equal as dictionary keys, but their string representations differ.
            keys[tuple(repr(value) for value in key)] = key
        if len(keys) > MAX_KEYS:
            return None
    return list(keys.values())


def _with_both_zeros(value: Any) -> tuple[Any, ...]:
    return (0.0, -0.0) if isinstance(value, float) and value == 0 else (value,)


def _bindings(expr: Expr, names: frozenset[str]) -> list[_Binding] | None:
    """Return alternative bindings of columns, one of which holds wherever ``expr`` is true; None if unknown."""
    match expr:
        case Comparison(operator="=" | "<=>", left=Column(name=name), right=Literal(value=value)) if name in names:
            if value is None and expr.operator == "=":
                return []
            return None if _is_nan(value) else [{name: value}]
        case In(operand=Column(name=name), values=values) if name in names:
            known = [each.value for each in values if isinstance(each, Literal) and each.value is not None]
            return None if any(map(_is_nan, known)) else [{name: value} for value in known]
        case IsNull(operand=Column(name=name)) if name in names:
            return [{name: None}]
        case Literal(value=False | None):
            return []
        case And(operands=operands):
            return _joined(_bindings(each, names) for each in operands)
        case Or(operands=operands):
            parts = [_bindings(each, names) for each in operands]
            return None if any(part is None for part in parts) else [each for part in parts for each in part or ()]
    return None


def _joined(parts: Iterable[list[_Binding] | None]) -> list[_Binding] | None:
    result: list[_Binding] | None = None
    # Shortest first: conflicts with a short list shrink a long one before it multiplies the result.
    for part in sorted((each for each in parts if each is not None), key=len):
        if result is None:
            result = part
        elif len(result) * len(part) <= _MAX_MERGES:
            merged = (_merged(one, two) for one in result for two in part)
            result = [each for each in merged if each is not None]
    return result


def _merged(one: _Binding, two: _Binding) -> _Binding | None:
    if any(name in two and two[name] != value for name, value in one.items()):
        return None
    return {**one, **two}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
