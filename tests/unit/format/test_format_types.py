"""Types: text, JSON and Arrow (format §3.1)."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import InvalidSchema
from workbench.format.types import (
    MAX_LENGTH,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    field_from_json,
    field_to_arrow,
    field_to_json,
    from_arrow,
    parse_type,
    to_arrow,
    type_to_json,
    walk_fields,
)

CANONICAL = [
    "CHAR(3)",
    "VARCHAR(7)",
    "STRING",
    "BOOLEAN",
    "BINARY(4)",
    "VARBINARY(9)",
    "BYTES",
    "DECIMAL(38, 18)",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DATE",
    "TIME(0)",
    "TIME(9)",
    "TIMESTAMP(0)",
    "TIMESTAMP(9)",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
    "VARIANT",
    "BLOB",
    "GEOMETRY(OGC:CRS84)",
    "GEOGRAPHY(EPSG:4326, vincenty)",
]


@pytest.mark.parametrize("text", CANONICAL)
@pytest.mark.parametrize("suffix", ["", " NOT NULL"])
def test_canonical_text_is_read_and_written_unchanged(text: str, suffix: str) -> None:
    data_type = parse_type(text + suffix)
    assert str(data_type) == text + suffix
    assert type_to_json(data_type) == text + suffix
    assert data_type.nullable is (suffix == "")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("char", "CHAR(1)"),
        ("varchar", "VARCHAR(1)"),
        ("BINARY", "BINARY(1)"),
        ("VARBINARY", "VARBINARY(1)"),
        (f"VARCHAR({MAX_LENGTH})", "STRING"),
        (f"VARBINARY({MAX_LENGTH})", "BYTES"),
        ("NUMERIC", "DECIMAL(10, 0)"),
        ("dec(5)", "DECIMAL(5, 0)"),
        ("DECIMAL(5,2)", "DECIMAL(5, 2)"),
        ("integer", "INT"),
        ("DOUBLE PRECISION NOT NULL", "DOUBLE NOT NULL"),
        ("TIME", "TIME(0)"),
        ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
        ("timestamp", "TIMESTAMP(6)"),
        ("TIMESTAMP(3) WITHOUT TIME ZONE NOT NULL", "TIMESTAMP(3) NOT NULL"),
        ("TIMESTAMP_LTZ", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("TIMESTAMP_LTZ(9)", "TIMESTAMP(9) WITH LOCAL TIME ZONE"),
        ("TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("INT NULL", "INT"),
        ("  bigint   not   null ", "BIGINT NOT NULL"),
        ("GEOMETRY", "GEOMETRY(OGC:CRS84)"),
        ("GEOGRAPHY(OGC:CRS84)", "GEOGRAPHY(OGC:CRS84, spherical)"),
        ("array<int not null>", "ARRAY<INT NOT NULL>"),
        ("MAP<STRING, INT> NOT NULL", "MAP<STRING, INT> NOT NULL"),
        ("MULTISET<DECIMAL(4,1)>", "MULTISET<DECIMAL(4, 1)>"),
        ("VECTOR<FLOAT, 3>", "VECTOR<FLOAT, 3>"),
        ("ROW<a INT, b STRING>", "ROW<a INT, b STRING>"),
        ("ROW(a INT)", "ROW<a INT>"),
        ("ROW<`a b` INT, `c``d` DATE 'it''s'>", "ROW<`a b` INT, `c``d` DATE COMMENT 'it''s'>"),
        ("ROW<>", "ROW<>"),
    ],
)
def test_other_spellings_become_canonical(text: str, canonical: str) -> None:
    assert str(parse_type(text)) == canonical
    assert parse_type(canonical) == parse_type(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BIGNT", "Did you mean 'BIGINT'?"),
        ("", "a type name is missing"),
        ("INT INT", "'INT' is unexpected"),
        ("INT NOT", "'NOT' is unexpected"),
        ("CHAR(0)", "between 1"),
        ("DECIMAL(39, 0)", "between 1 and 38"),
        ("DECIMAL(4, 5)", "scale of DECIMAL must be between 0 and 4"),
        ("TIMESTAMP(10)", "between 0 and 9"),
        ("TIMESTAMP WITH TIME ZONE", "'WITH' is unexpected"),
        ("INT(4)", "'(' is unexpected"),
        ("ARRAY<INT", "'>' is missing"),
        ("MAP<INT>", "',' is missing"),
        ("VECTOR<FLOAT, 0>", "at least 1"),
        ("ROW<a INT, a INT>", "'a' occurs twice"),
        ("ROW<a>", "a type name is missing"),
        ("ROW<`a INT>", "cannot be read"),
    ],
)
def test_nonsense_is_refused_and_quoted(text: str, message: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        parse_type(text)
    assert message in str(caught.value)


def test_very_deep_nesting_is_refused() -> None:
    with pytest.raises(InvalidSchema, match="nested too deeply"):
        parse_type("ARRAY<" * 50_000 + "INT" + ">" * 50_000)


def test_parameters_of_another_type_are_refused() -> None:
    with pytest.raises(InvalidSchema, match="Type INT has no parameter 'length'"):
        AtomicType("INT", length=3)
    with pytest.raises(InvalidSchema, match="Type DATE has no parameter 'precision'"):
        AtomicType("DATE", precision=3)


def test_types_compare_hash_and_pickle() -> None:
    assert AtomicType("string") == AtomicType("VARCHAR", length=MAX_LENGTH)
    assert AtomicType("DECIMAL") == AtomicType("DECIMAL", True, None, 10, 0)
    assert AtomicType("INT") != AtomicType("INT").not_null()
    assert ArrayType(AtomicType("INT")) != MultisetType(AtomicType("INT"))
    assert AtomicType("INT").not_null().as_nullable() == AtomicType("INT")
    row = parse_type("ROW<a ARRAY<INT>, b MAP<STRING, INT>>")
    assert pickle.loads(pickle.dumps(row)) == row
    assert len({row, pickle.loads(pickle.dumps(row)), row.not_null()}) == 2
    assert row.not_null().children() == row.children()


def test_nested_json_as_java_writes_it() -> None:
    inner = RowType((DataField(4, "x", AtomicType("INT"), "note", "7"),), nullable=False)
    data_type = MapType(AtomicType("STRING", nullable=False), ArrayType(inner), nullable=False)
    value = {
        "type": "MAP NOT NULL",
        "key": "STRING NOT NULL",
        "value": {
            "type": "ARRAY",
            "element": {
                "type": "ROW NOT NULL",
                "fields": [{"id": 4, "name": "x", "type": "INT", "description": "note", "defaultValue": "7"}],
            },
        },
    }
    assert type_to_json(data_type) == value
    assert parse_type(value) == data_type
    assert type_to_json(VectorType(AtomicType("FLOAT"), 3)) == {"type": "VECTOR", "element": "FLOAT", "length": 3}
    assert parse_type({"type": "VECTOR", "element": "FLOAT", "length": 3}) == VectorType(AtomicType("FLOAT"), 3)
    assert parse_type({"type": "MULTISET", "element": "INT"}) == MultisetType(AtomicType("INT"))


def test_json_parser_only_looks_at_beginning_and_not_null() -> None:
    assert parse_type({"type": "ARRAY<INT> NOT NULL", "element": "BIGINT"}) == parse_type("ARRAY<BIGINT> NOT NULL")
    assert parse_type({"type": "ROWS", "fields": []}) == RowType(())


def test_fields_without_ids_are_counted_depth_first() -> None:
    value = {
        "type": "ROW",
        "fields": [
            {"name": "a", "type": {"type": "ROW", "fields": [{"name": "b", "type": "INT"}]}},
            {"name": "c", "type": "INT"},
        ],
    }
    assert [(each.name, each.id) for each in walk_fields(parse_type(value))] == [("a", 0), ("b", 1), ("c", 2)]
    value["fields"][1]["id"] = 9  # type: ignore[index]
    with pytest.raises(InvalidSchema, match="others have none"):
        parse_type(value)


@pytest.mark.parametrize(
    "value",
    [
        3,
        None,
        {"element": "INT"},
        {"type": "ARRAY"},
        {"type": "MAP", "key": "INT"},
        {"type": "VECTOR", "element": "INT", "length": "x"},
        {"type": "ROW", "fields": 3},
        {"type": "ROW", "fields": [3]},
        {"type": "ROW", "fields": [{"id": "a", "name": "x", "type": "INT"}]},
        {"type": "ROW", "fields": [{"id": 1, "type": "INT"}]},
        {"type": "ROW", "fields": [{"id": 1, "name": 5, "type": "INT"}]},
        {"type": "INT"},
    ],
)
def test_json_nonsense_is_refused(value: object) -> None:
    with pytest.raises(InvalidSchema):
        parse_type(value)  # type: ignore[arg-type]


def test_field_json_omits_unset_members_and_reads_values_as_text() -> None:
    assert field_to_json(DataField(1, "a", AtomicType("INT"))) == {"id": 1, "name": "a", "type": "INT"}
    read = field_from_json({"id": 1, "name": "a", "type": "INT", "description": None, "defaultValue": 7, "new": 1})
    assert read == DataField(1, "a", AtomicType("INT"), None, "7")


@pytest.mark.parametrize(
    ("text", "arrow"),
    [
        ("CHAR(3)", pa.string()),
        ("STRING", pa.string()),
        ("BINARY(3)", pa.binary()),
        ("BYTES", pa.binary()),
        ("BLOB", pa.binary()),
        ("DECIMAL(9, 2)", pa.decimal128(9, 2)),
        ("BOOLEAN", pa.bool_()),
        ("TINYINT", pa.int8()),
        ("SMALLINT", pa.int16()),
        ("INT", pa.int32()),
        ("BIGINT", pa.int64()),
        ("FLOAT", pa.float32()),
        ("DOUBLE", pa.float64()),
        ("DATE", pa.date32()),
        ("TIME(9)", pa.time32("ms")),
        ("TIMESTAMP(0)", pa.timestamp("ms")),
        ("TIMESTAMP(3)", pa.timestamp("ms")),
        ("TIMESTAMP(4)", pa.timestamp("us")),
        ("TIMESTAMP(6)", pa.timestamp("us")),
        ("TIMESTAMP(7)", pa.timestamp("ns")),
        ("TIMESTAMP_LTZ(3)", pa.timestamp("ms", tz="UTC")),
        ("TIMESTAMP_LTZ(9)", pa.timestamp("ns", tz="UTC")),
        ("ARRAY<INT NOT NULL>", pa.list_(pa.field("element", pa.int32(), nullable=False))),
        ("MAP<STRING, INT>", pa.map_(pa.string(), pa.int32())),
        ("MULTISET<STRING>", pa.map_(pa.string(), pa.field("value", pa.int32(), nullable=False))),
        ("VECTOR<FLOAT, 3>", pa.list_(pa.field("element", pa.float32()), 3)),
        ("ROW<a INT NOT NULL>", pa.struct([pa.field("a", pa.int32(), nullable=False)])),
    ],
)
def test_arrow_side(text: str, arrow: pa.DataType) -> None:
    rows = to_arrow(parse_type(text))
    assert rows.equals(arrow)
    assert to_arrow(parse_type(text).not_null()).equals(arrow)


def test_array_elements_are_called_element() -> None:
    assert to_arrow(parse_type("ARRAY<INT>")).value_field.name == "element"


def test_arrow_field_keeps_nullability_and_description() -> None:
    field = field_to_arrow(DataField(0, "a", AtomicType("INT", nullable=False), "note"))
    assert (field.name, field.type, field.nullable) == ("a", pa.int32(), False)
    assert field.metadata == {b"description": b"note"}
    assert field_to_arrow(DataField(0, "a", AtomicType("INT"))).metadata is None


@pytest.mark.parametrize(
    ("arrow", "text"),
    [
        (pa.large_string(), "STRING"),
        (pa.string_view(), "STRING"),
        (pa.dictionary(pa.int32(), pa.string()), "STRING"),
        (pa.run_end_encoded(pa.int32(), pa.int64()), "BIGINT"),
        (pa.large_binary(), "BYTES"),
        (pa.binary_view(), "BYTES"),
        (pa.binary(16), "BINARY(16)"),
        (pa.uint8(), "SMALLINT"),
        (pa.uint16(), "INT"),
        (pa.uint32(), "BIGINT"),
        (pa.uint64(), "DECIMAL(20, 0)"),
        (pa.float16(), "FLOAT"),
        (pa.date64(), "DATE"),
        (pa.time32("s"), "TIME(0)"),
        (pa.time32("ms"), "TIME(3)"),
        (pa.timestamp("s"), "TIMESTAMP(0)"),
        (pa.timestamp("ms"), "TIMESTAMP(3)"),
        (pa.timestamp("us"), "TIMESTAMP(6)"),
        (pa.timestamp("ns"), "TIMESTAMP(9)"),
        (pa.timestamp("us", tz="Europe/Berlin"), "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        (pa.decimal256(20, 3), "DECIMAL(20, 3)"),
        (pa.large_list(pa.int8()), "ARRAY<TINYINT>"),
        (pa.list_(pa.field("item", pa.int8(), nullable=False)), "ARRAY<TINYINT NOT NULL>"),
        (pa.list_(pa.float32(), 3), "ARRAY<FLOAT>"),
        (pa.map_(pa.string(), pa.int32()), "MAP<STRING NOT NULL, INT>"),
        (pa.struct([pa.field("a", pa.int8(), nullable=False)]), "ROW<a TINYINT NOT NULL>"),
    ],
)
def test_types_from_arrow(arrow: pa.DataType, text: str) -> None:
    assert str(from_arrow(arrow)) == text
    assert str(from_arrow(arrow, nullable=False)) == text + " NOT NULL"


def test_fields_from_arrow_are_counted_depth_first() -> None:
    inner = pa.struct([pa.field("b", pa.int8())])
    result = from_arrow(pa.struct([pa.field("a", pa.list_(inner)), pa.field("c", pa.int8())]))
    assert [(each.name, each.id) for each in walk_fields(result)] == [("a", 0), ("b", 1), ("c", 2)]


@pytest.mark.parametrize("arrow", [pa.null(), pa.duration("s"), pa.decimal256(60, 3), pa.decimal128(5, -1)])
def test_arrow_types_without_a_paimon_type_are_refused(arrow: pa.DataType) -> None:
    with pytest.raises(InvalidSchema, match="has no Paimon type"):
        from_arrow(arrow)


def _types() -> st.SearchStrategy[DataType]:
    atomic: st.SearchStrategy[DataType] = st.sampled_from([*CANONICAL]).map(parse_type)

    def nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
        names = st.lists(st.text("ab`c 'é\"<>,.(", min_size=1, max_size=4), unique=True, max_size=3)
        rows = names.flatmap(
            lambda result: st.lists(inner, min_size=len(result), max_size=len(result)).map(
                lambda types: RowType(tuple(DataField(0, name, each) for name, each in zip(result, types, strict=True)))
            )
        )
        return st.one_of(
            inner.map(ArrayType),
            inner.map(MultisetType),
            st.tuples(inner, inner).map(lambda pair: MapType(*pair)),
            rows,
            inner.map(lambda each: VectorType(each, 4)),
        ).flatmap(lambda each: st.sampled_from([each, each.not_null()]))

    return st.recursive(atomic, nested, max_leaves=6)


@given(_types())
def test_any_type_survives_text_and_json(data_type: DataType) -> None:
    assert str(parse_type(str(data_type))) == str(data_type)
    assert type_to_json(parse_type(type_to_json(data_type))) == type_to_json(data_type)
    to_arrow(data_type)
