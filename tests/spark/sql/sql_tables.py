"""Tables of edge values, and the comparison of a query's outcome on DuckDB with that on Spark."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_translated import prepare_translated
from workbench.sql.parse import parse
from workbench.sql.translate.values import NotTranslated

ZONE = "America/New_York"
UTC = datetime.UTC
_EPOCH = datetime.datetime(1970, 1, 1)


def _zoned(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def _cycle(values: list[Any], count: int, step: int = 1) -> list[Any]:
    return [values[(index * step) % len(values)] for index in range(count)]


ROWS = 40
EVENTS = pa.table(
    {
        "id": pa.array(range(1, ROWS + 1), pa.int64()),
        "ti": pa.array(_cycle([1, -1, 0, None, 127, -128, 5], ROWS), pa.int8()),
        "si": pa.array(_cycle([3, 0, -7, None, 300], ROWS), pa.int16()),
        "i": pa.array(_cycle([1, 2, 3, None, 0, -4, 12, 7, 7, 100, -25], ROWS), pa.int32()),
        "b": pa.array(_cycle([10, -20, None, 0, 9_000_000_000, 7, 7, 3], ROWS), pa.int64()),
        "big": pa.array(_cycle([2**63 - 1, None, 1, -(2**63), 5, 2**31], ROWS), pa.int64()),
        "f": pa.array(_cycle([1.5, -2.25, None, float("nan"), 0.0, 3.75], ROWS), pa.float32()),
        "d": pa.array(
            _cycle([0.5, -0.0, None, float("nan"), 2.5, -1.25, float("inf"), 1e10, 0.125, 1.005, -2.675], ROWS),
            pa.float64(),
        ),
        "x": pa.array(_cycle([0.5, 1.25, -3.75, None, 2.0, 100.0, 7.1], ROWS), pa.float64()),
        "p": pa.array(
            _cycle([*map(Decimal, ("1.50", "-0.01", "0.00", "99999999.99", "12.34")), None], ROWS),
            pa.decimal128(10, 2),
        ),
        "q": pa.array(
            _cycle([Decimal("3.1415"), None, Decimal("-2.5000"), Decimal("0.0001")], ROWS), pa.decimal128(12, 4)
        ),
        "s": pa.array(_cycle(["pen", "", None, "Ink well", "a%b", "a_b", "zebra", "été", " pad ", "pen,ink"], ROWS)),
        "w": pa.array(_cycle(["red", "green", "blue", None, "Red"], ROWS)),
        "n": pa.array(_cycle(["1", " 42 ", "-7", None, "+3", "0012"], ROWS)),
        "g": pa.array(_cycle(["1", "x", "1.5", None, "NaN", "1e3", ""], ROWS)),
        "day": pa.array(_cycle(["2024-01-31", "2024-03-10", None, "2023-12-31"], ROWS)),
        "flag": pa.array(_cycle([True, False, None], ROWS)),
        "dt": pa.array(
            _cycle(
                [
                    datetime.date(2024, 2, 29),
                    datetime.date(2023, 12, 31),
                    None,
                    datetime.date(1969, 12, 31),
                    datetime.date(2024, 3, 10),
                    datetime.date(2000, 1, 1),
                    datetime.date(1582, 10, 4),
                ],
                ROWS,
            )
        ),
        "ts": pa.array(
            _cycle(
                [
                    _zoned(2024, 3, 10, 6, 59, 59),
                    _zoned(2024, 3, 10, 7, 30),
                    None,
                    _zoned(2024, 11, 3, 5, 30),
                    _zoned(2024, 11, 3, 6, 30, 15, 250000),
                    _zoned(1969, 12, 31, 23, 59, 59, 999999),
                    _zoned(2024, 7, 1),
                ],
                ROWS,
            ),
            pa.timestamp("us", "UTC"),
        ),
        "nt": pa.array(
            _cycle(
                [
                    datetime.datetime(2024, 3, 10, 2, 30),
                    datetime.datetime(2024, 11, 3, 1, 30),
                    None,
                    datetime.datetime(1999, 12, 31, 23, 59, 59, 500000),
                    datetime.datetime(2024, 3, 9, 2, 30),
                ],
                ROWS,
            ),
            pa.timestamp("us"),
        ),
        "arr": pa.array(_cycle([[1, 2, None], [], None, [3], [2, 2]], ROWS), pa.list_(pa.int32())),
    }
)
NAMES = pa.table(
    {
        "id": pa.array([1, 2, 3, 5, 8, 8, None, 77], pa.int64()),
        "i": pa.array([1, 2, 2, None, 7, 12, 100, -4], pa.int32()),
        "w": pa.array(["red", "green", "red", None, "blue", "Red", "teal", ""]),
        "amount": pa.array([Decimal("1.10"), None, Decimal("-5.00"), Decimal("0.33")] * 2, pa.decimal128(8, 2)),
        "dt": pa.array([datetime.date(2024, 2, 29), None, datetime.date(2000, 1, 1), datetime.date(2024, 3, 10)] * 2),
    }
)
TABLES = {"t": EVENTS, "u": NAMES}


@dataclass(frozen=True)
class Outcome:
    """The result of a query: rows with their types, the condition of an error, or what only Spark can run."""

    kind: str
    detail: str = ""
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


def create_tables(catalog: Any) -> None:
    """Create and fill the tables in the catalog's database ``shop``."""
    for name, rows in TABLES.items():
        catalog.create_table(f"shop.{name}", rows.schema).write(rows)


