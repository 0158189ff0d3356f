"""Defaults of arrays, maps and rows, from the texts that Java accepts."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from workbench.base.errors import SchemaMismatch
from workbench.format.types import DataField, parse_type
from workbench.write.defaults import default_value


def default(data_type: str, text: str) -> Any:
    value = default_value(DataField(0, "c", parse_type(data_type), None, text))
    return None if value is None else value.as_py()


@pytest.mark.parametrize(
    ("data_type", "text", "expected"),
    [
        ("ARRAY<STRING>", "array('x', 'y, z')", ["x", "y, z"]),
        ("ARRAY<INT>", "[1, null]", [1, None]),
        ("ARRAY<INT>", "[]", []),
        ("ARRAY<ARRAY<INT>>", "ARRAY([1], array(2, 3))", [[1], [2, 3]]),
        ("MAP<STRING, INT>", "map('k', 1, 'l', 2)", [("k", 1), ("l", 2)]),
        ("MAP<STRING, INT>", "{k -> 1}", [("k", 1)]),
        ("ROW<x INT, y ARRAY<DATE>>", "{42, [2026-01-01]}", {"x": 42, "y": [date(2026, 1, 1)]}),
        ("ROW<x INT, y STRING>", "struct(42, 'd')", {"x": 42, "y": "d"}),
    ],
)
def test_texts(data_type: str, text: str, expected: Any) -> None:
    assert default(data_type, text) == expected


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        ("ARRAY<INT>", "5"),
        ("ARRAY<INT>", "[x]"),
        ("MAP<STRING, INT>", "map('k')"),
        ("MAP<STRING, INT>", "{k}"),
        ("ROW<x INT, y STRING>", "{1}"),
    ],
)
def test_other_texts_are_refused(data_type: str, text: str) -> None:
    with pytest.raises(SchemaMismatch):
        default(data_type, text)
