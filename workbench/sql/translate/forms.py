"""The allow-list of functions as a whole, with those whose arguments are converted to a common type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from workbench.sql.translate import kinds, types
from workbench.sql.translate.casts import widened
from workbench.sql.translate.functions_moments import MOMENT_FUNCTIONS
from workbench.sql.translate.functions_numbers import NUMBER_FUNCTIONS
from workbench.sql.translate.functions_text import TEXT_FUNCTIONS
from workbench.sql.translate.operators import arithmetic, comparison, to_common_type
from workbench.sql.translate.values import NotTranslated, Typed, combined, error

FUNCTIONS = (*TEXT_FUNCTIONS, *NUMBER_FUNCTIONS, *MOMENT_FUNCTIONS)
Form = Callable[[Sequence[Typed], str], Typed]


def _count(values: Sequence[Typed], construct: str, least: int, most: int | None = None) -> None:
    if len(values) < least or (most is not None and len(values) > most):
        raise NotTranslated(f"`{construct}`", "the number of arguments is not supported on DuckDB")


def _common(function: str, least: int) -> Form:
    def form(values: Sequence[Typed], construct: str) -> Typed:
        _count(values, construct, least)
        converted, target = to_common_type(values, construct)
        if not types.is_scalar(target):
            raise NotTranslated(f"`{construct}`", f"`{function}` is supported on DuckDB only for scalars")
        return combined(f"{function}({', '.join(value.sql for value in converted)})", target, converted)

    return form


def _nullif(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    if types.NULL in (values[0].type, values[1].type):
        raise NotTranslated(f"`{construct}`", "`nullif` of NULL is not supported on DuckDB")
    equal = comparison("=", values, construct, pads_char=False)
    return combined(f"CASE WHEN {equal.sql} THEN NULL ELSE {values[0].sql} END", values[0].type, (equal, values[0]))


def _nvl2(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 3, 3)
    (one, other), target = to_common_type(values[1:], construct)
    if target == types.NULL:
        raise NotTranslated(f"`{construct}`", "a choice between NULLs is not supported on DuckDB")
    sql = f"CASE WHEN {values[0].sql} IS NOT NULL THEN {one.sql} ELSE {other.sql} END"
    return combined(sql, target, (values[0], one, other))


def _is_null(word: str) -> Form:
    def form(values: Sequence[Typed], construct: str) -> Typed:
        _count(values, construct, 1, 1)
        return combined(f"({values[0].sql} {word})", types.BOOLEAN, values)

    return form


def _mod(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    return arithmetic("%", values, construct)


def _pmod(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    if not all(types.is_integer(value.type) for value in values):
        raise NotTranslated(f"`{construct}`", "`pmod` is supported on DuckDB only for integers")
    (_, divisor), target = to_common_type(values, construct)
    rest = arithmetic("%", values, construct)
    name = types.duckdb_name(target)
    wide = f"((CAST({rest.sql} AS HUGEINT) + {divisor.sql}) % {divisor.sql})"
    sql = f"CASE WHEN {rest.sql} < 0 THEN CAST({wide} AS {name}) ELSE {rest.sql} END"
    return combined(sql, target, (rest, divisor))


def _equal_null(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    return comparison("IS NOT DISTINCT FROM", values, construct)


def _array(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 1)
    converted, target = to_common_type(values, construct)
    if not types.is_scalar(target):
        raise NotTranslated(f"`{construct}`", "`array` is supported on DuckDB only for scalars")
    return combined(f"[{', '.join(value.sql for value in converted)}]", pa.list_(target), converted)


def _array_of(values: Sequence[Typed], construct: str) -> Typed:
    if not values or not kinds.ARRAY.accepts(values[0]):
        raise NotTranslated(f"`{construct}`", "the function is supported on DuckDB only for arrays of scalars")
    return values[0]


def _size(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 1, 1)
    if not (kinds.ARRAY.accepts(values[0]) or kinds.MAP.accepts(values[0])):
        raise NotTranslated(f"`{construct}`", "the function is supported on DuckDB only for arrays and maps")
    function = "len" if kinds.ARRAY.accepts(values[0]) else "cardinality"
    return combined(f"CAST({function}({values[0].sql}) AS INTEGER)", types.INT, values)


def _element_at(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    array = _array_of(values, construct)
    if not kinds.INT.accepts(values[1]):
        raise NotTranslated(f"`{construct}`", "the function is supported on DuckDB only for arrays and an INT")
    index = values[1].sql
    zero = error("INVALID_INDEX_OF_ZERO", "The index 0 is invalid.")
    outside = error("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "The index is out of bounds.")
    sql = (
        f"CASE WHEN {array.sql} IS NULL OR {index} IS NULL THEN NULL "
        f"WHEN abs(CAST({index} AS BIGINT)) > len({array.sql}) THEN {outside} WHEN {index} = 0 THEN {zero} "
        f"ELSE list_extract({array.sql}, {index}) END"
    )
    return combined(sql, array.type.value_type, values)


def _array_contains(values: Sequence[Typed], construct: str) -> Typed:
    _count(values, construct, 2, 2)
    array = _array_of(values, construct)
    is_null = values[1].type == types.NULL
    if is_null or types.common_type((array.type.value_type, values[1].type)) != array.type.value_type:
        raise NotTranslated(f"`{construct}`", "the value has another type than the elements")
    value = widened(values[1], array.type.value_type, construct)
    has_null = f"len(list_filter({array.sql}, lambda x: x IS NULL)) > 0"
    sql = (
        f"CASE WHEN {array.sql} IS NULL OR {value.sql} IS NULL THEN NULL "
        f"WHEN list_contains({array.sql}, {value.sql}) THEN true WHEN {has_null} THEN NULL ELSE false END"
    )
    return combined(sql, types.BOOLEAN, (array, value))


FORMS: dict[str, Form] = {
    **{name: _common("coalesce", 1) for name in ("coalesce", "nvl", "ifnull")},
    **{name: _common(name, 2) for name in ("greatest", "least")},
    "nullif": _nullif,
    "nvl2": _nvl2,
    "isnull": _is_null("IS NULL"),
    "isnotnull": _is_null("IS NOT NULL"),
    "mod": _mod,
    "pmod": _pmod,
    "equal_null": _equal_null,
    "array": _array,
    **dict.fromkeys(("size", "cardinality"), _size),
    "element_at": _element_at,
    "array_contains": _array_contains,
}
