"""Random predicates on random tables, compared with a plain Python interpreter of three-valued logic."""

from __future__ import annotations

import math
import operator
import re
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.expr.evaluate import evaluate, filter_mask
from workbench.expr.expressions import (
    And,
    Column,
    Comparison,
    Expr,
    Function,
    In,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
    col,
    negation,
)
from workbench.expr.key_values import equality_values
from workbench.expr.parse import parse
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch, may_match, must_match
from workbench.expr.resolve import resolve_predicate
from workbench.expr.tree import referenced_columns, restrict_to, same
from workbench.format.types import DataField, field_to_arrow, parse_type

TYPES = {
    "t": "TINYINT",
    "i": "INT",
    "l": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "m": "DECIMAL(6, 2)",
    "s": "STRING",
    "b": "BYTES",
    "o": "BOOLEAN",
    "dt": "DATE",
    "ts": "TIMESTAMP(6)",
}
FIELDS = [DataField(place, name, parse_type(text)) for place, (name, text) in enumerate(TYPES.items())]
SCHEMA = pa.schema([field_to_arrow(each) for each in FIELDS])

_floats = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.5, 3.0, math.nan, math.inf, -math.inf, 1e30])
_texts = st.sampled_from(["", "a", "ab", "abc", "b", "ba", "é", "a%", "a_b", "\U0010ffff", "zz", "a\nb"])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "t": st.integers(-4, 4) | st.sampled_from([-128, 127]),
    "i": st.integers(-4, 4) | st.sampled_from([-(2**31), 2**31 - 1]),
    "l": st.integers(-4, 4) | st.sampled_from([-(2**63), 2**63 - 1, 2**53 + 1]),
    "f": _floats.map(lambda value: float(value) if abs(value) != 1e30 else 1e10),
    "d": _floats,
    "m": st.sampled_from([Decimal(each) for each in ("0.00", "1.50", "-2.25", "3.00", "9999.99", "-9999.99")]),
    "s": _texts,
    "b": st.binary(max_size=2),
    "o": st.booleans(),
    "dt": st.dates(min_value=date(1969, 12, 30), max_value=date(1970, 1, 3)),
    "ts": st.datetimes(
        min_value=datetime(1969, 12, 31, 23, 59, 59),
        max_value=datetime(1970, 1, 1, 0, 0, 1),
    ),
}
NUMBERS = ("t", "i", "l", "f", "d", "m")
_OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "<=>"])


def _literals(name: str) -> st.SearchStrategy[Any]:
    own = VALUES[name]
    if name in ("t", "i", "m"):
        return own | st.sampled_from(
            [200, -200, 1000, 10**6, 10**12, 1.5, 2.0, -2.25, Decimal("1.5"), Decimal("1.555")]
        )
    if name == "l":
        return own | st.sampled_from([10**30, -(10**30), 1.5, Decimal("2.5"), 2.0**53, 1e300, math.nan, -math.inf])
    if name in ("f", "d"):
        return own | st.sampled_from([1, -3, Decimal("1.5"), 0.1, 1e300])
    if name == "ts":
        return own | VALUES["dt"]
    if name == "dt":
        return own | VALUES["ts"]
    return own


@st.composite
def rows(draw: st.DrawFn, most: int = 8) -> list[dict[str, Any]]:
    """Rows of values; about a quarter NULL."""
    count = draw(st.integers(0, most))
    one = st.fixed_dictionaries({name: st.none() | values | values | values for name, values in VALUES.items()})
    return [draw(one) for _ in range(count)]


@st.composite
def _leaf(draw: st.DrawFn) -> Expr:
    name = draw(st.sampled_from(sorted(TYPES)))
    kind = draw(st.sampled_from(["compare", "compare", "in", "null", "like", "columns", "flipped", "truth"]))
    literals = _literals(name)
    match kind:
        case "in":
            return In(
                col(name), tuple(Literal(each) for each in draw(st.lists(literals | st.none(), min_size=1, max_size=4)))
            )
        case "null":
            return IsNull(col(name))
        case "truth":
            return col("o")
        case "like":
            pattern = draw(st.sampled_from(["", "a", "a%", "%", "a_%", "_b%", "a\\%", "%b", "é%", "a\\_b%"]))
            if draw(st.booleans()):
                return Like(col("s"), Literal(pattern))
            return Function("startswith", (col("s"), Literal(draw(_texts))))
        case "columns":
            group = NUMBERS if name in NUMBERS else ("dt", "ts") if name in ("dt", "ts") else (name,)
            return Comparison(draw(_OPERATORS), col(name), col(draw(st.sampled_from(group))))
        case "flipped":
            return Comparison(draw(_OPERATORS), Literal(draw(literals)), col(name))
    return Comparison(draw(_OPERATORS), col(name), Literal(draw(literals | literals | literals | st.none())))


