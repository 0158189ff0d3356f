"""The schema that follows another one after changes: a pure function. Java's own answers are in tests/interop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import AlreadyExists, InvalidSchema, SchemaMismatch, UnknownOption, Unsupported
from workbench.format.spec.schema import TableSchema
from workbench.format.types import walk_fields
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.table.schema_changes.schema import altered_schema

COLUMNS = {
    "k": "INT NOT NULL",
    "p": "STRING NOT NULL",
    "a": "INT",
    "b": "STRING",
    "r": "ROW<x INT, y ROW<z STRING>>",
    "l": "ARRAY<ROW<n INT, o STRING>>",
    "m": "MAP<STRING, INT>",
}


def schema(options: dict[str, Any] | None = None, *, keyed: bool = True) -> TableSchema:
    options = {"bucket": "2", **({} if keyed else {"bucket-key": "b"}), **(options or {})}
    keys = ["k", "p"] if keyed else []
    return new_table_schema(COLUMNS, primary_key=keys, partition_by="p", options=options, comment="old", time_millis=1)


def altered(
    *changes: Any, options: dict[str, Any] | None = None, keyed: bool = True, has_snapshots: bool = True
) -> TableSchema:
    return altered_schema(schema(options, keyed=keyed), changes, has_snapshots=has_snapshots, time_millis=2)


def type_of(result: TableSchema, name: str) -> str:
    return str(result.field(name).type)


def test_nothing_but_the_change_changes() -> None:
    old = schema()
    assert altered(wb.UpdateComment("new")) == replace(old, id=1, comment="new", time_millis=2)
    assert altered(wb.UpdateComment(None)).comment is None


def test_new_columns_get_unused_ids() -> None:
    old = schema()
    assert old.highest_field_id == 11
    result = altered(
        wb.AddColumn("c", "ROW<d ROW<e INT>, f INT>", "said"), wb.DropColumn("c"), wb.AddColumn("c", "INT")
    )
    assert result.field("c").id == 16
    assert result.highest_field_id == 16
    result = altered(wb.AddColumn("c", "ROW<d ROW<e INT>, f INT>", "said"))
    assert result.field("c").description == "said"
    assert {each.name: each.id for each in walk_fields(result.field("c").type)} == {"e": 13, "d": 14, "f": 15}


@pytest.mark.parametrize(
    ("change", "options", "names"),
    [
        (wb.AddColumn("c", "INT"), {}, "kpabrlmc"),
        (wb.AddColumn("c", "INT", first=True), {}, "ckpabrlm"),
        (wb.AddColumn("c", "INT", after="p"), {}, "kpcabrlm"),
        (wb.AddColumn("c", "INT"), {"add-column-before-partition": True}, "kcpabrlm"),
        (wb.MoveColumn("m", first=True), {}, "mkpabrl"),
        (wb.MoveColumn("k", after="a"), {}, "pakbrlm"),
        (wb.MoveColumn("m", after="a"), {}, "kpambrl"),
        (wb.MoveColumn("b", after="a"), {}, "kpabrlm"),
        (wb.DropColumn("a"), {}, "kpbrlm"),
        (wb.RenameColumn("a", "c"), {}, "kpcbrlm"),
    ],
)
def test_positions_of_columns(change: Any, options: dict[str, Any], names: str) -> None:
    result = altered(change, options=options)
    assert "".join(result.field_names) == names
    assert result.id == 1


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        (wb.AddColumn("r.new", "INT", first=True), "r", "ROW<new INT, x INT, y ROW<z STRING>>"),
        (wb.AddColumn("r.y.new", "INT", after="z"), "r", "ROW<x INT, y ROW<z STRING, new INT>>"),
        (wb.AddColumn("l.element.new", "INT"), "l", "ARRAY<ROW<n INT, o STRING, new INT>>"),
        (wb.DropColumn("r.y"), "r", "ROW<x INT>"),
        (wb.RenameColumn("l.element.n", "renamed"), "l", "ARRAY<ROW<renamed INT, o STRING>>"),
        (wb.UpdateColumnType("r.y.z", "INT"), "r", "ROW<x INT, y ROW<z INT>>"),
        (wb.UpdateColumnType("m.value", "BIGINT"), "m", "MAP<STRING, BIGINT>"),
        (wb.UpdateColumnType("l", "STRING"), "l", "STRING"),
        (wb.UpdateColumnType("a", "decimal(5, 1)"), "a", "DECIMAL(5, 1)"),
        (wb.UpdateColumnNullability("k", False), "k", "INT NOT NULL"),
        (wb.UpdateColumnNullability("p", False), "p", "STRING NOT NULL"),
        (wb.UpdateColumnComment("r.x", "it's"), "r", "ROW<x INT COMMENT 'it''s', y ROW<z STRING>>"),
    ],
)
def test_columns_and_fields_inside_of_them(change: Any, column: str, expected: str) -> None:
    assert type_of(altered(change), column) == expected


def test_a_name_with_a_dot_is_a_name_where_there_is_such_a_column() -> None:
    result = altered(wb.AddColumn(("a.b",), "ROW<c INT>"), wb.UpdateColumnComment("a.b", "it"))
    assert result.field("a.b").description == "it"
    assert altered_schema(
        result, [wb.DropColumn("a.b"), wb.RenameColumn(("r", "x"), "c")], has_snapshots=True, time_millis=3
    ).field_names == tuple(COLUMNS)


def test_not_null_needs_the_option() -> None:
    with pytest.raises(InvalidSchema, match=r"'a' may hold NULL.*alter-column-null-to-not-null.disabled"):
        altered(wb.UpdateColumnNullability("a", False))
    with pytest.raises(InvalidSchema, match=r"'l.element' may hold NULL"):
        altered(wb.UpdateColumnNullability("l.element", False))
    allowed = {"alter-column-null-to-not-null.disabled": "false"}
    result = altered(
        wb.UpdateColumnNullability("l.element", False), wb.UpdateColumnType("a", "BIGINT NOT NULL"), options=allowed
    )
    assert (type_of(result, "l"), type_of(result, "a")) == ("ARRAY<ROW<n INT, o STRING> NOT NULL>", "BIGINT NOT NULL")
    assert type_of(altered(wb.UpdateColumnNullability("p", True), keyed=False), "p") == "STRING"


def test_explicit_casts_can_be_forbidden() -> None:
    options = {"disable-explicit-type-casting": "true"}
    assert type_of(altered(wb.UpdateColumnType("a", "BIGINT"), options=options), "a") == "BIGINT"
    for kind in ("SMALLINT", "STRING"):
        with pytest.raises(InvalidSchema, match="disable-explicit-type-casting"):
            altered(wb.UpdateColumnType("a", kind), options=options)
        assert type_of(altered(wb.UpdateColumnType("a", kind)), "a") == kind


@pytest.mark.parametrize(
    ("value", "stored"), [("7", "7"), (7, "7"), ("'7'", "'7'"), (None, None)], ids=["text", "number", "quoted", "none"]
)
def test_defaults(value: Any, stored: str | None) -> None:
    assert (
        altered(wb.UpdateColumnDefault("a", "1"), wb.UpdateColumnDefault("a", value)).field("a").default_value == stored
    )


def test_options_that_name_columns_follow_a_rename() -> None:
    options = {
        "sequence.field": "a,b",
        "merge-engine": "partial-update",
        "fields.a.aggregate-function": "sum",
        "fields.b,a.sequence-group": "m,a",
        "fields.default-aggregate-function": "last_value",
        "fields.b.list-agg-delimiter": "a",
    }
    result = altered(wb.RenameColumn("a", "c"), wb.RenameColumn("k", "a"), options=options)
    assert result.options == {
        "bucket": "2",
        "sequence.field": "c,b",
        "merge-engine": "partial-update",
        "fields.c.aggregate-function": "sum",
        "fields.b,c.sequence-group": "m,c",
        "fields.default-aggregate-function": "last_value",
        "fields.b.list-agg-delimiter": "a",
    }
    assert result.primary_keys == ("a", "p")
    assert altered(wb.RenameColumn("b", "c"), keyed=False).options["bucket-key"] == "c"


def test_the_layout_of_a_map_is_removed_with_it() -> None:
    assert altered(wb.DropColumn("m"), options={"fields.m.map.storage-layout": "default"}).options == {"bucket": "2"}


def test_options_are_set_and_removed() -> None:
    result = altered(
        wb.SetOption("write-only", True),
        wb.SetOption("bucket", 4),
        wb.SetOption("merge-engine", "deduplicate"),
        wb.RemoveOption("merge-engine"),
        has_snapshots=False,
    )
    assert result.options == {"bucket": "4", "write-only": "true"}
    assert altered(wb.RemoveOption("write-only"), options={"write-only": "true"}).options == {"bucket": "2"}
    assert altered(wb.SetOption("primary-key", "k, p"), wb.SetOption("type", "TABLE")).options == {"bucket": "2"}
    result = altered(wb.SetOption("primary-key", "a,p"), keyed=False, has_snapshots=False, options={"bucket-key": "a"})
    assert result.primary_keys == ("a", "p")
    assert type_of(result, "a") == "INT NOT NULL"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (wb.AddColumn("c", "INT NOT NULL"), InvalidSchema, "'c' cannot be NOT NULL"),
        (wb.AddColumn("c", "INTT"), InvalidSchema, "Column 'c'.*INTT"),
        (wb.AddColumn("a", "INT"), AlreadyExists, "'a' already exists"),
        (wb.AddColumn("r.x", "INT"), AlreadyExists, "'r.x' already exists"),
        (wb.AddColumn("c", "INT", after="r.x"), SchemaMismatch, "'r.x'"),
        (wb.AddColumn("a.c", "INT"), SchemaMismatch, "'a' is INT, which has no fields"),
        (wb.AddColumn("m.value.c", "INT"), SchemaMismatch, "'m.value' is INT"),
        (wb.AddColumn("l.c", "INT"), SchemaMismatch, "'l' is ARRAY"),
        (wb.AddColumn("l.c.d", "INT"), SchemaMismatch, "no 'c' in 'l'.*'element'"),
        (wb.AddColumn("", "INT"), InvalidSchema, "empty name"),
        (wb.AddColumn("_KEY_c", "INT"), InvalidSchema, "reserved"),
        (wb.AddColumn("c", "BYTES", "__BLOB_FIELD; picture"), Unsupported, "BLOB"),
        (wb.DropColumn("k"), InvalidSchema, "'k' is in the primary key and cannot be dropped"),
        (wb.DropColumn("p"), InvalidSchema, "cannot be dropped"),
        (wb.DropColumn("aa"), SchemaMismatch, "'aa'"),
        (wb.DropColumn("r.y.z"), InvalidSchema, "the only one"),
        (wb.DropColumn("l.element"), SchemaMismatch, "'l' is ARRAY"),
        (wb.RenameColumn("p", "q"), InvalidSchema, "partition column and cannot be renamed"),
        (wb.RenameColumn("a", "b"), AlreadyExists, "'b' already exists"),
        (wb.RenameColumn("m.value", "b"), SchemaMismatch, "'m' is MAP"),
        (wb.RenameColumn("a", ""), InvalidSchema, "empty name"),
        (wb.UpdateColumnType("k", "BIGINT"), InvalidSchema, "'k' is in the primary key"),
        (wb.UpdateColumnType("p", "BYTES"), InvalidSchema, "cannot be given another type"),
        (wb.UpdateColumnType("a", "BYTES"), InvalidSchema, "INT cannot become BYTES"),
        (wb.UpdateColumnType("m", "MAP<STRING, BIGINT>"), InvalidSchema, "one by one"),
        (wb.UpdateColumnType("m.key", "INT"), SchemaMismatch, "no 'key' in 'm'.*'value'"),
        (wb.UpdateColumnNullability("k", True), InvalidSchema, "cannot be made nullable"),
        (wb.UpdateColumnDefault("a", "seven"), InvalidSchema, "default 'seven' of column 'a' is not a valid INT"),
        (wb.UpdateColumnDefault("m", "{k}"), InvalidSchema, "key without a value"),
        (wb.MoveColumn("k", first=True), InvalidSchema, "already at that position"),
        (wb.MoveColumn("a", after="a"), InvalidSchema, "already at that position"),
        (wb.MoveColumn("a", after="z"), SchemaMismatch, "'z'"),
        (wb.SetOption("bukcet", 1), UnknownOption, "Did you mean 'bucket'"),
        (wb.SetOption("bucket", "many"), InvalidSchema, "whole number"),
        (wb.SetOption("bucket", -1), InvalidSchema, "from 2 to -1"),
        (wb.SetOption("bucket", 0), InvalidSchema, "'bucket' cannot be 0"),
        (wb.RemoveOption("bucket"), InvalidSchema, "cannot be removed"),
        (wb.SetOption("type", "format-table"), InvalidSchema, "'type' cannot change"),
        (wb.SetOption("path", "/tmp"), InvalidSchema, "'path' cannot change"),
        (wb.SetOption("merge-engine", "first-row"), InvalidSchema, "'merge-engine' cannot change once"),
        (wb.RemoveOption("merge-engine"), InvalidSchema, "'merge-engine' cannot change once"),
        (wb.SetOption("primary-key", "a"), InvalidSchema, "'primary-key' cannot change once"),
        (wb.SetOption("deletion-vectors.enabled", True), InvalidSchema, "deletion-vectors.modifiable"),
        (wb.SetOption("snapshot.num-retained.max", 3), InvalidSchema, "num-retained.min"),
        (wb.SetOption("sequence.field", "c"), InvalidSchema, "'sequence.field' names 'c'"),
        (wb.SetOption("file-index.bitmap.columns", "a,m[k],c"), InvalidSchema, "'file-index.bitmap.columns' names 'c'"),
        ("add c", InvalidSchema, "'add c' is not a schema change"),
    ],
    ids=str,
)
def test_refused(change: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"(?s).*{message}"):
        altered(change)


def test_changes_with_two_positions_or_none_are_refused_at_construction() -> None:
    with pytest.raises(InvalidSchema, match="first and after 'b'"):
        wb.AddColumn("c", "INT", first=True, after="b")
    with pytest.raises(InvalidSchema, match="Moving 'a' requires a position"):
        wb.MoveColumn("a")


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({"sequence.field": "a"}, wb.DropColumn("a"), "'sequence.field' names 'a'"),
        ({"rowkind.field": "b"}, wb.RenameColumn("b", "c"), "'rowkind.field' names 'b'"),
        (
            {"record-level.time-field": "a"},
            wb.UpdateColumnType("a", "STRING"),
            "'a' of option 'record-level.time-field'",
        ),
        ({"ignore-delete": "true"}, wb.SetOption("ignore-delete", "false"), "from true to false"),
        ({"ignore-delete": "true"}, wb.RemoveOption("ignore-delete"), "from true to false"),
        ({"pk-btree.index.columns": "a"}, wb.UpdateColumnType("a", "BIGINT"), "index of the primary key"),
        ({"pk-btree.index.columns": "a"}, wb.RenameColumn("a", "c"), "index of the primary key"),
    ],
    ids=str,
)
def test_refused_because_of_options(options: dict[str, Any], change: Any, message: str) -> None:
    with pytest.raises(InvalidSchema, match=message):
        altered(change, options=options)


def test_the_bucket_key_keeps_its_type_once_there_are_rows() -> None:
    with pytest.raises(InvalidSchema, match="'b' is in option 'bucket-key'"):
        altered(wb.UpdateColumnType("b", "INT"), keyed=False)
    assert type_of(altered(wb.UpdateColumnType("b", "INT"), keyed=False, has_snapshots=False), "b") == "INT"
    with pytest.raises(InvalidSchema, match="'bucket-key' names 'b'"):
        altered(wb.DropColumn("b"), keyed=False)


def test_options_that_bound_each_other_are_looked_at_together() -> None:
    changes = (wb.SetOption("snapshot.num-retained.max", 4), wb.SetOption("snapshot.num-retained.min", 3))
    assert altered(*changes).core.snapshot_num_retained_max == 4
    assert altered(changes[0], options={"snapshot.num-retained.min": "2"}).core.snapshot_num_retained_max == 4


def test_deletion_vectors_may_change_if_an_option_allows_it() -> None:
    result = altered(wb.SetOption("deletion-vectors.enabled", True), options={"deletion-vectors.modifiable": "true"})
    assert result.core.deletion_vectors_enabled
