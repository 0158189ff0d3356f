from __future__ import annotations

import math
import subprocess
import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import parse_one

import workbench as wb
from workbench.base.errors import InvalidExpression
from workbench.expr.dialect import statement_dialect
from workbench.expr.evaluate import evaluate, filter_mask
from workbench.expr.expressions import And, Expr, col, function, literal
from workbench.expr.key_values import MAX_KEYS, equality_values
from workbench.expr.parse import as_expr, from_tree, parse
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch, may_match, must_match
from workbench.expr.resolve import resolve, resolve_predicate
from workbench.expr.tree import referenced_columns, rename, restrict_to, split_conjunction, substitute
from workbench.format.types import DataField, parse_type

FIELDS = [
    DataField(place, name, parse_type(text))
    for place, (name, text) in enumerate(
        {"id": "BIGINT", "Name": "STRING", "price": "DOUBLE", "day": "DATE", "tiny": "TINYINT", "a.b": "INT"}.items()
    )
]


def _bound(text: str) -> Expr:
    return resolve_predicate(parse(text), FIELDS)


@pytest.mark.parametrize(
    ("built", "text"),
    [
        ((col("id") > 3) & ~(col("name") == "it's"), "id > 3 AND NOT name = 'it''s'"),
        ((col("a") == 1) | (col("b") == 2) & (col("c") == 3), "a = 1 OR b = 2 AND c = 3"),
        (((col("a") == 1) | (col("b") == 2)) & col("c"), "(a = 1 OR b = 2) AND c"),
        (col("a.b").isin([1, None]), "`a.b` IN (1, NULL)"),
        (col("x").between(date(2026, 1, 1), "b"), "x >= DATE '2026-01-01' AND x <= 'b'"),
        (~col("x").is_null(), "x IS NOT NULL"),
        (~col("x").isin([2]), "x NOT IN (2)"),
        (col("x").like("a!%", escape="!"), "x LIKE 'a!%' ESCAPE '!'"),
        (1 - (col("x") - 2) * -col("y") / 3 % 4 > b"\x01", "1 - (x - 2) * -y / 3 % 4 > X'01'"),
        (col("x").cast("BIGINT").equal_null_safe(1.5), "CAST(x AS BIGINT) <=> 1.5D"),
        (function("Lower", col("x")) == Decimal("1.50"), "lower(x) = 1.50"),
        (
            col("r").field("select") == datetime(2026, 1, 1, 2, tzinfo=UTC),
            "r.`select` = TIMESTAMP '2026-01-01 02:00:00+00:00'",
        ),
        (col("x") == time(1, 2), "x = TIME '01:02:00'"),
        (col("x") == np.int32(4), "x = 4"),
        (col("x") == np.bool_(True), "x = TRUE"),
        (col("x") < math.inf, "x < CAST('Infinity' AS DOUBLE)"),
    ],
)
def test_builder_returns_sql_text(built: Expr, text: str) -> None:
    assert str(built) == text
    again = str(parse(text))
    assert again == text.replace("TIMESTAMP '", "TIMESTAMP_LTZ '")
    assert str(parse(again)) == again


@pytest.mark.parametrize(
    "misuse", [lambda: bool(col("a") > 1), lambda: 1 < col("a") < 3, lambda: (col("a") == 1) and 2]
)
def test_truth_of_an_expression_is_refused(misuse: object) -> None:
    with pytest.raises(InvalidExpression, match="Write & for and"):
        misuse()  # type: ignore[operator]


def test_other_misuse_is_refused() -> None:
    with pytest.raises(InvalidExpression, match="list of values"):
        col("a").isin("abc")
    with pytest.raises(InvalidExpression, match="object"):
        literal(object())
    with pytest.raises(InvalidExpression, match="column name"):
        col("")
    with pytest.raises(TypeError):
        list(col("a"))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id =", r"Cannot parse this condition.*: id =\. Write a SQL condition\."),
        ("", "Cannot parse"),
        ("id = 1 extra", "near 'extra'"),
        ("id IN (SELECT 1)", "subquery"),
        ("id IN tiny", "cannot contain this expression: id IN tiny"),
        ("id IN", "is empty"),
        ("EXISTS (SELECT 1)", "subquery"),
        ("sum(id) > 1", r"an aggregate: SUM\(id\)"),
        ("Name RLIKE 'a'", r"cannot contain this expression: Name RLIKE 'a'\. Use comparisons.*%%paimon cell"),
        ("(" * 5000 + "id" + ")" * 5000 + " > 0", "nested too deeply"),
        ("row_number() OVER (ORDER BY id) = 1", "window"),
        ("TRY_CAST(id AS INT) = 1", "TRY_CAST"),
        ("lowr(Name) = 'x'", "Did you mean 'lower'"),
        ("pric > 1", "There is no column 'pric'. Did you mean 'price'"),
        ("id > 'x'", "'x' is not a valid BIGINT"),
        ("day = '2026-02-30'", "'2026-02-30' is not a valid DATE"),
        ("id AND day > DATE '2026-01-01'", "not a condition"),
        ("lower(Name)", "not a condition"),
        ("day = 5", "compares DATE with INT"),
        ("Name LIKE price", "must be a constant"),
        ("CAST(id AS DATE) = day", "cannot be cast"),
        ("X'GG' = Name", "."),
    ],
)
def test_bad_text_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(InvalidExpression, match=message):
        _bound(text)


