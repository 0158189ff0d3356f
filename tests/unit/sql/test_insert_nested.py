"""INSERT of nested values: fields are matched by position, and BY NAME by name."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import SchemaMismatch
from workbench.sql.execute import execute
from workbench.sql.stored_values import FieldMatching

_POSITION, _NAME = FieldMatching(by_name=False), FieldMatching(by_name=True)
_STRUCT = pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))])


@pytest.fixture
def nested(catalog: Any) -> Any:
    execute(
        "CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<STRUCT<x: INT>>,"
        " m MAP<STRING, STRUCT<y: DOUBLE>>)",
        catalog,
        "shop",
    )
    return catalog


def _inserted(catalog: Any, text: str) -> Any:
    execute(text, catalog, "shop", engine="auto")
    return catalog.get_table("shop.t").to_arrow().to_pylist()


@pytest.mark.parametrize("verb", ["INTO", "OVERWRITE"])
def test_literals_are_stored_by_position_at_every_depth(nested: Any, verb: str) -> None:
    rows = _inserted(
        nested,
        f"INSERT {verb} t VALUES (1, struct(1, struct('c1')), array(struct(1), NULL), map('k', struct(1.5))),"
        " (2, named_struct('b', 2, 'a', named_struct('q', 'c2')), array(named_struct('z', 3)), map('k', NULL)),"
        " (3, NULL, NULL, NULL)",
    )
    assert rows == [
        {"id": 1, "s": {"a": 1, "b": {"c": "c1"}}, "l": [{"x": 1}, None], "m": [("k", {"y": 1.5})]},
        {"id": 2, "s": {"a": 2, "b": {"c": "c2"}}, "l": [{"x": 3}], "m": [("k", None)]},
        {"id": 3, "s": None, "l": None, "m": None},
    ]


def test_a_list_of_columns_keeps_positions_inside_of_values(nested: Any) -> None:
    rows = _inserted(nested, "INSERT INTO t (l, ID) VALUES (array(struct(4)), 9)")
    assert rows == [{"id": 9, "s": None, "l": [{"x": 4}], "m": None}]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("struct(1), NULL, NULL", "'s' have no field 'b'"),
        ("struct(1, struct('c'), 3), NULL, NULL", "'s' have 3 fields"),
        ("struct(1, struct('c', 'd')), NULL, NULL", "'s.b' have 2 fields"),
        ("NULL, array(struct(1, 2)), NULL", "'l.element' have 2 fields"),
        ("NULL, NULL, map('k', struct(1, 2))", "'m.value' have 2 fields"),
        ("struct('x', struct('c')), NULL, NULL", "Column 's' has type"),
    ],
)
def test_literals_that_do_not_fit_are_refused_with_their_path(nested: Any, values: str, message: str) -> None:
    with pytest.raises(SchemaMismatch, match=message):
        _inserted(nested, f"INSERT INTO t VALUES (1, {values})")
    assert nested.get_table("shop.t").to_arrow().num_rows == 0


def test_by_name_does_not_find_unnamed_values(nested: Any) -> None:
    with pytest.raises(SchemaMismatch, match="no column 'col1'"):
        _inserted(nested, "INSERT INTO t BY NAME VALUES (1, NULL, NULL, NULL)")


def test_columns_of_queries_are_renamed_by_position() -> None:
    given = pa.chunked_array([pa.array([{"u": 1, "v": {"w": "x"}}, None])])
    assert _POSITION.column(given, pa.field("s", _STRUCT)).to_pylist() == [{"a": 1, "b": {"c": "x"}}, None]
    lists = pa.chunked_array([pa.array([[{"u": 1, "v": {"w": "x"}}], None])])
    assert _POSITION.column(lists, pa.field("l", pa.list_(_STRUCT))).to_pylist() == [[{"a": 1, "b": {"c": "x"}}], None]
    with pytest.raises(SchemaMismatch, match=r"'s\.b' have 2 fields"):
        _POSITION.column(pa.chunked_array([pa.array([{"u": 1, "v": {"w": "x", "z": 1}}])]), pa.field("s", _STRUCT))


def test_columns_of_queries_keep_their_names_by_name() -> None:
    given = pa.chunked_array([pa.array([{"B": {"C": "x"}, "a": 1}])])
    assert _NAME.column(given, pa.field("s", _STRUCT)).to_pylist() == [{"b": {"c": "x"}, "a": 1}]
    for values, message in (
        ({"a": 1, "b": {"zz": "x"}}, r"no field 's\.b\.zz'"),
        ({"a": 1}, "'s' have no field 'b'"),
        ({"a": 1, "b": {"c": "x"}, "A": 2}, "field 'A' twice"),
    ):
        with pytest.raises(SchemaMismatch, match=message):
            _NAME.column(pa.chunked_array([pa.array([values])]), pa.field("s", _STRUCT))