predicates: st.SearchStrategy[Expr] = st.recursive(
    _leaf(),
    lambda inner: (
        inner.map(negation)
        | st.tuples(inner, inner).map(And)
        | st.tuples(inner, inner, inner).map(Or)
        | st.tuples(inner, inner).map(Or)
    ),
    max_leaves=6,
)


_key_leaf = st.one_of(
    st.integers(0, 3).map(lambda value: col("i") == value),
    st.lists(st.integers(0, 3) | st.none(), min_size=1, max_size=3).map(lambda values: col("i").isin(values)),
    st.sampled_from(["a", "b"]).map(lambda value: col("s") == value),
    st.sampled_from([0.0, 1.0]).map(lambda value: col("d").equal_null_safe(value)),
    st.just(col("i").is_null()),
    st.just(col("t") > 0),
)
key_predicates: st.SearchStrategy[Expr] = st.recursive(
    _key_leaf,
    lambda inner: (
        st.tuples(inner, inner).map(And) | st.tuples(inner, inner, inner).map(And) | st.tuples(inner, inner).map(Or)
    ),
    max_leaves=8,
)


def to_table(data: list[dict[str, Any]]) -> pa.Table:
    """The rows in Arrow."""
    return pa.Table.from_pylist(data, schema=SCHEMA)


def interpret(expr: Expr, row: dict[str, Any]) -> bool | None:
    """Return the value of a predicate for one row, evaluated node by node."""
    match expr:
        case And(operands=operands):
            result = [interpret(each, row) for each in operands]
            return False if False in result else None if None in result else True
        case Or(operands=operands):
            result = [interpret(each, row) for each in operands]
            return True if True in result else None if None in result else False
        case Not(operand=operand):
            inner = interpret(operand, row)
            return None if inner is None else not inner
        case IsNull(operand=operand):
            return _value(operand, row) is None
        case Comparison(operator=symbol, left=left, right=right):
            return _compare(symbol, left, right, row)
        case In(operand=operand, values=values):
            result = [_compare("=", operand, each, row) for each in values]
            return True if True in result else None if None in result else False
        case Like(operand=operand, pattern=Literal(value=pattern)):
            text = _value(operand, row)
            return None if text is None else _like(text, pattern)
        case Function(name="startswith", arguments=(operand, Literal(value=prefix))):
            text = _value(operand, row)
            return None if text is None else text.startswith(prefix)
        case Column():
            return _value(expr, row)
    raise AssertionError(expr)


def _like(text: str, pattern: str) -> bool:
    regex = ""
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
            regex += re.escape(pattern[position])
        else:
            regex += {"%": ".*", "_": "."}.get(character, re.escape(character))
        position += 1
    return re.fullmatch(regex, text, re.DOTALL) is not None


def _value(expr: Expr, row: dict[str, Any]) -> Any:
    if isinstance(expr, Literal):
        return expr.value
    assert isinstance(expr, Column)
    value = row[expr.name]
    return None if value is None else pa.scalar(value, SCHEMA.field(expr.name).type).as_py()


def _kind(expr: Expr) -> str:
    if isinstance(expr, Column):
        return {"f": "float32", "d": "double"}.get(expr.name, "exact")
    assert isinstance(expr, Literal)
    return "double" if isinstance(expr.value, float) else "exact"


def _compare(symbol: str, left: Expr, right: Expr, row: dict[str, Any]) -> bool | None:
    one, two = _value(left, row), _value(right, row)
    if symbol == "<=>" and (one is None or two is None):
        return one is None and two is None
    if one is None or two is None:
        return None
    a, b = _ordered(one, two, approximate={_kind(left), _kind(right)} != {"exact"})
    function = {"=": operator.eq, "<=>": operator.eq, "<>": operator.ne, "<": operator.lt}
    function |= {"<=": operator.le, ">": operator.gt, ">=": operator.ge}
    return bool(function[symbol](a, b))


def _ordered(one: Any, two: Any, *, approximate: bool) -> tuple[Any, Any]:
    """Return both values as objects that Python orders as Spark does: NaN last, and numbers as doubles if one is a
    double."""
    if isinstance(one, (int, float, Decimal)) and not isinstance(one, bool):
        return tuple(_number(float(each) if approximate else each) for each in (one, two))  # type: ignore[return-value]
    if isinstance(one, str):
        return one.encode(), two.encode()
    if isinstance(one, date):
        both = [each if isinstance(each, datetime) else datetime.combine(each, time()) for each in (one, two)]
        return both[0], both[1]
    return one, two


def _number(value: Any) -> tuple[bool, Any]:
    if isinstance(value, float):
        if math.isnan(value):
            return (True, 0)
        if math.isinf(value):
            return (False, value)
    return (False, Fraction(value))