def test_names_are_found_as_written_then_without_case() -> None:
    assert referenced_columns(_bound("ID = 1 AND name = 'x' AND `a.b` = 2")) == {"id", "Name", "a.b"}
    twins = [DataField(0, "A", parse_type("INT")), DataField(1, "a", parse_type("INT"))]
    assert referenced_columns(resolve(col("a"), twins)) == {"a"}
    with pytest.raises(InvalidExpression, match="'AB' and 'ab'"):
        resolve(col("Ab"), [DataField(0, "AB", parse_type("INT")), DataField(1, "ab", parse_type("INT"))])


def test_literals_have_the_type_of_the_column() -> None:
    assert str(_bound("tiny < 1000")) == "tiny IS NOT NULL OR NULL"
    assert str(_bound("tiny <= 3.7")) == "tiny <= 3"
    assert str(_bound("price = 1")) == "price = 1.0D"
    assert str(_bound("day > '2026-1-5'")) == "day > DATE '2026-01-05'"
    assert str(_bound("id IN (1, '2', 3.0, 4.5)")) == "id IN (1, 2, 3)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id > 1 AND Name LIKE 'a%'", "id > 1 AND Name LIKE 'a%'"),
        ("x = TIME '01:02:00'", "x = TIME '01:02:00'"),
        ("x = TIMESTAMP '2026-01-01 00:00:00'", "x = TIMESTAMP_LTZ '2026-01-01 00:00:00'"),
        ("x = TIMESTAMP_NTZ '2026-01-01 00:00:00'", "x = TIMESTAMP_NTZ '2026-01-01 00:00:00'"),
        ("x = TIMESTAMP(0)", "x = CAST(0 AS TIMESTAMP_LTZ)"),
        ("TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP_LTZ '2026-01-01 00:00:00'"),
    ],
)
def test_a_node_of_a_statement_is_an_expression(text: str, expected: str) -> None:
    statement = parse_one(f"SELECT * FROM t WHERE {text}", dialect=statement_dialect())
    where = statement.args["where"]
    before = where.sql()
    assert str(from_tree(where.this)) == expected
    assert where.sql() == before


def test_long_chains_do_not_recurse() -> None:
    chain = parse(" OR ".join(f"id = {n}" for n in range(400)))
    assert len(equality_values(resolve(chain, FIELDS), ["id"]) or []) == 400
    assert as_expr(chain) is chain


def test_conjuncts() -> None:
    expr = parse("id = 1 AND (Name = 'a' OR price > 2) AND day IS NULL")
    assert len(split_conjunction(expr)) == 3
    assert str(restrict_to(expr, ["id", "day"])) == "id = 1 AND day IS NULL"
    assert restrict_to(expr, ["price"]) is None
    assert isinstance(rename(expr, {"id": "_KEY_id"}), And)
    assert str(rename(parse("id = 1"), {"id": "_KEY_id"})) == "_KEY_id = 1"
    assert str(substitute(parse("id > price"), {"price": col("id") + 1})) == "id > id + 1"


def test_equality_values() -> None:
    assert equality_values(_bound("id IN (1, 2) AND Name = 'a'"), ["Name", "id"]) == [("a", 1), ("a", 2)]
    assert equality_values(_bound("id = 1 AND id = 2"), ["id"]) == []
    assert equality_values(_bound("id = NULL"), ["id"]) == []
    assert equality_values(_bound("id <=> NULL OR id = 3"), ["id"]) == [(None,), (3,)]
    assert equality_values(_bound("id > 1"), ["id"]) is None
    assert equality_values(_bound("id = 1"), ["id", "Name"]) is None
    assert equality_values(_bound("price = 0"), ["price"]) == [(0.0,), (-0.0,)]
    many = resolve(col("id").isin(range(MAX_KEYS + 1)), FIELDS)
    assert equality_values(many, ["id"]) is None


def _stats(**columns: ColumnStats) -> ColumnStatsBatch:
    return ColumnStatsBatch(pa.array([10, 10, 10, None, 0], pa.int64()), columns)


