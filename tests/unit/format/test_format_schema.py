"""The schema file and new schemas (format §3)."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import CorruptFile, InvalidSchema, SchemaMismatch
from workbench.format.spec.schema import TableSchema, assign_field_ids
from workbench.format.types import DataField, parse_type, walk_fields
from workbench.metadata.definition.new_schema import new_table_schema

EXAMPLE: dict[str, Any] = {
    "version": 3,
    "id": 0,
    "fields": [
        {"id": 0, "name": "k", "type": "BIGINT NOT NULL", "description": "the key", "defaultValue": "7"},
        {"id": 1, "name": "p", "type": "STRING NOT NULL"},
        {"id": 2, "name": "v", "type": {"type": "ARRAY", "element": "INT"}},
    ],
    "highestFieldId": 5,
    "partitionKeys": ["p"],
    "primaryKeys": ["p", "k"],
    "options": {"bucket": "2"},
    "comment": "orders",
    "timeMillis": 1720496663041,
}


def read(**changes: Any) -> TableSchema:
    value = {name: each for name, each in (EXAMPLE | changes).items() if each is not ...}
    return TableSchema.from_json(json.dumps(value), "/wh/t/schema/schema-0")


def test_reads_and_writes_the_same_members() -> None:
    schema = read()
    written = json.loads(schema.to_json())
    assert written == EXAMPLE
    assert list(written) == list(EXAMPLE)
    assert TableSchema.from_json(schema.to_json().encode(), "p") == schema
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_derived_values() -> None:
    schema = read()
    assert schema.is_primary_key_table
    assert schema.field_names == ("k", "p", "v")
    assert schema.trimmed_primary_keys == ("k",)
    assert schema.bucket_keys == ("k",)
    assert [each.name for each in schema.key_fields] == ["k"]
    assert [each.name for each in schema.partition_fields] == ["p"]
    assert schema.field("v").id == 2
    assert schema.core.bucket == 2
    assert schema.arrow_schema == pa.schema(
        [
            pa.field("k", pa.int64(), nullable=False),
            pa.field("p", pa.string(), nullable=False),
            pa.field("v", pa.list_(pa.field("element", pa.int32()))),
        ]
    )
    assert schema.arrow_schema is schema.arrow_schema
    with pytest.raises(SchemaMismatch, match="no column 'kk'"):
        schema.field("kk")


def test_bucket_keys_follow_the_option() -> None:
    assert read(options={"bucket-key": "v, k"}).bucket_keys == ("v", "k")
    assert read(primaryKeys=[], options={}).bucket_keys == ()


def test_members_are_never_null_and_null_is_read_as_absent() -> None:
    schema = read(comment=None)
    assert schema.comment is None
    assert "null" not in schema.to_json()
    assert "comment" not in schema.to_json()
    assert read(comment=...).comment is None
    assert read(comment="").comment == ""
    assert json.loads(read(comment="").to_json())["comment"] == ""


def test_missing_time_is_zero_and_unknown_members_are_ignored() -> None:
    assert read(timeMillis=...).time_millis == 0
    assert read(somethingNew={"a": 1}) == read()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (..., {"bucket": "1", "file.format": "orc"}),
        (1, {"bucket": "1", "file.format": "orc"}),
        (2, {"file.format": "orc"}),
        (3, {}),
    ],
)
def test_old_versions_get_the_defaults_of_their_time(version: Any, expected: dict[str, str]) -> None:
    assert read(version=version, options={}).options == expected


def test_old_versions_keep_their_values() -> None:
    given = {"bucket": "4", "file.format": "avro"}
    assert read(version=1, options=given).options == given
    assert json.loads(read(version=1).to_json())["version"] == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ...},
        {"id": "0"},
        {"fields": ...},
        {"fields": {}},
        {"fields": [{"name": "a"}]},
        {"fields": [{"id": 0, "name": "k", "type": "NOPE"}]},
        {"highestFieldId": None},
        {"partitionKeys": ...},
        {"primaryKeys": "k"},
        {"primaryKeys": [1]},
        {"primaryKeys": ["unknown"]},
        {"options": ...},
        {"options": {"bucket": ["2"]}},
        {"timeMillis": "x"},
    ],
)
def test_wrong_members_name_the_file(changes: dict[str, Any]) -> None:
    with pytest.raises(CorruptFile, match="/wh/t/schema/schema-0: not a schema"):
        read(**changes)


@pytest.mark.parametrize("text", ["", "{", "3", b"\xff\xfe\x00", "[" * 100_000])
def test_garbage_names_the_file(text: str | bytes) -> None:
    with pytest.raises(CorruptFile) as caught:
        TableSchema.from_json(text, "/wh/t/schema/schema-0")
    assert caught.value.path == "/wh/t/schema/schema-0"


def new(columns: Any = None, **arguments: Any) -> TableSchema:
    return new_table_schema(columns or {"a": "INT", "b": "STRING", "c": "DATE"}, time_millis=5, **arguments)


def test_new_schema_from_text() -> None:
    schema = new(primary_key=["b", "a"], partition_by="b", options={"bucket": 2, "write-only": True}, comment="x")
    assert (schema.id, schema.time_millis, schema.comment) == (0, 5, "x")
    assert [str(each) for each in schema.fields] == ["a INT NOT NULL", "b STRING NOT NULL", "c DATE"]
    assert [each.id for each in schema.fields] == [0, 1, 2]
    assert schema.highest_field_id == 2
    assert schema.primary_keys == ("b", "a")
    assert schema.partition_keys == ("b",)
    assert schema.options == {"bucket": "2", "write-only": "true"}


def test_new_schema_with_comments() -> None:
    schema = new([("a", "INT", "first"), ("b", parse_type("STRING"), None), ("c", "DATE")])
    assert [each.description for each in schema.fields] == ["first", None, None]
    assert [each["description"] for each in json.loads(schema.to_json())["fields"] if "description" in each] == [
        "first"
    ]


def test_new_schema_from_arrow_types_and_fields() -> None:
    arrow = pa.schema(
        [pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.string(), metadata={"description": "note"})]
    )
    expected = (DataField(0, "a", parse_type("INT NOT NULL")), DataField(1, "b", parse_type("STRING"), "note"))
    assert new(arrow).fields == expected
    assert new([("a", parse_type("INT NOT NULL")), replace(expected[1], id=77)]).fields == expected


def test_ids_are_assigned_depth_first() -> None:
    columns = {
        "a": "ROW<x INT, y MAP<ROW<k INT>, ARRAY<ROW<z MULTISET<ROW<m INT>>>>>>",
        "b": "INT",
        "c": parse_type({"type": "VECTOR", "element": {"type": "ROW", "fields": []}, "length": 2}),
    }
    schema = new(columns)
    result = []
    for each in schema.fields:
        result.append((each.name, each.id))
        result += [(inner.name, inner.id) for inner in walk_fields(each.type)]
    assert result == [("a", 0), ("x", 1), ("y", 5), ("k", 2), ("z", 4), ("m", 3), ("b", 6), ("c", 7)]
    assert schema.highest_field_id == 7


def test_ids_of_added_fields_follow_the_highest() -> None:
    added, highest = assign_field_ids([DataField(0, "r", parse_type("ROW<x INT>"))], 9)
    assert [added[0].id, *(each.id for each in walk_fields(added[0].type))] == [10, 11]
    assert highest == 11
    assert assign_field_ids([], 9) == ((), 9)


def test_keys_may_be_options() -> None:
    schema = new(options={"primary-key": "a, b", "partition": "b", "bucket": "1"})
    assert (schema.primary_keys, schema.partition_keys) == (("a", "b"), ("b",))
    assert schema.options == {"bucket": "1"}
    assert not schema.field("a").type.nullable
    with pytest.raises(InvalidSchema, match="primary key is defined both"):
        new(primary_key="a", options={"primary-key": "a"})
    with pytest.raises(InvalidSchema, match="partition is defined both"):
        new(partition_by="a", options={"partition": "a"})


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        ({"a": "NOPE"}, {}, "Column 'a': 'NOPE' is not a data type"),
        ([("a", "INT"), ("a", "INT")], {}, "'a' occurs twice"),
        ({"": "INT"}, {}, "empty name"),
        ({"_KEY_a": "INT"}, {}, "'_KEY_a' is reserved"),
        ({"_SEQUENCE_NUMBER": "INT"}, {}, "reserved"),
        ({"_VALUE_KIND": "INT"}, {}, "reserved"),
        ({"_LEVEL": "INT"}, {}, "reserved"),
        ({"_ROW_ID": "INT"}, {}, "reserved"),
        ({"rowkind": "STRING"}, {}, "reserved"),
        (None, {"primary_key": "aa"}, "primary key names 'aa'"),
        (None, {"partition_by": "bb"}, "partition key names 'bb'"),
        (None, {"primary_key": ["a", "a"]}, "'a' occurs twice in the primary key"),
        (None, {"partition_by": ["a", "a"]}, "'a' occurs twice in the partition key"),
        (None, {"primary_key": "a", "partition_by": "a"}, "only partition columns"),
        (None, {"options": {"bucket": 0}}, "'bucket' cannot be 0"),
        (None, {"options": {"bucket": -3}}, "'bucket' cannot be -3"),
        (None, {"options": {"bucket": -2}}, "'bucket' cannot be -2"),
        (None, {"options": {"bucket": "many"}}, "'bucket' cannot be 'many'"),
        (None, {"options": {"bucket": None}}, "'bucket' cannot be None"),
        (None, {"options": {"bucket": 2}}, "'bucket-key' is not set"),
        (None, {"options": {"bucket-key": "a"}}, "requires a number of buckets"),
        (None, {"options": {"bucket": 2, "bucket-key": "aa"}}, "option 'bucket-key' names 'aa'"),
        (None, {"options": {"bucket": 2, "bucket-key": "a,a"}}, "'a' occurs twice in option 'bucket-key'"),
        (None, {"partition_by": "a", "options": {"bucket": 2, "bucket-key": "a"}}, "'a' is a partition column"),
        (None, {"primary_key": "a", "options": {"bucket": 2, "bucket-key": "b"}}, "'b' of option 'bucket-key' is not"),
        ({"a": "ARRAY<INT>"}, {"options": {"bucket": 2, "bucket-key": "a"}}, "'a' of type ARRAY<INT> cannot"),
    ],
)
def test_contradictions_are_refused(columns: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        new(columns, **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["ARRAY<INT>", "MAP<INT, INT>", "MULTISET<INT>", "ROW<x INT>", "VECTOR<FLOAT, 2>", "VARIANT", "BLOB", "GEOMETRY"],
)
def test_key_columns_are_scalars(text: str) -> None:
    for key in ("primary_key", "partition_by"):
        with pytest.raises(InvalidSchema, match="Column 'a' of type"):
            new({"a": text, "b": "INT"}, **{key: "a"})


@pytest.mark.parametrize("text", ["BINARY(4)", "VARBINARY(10)", "BYTES"])
def test_bytes_are_keys_but_no_partitions(text: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        new({"a": text, "b": "INT"}, partition_by="a")
    assert f"Column 'a' of type {text} cannot be in the partition key" in str(caught.value)
    assert new({"a": text, "b": "INT"}, primary_key="a").bucket_keys == ("a",)


def test_a_table_has_columns() -> None:
    with pytest.raises(InvalidSchema, match="at least one column"):
        new_table_schema({}, time_millis=0)


def test_valid_definitions() -> None:
    assert new(options={"bucket": 2, "bucket-key": "a"}).bucket_keys == ("a",)
    assert new(primary_key=["a", "b"], options={"bucket": 2, "bucket-key": "b"}).bucket_keys == ("b",)
    assert new(primary_key="a", options={"bucket": -2}).core.bucket == -2
    assert new(primary_key="a").bucket_keys == ("a",)
