from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lens.catalog import DatabaseValue, Page
from workbench.lens.environment import collect_environment
from workbench.lens.levels import BucketTotalsValue, FileValue, LevelTotalsValue
from workbench.lens.schema import SchemaChangeValue
from workbench.lens.timeline import TagValue
from workbench.lens.wire import Int64, to_json

INT64 = st.integers(-(2**63), 2**63 - 1)


@given(INT64, st.none() | INT64, st.text(), st.booleans())
def test_big_numbers_travel_as_digits(snapshot: int, time: int | None, name: str, expired: bool) -> None:
    reported = json.loads(json.dumps(to_json(TagValue(name, snapshot, time, expired))))
    assert reported["name"] == name
    assert isinstance(reported["snapshot"], str)
    assert int(reported["snapshot"]) == snapshot
    assert (None if reported["time_millis"] is None else int(reported["time_millis"])) == time
    assert reported["expired"] is expired


def test_small_integers_remain_numbers() -> None:
    totals = BucketTotalsValue("00:1", "p", 1, 2, 3, 2**60, None, 0, (LevelTotalsValue(0, 2, 2, 1, 1),))
    assert to_json(totals) == {
        "id": "00:1",
        "partition": "p",
        "bucket": 1,
        "runs": 2,
        "files": 3,
        "rows": "1152921504606846976",
        "deletes": None,
        "size": "0",
        "levels": [{"level": 0, "runs": 2, "files": 2, "rows": "1", "size": "1"}],
    }


def test_positions_are_numbers() -> None:
    reported = to_json(FileValue("f", 0, 1, 2, 0, None, None, 0.25, 1.0, 0, 0, None))
    assert isinstance(reported, dict)
    assert (reported["start"], reported["end"], reported["deletes"], reported["min_key"]) == (0.25, 1.0, "0", None)


def test_generic_values_encode_their_items() -> None:
    page = Page((DatabaseValue("a"), TagValue("t", 2**62, None, False)), "t", 9, 12)
    assert to_json(page) == {
        "items": [
            {"name": "a"},
            {"name": "t", "snapshot": str(2**62), "time_millis": None, "expired": False},
        ],
        "next": "t",
        "total": 9,
        "listed": 12,
    }


def test_a_value_of_one_of_a_few_words() -> None:
    change = to_json(SchemaChangeValue("added", "added <b>", 3))
    assert change == {"kind": "added", "text": "added <b>", "field_id": 3}


def test_every_field_is_reported() -> None:
    environment = collect_environment()
    reported = to_json(environment)
    assert isinstance(reported, dict)
    assert list(reported) == [field.name for field in fields(environment)]
    assert all(reported.values())


@dataclass(frozen=True)
class Strange:
    value: dict[str, int]


@dataclass(frozen=True)
class TwoWays:
    value: Int64 | str


@pytest.mark.parametrize("value", [Strange({}), TwoWays(1), 3, "text", None, [TagValue("t", 1, None, False)]])
def test_types_unknown_to_the_contract(value: Any) -> None:
    with pytest.raises(TypeError, match="contract"):
        to_json(value)
