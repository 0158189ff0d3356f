"""Paimon's Parquet columns: physical types as Java writes them, and every form of them read."""

from __future__ import annotations

import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.base.errors import Unsupported
from workbench.format.options.core_options import CoreOptions
from workbench.format.parquet.schema import from_parquet, parquet_schema, write_arguments
from workbench.format.spec.data_file_fields import data_file_fields
from workbench.format.types import AtomicType, DataField, parse_type, to_arrow
from workbench.metadata.definition.new_schema import new_table_schema

INNER_ROW = {
    "type": "ROW",
    "fields": [{"id": 90, "name": "x", "type": "INT"}, {"id": 91, "name": "y", "type": "STRING NOT NULL"}],
}
COLUMNS = [
    ("BOOLEAN", True, "BOOLEAN", "None"),
    ("TINYINT", 1, "INT32", "Int(bitWidth=8, isSigned=true)"),
    ("SMALLINT", 1, "INT32", "Int(bitWidth=16, isSigned=true)"),
    ("INT NOT NULL", 1, "INT32", "None"),
    ("BIGINT", 1, "INT64", "None"),
    ("FLOAT", 1.0, "FLOAT", "None"),
    ("DOUBLE", 1.0, "DOUBLE", "None"),
    ("CHAR(3)", "abc", "BYTE_ARRAY", "String"),
    ("STRING", "abc", "BYTE_ARRAY", "String"),
    ("BYTES", b"abc", "BYTE_ARRAY", "None"),
    ("DATE", 1, "INT32", "Date"),
    ("TIME(3)", 1, "INT32", "Time(isAdjustedToUTC=true, timeUnit=milliseconds)"),
    ("TIMESTAMP(3)", 1, "INT64", "Timestamp(isAdjustedToUTC=false, timeUnit=milliseconds"),
    ("TIMESTAMP(6)", 1, "INT64", "Timestamp(isAdjustedToUTC=false, timeUnit=microseconds"),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", 1, "INT64", "Timestamp(isAdjustedToUTC=true, timeUnit=milliseconds"),
    ("TIMESTAMP(6) WITH LOCAL TIME ZONE", 1, "INT64", "Timestamp(isAdjustedToUTC=true, timeUnit=microseconds"),
    ("DECIMAL(9, 2)", Decimal("1.25"), "INT32", "Decimal(precision=9, scale=2)"),
    ("DECIMAL(18, 2)", Decimal("1.25"), "INT64", "Decimal(precision=18, scale=2)"),
    ("DECIMAL(19, 2)", Decimal("1.25"), "FIXED_LEN_BYTE_ARRAY", "Decimal(precision=19, scale=2)"),
]
NESTED = [
    ({"type": "ARRAY", "element": {"type": "ARRAY", "element": "TINYINT"}}, [[1], None, []]),
    ({"type": "MAP", "key": "STRING", "value": INNER_ROW}, [("a", {"x": 1, "y": "z"}), ("b", None)]),
    ({"type": "MULTISET", "element": "STRING"}, [("b", 2)]),
    ({"type": "VECTOR", "element": "FLOAT", "length": 2}, [1.0, 2.0]),
    (INNER_ROW, {"x": None, "y": "z"}),
    ("VARIANT", {"value": b"1", "metadata": b"2"}),
]


def fields_of(*type_names):
    return [DataField(index, f"c{index}", parse_type(name)) for index, name in enumerate(type_names)]


def write(fields, columns, options=None, unique=()):
    schema = parquet_schema(fields)
    arrays = [column.cast(each.type) for column, each in zip(columns, schema, strict=True)]
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, **write_arguments(CoreOptions(options or {}), "zstd", fields, unique)) as writer:
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return pq.ParquetFile(io.BytesIO(out.getvalue()))


def converted(table, fields):
    """Return the columns that Arrow has read, converted to the types of the table."""
    columns = [from_parquet(table.column(field.name), field.type) for field in fields]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def array_of(data_type, values):
    target = to_arrow(data_type)
    if pa.types.is_temporal(target):
        return pa.array(values, pa.int64() if pa.types.is_timestamp(target) else pa.int32()).view(target)
    return pa.array(values, target)


