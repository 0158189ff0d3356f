"""CHAR(n) in conditions: stored values with and without blanks are compared as Spark compares padded ones."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import pytest

import workbench as wb

_VALUES = ("a", "ab", "abc", "b\x01", "b ")
_OPERATORS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, ">=": operator.ge, "<=>": operator.eq}


@pytest.fixture(params=["plain", "keys", "partitions", "bloom", "orc"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    keys = ["c"] if request.param == "keys" else []
    options = {
        "keys": {"bucket": "4"},
        "bloom": {"file-index.bloom-filter.columns": "c"},
        "orc": {"file.format": "orc"},
    }.get(request.param, {})
    columns = {"c": "CHAR(3)", "d": "CHAR(5)", "v": "STRING", "r": "ROW<a CHAR(3)>"}
    parts = ["c"] if request.param == "partitions" else []
    made = catalog.create_table("db.t", columns, keys, parts, options=options)
    for value in _VALUES:
        made.write([{"c": value, "d": value, "v": value, "r": {"a": value}}])
    return made


def _found(table: Any, where: str) -> list[str]:
    return sorted(value.rstrip(" ") for value in table.to_arrow(where=where).column("c").to_pylist())


@pytest.mark.parametrize("text", ["a", "a     ", "b\x01", "abcd"])
def test_the_shorter_side_of_a_comparison_is_padded(table: Any, text: str) -> None:
    size = max(3, len(text))
    for sign, compare in _OPERATORS.items():
        wanted = sorted(each.rstrip(" ") for each in _VALUES if compare(each.ljust(size), text.ljust(size)))
        assert _found(table, f"c {sign} '{text}'") == wanted, sign
        assert (
            _found(table, f"NOT (NOT ('{text}' {'>' if sign == '<' else '<=' if sign == '>=' else sign} c))") == wanted
        )


def test_other_conditions_see_padded_values(table: Any) -> None:
    counts = {
        "c = d": 5,
        "c = v": 1,
        "c IN ('a', 'b')": 2,
        "c IN ('zzzz')": 0,
        "c IN ('a', NULL)": 0,
        "length(c) = 3": 5,
        "concat(c, 'x') = 'a  x'": 1,
        "c LIKE 'a'": 0,
        "c LIKE 'a%'": 3,
        "c IS NULL": 0,
        "r.a = 'a'": 1,
        "r.a = 'a  '": 0,
        "c BETWEEN 'a' AND 'ab'": 1,
        "c BETWEEN 'a  ' AND 'ab '": 2,
        "c NOT BETWEEN 'a' AND 'a'": 5,
    }
    assert {where: len(_found(table, where)) for where in counts} == counts


def test_deletes_hit_the_rows_that_a_read_finds(table: Any) -> None:
    table.delete("c <> 'a'")
    assert _found(table, "true") == ["a"]
    table.delete("c = 'a'")
    assert _found(table, "true") == []


def test_a_merge_by_names_matches_padded_values(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"c": "CHAR(3)", "n": "INT"}, options={"bucket": "-1"})
    table.write([{"c": "a", "n": 1}, {"c": "b  ", "n": 1}])
    source = [{"c": "a  ", "n": 2}, {"c": "b", "n": 2}]
    table.merge(source, on=["c"], clauses=[wb.WhenMatched(update={"n": "s.n"}), wb.WhenNotMatched(insert="*")])
    assert table.to_arrow().column("n").to_pylist() == [2, 2]
