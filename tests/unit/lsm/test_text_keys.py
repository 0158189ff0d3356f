"""Text keys as machine words: equal and unequal lengths, shared prefixes, chunks that differ."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.lsm.keys import group_keys

FIXED = st.integers(1, 20).flatmap(
    lambda length: st.lists(st.text("ab0\x00z", min_size=length, max_size=length), min_size=1, max_size=30)
)
MIXED = st.lists(st.text("ab0\x00zé", max_size=20), min_size=1, max_size=30)


def keys_in_order(chunks: list[list[str]]) -> list[str]:
    values = [value for chunk in chunks for value in chunk]
    column = pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks])
    groups = group_keys([column])
    assert [values[row] for row in groups.order] == sorted(values, key=str.encode)
    assert all(
        values[row] == values[groups.order[start]] for row, start in zip(groups.newest(), groups.starts, strict=True)
    )
    return [values[groups.order[start]] for start in groups.starts]


@settings(deadline=None)
@given(st.lists(FIXED | MIXED, min_size=1, max_size=3), st.sampled_from(["", "order-", "a long prefix of all values "]))
def test_text_sorts_as_its_bytes(chunks: list[list[str]], prefix: str) -> None:
    prefixed = [[prefix + value for value in chunk] for chunk in chunks]
    distinct = {value for chunk in prefixed for value in chunk}
    assert keys_in_order(prefixed) == sorted(distinct, key=str.encode)


@pytest.mark.parametrize("middle", ["b", "order-", "order-99", "zzz"])
def test_a_prefix_that_only_first_and_last_value_share(middle: str) -> None:
    values = ["order-5", middle, "order-1", "order-3"]
    assert keys_in_order([values[:2], values[2:]]) == sorted(values)


def test_short_texts_and_numbers_fit_into_one_word() -> None:
    shops = pa.chunked_array([pa.array([2, 1, 2, 1])])
    codes = pa.chunked_array([pa.array(["0004", "0003", "0003", "0003"])])
    groups = group_keys([shops, codes])
    assert groups.order.tolist() == [1, 3, 2, 0]
    assert groups.starts.tolist() == [0, 2, 3]