def test_pruning_by_bounds() -> None:
    ids = ColumnStats(
        pa.array([0, 10, None, 20, 0]), pa.array([9, 19, None, 29, 9]), pa.array([0, 1, 10, None, 0], pa.int64())
    )
    stats = _stats(id=ids)
    assert may_match(_bound("id = 12"), stats).tolist() == [False, True, False, False, False]
    assert may_match(_bound("NOT id < 12"), stats).tolist() == [False, True, False, True, False]
    assert may_match(_bound("id IS NULL"), stats).tolist() == [False, True, True, True, False]
    assert may_match(_bound("id IN (5, 25)"), stats).tolist() == [True, False, False, True, False]
    assert may_match(_bound("CAST(id AS DOUBLE) > 25D"), stats).tolist() == [False, False, False, True, False]
    assert may_match(_bound("id + 1 = 5 AND Name = 'x'"), stats).tolist() == [True, True, True, True, False]
    assert may_match(resolve(col("id").isin(range(100, 2000)), FIELDS), stats).tolist() == [False] * 5
    assert must_match(_bound("id < 15"), stats).tolist() == [True, False, False, False, True]
    assert must_match(_bound("id <=> NULL"), stats).tolist() == [False, False, True, False, True]


def test_pruning_of_floats_considers_nan() -> None:
    numbers = pa.array([1.0, 1.0, 1.0, 1.0, 1.0])
    nulls = pa.array([0] * 5, pa.int64())
    assert may_match(_bound("price > 5"), _stats(price=ColumnStats(numbers, numbers, nulls))).tolist()[0]
    assert not may_match(_bound("price < 1"), _stats(price=ColumnStats(numbers, numbers, nulls))).any()
    sure = _stats(price=ColumnStats(numbers, numbers, nulls, no_nan=True))
    assert not may_match(_bound("price > 5"), sure).any()


def test_pruning_of_prefixes() -> None:
    names = ColumnStats(pa.array(["abc", "abd", "b", None, "a"]), pa.array(["abf", "abd", "c", "az", "a"]))
    assert may_match(_bound("Name LIKE 'abe%'"), _stats(Name=names)).tolist() == [True, False, False, True, False]
    assert must_match(_bound("Name LIKE 'ab%'"), _stats(Name=names)).tolist() == [False, False, False, False, True]


def test_guarded_division_is_not_computed() -> None:
    table = pa.table({"id": pa.array([0, 2, None], pa.int64()), "tiny": pa.array([1, 1, 1], pa.int8())})
    assert filter_mask(_bound("id <> 0 AND 10 / id > 4"), table).to_pylist() == [False, True, False]
    assert filter_mask(_bound("id = 0 OR 10 / id > 9"), table).to_pylist() == [True, False, False]
    assert filter_mask(_bound("FALSE AND 1 / 0 > 1"), table).to_pylist() == [False, False, False]
    assert filter_mask(_bound("id = 0 OR CASE WHEN TRUE THEN 6 / 3 END > 1"), table).to_pylist() == [True, True, True]
    with pytest.raises(InvalidExpression, match="Division by zero"):
        evaluate(_bound("10 / id > 4"), table)
    with pytest.raises(InvalidExpression, match="no column 'price'"):
        evaluate(_bound("id <> 0 AND price + id > 1"), table)
    assert evaluate(_bound("TRUE"), table.to_batches()[0]).to_pylist() == [True, True, True]


def test_unresolved_and_missing_columns_are_named() -> None:
    with pytest.raises(InvalidExpression, match="not bound"):
        evaluate(col("id"), pa.table({"id": [1]}))
    with pytest.raises(InvalidExpression, match="no column 'id'"):
        evaluate(_bound("id = 1"), pa.table({"other": [1]}))


def test_the_builder_is_light_to_import() -> None:
    code = (
        "import sys, workbench.expr.expressions as e; str(e.col('a') > 1);"
        "print([m for m in ('sqlglot', 'pyarrow.compute') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("where", [wb.col("id").isin([]), wb.col("id").isin(()), "id IN ()", "ID in () AND v = 'a'"])
def test_nothing_is_in_an_empty_list(where: Any, tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"id": "INT", "v": "STRING"}, options={"bucket": "-1"})
    table.write([{"id": 1, "v": "a"}, {"id": None, "v": None}])
    scan = table.scan(where=where)
    assert (scan.to_arrow().num_rows, scan.count(), scan.plan()) == (0, 0, [])
    no_list = ~where if not isinstance(where, str) else f"NOT ({where})"
    others = table.scan(where=no_list)
    # NULL is not in an empty list either.
    assert (others.to_arrow().num_rows, others.count()) == (2, 2)
    assert table.to_arrow(where=wb.col("id").isin([]) | (wb.col("v") == "a")).num_rows == 1
    with pytest.raises(wb.InvalidExpression, match="no column 'other'"):
        table.to_arrow(where=wb.col("other").isin([]))
    table.delete(where)
    assert table.to_arrow().num_rows == 2
