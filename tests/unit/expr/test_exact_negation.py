"""A minus before a long decimal keeps every digit."""

from decimal import Decimal

import pyarrow as pa

from workbench.expr.evaluate import filter_mask
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve_predicate
from workbench.format.types import DataField, parse_type

LEAST = Decimal("-" + "9" * 28 + "." + "9" * 10)


def test_negative_decimal_of_38_digits_is_found() -> None:
    fields = [DataField(0, "d", parse_type("DECIMAL(38, 10)"))]
    table = pa.table({"d": pa.array([LEAST, Decimal("0E-10"), Decimal("1.5")], pa.decimal128(38, 10))})
    mask = filter_mask(resolve_predicate(parse(f"d = {LEAST}"), fields), table)
    assert mask.to_pylist() == [True, False, False]
