"""Merging many rows of one key at once equals merging them one after the other, for every aggregate."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from workbench.base.arrays import BoolArray
from workbench.base.errors import MergeError
from workbench.lsm.aggregates.accumulator import Accumulator
from workbench.lsm.aggregates.functions import aggregate_of
from workbench.lsm.keys import KeyGroups
from workbench.lsm.steps import Steps
from workbench.metadata.definition.new_schema import new_table_schema

BITMAPS = [b":0\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00" + bytes([low, 0]) for low in (1, 2, 7)]
NUMBERS = [0.1, 1e16, -1e16, 0.0, -0.0, 3.7, float("nan")]
TEXTS = ["", " ", "a", "b", "a,b", "b,,c"]
ROWS = [[{"k": key, "v": value} for key, value in pairs] for pairs in ([(1, 1)], [(1, None), (2, 2)], [(None, 3)], [])]
NESTED = {"nested-key": "k"}
CASES: list[tuple[str, str, list[Any], dict[str, str]]] = [
    *((function, "BIGINT", [5, -7, 3, 3, 1 << 40], {}) for function in ("sum", "max", "min", "product")),
    ("sum", "TINYINT", [1, -1, 2, -2], {}),
    *((function, "DOUBLE", NUMBERS, {}) for function in ("sum", "max", "min", "product", "last_value")),
    ("sum", "FLOAT", [0.1, 0.7, 1e8, -1e8], {}),
    ("sum", "DECIMAL(5, 2)", [Decimal("1.25"), Decimal("-900.00"), Decimal("999.99")], {}),
    ("sum", "DECIMAL(20, 2)", [Decimal("1.25"), Decimal("999999999999999999.99")], {}),
    *((function, "STRING", TEXTS, {}) for function in ("max", "min", "first_value", "first_non_null_value")),
    *((function, "STRING", TEXTS, {}) for function in ("last_value", "last_non_null_value", "listagg")),
    ("listagg", "STRING", TEXTS, {"distinct": "true"}),
    ("listagg", "STRING", TEXTS, {"list-agg-delimiter": ""}),
    *((function, "BOOLEAN", [True, False], {}) for function in ("bool_and", "bool_or")),
    ("collect", "ARRAY<INT>", [[1, 2], [2, None], []], {}),
    ("collect", "ARRAY<INT>", [[1, 2], [2, None], []], {"distinct": "true"}),
    ("merge_map", "MAP<INT, STRING>", [[(1, "a")], [(1, "b"), (2, None)], []], {}),
    ("nested_update", "ARRAY<ROW<k INT, v INT>>", ROWS, NESTED),
    ("nested_update", "ARRAY<ROW<k INT, v INT>>", ROWS, {"count-limit": "4"}),
    ("nested_partial_update", "ARRAY<ROW<k INT, v INT>>", ROWS, NESTED),
    ("rbm32", "VARBINARY(1000)", BITMAPS, {}),
]
SIZES = [1, 60, 2, 25]


def started(function: str, kind: str, values: list[Any], settings: dict[str, str], seed: int) -> Accumulator:
    options = {"merge-engine": "aggregation", "bucket": "1", "fields.c.aggregate-function": function}
    options |= {f"fields.c.{name}": value for name, value in settings.items()}
    schema = new_table_schema({"id": "INT NOT NULL", "c": kind}, primary_key=["id"], options=options, time_millis=0)
    field, chance = schema.field("c"), random.Random(seed)
    drawn = [chance.choice([None, *values]) for _ in range(sum(SIZES))]
    column = pa.array(drawn, schema.arrow_schema.field("c").type)
    return aggregate_of(field, function, schema.core).start(column, len(SIZES))


def outcome(accumulator: Accumulator, retracts: BoolArray, *, at_once: bool) -> list[str] | str:
    """Return the results as strings, so that -0.0 differs from 0.0 and NaN equals NaN, or the message of an error."""
    ends = np.cumsum(SIZES)
    try:
        accumulator.agg((ends - SIZES).astype(np.int64), None)
        for key, (end, size) in enumerate(zip(ends, SIZES, strict=True)):
            rows = np.arange(end - size + 1, end)
            if at_once:
                accumulator.fold_many(key, rows, retracts[rows])
                continue
            for row in rows:
                only = np.arange(key + 1) == key
                change = accumulator.retract if retracts[row] else accumulator.agg
                change(np.full(key + 1, row), only)
    except MergeError as error:
        return str(error)
    return [repr(value) for value in accumulator.after(np.zeros(0, np.int64)).to_pylist()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("function", "kind", "values", "settings"), CASES)
def test_the_same_as_row_by_row(
    function: str, kind: str, values: list[Any], settings: dict[str, str], seed: int
) -> None:
    case = (function, kind, values, settings, seed)
    no_retracts = np.zeros(sum(SIZES), bool)
    some = np.random.default_rng(seed).random(sum(SIZES)) < 0.3
    ignoring = (function, kind, values, {**settings, "ignore-retract": "true"}, seed)
    for chosen, retracts in ((case, no_retracts), (case, some), (ignoring, some)):
        at_once = outcome(started(*chosen), retracts, at_once=True)
        assert at_once == outcome(started(*chosen), retracts, at_once=False)


def test_steps_end_where_fewer_keys_than_steps_are_left() -> None:
    """Keys have 1, 60, 2, 25 and 3 rows: steps end, and rests begin, where fewer keys than steps are left."""
    groups = KeyGroups(np.arange(91), np.array([0, 1, 61, 63, 88]))
    steps = Steps.of(groups, with_rests=True)
    assert steps.keys.tolist() == [1, 3, 4, 2]
    assert [rows.tolist() for rows in steps.rows] == [[1, 63, 88, 61]]
    assert [rows.tolist() for rows in steps.rests] == [[*range(2, 61)], [*range(64, 88)], [89, 90], [62]]
    assert steps.newest.tolist() == [60, 87, 90, 62]
    assert len(Steps.of(groups).rows) == 60
    assert Steps.of(groups).rests == ()


def test_flat_groups_have_steps_only() -> None:
    groups = KeyGroups(np.arange(30), np.arange(0, 30, 3))
    assert len(Steps.of(groups, with_rests=True).rows) == 3
    assert Steps.of(groups, with_rests=True).rests == ()
