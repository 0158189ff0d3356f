"""Totals that overflow are found exactly at the limit of their type."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from tests.unit.lens.health.defects import Place
from workbench.lens.health.overflows import collect_overflows
from workbench.table.table import Table


def totals(place: Place, function: str, precision: int) -> Table:
    options = {"bucket": "1", "write-only": "true", "merge-engine": "aggregation"}
    columns = {"k": "BIGINT", "m": f"DECIMAL({precision}, 2)"}
    options["fields.m.aggregate-function"] = function
    return place.catalog.create_table("db.t", columns, ["k"], options=options)


def found(table: Table) -> list[str]:
    return [each.column for each in collect_overflows(table) or ()]


@pytest.mark.parametrize("precision", [10, 18, 19, 38])
@pytest.mark.parametrize(("function", "second"), [("sum", "0.01"), ("sum", "0"), ("product", "1.01"), ("product", "1")])
@pytest.mark.parametrize("sign", ["", "-"])
def test_the_limit_of_a_type(place: Place, function: str, second: str, precision: int, sign: str) -> None:
    table = totals(place, function, precision)
    assert found(table) == []
    table.write([{"k": 1, "m": Decimal(f"{sign}{'9' * (precision - 2)}.99")}])
    assert found(table) == []
    given = Decimal(second)
    table.write([{"k": 1, "m": -given if function == "sum" and sign else given}])
    assert found(table) == ([] if given in (0, 1) else ["m"])


def test_a_stored_number_that_exceeds_its_type(place: Place) -> None:
    table = totals(place, "sum", 18)
    table.write([{"k": 1, "m": Decimal("10000.00")}])
    file = Path(table.location, "schema", "schema-0")
    schema = json.loads(file.read_text())
    schema["fields"][1]["type"] = "DECIMAL(7, 2)"
    file.write_text(json.dumps(schema))
    assert found(place.catalog.get_table("db.t")) == []
    schema["fields"][1]["type"] = "DECIMAL(6, 2)"
    file.write_text(json.dumps(schema))
    assert found(place.catalog.get_table("db.t")) == ["m"]