def _text_stats(values: list[Any], mode: str) -> tuple[Any, Any]:
    """Bounds as a writer cuts them to one character (format §10)."""
    low, high = min(values), max(values)
    if mode == "full" or len(high) <= 1:
        return low[:1] if mode == "cut" else low, high
    first = high[0]
    if isinstance(first, int):
        return low[:1], None if first == 255 else bytes([first + 1])
    return low[:1], None if ord(first) == 0x10FFFF else chr(ord(first) + 1)


def _float_stats(values: list[float], mode: str) -> tuple[Any, Any]:
    """Return bounds that ignore NaN, as in Parquet, or that have NaN as the largest value, as in Java's comparison."""
    numbers = [each for each in values if not math.isnan(each)]
    if not numbers:
        return (math.nan, math.nan) if mode == "cut" else (None, None)
    has_nan = len(numbers) < len(values)
    return min(numbers), math.nan if has_nan and mode == "cut" else max(numbers)


def _bounds(values: list[Any], mode: str) -> tuple[Any, Any]:
    if not values or mode in ("none", "counts"):
        return None, None
    if isinstance(values[0], (str, bytes)):
        return _text_stats(values, mode)
    if isinstance(values[0], float):
        return _float_stats(values, mode)
    return min(values), max(values)


def _stats_of(files: list[list[dict[str, Any]]], modes: dict[str, str]) -> ColumnStatsBatch:
    columns = {}
    for name in TYPES:
        mode = modes[name]
        if mode == "absent":
            continue
        per_file = [[row[name] for row in file if row[name] is not None] for file in files]
        bounds = [_bounds(values, mode) for values in per_file]
        nulls = [None if mode == "none" else len(file) - len(kept) for file, kept in zip(files, per_file, strict=True)]
        arrow_type = SCHEMA.field(name).type
        columns[name] = ColumnStats(
            pa.array([low for low, _ in bounds], arrow_type),
            pa.array([high for _, high in bounds], arrow_type),
            pa.array(nulls, pa.int64()),
        )
    return ColumnStatsBatch(pa.array([len(file) for file in files], pa.int64()), columns)


_modes = st.fixed_dictionaries(
    {name: st.sampled_from(["full", "full", "cut", "counts", "none", "absent"]) for name in TYPES}
)
_thorough = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_thorough
@given(predicates, rows())
def test_evaluation_agrees_with_the_interpreter(expr: Expr, data: list[dict[str, Any]]) -> None:
    table = to_table(data)
    bound = resolve_predicate(expr, FIELDS)
    expected = [interpret(expr, row) for row in data]
    assert evaluate(bound, table).to_pylist() == expected
    assert filter_mask(bound, table).to_pylist() == [each is True for each in expected]
    chunks = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    assert evaluate(bound, chunks).to_pylist() == expected


@_thorough
@given(predicates)
def test_text_of_a_predicate_means_the_same(expr: Expr) -> None:
    bound = resolve_predicate(expr, FIELDS)
    assert same(resolve_predicate(bound, FIELDS), bound)
    assert same(resolve_predicate(parse(str(expr)), FIELDS), bound) or "NaN" in str(expr) or "Infinity" in str(expr)
    again = resolve_predicate(parse(str(bound)), FIELDS)
    assert referenced_columns(again) == referenced_columns(bound)


@_thorough
@given(predicates, st.lists(rows(4), min_size=1, max_size=4), _modes)
def test_pruning_never_loses_a_row(expr: Expr, files: list[list[dict[str, Any]]], modes: dict[str, str]) -> None:
    bound = resolve_predicate(expr, FIELDS)
    stats = _stats_of(files, modes)
    kept, whole = may_match(bound, stats), must_match(bound, stats)
    for file, may, must in zip(files, kept, whole, strict=True):
        outcomes = [interpret(expr, row) for row in file]
        assert may or True not in outcomes
        assert not must or all(each is True for each in outcomes)


@_thorough
@given(predicates | key_predicates | key_predicates, rows(), st.sampled_from([("i",), ("s",), ("d", "i"), ("s", "i")]))
def test_equality_values_cover_every_match(expr: Expr, data: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    keys = equality_values(resolve_predicate(expr, FIELDS), names)
    if keys is not None:
        for row in data:
            if interpret(expr, row) is True:
                assert tuple(row[name] for name in names) in keys


@_thorough
@given(predicates, rows())
def test_weaker_filters_keep_every_match(expr: Expr, data: list[dict[str, Any]]) -> None:
    bound, table = resolve_predicate(expr, FIELDS), to_table(data)
    wanted = filter_mask(bound, table).to_pylist()
    part = restrict_to(bound, ("i", "d", "s"))
    if part is not None:
        weaker = filter_mask(part, table).to_pylist()
        assert all(there or not here for here, there in zip(wanted, weaker, strict=True))
