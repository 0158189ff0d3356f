"""Expressions, compared with Spark 4 in ANSI mode on the same five rows (session zone Europe/Berlin)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tests.unit.expr.spark_answers import ANSWERS, FIELDS, REFUSED, ROWS, TYPES
from workbench.base.errors import InvalidExpression
from workbench.base.session import session_options
from workbench.expr.evaluate import evaluate
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve
from workbench.expr.tree import same
from workbench.format.types import field_to_arrow


@pytest.fixture(scope="module", autouse=True)
def _berlin() -> Any:
    before, session_options.timezone = session_options.timezone, "Europe/Berlin"
    yield
    session_options.timezone = before


def _table() -> pa.Table:
    columns = [
        pa.array([row[position] for row in ROWS], field_to_arrow(each).type) for position, each in enumerate(FIELDS)
    ]
    return pa.table(columns, names=list(TYPES))


def _plain(values: Any) -> list[Any]:
    kind = values.type
    as_text = pa.types.is_timestamp(kind) or pa.types.is_decimal(kind) or pa.types.is_date(kind)
    return (values.cast(pa.string()) if as_text else values).to_pylist()


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_as_spark_does(text: str) -> None:
    result = evaluate(resolve(parse(text), FIELDS), _table())
    # By repr, so that NaN equals NaN and -0.0 is not 0.0.
    assert repr(_plain(result)) == repr(ANSWERS[text])


@pytest.mark.parametrize("text", REFUSED)
def test_spark_errors_are_errors(text: str) -> None:
    with pytest.raises(InvalidExpression):
        evaluate(resolve(parse(text), FIELDS), _table())


@pytest.mark.parametrize("text", ANSWERS)
def test_text_round_trips(text: str) -> None:
    written = parse(text)
    bound = resolve(written, FIELDS)
    assert same(resolve(parse(str(written)), FIELDS), bound)
    assert same(resolve(bound, FIELDS), bound)
