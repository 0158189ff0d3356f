"""What a translated query reads, and how it ends."""

from __future__ import annotations

import threading
import time
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import Cancelled, InvalidExpression
from workbench.base.progress import Progress
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_translated import Translated, prepare_translated
from workbench.sql.execute import execute
from workbench.sql.parse import parse


@pytest.fixture
def lake(catalog: Any) -> Any:
    rows = pa.table({"k": pa.array(range(10), pa.int64()), "v": pa.array(range(10), pa.int32()), "s": ["x"] * 10})
    for name in ("a", "b"):
        catalog.create_table(f"shop.{name}", rows.schema).write(rows)
    return catalog


def prepared(lake: Any, text: str) -> Translated:
    query = prepare_translated(Context(lake, "shop"), parse(text))  # type: ignore[arg-type]
    query.rows()
    return query


def reads(query: Translated) -> list[tuple[set[str], list[str], int | None]]:
    """Return the columns, conditions and limit of each read."""
    return [
        ({column.name for column in use.used}, [each.sql(dialect="spark") for each in use.conditions], use.limit)
        for use in query.uses
        if use.is_read
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT k FROM a LIMIT 3", [({"k"}, [], 3)]),
        ("SELECT k FROM a WHERE v > 3 LIMIT 3", [({"k"}, ["`v` > 3"], 3)]),
        ("SELECT k FROM a WHERE v + 1 > 3 LIMIT 3", [({"k", "v"}, [], None)]),
        ("SELECT k FROM a ORDER BY k LIMIT 3", [({"k"}, [], None)]),
        ("SELECT q.k FROM (SELECT * FROM a) q", [({"k"}, [], None)]),
        (
            "WITH c AS (SELECT k, v, s FROM a) SELECT v FROM c UNION ALL SELECT k FROM c",
            [({"v"}, [], None), ({"k"}, [], None)],
        ),
        ("SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.v < 5", [({"k"}, [], None), ({"k"}, ["`v` < 5"], None)]),
        ("SELECT a.k FROM a LEFT JOIN b ON a.k = b.k WHERE b.v < 5", [({"k"}, [], None), ({"k", "v"}, [], None)]),
        ("SELECT k FROM a WHERE k / (v + 1) > 0 AND v > 1", [({"k", "v"}, [], None)]),
        ("SELECT count(*), max(k), min(v) + 1 FROM a", []),
        ("SELECT count(*) FROM a WHERE k < 4", []),
    ],
)
def test_scans_read_only_what_the_query_needs(lake: Any, text: str, expected: list[Any]) -> None:
    assert reads(prepared(lake, text)) == expected


def test_a_cancel_interrupts_the_query(lake: Any) -> None:
    progress = Progress()
    threading.Timer(0.5, progress.cancel).start()
    begin = time.monotonic()
    with pytest.raises(Cancelled):
        execute(
            "SELECT count(*) FROM a, a b, a c, a d, a e, a f, a g, a h, a i, a j WHERE a.v + j.v < b.v * i.v",
            lake,
            "shop",
            progress=progress,
        )
    assert time.monotonic() - begin < 30


def test_an_error_of_the_scan_is_raised_as_it_is(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.scan.scan import Scan

    def broken(_self: Scan) -> Any:
        raise Cancelled

    monkeypatch.setattr(Scan, "to_batches", broken)
    with pytest.raises(Cancelled):
        execute("SELECT sum(v) FROM a", lake, "shop")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CAST(0.01 AS STRING)", "0.01"),
        ("CAST(-0.01 AS STRING)", "-0.01"),
        ("CAST(CAST(0 AS DECIMAL(2, 2)) AS STRING)", "0.00"),
        ("CAST(CAST('-0.5' AS DECIMAL(3, 2)) AS STRING)", "-0.50"),
        ("concat(CAST(0.5 AS STRING), '.5')", "0.5.5"),
        ("CAST(CAST(NULL AS DECIMAL(2, 2)) AS STRING)", None),
    ],
)
def test_texts_of_decimals_have_a_digit_before_the_point(lake: Any, text: str, expected: str | None) -> None:
    assert value_of(lake, text) == expected


# As in Spark, which evaluates these row by row: an operand that is not evaluated cannot fail.
FAILS = "CAST(concat(s, '!') AS INT)"
MISSING = "nullif(v, v)"


@pytest.mark.parametrize(
    "text",
    [
        f"{FAILS} % {MISSING}",
        f"mod({FAILS}, {MISSING})",
        f"{FAILS} / {MISSING}",
        f"{MISSING} + {FAILS}",
        f"{MISSING} * {FAILS}",
        f"{MISSING} & {FAILS}",
        f"{MISSING} < {FAILS}",
        f"nullif(s, 'x') || CAST({FAILS} AS STRING)",
    ],
)
def test_an_operand_beside_null_is_not_evaluated(lake: Any, text: str) -> None:
    assert value_of(lake, text) is None


@pytest.mark.parametrize(("text", "expected"), [(f"{FAILS} > 1 AND false", False), (f"{FAILS} > 1 OR true", True)])
def test_an_operand_that_decides_is_the_only_one_evaluated(lake: Any, text: str, expected: bool) -> None:
    assert value_of(lake, text) is expected
    assert execute(f"SELECT k FROM a WHERE {FAILS} > 1 AND false", lake, "shop").to_arrow().num_rows == 0


@pytest.mark.parametrize("text", [f"{MISSING} % {FAILS}", f"{MISSING} / {FAILS}", f"{FAILS} + {MISSING}"])
def test_the_operand_that_is_evaluated_first_fails(lake: Any, text: str) -> None:
    with pytest.raises(InvalidExpression, match="CAST_INVALID_INPUT"):
        value_of(lake, text)


def value_of(lake: Any, text: str) -> Any:
    """Return the value of an expression in the first row."""
    query = prepare_translated(Context(lake, "shop"), parse(f"SELECT {text} AS value FROM a LIMIT 1"))  # type: ignore[arg-type]
    return query.rows()["value"][0].as_py()
