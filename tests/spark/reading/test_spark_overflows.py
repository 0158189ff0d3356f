"""Sums that overflow in a read on Spark: the user gets the warning of a local read, once per scan."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

import workbench as wb

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

OPTIONS = {"bucket": "4", "merge-engine": "aggregation", "fields.d.aggregate-function": "sum", "write-only": "true"}


@pytest.fixture
def totals(catalog: Any) -> Any:
    """A table of several buckets, in which the sum of every key overflows."""
    columns = {"id": "INT NOT NULL", "d": "DECIMAL(5, 2)", "v": "STRING"}
    table = catalog.create_table("shop.totals", columns, ["id"], options=OPTIONS)
    for _ in range(2):
        table.write([{"id": number, "d": Decimal("900.00"), "v": "a"} for number in range(20)])
    return table


@dataclass(frozen=True)
class _Places:
    """Where a table can be read."""

    table: Any
    catalog: Any
    session: Any

    def query(self, text: str) -> Any:
        """Return a query of `wb.spark.sql`."""
        return wb.spark.sql(text, self.catalog)


READS: dict[str, Callable[[_Places], Any]] = {
    "read": lambda at: wb.spark.read(at.table),
    "query": lambda at: at.query("SELECT id, d FROM shop.totals WHERE d IS NULL"),
    "aggregate": lambda at: at.query("SELECT v, max(d) FROM shop.totals GROUP BY v"),
    "table": lambda at: at.session.table("paimon.shop.totals"),
    "statement": lambda at: at.session.sql("SELECT * FROM paimon.shop.totals"),
    "places": lambda at: at.session.sql("SELECT d, __paimon_bucket FROM paimon.shop.totals"),
    "load": lambda at: at.session.read.format("paimon").load("shop.totals"),
}


def _warnings(action: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        action()
    return [str(each.message) for each in caught if "overflows" in str(each.message)]


@pytest.mark.parametrize("read", READS)
def test_reads_warn_once(attached: Any, catalog: Any, totals: Any, read: str) -> None:
    for _ in range(2):
        (message,) = _warnings(lambda: READS[read](_Places(totals, catalog, attached)).collect())
        assert message.startswith("shop.totals: the sum of column 'd' overflows DECIMAL(5, 2), as for key ")


def test_a_frame_of_other_columns_does_not_warn(totals: Any) -> None:
    assert _warnings(lambda: wb.spark.read(totals, ["id", "v"]).collect()) == []


def test_filters_that_raise_warnings(totals: Any, caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for _ in range(2):
            assert wb.spark.read(totals).count() == 20
            assert len(wb.spark.read(totals).collect()) == 20
    assert "column 'd' overflows" in caplog.text