@pytest.mark.parametrize(("type_name", "value", "physical", "logical"), COLUMNS)
def test_physical_types(type_name, value, physical, logical):
    fields = fields_of(type_name)
    column = array_of(fields[0].type, [value] if "NOT NULL" in type_name else [value, None])
    file = write(fields, [column])
    written = file.schema.column(0)
    assert written.physical_type == physical
    assert str(written.logical_type).startswith(logical)
    assert written.max_definition_level == (0 if "NOT NULL" in type_name else 1)
    read = file.read()
    assert converted(read, fields).column(0).combine_chunks().equals(column)
    assert from_parquet(read.column(0), fields[0].type) is not None
    assert file.metadata.metadata is None


@pytest.mark.parametrize(("type_name", "value"), NESTED)
def test_nested_round_trip(type_name, value):
    fields = fields_of(type_name)
    column = pa.array([value, None], to_arrow(fields[0].type))
    table = converted(write(fields, [column]).read(), fields)
    assert table.column(0).to_pylist() == column.to_pylist()
    assert table.column(0).type == to_arrow(fields[0].type)


def test_equal_columns_are_the_same_object():
    fields = fields_of("BIGINT", "STRING", NESTED[0][0])
    file = write(
        fields, [pa.array([value], to_arrow(f.type)) for value, f in zip([1, "a", [[1]]], fields, strict=True)]
    )
    read = file.read()
    for column, field in zip(read.columns, fields, strict=True):
        assert from_parquet(column, field.type) is column


def test_field_ids():
    base = 536_870_911
    fields = [
        DataField(3, "a", parse_type(NESTED[0][0])),
        DataField(7, "m", parse_type(NESTED[1][0])),
        DataField(9, "v", parse_type("VARIANT")),
    ]
    schema = parquet_schema(fields)

    def field_id(field):
        return int(field.metadata[b"PARQUET:field_id"])

    array, mapping, variant = schema
    assert [field_id(each) for each in schema] == [3, 7, 9]
    assert field_id(array.type.value_field) == base + 3 * 1024 + 1
    assert field_id(array.type.value_field.type.value_field) == base + 3 * 1024 + 2
    assert field_id(mapping.type.key_field) == base - 7 * 1024 - 1
    assert field_id(mapping.type.item_field) == base + 7 * 1024 + 1
    assert [field_id(each) for each in mapping.type.item_field.type] == [90, 91]
    assert [field_id(each) for each in variant.type] == [0, 1]
    assert not mapping.type.key_field.nullable


NINE = "TIMESTAMP(9)"


def test_int96_for_nanoseconds():
    fields = fields_of(NINE, "TIMESTAMP(9) WITH LOCAL TIME ZONE", "TIMESTAMP(3)", "TIMESTAMP(6)", "DATE")
    columns = [array_of(field.type, [-1_234_567_891, None, 0]) for field in fields[:4]]
    columns.append(pa.array([1, 2, None], pa.int32()).cast(pa.date32()))
    file = write(fields, columns)
    assert [file.schema.column(index).physical_type for index in range(5)] == ["INT96"] * 4 + ["INT32"]
    table = converted(file.read(), fields)
    for read, written in zip(table.columns, columns, strict=True):
        assert read.combine_chunks().equals(written)


@pytest.mark.parametrize(
    ("type_name", "column"),
    [
        ("TINYINT", pa.array([1, None], pa.int32())),
        ("STRING", pa.array(["a", None], pa.large_string())),
        ("STRING", pa.array(["a", None]).dictionary_encode()),
        ("STRING", pa.array(["a", None], pa.string_view())),
        ("STRING", pa.array([b"a", None], pa.binary())),
        ("BYTES", pa.array([b"a", None], pa.large_binary())),
        ("TIMESTAMP(6)", pa.array([1, None], pa.timestamp("ms"))),
        ("TIMESTAMP(3)", pa.array([1000, None], pa.timestamp("us"))),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", pa.array([1000, None], pa.timestamp("ns"))),
        ("TIME(0)", pa.array([1000, None], pa.time64("us"))),
        ("DECIMAL(10, 2)", pa.array([Decimal("1.50"), None], pa.decimal128(20, 2))),
        ({"type": "ARRAY", "element": "INT"}, pa.array([[1], None], pa.list_(pa.field("item", pa.int32())))),
        (
            {"type": "MAP", "key": "STRING", "value": "INT"},
            pa.array([[("a", 1)]], pa.map_(pa.large_string(), pa.int64())),
        ),
    ],
)
def test_physical_variants(type_name, column):
    data_type = parse_type(type_name)
    read = from_parquet(column, data_type)
    assert read.type == to_arrow(data_type)
    assert len(read) == len(column)
    assert read.null_count == column.null_count
    assert from_parquet(pa.chunked_array([column, column]), data_type).type == to_arrow(data_type)


