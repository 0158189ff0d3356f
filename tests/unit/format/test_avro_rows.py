"""Avro records written from columns: fastavro reads them, regardless of other data in Arrow's buffers."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.errors import Unsupported
from workbench.format.avro.columns import column_of
from workbench.format.avro.rows import encode_rows
from workbench.format.avro.schema import avro_schema
from workbench.format.types import DataField, parse_type, to_arrow

ROW = {
    "type": "ROW",
    "fields": [{"id": 5, "name": "x", "type": "INT"}, {"id": 6, "name": "y", "type": "STRING NOT NULL"}],
}
LONGS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(max_size=200)
BIG = st.integers(-(10**38) + 1, 10**38 - 1)
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "longs": ("BIGINT", LONGS),
    "bytes": ("TINYINT NOT NULL", st.integers(-128, 127)),
    "texts": ("STRING", TEXTS),
    "binary": ("BYTES NOT NULL", st.binary(max_size=9)),
    "flags": ("BOOLEAN", st.booleans()),
    "floats": ("FLOAT", st.floats(width=32, allow_nan=False)),
    "doubles": ("DOUBLE NOT NULL", st.floats(allow_nan=False)),
    "decimals": ("DECIMAL(38, 0)", st.one_of(BIG, st.sampled_from([0, 127, 128, -128, -129, 255, -256])).map(Decimal)),
    "rows": (ROW, st.fixed_dictionaries({"x": st.none() | st.integers(-5, 5), "y": TEXTS})),
    "lists": (
        {"type": "ARRAY", "element": {"type": "ARRAY", "element": "INT"}},
        st.lists(st.none() | st.lists(st.none() | st.integers(-9, 9))),
    ),
    "maps": (
        {"type": "MAP", "key": "STRING", "value": "BIGINT"},
        st.dictionaries(TEXTS, st.none() | LONGS).map(lambda each: list(each.items())),
    ),
    "pairs": ({"type": "MAP", "key": "INT", "value": ROW}, st.just([(1, {"x": None, "y": "a"}), (-2, None)])),
    "counts": ({"type": "MULTISET", "element": "STRING"}, st.just([("a", 3)])),
    "vectors": (
        {"type": "VECTOR", "element": "INT", "length": 2},
        st.tuples(st.integers(0, 99), st.integers(0, 9)).map(list),
    ),
}


def field_of(name: str) -> DataField:
    return DataField(0, "c", parse_type(KINDS[name][0]))


def read_back(table: pa.Table, field: DataField) -> pa.Array:
    rows = encode_rows(table, [field])
    assert np.array_equal(rows.ends[-1:], [len(rows.data)][: len(rows.sizes)])
    schema = avro_schema([field])
    plain = io.BytesIO(rows.data.tobytes())
    result = [fastavro.schemaless_reader(plain, _without_logic(schema), None) for _ in range(table.num_rows)]
    assert not plain.read()
    return column_of([each["c"] for each in result], schema["fields"][0]["type"], field.type)


def _without_logic(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logic(each) for each in schema]
    if isinstance(schema, dict):
        return {key: _without_logic(value) for key, value in schema.items() if key != "logicalType"}
    return schema


@pytest.mark.parametrize("name", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_every_kind(name: str, data: st.DataObject) -> None:
    field = field_of(name)
    value = KINDS[name][1]
    values = data.draw(st.lists(st.none() | value if field.type.nullable else value, max_size=12))
    column = pa.array(values, to_arrow(field.type))
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(values)), st.integers(0, len(values)))))
    table = pa.table({"c": pa.chunked_array([column, column[first:last]])})
    assert read_back(table, field).to_pylist() == values + values[first:last]


def test_records_of_many_columns() -> None:
    fields = [DataField(number, name, field_of(name).type) for number, name in enumerate(KINDS)]
    rows = pa.table(
        {name: pa.nulls(2, to_arrow(field_of(name).type)) for name in KINDS if field_of(name).type.nullable}
    )
    rows = rows.append_column("bytes", pa.array([1, -1], pa.int8())).append_column("binary", pa.array([b"a", b""]))
    rows = rows.append_column("doubles", pa.array([1.5, 2.5]))
    result = encode_rows(rows, fields)
    first = fastavro.schemaless_reader(io.BytesIO(result.take(0, 1)), avro_schema(fields), None)
    second = fastavro.schemaless_reader(io.BytesIO(result.take(1, 2)), avro_schema(fields), None)
    assert (first["bytes"], first["binary"], first["doubles"], first["maps"]) == (1, b"a", 1.5, None)
    assert (second["bytes"], second["binary"], second["doubles"]) == (-1, b"", 2.5)


@pytest.mark.parametrize(
    "kind", ["TIMESTAMP(9)", "TIME(4)", "VARIANT", {"type": "MULTISET", "element": "INT"}], ids=str
)
def test_types_unknown_to_avro(kind: Any) -> None:
    with pytest.raises(Unsupported, match=r"Avro files have no .* column 'c'"):
        avro_schema([DataField(0, "c", parse_type(kind))])


@pytest.mark.parametrize("name", ["a b", "1a", "a.b", ""])
def test_names_invalid_in_avro(name: str) -> None:
    with pytest.raises(Unsupported, match="letters, digits"):
        avro_schema([DataField(0, name, parse_type("INT"))])
