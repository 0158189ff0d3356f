"""The files that a plan prunes, and by which rule; pruning never loses a row."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tests.support.sampling import sampled
from tests.support.table_values import DOMAINS, canonical, order, rows_of, table
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.expr.expressions import col
from workbench.table.table import Table

OPTIONS = {"bucket": "4", "write-only": "true"}


@pytest.fixture
def orders(catalog: FileSystemCatalog) -> Table:
    """Partitions a, b, c with 4 buckets each; per bucket one file of low keys and one of high keys."""
    created = catalog.create_table(
        "db.orders",
        {"id": "INT NOT NULL", "p": "STRING NOT NULL", "n": "INT", "s": "STRING"},
        primary_key=["id", "p"],
        partition_by="p",
        options=OPTIONS,
    )
    for first, number in ((0, 5), (1000, 50)):
        for partition in "abc":
            ids = list(range(first, first + 200))
            created.write(pa.table({"id": ids, "p": [partition] * 200, "n": [number] * 200, "s": [None] * 200}))
    return created


@pytest.mark.parametrize(
    ("where", "read", "pruned"),
    [
        (None, 24, {}),
        ("p = 'a'", 8, {}),
        ("p IN ('a', 'c') AND id < 500", 8, {"key range": 8}),
        ("p = 'z'", 0, {}),
        ("id = 7", 3, {"bucket": 18, "key range": 3}),
        ("id = 7 AND p = 'b'", 1, {"bucket": 6, "key range": 1}),
        ("id > 5000", 0, {"key range": 24}),
        ("id BETWEEN 300 AND 400", 0, {"key range": 24}),
        ("n = 5", 12, {"value range": 12}),
        ("n = 17", 0, {"value range": 24}),
        ("n > 5 OR id = 3", 24, {}),
        ("s = 'x'", 0, {"value range": 24}),
        ("s IS NULL", 24, {}),
        ("id IN (3, 1003) AND n = 50", None, {}),
    ],
)
def test_rules(orders: Table, where: str | None, read: int | None, pruned: dict[str, int]) -> None:
    report = orders.scan(where=where).explain()
    counted = report.files_pruned
    if read is not None:
        assert report.files_read == read, str(report)
    assert {rule: counted.get(rule) for rule in pruned} == pruned, str(report)
    assert report.snapshot_id == 6
    assert report.files_read == sum(len(split.files) for split in orders.scan(where=where).plan())
    assert str(report.files_read) in str(report)


def test_manifests_are_pruned_by_partition(orders: Table) -> None:
    report = orders.scan(where="p = 'a'").explain()
    assert (report.manifests, report.manifests_pruned) == (6, 4)


def test_a_section_is_pruned_completely_or_not_at_all(catalog: FileSystemCatalog) -> None:
    """The newest row of a key hides the older one that would match."""
    created = catalog.create_table(
        "db.t", {"id": "INT", "n": "INT"}, primary_key="id", options={"bucket": "1", "write-only": "true"}
    )
    created.write(pa.table({"id": [1, 2], "n": [5, 5]}))
    created.write(pa.table({"id": [1, 2], "n": [7, 5]}))
    created.write(pa.table({"id": [50], "n": [1]}))
    assert created.to_arrow(where="n = 5").to_pylist() == [{"id": 2, "n": 5}]
    assert created.scan(where="n = 5").explain().files_pruned == {"value range": 1}
    created.write(pa.table({"id": [2], "n": [5], "op": ["-D"]}), row_kind="op")
    assert created.to_arrow(where="n = 5").num_rows == 0


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: bool(left == right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    "!=": lambda left, right: bool(left != right),
}


@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "append"])
@pytest.mark.parametrize("kind", sampled([kind for kind in DOMAINS if not kind.startswith("TIME")], 2))
def test_pruning_never_loses_rows(catalog: FileSystemCatalog, kind: str, keyed: bool) -> None:
    chance = random.Random(kind)
    columns = {"k": kind, "n": "INT"}
    options = OPTIONS if keyed else {"bucket": "4", "bucket-key": "k"} if kind != "DOUBLE" else {"bucket": "-1"}
    created = catalog.create_table("db.t", columns, primary_key="k" if keyed else (), options=options)
    present: list[Any] = []
    values = DOMAINS[kind]
    for start in range(0, len(values), 3):
        chunk = values[start : start + 3]
        present += chunk
        created.write(table([(value, start) for value in chunk], columns))
    for value in [*chance.sample(values, min(6, len(values))), *(v for v in values if v == 0)]:
        literal = value if not kind.startswith("DATE") else table([(value, 0)], columns).column("k")[0].as_py()
        for sign, holds in COMPARISONS.items():
            where = _compare(sign, literal)
            expected = {canonical(each) for each in present if holds(_sql(each, kind), _sql(value, kind))}
            rows = {row[0] for row in rows_of(created.to_arrow(where=where))}
            assert rows == expected, f"{sign} {value!r}"


def _compare(sign: str, value: Any) -> Any:
    column = col("k")
    return {
        "=": lambda: column == value,
        "<": lambda: column < value,
        "<=": lambda: column <= value,
        ">": lambda: column > value,
        "!=": lambda: column != value,
    }[sign]()


def _sql(value: Any, kind: str) -> Any:
    """Return a sort key by SQL's rules: -0.0 equals 0.0, and NaN equals itself and is the largest."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return order(value, kind)


def test_plan_is_stable(orders: Table) -> None:
    scan = orders.scan(where="n = 5")
    first = scan.plan()
    orders.write(pa.table({"id": [1], "p": ["a"], "n": [5], "s": ["new"]}))
    assert scan.plan() is first
    assert scan.to_arrow().num_rows == 600
    assert orders.to_arrow(where="n = 5").num_rows == 600
    assert orders.to_arrow(where="s = 'new'").num_rows == 1


def test_columns_that_only_the_filter_needs(orders: Table) -> None:
    rows = orders.to_arrow(["s"], where="n = 50 AND id = 1001")
    assert rows.to_pylist() == [{"s": None}] * 3
    assert orders.to_arrow(["p", "id"], limit=5).schema.names == ["p", "id"]