def register_views(session: Any, folder: Path, first: int = 0) -> None:
    """Register the tables as temporary views of a Spark session, with their rows rotated to begin with ``first``."""
    session.conf.set("spark.sql.session.timeZone", ZONE)
    for name, rows in TABLES.items():
        start = first % rows.num_rows
        file = folder / f"{name}-{start}.parquet"
        pq.write_table(pa.concat_tables([rows.slice(start), rows.slice(0, start)]), file)
        session.read.parquet(str(file)).coalesce(1).createOrReplaceTempView(name)


def on_duckdb(catalog: Any, text: str) -> Outcome:
    """Return the outcome on DuckDB, in the session time zone."""
    before, session_options.timezone = session_options.timezone, ZONE
    try:
        query = prepare_translated(Context(catalog, "shop"), parse(text))  # type: ignore[arg-type]
        return _rows(query.result().to_arrow())
    except NotTranslated as refusal:
        return Outcome("spark", str(refusal))
    except WorkbenchError as error:
        return Outcome("error", _condition(str(error)))
    finally:
        session_options.timezone = before


def on_spark(session: Any, text: str) -> Outcome:
    """Return the outcome on Spark."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        return _rows(session.sql(text).toArrow())
    except (PySparkException, Py4JJavaError) as error:
        return Outcome("error", _condition(str(error)))


def raises_in_another_order(session: Any, folder: Path, text: str, condition: str) -> bool:
    """Return whether Spark raises this error, too, for another order of the rows of the tables: if several rows have
    errors, Spark reports one of them, and its tables have no order."""
    try:
        for first in range(1, ROWS):
            register_views(session, folder, first)
            if on_spark(session, text) == Outcome("error", condition):
                return True
        return False
    finally:
        register_views(session, folder)


def _condition(message: str) -> str:
    found = re.search(r"\[([A-Z_]+)[.\]]", message)
    return found[1] if found else message.splitlines()[0][:120]


def _rows(rows: pa.Table) -> Outcome:
    types = tuple(_type(field.type) for field in rows.schema)
    return Outcome("rows", types=types, rows=tuple(zip(*[_values(column) for column in rows.columns], strict=True)))


def _type(data_type: pa.DataType) -> str:
    return f"list<{_type(data_type.value_type)}>" if pa.types.is_list(data_type) else str(data_type)


def _values(column: Any) -> list[Any]:
    if pa.types.is_temporal(column.type) and not pa.types.is_date(column.type):
        column = column.cast(pa.int64())
    return list(column.to_pylist())


def difference(ours: Outcome, theirs: Outcome) -> str:
    """Return how two outcomes differ, '' if they do not; rows are compared as multisets."""
    if ours.kind != theirs.kind:
        return f"{ours.kind} {ours.detail} instead of {theirs.kind} {theirs.detail}"
    if ours.kind == "error":
        return "" if ours.detail == theirs.detail else f"error {ours.detail} instead of {theirs.detail}"
    if ours.types != theirs.types:
        return f"types {ours.types} instead of {theirs.types}"
    if len(ours.rows) != len(theirs.rows):
        return f"{len(ours.rows)} rows instead of {len(theirs.rows)}"
    for mine, other in zip(sorted(ours.rows, key=_key), sorted(theirs.rows, key=_key), strict=True):
        if not all(map(_same, mine, other)):
            return f"row {mine} instead of {other}"
    return ""


def _key(row: tuple[Any, ...]) -> str:
    return repr(tuple(f"{value + 0.0:.9g}" if isinstance(value, float) else value for value in row)).replace(
        "-0'", "0'"
    )


def _same(mine: Any, other: Any) -> bool:
    if isinstance(mine, float) and isinstance(other, float):
        return mine == other or (math.isnan(mine) and math.isnan(other)) or math.isclose(mine, other, rel_tol=1e-12)
    return type(mine) is type(other) and bool(mine == other)
