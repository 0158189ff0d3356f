"""VARIANT and MAP columns that are stored in several parts, and reassembled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.format.types import parse_type, to_arrow
from workbench.format.types.map_shredding import is_shared_map, reassemble_maps
from workbench.format.types.nested_arrays import with_leaves
from workbench.format.types.variant import json_text
from workbench.format.types.variant_shredding import is_shredded, reassemble_variants

VARIANT = to_arrow(parse_type("VARIANT"))
NAMES = b"\x01\x02\x00\x01\x02ab"


def part(kind: pa.DataType) -> pa.StructType:
    return pa.struct([("value", pa.binary()), ("typed_value", kind)])


def column(kind: pa.DataType, *rows: Mapping[str, Any] | None) -> pa.Array:
    whole = pa.struct([("metadata", pa.binary()), *part(kind)])
    return pa.array([None if row is None else {"metadata": NAMES, **row} for row in rows], whole)


def texts(array: pa.Array) -> list[str | None]:
    result = reassemble_variants(array, VARIANT)
    assert result.type == VARIANT
    return [each and json_text(each["value"], each["metadata"], UTC) for each in result.to_pylist()]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (pa.string(), "x" * 64, '"' + "x" * 64 + '"'),
        (pa.string(), "x" * 63, '"' + "x" * 63 + '"'),
        (pa.bool_(), True, "true"),
        (pa.bool_(), False, "false"),
        (pa.int8(), -128, "-128"),
        (pa.int64(), 2**31, str(2**31)),
        (pa.int64(), -(2**63), str(-(2**63))),
        (pa.float32(), 0.5, "0.5"),
        (pa.float64(), 1e300, "1.0E300"),
        (pa.decimal128(9, 2), Decimal("-1234567.80"), "-1234567.8"),
        (pa.decimal128(38, 0), Decimal(10**38 - 1), "9" * 38),
        (pa.decimal128(18, 18), Decimal("0.000000000000000001"), "0.000000000000000001"),
        (pa.date32(), 5, '"1970-01-06"'),
        (pa.binary(), b"\x00\x01", '"AAE="'),
    ],
)
def test_scalars(kind: pa.DataType, value: Any, text: str) -> None:
    array = column(kind, {"typed_value": value}, None, {"value": b"\x00"})
    assert is_shredded(array.type)
    assert texts(array) == [text, None, "null"]


def test_objects_and_arrays() -> None:
    kind = pa.struct([("b", part(pa.int32())), ("a", part(pa.list_(part(pa.string()))))])
    nothing = {"b": {}, "a": {}}
    rest = b"\x02\x01\x00\x00\x02\x0c\x05"  # {"a": 5}
    array = column(
        kind,
        {"typed_value": {"b": {"typed_value": 7}, "a": {"typed_value": [{"typed_value": "x"}, {"value": b"\x00"}]}}},
        {"typed_value": nothing},
        {"typed_value": {**nothing, "b": {"value": rest}}},
        {"value": rest},
        {"typed_value": {"b": {}, "a": {"typed_value": []}}},
    )
    assert texts(array) == ['{"a":["x",null],"b":7}', "{}", '{"b":{"a":5}}', '{"a":5}', '{"a":[]}']
    inner = column(pa.struct([("b", part(pa.int32()))]), {"typed_value": {"b": {"typed_value": 7}}, "value": rest})
    assert texts(inner) == ['{"a":5,"b":7}']


@pytest.mark.parametrize(
    "row",
    [
        {"metadata": None, "typed_value": {"a": {"typed_value": 1}}},
        {"typed_value": {"a": None}},
        {},
        {"typed_value": {"a": {"typed_value": 1}}, "value": b"\x00"},
        {"typed_value": {"a": {"typed_value": 1}}, "value": b"\x02\x01\x00\x00\x02\x0c\x05"},
        {"value": b""},
        {"metadata": b"\x02", "value": b"\x00"},
    ],
)
def test_parts_that_do_not_fit(row: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"variant|rest of an object"):
        reassemble_variants(column(pa.struct([("a", part(pa.int64()))]), row), VARIANT)


def test_a_part_of_another_type_is_refused() -> None:
    with pytest.raises(wb.Unsupported, match="time32"):
        reassemble_variants(column(pa.time32("ms"), {"typed_value": 1}), VARIANT)


def shared(rows: list[Any], slots: int = 2) -> pa.ChunkedArray:
    fields = [("__field_mapping", pa.list_(pa.int32()))]
    fields += [(f"__col_{slot}", pa.string()) for slot in range(slots)]
    kind = pa.struct([*fields, ("__overflow", pa.map_(pa.int32(), pa.string()))])
    assert is_shared_map(kind)
    return pa.chunked_array([pa.array(rows, kind)])


def noted(names: Any, **more: str) -> dict[bytes, bytes]:
    text = names if isinstance(names, bytes) else json.dumps(names, ensure_ascii=False).encode()
    packed = pa.Codec("zstd").compress(text, asbytes=True)
    reported = {"version": b"1", "field-dict": packed.decode("latin-1").encode()}
    reported.update({name.replace("_", "-"): value.encode() for name, value in more.items()})
    return {b"paimon.map.shared-shredding." + name.encode(): value for name, value in reported.items()}


ROWS = [
    {"__field_mapping": [1, 0], "__col_0": "of b", "__col_1": "of a", "__overflow": [(2, "of é"), (3, None)]},
    None,
    {"__field_mapping": [-1, -1], "__col_0": "left over", "__overflow": None},
    {"__field_mapping": [-1, 2], "__col_1": None, "__overflow": []},
]
MAPS = [[("b", "of b"), ("a", "of a"), ("é", "of é"), ("d", None)], None, [], [("é", None)]]
NUMBERS = {"a": 0, "b": 1, "é": 2, "d": 3}


def test_maps_as_rows() -> None:
    assert reassemble_maps(shared(ROWS), noted(NUMBERS)).to_pylist() == MAPS
    assert reassemble_maps(shared(ROWS).slice(1, 3), noted(NUMBERS)).to_pylist() == MAPS[1:]
    assert reassemble_maps(shared(ROWS * 50), noted(NUMBERS)).to_pylist() == MAPS * 50
    assert reassemble_maps(shared([]), noted({})).to_pylist() == []
    plain = json.dumps(NUMBERS)
    assert reassemble_maps(shared(ROWS), noted({}, field_dict=plain, field_dict_compression="none")).to_pylist() == MAPS


def test_dictionaries_that_cannot_be_read() -> None:
    with pytest.raises(wb.Unsupported, match="version 2"):
        reassemble_maps(shared(ROWS), noted(NUMBERS, version="2"))
    with pytest.raises(wb.Unsupported, match="'lz4'"):
        reassemble_maps(shared(ROWS), noted(NUMBERS, field_dict_compression="lz4"))


@pytest.mark.parametrize("names", [{"a": 0}, {"a": 0, "b": 2}, [1], b"{", {"a": 0, "b": 0}])
def test_dictionaries_that_do_not_fit(names: Any) -> None:
    with pytest.raises(ValueError, match=r"dictionary|Expecting"):
        reassemble_maps(shared(ROWS), noted(names))
    with pytest.raises(ValueError, match="missing"):
        reassemble_maps(shared(ROWS), None)


def test_rows_that_do_not_fit() -> None:
    for mapping in ([0], [0, None], [0, 9], [0, -7]):
        with pytest.raises(ValueError, match="map column"):
            reassemble_maps(shared([{"__field_mapping": mapping}]), noted(NUMBERS))


def test_slices_of_nested_columns() -> None:
    kind = parse_type({"type": "ROW", "fields": [{"id": 1, "name": "x", "type": "INT"}, VECTOR]})
    rows = [{"x": 1, "v": [1, 2]}, None, {"x": None, "v": None}, {"x": 4, "v": [3, 4]}]
    stored = pa.struct([("v", pa.list_(pa.int64())), ("x", pa.int64())])
    for first in range(4):
        sliced = pa.chunked_array([pa.array(rows, stored).slice(first)])
        actual_rows = with_leaves(sliced, kind, lambda array, each: array.cast(to_arrow(each)))
        assert actual_rows.type == to_arrow(kind)
        assert actual_rows.to_pylist() == rows[first:]
        actual_rows.validate(full=True)


def test_vectors_of_another_length() -> None:
    short = pa.chunked_array([pa.array([[1, 2], [1]], pa.list_(pa.int64()))])
    with pytest.raises(ValueError, match="2 values"):
        with_leaves(short, parse_type(VECTOR["type"]), lambda array, _kind: array)


VECTOR = {"id": 2, "name": "v", "type": {"type": "VECTOR", "element": "BIGINT", "length": 2}}
