"""Chains of thousands of terms are flat; only what is nested too deeply is refused."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import InvalidExpression
from workbench.expr.evaluate import evaluate
from workbench.expr.expressions import Expr, col, function
from workbench.expr.parse import parse
from workbench.expr.pruning import ColumnStatsBatch, may_match
from workbench.expr.resolve import resolve
from workbench.expr.tree import referenced_columns, rename, same
from workbench.format.types import DataField, parse_type

TERMS = 10_000
FIELDS = [
    DataField(number, name, parse_type(data_type))
    for number, (name, data_type) in enumerate(
        {"a": "BIGINT", "d": "DECIMAL(3, 1)", "s": "STRING", "b": "BOOLEAN"}.items()
    )
]
ROWS = pa.table(
    {
        "a": pa.array([1, None], pa.int64()),
        "d": pa.array([Decimal("1.5"), None], pa.decimal128(3, 1)),
        "s": ["x", None],
        "b": [True, None],
    }
)
CHAINS: dict[str, tuple[Callable[[], Expr], Any]] = {
    "+ of text": (lambda: parse(" + ".join(["a"] * TERMS)), TERMS),
    "- of text": (lambda: parse(" - ".join(["a"] * TERMS)), 2 - TERMS),
    "+ and -": (lambda: parse("a" + " - a + a" * (TERMS // 2)), 1),
    "+ of DECIMAL": (lambda: sum([col("d")] * TERMS, start=col("d")), Decimal("15001.5")),
    "* and /": (lambda: parse("a" + " * a / a" * (TERMS // 2)), 1.0),
    "||": (lambda: parse(" || ".join(["s"] * TERMS)), "x" * TERMS),
    "concat": (lambda: function("concat", *[col("s")] * TERMS), "x" * TERMS),
    "OR": (lambda: reduce(operator.or_, [col("a") == each for each in range(TERMS)]), True),
    "AND": (lambda: reduce(operator.and_, [col("a") != each for each in range(2, TERMS)]), True),
    "IN": (lambda: col("a").isin(range(TERMS)), True),
    "NOT": (lambda: reduce(lambda so_far, _: ~so_far, range(TERMS), col("b")), True),
    "CASE": (lambda: parse(f"CASE {' '.join(f'WHEN a = {each} THEN {each}' for each in range(2000))} END"), 1),
}


@pytest.mark.parametrize("name", CHAINS)
def test_long_chains_are_flat(name: str) -> None:
    build, expected = CHAINS[name]
    expr = build()
    bound = resolve(expr, FIELDS)
    assert evaluate(bound, ROWS).to_pylist()[0] == expected
    assert same(resolve(pickle.loads(pickle.dumps(bound)), FIELDS), bound)
    assert len(referenced_columns(rename(bound, {"a": "z"}))) == 1
    assert str(bound)
    if name in ("OR", "AND", "IN"):
        assert may_match(bound, ColumnStatsBatch(pa.array([2]))).tolist() == [True]


@pytest.mark.parametrize(
    "build",
    [
        lambda: reduce(lambda so_far, _: col("a") + so_far, range(TERMS), col("a")),
        lambda: reduce(lambda so_far, _: -so_far, range(TERMS), col("a")),
        lambda: reduce(lambda so_far, _: function("abs", so_far), range(TERMS), col("a")),
    ],
)
@pytest.mark.parametrize("use", [str, repr, lambda expr: resolve(expr, FIELDS), lambda expr: rename(expr, {})])
def test_deep_expressions_are_refused(build: Callable[[], Expr], use: Callable[[Expr], Any]) -> None:
    with pytest.raises(InvalidExpression, match="nested too deeply"):
        use(build())


@pytest.mark.parametrize("copy", [lambda expr: pickle.loads(pickle.dumps(expr)), deepcopy])
@pytest.mark.parametrize(
    "grown",
    [
        lambda expr: col("a") - expr,
        lambda expr: expr * 1 + 0,
        lambda expr: -expr,
        lambda expr: ((col("a") == 1) | (expr > 1)) & (col("d") < 2),
        lambda expr: function("coalesce", expr, 1.5, None, "x"),
        lambda expr: expr.isin([expr, 2]),
        lambda expr: expr.cast("BIGINT").is_null(),
    ],
)
def test_deep_expressions_are_copied(grown: Callable[[Expr], Expr], copy: Callable[[Expr], Expr]) -> None:
    copied, expr = copy(reduce(lambda so_far, _: grown(so_far), range(1000), col("a"))), col("a")
    assert type(copied) is type(grown(expr))
    for _ in range(5):
        expr = grown(expr)
    assert same(copy(expr), expr)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a + d * 2 - a", "a + d * 2 - a"),
        ("a - (a - a)", "a - (a - a)"),
        ("(a - a) - a", "a - a - a"),
        ("(a + a) * a / a", "(a + a) * a / a"),
        ("a * (a / a)", "a * (a / a)"),
    ],
)
def test_text_of_a_chain_keeps_its_order(text: str, shown: str) -> None:
    assert str(parse(text)) == shown
    assert same(parse(shown), parse(text))
