"""Sums and products of decimals that exceed the precision of their column: refused where rows are stored, and reported
where they are read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import MergeError
from workbench.table.table import Table

BIG = Decimal("999.99")
HUGE = Decimal("9" * 36 + ".99")
SUM = {"merge-engine": "aggregation", "fields.d.aggregate-function": "sum"}
PRODUCT = {"merge-engine": "aggregation", "fields.d.aggregate-function": "product"}
GROUP = {"merge-engine": "partial-update", "fields.g.sequence-group": "d", "fields.d.aggregate-function": "sum"}


@dataclass(frozen=True)
class Case:
    """A column and the numbers that are added one commit after the other; ``read`` is what Java reads."""

    type: str
    numbers: tuple[Decimal, ...]
    read: Decimal | None
    options: dict[str, str]
    kinds: tuple[str, ...] = ("+I", "+I")


CASES = {
    "sum": Case("DECIMAL(5, 2)", (BIG, BIG), Decimal("1999.98"), SUM),
    "wide-sum": Case("DECIMAL(38, 2)", (HUGE, HUGE), None, SUM),
    "negative": Case("DECIMAL(5, 2)", (-BIG, -BIG), Decimal("-1999.98"), SUM),
    "retracted": Case("DECIMAL(5, 2)", (-BIG, BIG), Decimal("-1999.98"), SUM, ("+I", "-U")),
    "product": Case("DECIMAL(5, 2)", (BIG, BIG), None, PRODUCT),
    "wide-product": Case("DECIMAL(38, 2)", (HUGE, HUGE), None, PRODUCT),
    "group": Case("DECIMAL(5, 2)", (BIG, BIG), Decimal("1999.98"), GROUP),
    "wide-group": Case("DECIMAL(38, 2)", (HUGE, HUGE), None, GROUP),
    "older-in-group": Case("DECIMAL(38, 2)", (HUGE, HUGE), None, {**GROUP, "reversed": "true"}),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def rows_of(case: Case) -> list[pa.Table]:
    numbers = case.type.removeprefix("DECIMAL(").removesuffix(")").split(", ")
    kind = pa.decimal128(int(numbers[0]), int(numbers[1]))
    order = [2, 1] if "reversed" in case.options else [1, 2]
    return [
        pa.table({"id": [7, 8], "g": [at, at], "d": pa.array([number, Decimal(1)], kind), "kind": [row_kind] * 2})
        for number, at, row_kind in zip(case.numbers, order, case.kinds, strict=True)
    ]


def table_of(case: Case, tmp_path: Path, **more: str) -> Table:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db", exist_ok=True)
    options = {name: value for name, value in case.options.items() if name != "reversed"}
    options |= {"bucket": "1", "write-only": "true", **{name.replace("_", "-"): value for name, value in more.items()}}
    return catalog.create_table("db.t", {"id": "INT", "g": "INT", "d": case.type}, ["id"], options=options)


def written(case: Case, tmp_path: Path, **more: str) -> Table:
    table = table_of(case, tmp_path, **more)
    for rows in rows_of(case):
        table.write(rows, row_kind="kind")
    return table


READS: dict[str, Callable[[Table], pa.Table]] = {
    "to_arrow": lambda table: table.to_arrow(),
    "to_batches": lambda table: table.to_batches().read_all(),
    "limit": lambda table: table.to_arrow(limit=5),
}


@pytest.mark.parametrize("read", READS)
def test_reads_return_what_java_returns_with_one_warning(case: Case, read: str, tmp_path: Path) -> None:
    table = written(case, tmp_path)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            (row, _other) = sorted(READS[read](table).to_pylist(), key=lambda each: each["id"])
        assert row["d"] == case.read
        (warning,) = caught
        assert "column 'd' overflows" in str(warning.message)
        assert case.type in str(warning.message)
        assert "key 7" in str(warning.message)


def test_a_read_of_other_columns_does_not_warn(tmp_path: Path) -> None:
    table = written(CASES["sum"], tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert table.to_arrow(["id"]).num_rows == 2


def refused(action: Callable[[], Any], case: Case) -> None:
    with pytest.raises(MergeError) as raised:
        action()
    assert "column 'd' overflows" in str(raised.value)
    assert case.type in str(raised.value)
    assert "key 7" in str(raised.value)


@pytest.mark.parametrize("producer", ["none", "lookup", "full-compaction"])
def test_compactions_are_refused(case: Case, producer: str, tmp_path: Path) -> None:
    table = written(case, tmp_path, **{"changelog-producer": producer})
    files = sorted(tmp_path.rglob("data-*"))
    snapshots = len(table.snapshots())
    refused(lambda: table.compact(full=True), case)
    assert sorted(tmp_path.rglob("data-*")) == files
    assert len(table.snapshots()) == snapshots
    with table.sandbox() as sandbox:
        refused(lambda: sandbox.compact(full=True), case)


def test_rows_of_one_commit_are_refused(case: Case, tmp_path: Path) -> None:
    table = table_of(case, tmp_path)

    def write(parts: Sequence[pa.Table]) -> None:
        with table.writer() as writer:
            for rows in parts:
                writer.write(rows, row_kind="kind")
            table.commit(writer.prepare())

    refused(lambda: write(rows_of(case)), case)
    assert table.snapshots() == []


def test_rescaling_is_refused(tmp_path: Path) -> None:
    table = written(CASES["sum"], tmp_path)
    refused(lambda: table.rescale(bucket=2), CASES["sum"])


def test_a_wider_type_makes_the_rows_whole(tmp_path: Path) -> None:
    table = written(CASES["sum"], tmp_path)
    catalog = wb.connect(str(tmp_path))
    catalog.alter_table("db.t", wb.UpdateColumnType("d", "DECIMAL(10, 2)"))
    table = catalog.get_table("db.t")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = table.to_arrow()
        table.compact(full=True)
    assert sorted(before.column("d").to_pylist()) == [Decimal(2), Decimal("1999.98")]
    assert table.to_arrow().sort_by("id").equals(before.sort_by("id"))


def test_a_sum_that_fits_in_the_end_is_stored(tmp_path: Path) -> None:
    """Java, too, continues with the exact number, as long as 64 bits hold it."""
    numbers = (BIG, BIG, -BIG)
    case = Case("DECIMAL(5, 2)", numbers, BIG, SUM)
    table = table_of(case, tmp_path)
    for number in numbers:
        table.write([{"id": 7, "g": 1, "d": number}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert table.to_arrow().column("d").to_pylist() == [BIG]
    table.compact(full=True)
    assert table.to_arrow().column("d").to_pylist() == [BIG]


def test_whole_numbers_name_their_key(tmp_path: Path) -> None:
    case = Case("TINYINT", (), None, SUM)
    table = table_of(case, tmp_path)
    for _ in range(2):
        table.write([{"id": 6, "g": 1, "d": 1}, {"id": 7, "g": 1, "d": 100}])
    for action in (table.to_arrow, lambda: table.compact(full=True)):
        with pytest.raises(MergeError, match="sum of column 'd' overflows 8 bits in the rows of key 7"):
            action()