def test_digits_that_the_type_does_not_keep_are_cut():
    column = pa.array([1_500, 2_999], pa.timestamp("ns"))
    assert from_parquet(column, parse_type("TIMESTAMP(6)")).cast(pa.int64()).to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("type_name", "column"),
    [("TINYINT", pa.array([300])), ("STRING", pa.array([b"\xff"])), ("DECIMAL(4, 2)", pa.array([Decimal("100.00")]))],
)
def test_values_that_do_not_fit_are_refused(type_name, column):
    with pytest.raises(ValueError):  # noqa: PT011 Arrow words it by type
        from_parquet(column, parse_type(type_name))


def test_variant_parts_are_bound_by_name():
    other_order = pa.array(
        [{"metadata": b"m", "value": b"v"}],
        pa.struct([pa.field("metadata", pa.binary(), nullable=False), pa.field("value", pa.binary(), nullable=False)]),
    )
    read = from_parquet(other_order, parse_type("VARIANT"))
    assert read.type == to_arrow(parse_type("VARIANT"))
    assert read.to_pylist() == [{"value": b"v", "metadata": b"m"}]


def test_write_arguments_follow_the_options():
    fields = fields_of("INT", INNER_ROW)
    arguments = write_arguments(CoreOptions({}), "zstd", fields)
    assert (arguments["compression"], arguments["compression_level"]) == ("zstd", 1)
    assert arguments["use_dictionary"] is True
    assert arguments["use_deprecated_int96_timestamps"] is False
    arguments = write_arguments(CoreOptions({"parquet.enable.dictionary": "false"}), "snappy", fields)
    assert (arguments["compression"], arguments["compression_level"]) == ("snappy", None)
    assert arguments["use_dictionary"] is False
    with pytest.raises(Unsupported, match="'lzo' is not supported for Parquet"):
        write_arguments(CoreOptions({}), "lzo", fields)


def test_unique_columns_have_no_dictionary():
    types = ["BIGINT", "BIGINT", *(name for name, _ in NESTED)]
    fields = fields_of(*types)
    values = [1, 1, *(value for _, value in NESTED)]
    columns = [pa.array([value] * 3, to_arrow(field.type)) for value, field in zip(values, fields, strict=True)]
    group = write(fields, columns, unique=["c0"]).metadata.row_group(0)
    encoded = {
        group.column(index).path_in_schema: "RLE_DICTIONARY" in group.column(index).encodings
        for index in range(group.num_columns)
    }
    assert encoded.pop("c0") is False
    assert encoded
    assert all(encoded.values())


def test_data_file_fields():
    schema = new_table_schema(
        {"dt": "STRING", "v": "INT", "id": "BIGINT"},
        primary_key=["dt", "id"],
        partition_by=["dt"],
        options={"bucket": "1"},
        time_millis=0,
    )
    fields = data_file_fields(schema)
    assert [(field.id, field.name) for field in fields] == [
        (1_073_741_825, "_KEY_id"),
        (2_147_483_646, "_SEQUENCE_NUMBER"),
        (2_147_483_645, "_VALUE_KIND"),
        (0, "dt"),
        (1, "v"),
        (2, "id"),
    ]
    assert fields[0].type == schema.field("id").type
    assert fields[1].type == AtomicType("BIGINT", nullable=False)
    assert fields[2].type == AtomicType("TINYINT", nullable=False)
    assert data_file_fields(schema, thin=True) == fields[1:]
    plain = new_table_schema({"v": "INT"}, time_millis=0)
    assert data_file_fields(plain) == plain.fields
