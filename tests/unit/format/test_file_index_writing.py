"""File indexes as bytes: readers return what was written."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.format.index.file_index.bloom_filter_writing import wang64_of, xxhash64_of
from workbench.format.index.file_index.collecting import IndexCollector
from workbench.format.index.file_index.container import read_file_index, write_file_index
from workbench.format.index.file_index.hashes import wang64, xxhash64
from workbench.format.index.file_index.indexes import open_index
from workbench.format.index.file_index.keys import key_kind
from workbench.format.index.file_index.requests import IndexRequest, index_requests
from workbench.format.index.file_index.row_bitmaps import row_bitmaps
from workbench.format.index.file_index.rows import RowSet
from workbench.format.index.roaring32 import bits_of, write_blocks
from workbench.format.rows.cursor import Cursor
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, parse_type, to_arrow


def schema_of(options: dict[str, str], **columns: object) -> TableSchema:
    fields = tuple(DataField(number, name, parse_type(kind)) for number, (name, kind) in enumerate(columns.items()))
    return TableSchema(0, fields, len(fields) - 1, (), (), options)


def body(kind: str, data_type: DataType, values: list[object], **settings: str) -> bytes:
    request = IndexRequest(kind, DataField(0, "c", data_type), None, settings)
    return request.builder()(pa.chunked_array([pa.array(values, to_arrow(data_type))]))


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_hashes_of_numbers(values: list[int]) -> None:
    assert wang64_of(np.array(values, np.int64)).tolist() == [wang64(value) for value in values]


@given(
    st.integers(0, 90).flatmap(lambda size: st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=5))
)
def test_hashes_of_texts(values: list[bytes]) -> None:
    data = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), -1)
    assert xxhash64_of(data).tolist() == [xxhash64(value) for value in values]


@pytest.mark.parametrize("keys", [3, 200, 60_000])
def test_bitmaps_of_many_keys(keys: int) -> None:
    """Bitmaps are correct for keys with few and many rows, with runs, and with rows in several blocks."""
    rows = 200_000
    codes = np.random.default_rng(keys).integers(-1, keys, rows)
    codes[1000:6000] = 1
    order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
    pieces = row_bitmaps(order, np.bincount(codes[codes >= 0], minlength=keys))
    for key in [0, 1, 2, *range(3, keys, keys // 40 + 1)]:
        expected = np.flatnonzero(codes == key)
        cursor = Cursor(pieces.take(key, key + 1))
        assert RowSet.read(cursor, rows).positions() == expected.tolist()
        assert cursor.rest == 0
        assert pieces.take(key, key + 1) == write_blocks(bits_of(expected))


VALUES = {
    "INT": st.integers(-5, 5),
    "BIGINT": st.integers(-(2**63) + 1, 2**63 - 1),
    "STRING": st.text("aé\U0001f600", max_size=4),
    "DOUBLE": st.sampled_from([0.0, -0.0, 1.5, float("inf"), -1.0]),
    "DECIMAL(12, 2)": st.decimals(-9, 9, places=2),
    "BOOLEAN": st.booleans(),
}
KINDS = {
    "bitmap": ("INT", "BIGINT", "STRING", "DOUBLE", "BOOLEAN"),
    "range-bitmap": tuple(VALUES),
    "bsi": ("INT", "BIGINT", "DECIMAL(12, 2)"),
    "bloom-filter": ("INT", "BIGINT", "STRING", "DOUBLE"),
}
SETTINGS = {
    "bitmap": [{}, {"version": "1"}, {"index-block-size": "40b"}],
    "range-bitmap": [{}, {"chunk-size": "0b"}, {"chunk-size": "20b"}],
    "bsi": [{}],
    "bloom-filter": [{"items": "20", "fpp": "0.05"}],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in KINDS.items() for name in names])
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_rows_are_found(kind: str, name: str, data: st.DataObject) -> None:
    data_type = parse_type(name)
    values = data.draw(st.lists(st.none() | VALUES[name], max_size=30))
    stored = body(kind, data_type, values, **data.draw(st.sampled_from(SETTINGS[kind])))
    keys = key_kind(data_type)
    assert keys is not None
    index = open_index(kind, stored, keys, len(values))
    assert index is not None
    nulls = index.nulls()
    assert nulls is None or nulls.positions() == [position for position, value in enumerate(values) if value is None]
    for value in {value for value in values if value is not None}:
        span = keys.span(value)
        result = index.equal_to([span.low, span.high])
        expected = [position for position, each in enumerate(values) if each == value]
        assert result is None or result.positions() == expected
        below = index.below(span.low, False)
        assert below is None or below.positions() == [
            position for position, each in enumerate(values) if each is not None and each < value
        ]


def test_containers_with_names_of_every_kind() -> None:
    bodies = {"a\0é": {"bitmap": b"123", "bsi": None}, "\U0001f600": {"bloom-filter": b""}}
    assert read_file_index(write_file_index(bodies)) == bodies


def test_values_under_a_key() -> None:
    kind = {"type": "MAP", "key": "STRING", "value": "INT"}
    options = {
        "file-index.bitmap.columns": "m[a], m[b],n",
        "file-index.bitmap.m.version": "1",
        "file-index.bitmap.n.version": "2",
    }
    requests = list(index_requests(schema_of(options, m=kind, n="INT")))
    assert [(each.name, each.settings) for each in requests] == [
        ("m[a]", {"version": "1"}),
        ("m[b]", {"version": "1"}),
        ("n", {"version": "2"}),
    ]
    collector = IndexCollector(requests)
    maps = pa.array([[("a", 1)], None, [("b", 2), ("a", 3)], []], pa.map_(pa.string(), pa.int32()))
    for part in (maps, maps[1:3]):
        collector.update(pa.table({"m": part, "n": pa.array(range(len(part)), pa.int32())}))
    bodies = read_file_index(collector.container())
    assert bodies is not None
    keys = key_kind(parse_type("INT"))
    assert keys is not None
    index = open_index("bitmap", bodies["m[a]"]["bitmap"], keys, 6)
    assert index is not None
    assert [index.equal_to([key]).positions() for key in (1, 2, 3)] == [[0], [], [2, 5]]
    assert index.nulls().positions() == [1, 3, 4]


def test_types_without_indexes() -> None:
    for kind, name in (
        ("bloom-filter", "BOOLEAN"),
        ("bitmap", "BYTES"),
        ("range-bitmap", "TIMESTAMP(9)"),
        ("bsi", "STRING"),
    ):
        with pytest.raises(Unsupported, match=f"index '{kind}' does not support"):
            body(kind, parse_type(name), [])
    with pytest.raises(Unsupported, match=r"file-index\.magic\.columns"):
        list(index_requests(schema_of({"file-index.magic.columns": "a"}, a="INT")))
    with pytest.raises(InvalidSchema, match="'a' has type INT"):
        list(index_requests(schema_of({"file-index.bitmap.columns": "a[x]"}, a="INT")))
    with pytest.raises(InvalidSchema, match="Version 3"):
        body("bitmap", parse_type("INT"), [], version="3")
    with pytest.raises(ValueError, match="smallest"):
        body("bsi", parse_type("BIGINT"), [-(2**63)])
