"""Equal values have equal codes, unequal values do not; the model is Python's equality of Arrow's values."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.lsm.value_codes import row_codes, value_codes

NUMBERS = st.none() | st.integers(-3, 3)
TEXTS = st.none() | st.sampled_from(["", "a", "b", "ab"])
PAIRS = st.none() | st.fixed_dictionaries({"a": NUMBERS, "b": TEXTS})
KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "number": (pa.int32(), NUMBERS),
    "text": (pa.string(), TEXTS),
    "decimal": (pa.decimal128(10, 2), st.none() | st.integers(-3, 3).map(Decimal)),
    "float": (pa.float64(), st.none() | st.sampled_from([0.5, math.nan, math.inf])),
    "struct": (pa.struct({"a": pa.int32(), "b": pa.string()}), PAIRS),
    "list": (pa.list_(pa.string()), st.none() | st.lists(TEXTS, max_size=3)),
    "vector": (pa.list_(pa.int32(), 2), st.none() | st.lists(st.integers(0, 2), min_size=2, max_size=2)),
    "structs": (pa.list_(pa.struct({"a": pa.int32(), "b": pa.string()})), st.none() | st.lists(PAIRS, max_size=2)),
    "lists": (
        pa.list_(pa.list_(pa.int32())),
        st.none() | st.lists(st.none() | st.lists(NUMBERS, max_size=2), max_size=2),
    ),
    "map": (
        pa.map_(pa.string(), pa.int32()),
        st.none() | st.lists(st.tuples(st.sampled_from("ab"), NUMBERS), max_size=2),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_codes_are_equal_where_values_are(kind: str, data: Any) -> None:
    arrow, values = KINDS[kind]
    drawn = data.draw(st.lists(values, min_size=1, max_size=12))
    cut = data.draw(st.integers(0, len(drawn) - 1))
    whole = pa.array(drawn, arrow)
    for column in (whole, whole.slice(cut), pa.chunked_array([whole.slice(0, cut), whole.slice(cut)])):
        codes = value_codes(column).tolist()
        texts = list(map(repr, column.to_pylist()))
        assert len(codes) == len(texts)
        assert len(set(codes)) == len(set(texts)) == len(set(zip(codes, texts, strict=True)))


def test_rows_are_equal_in_all_columns() -> None:
    columns = [pa.array([1, 1, None, None]), pa.array(["a", "b", "a", "a"])]
    first, second, third, fourth = row_codes([value_codes(column) for column in columns], 4).tolist()
    assert third == fourth
    assert len({first, second, third}) == 3
    assert row_codes([], 2).tolist() == [0, 0]
