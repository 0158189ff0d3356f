from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.format.spec.schema import TableSchema
from workbench.format.types import ArrayType, AtomicType, DataField, DataType, MapType, RowType, VectorType
from workbench.lens.schema import (
    FieldValue,
    collect_schema_history,
    describe_changes,
    describe_fields,
    describe_schema_history,
)
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.table.table import Table

INT, TEXT = AtomicType("INT"), AtomicType("STRING")


def schema(*fields: DataField, **given: Any) -> TableSchema:
    return TableSchema(id=given.pop("id", 0), fields=fields, highest_field_id=99, **given)


def field(id: int, name: str, type: DataType = INT, **given: Any) -> DataField:
    return DataField(id, name, type, **given)


def reported(before: TableSchema, after: TableSchema) -> list[tuple[str, str, int | None]]:
    return [(change.kind, change.text, change.field_id) for change in describe_changes(before, after)]


FIRST = (field(0, "id"), field(1, "qty"), field(2, "price", AtomicType("DECIMAL", precision=10, scale=2)))


@pytest.mark.parametrize(
    ("fields", "changes"),
    [
        (FIRST, []),
        ((*FIRST, field(3, "note", TEXT)), [("added", "added note STRING", 3)]),
        (FIRST[:2], [("dropped", "dropped price", 2)]),
        ((FIRST[0], field(1, "quantity"), FIRST[2]), [("renamed", "renamed qty to quantity", 1)]),
        (
            (*FIRST[:2], field(2, "price", AtomicType("DECIMAL", precision=12, scale=2))),
            [("retyped", "price DECIMAL(10, 2) became DECIMAL(12, 2)", 2)],
        ),
        ((FIRST[0], field(1, "qty", INT.not_null()), FIRST[2]), [("nullability", "qty is now NOT NULL", 1)]),
        ((FIRST[2], *FIRST[:2]), [("moved", "moved price to the front", 2)]),
        ((FIRST[0], FIRST[2], FIRST[1]), [("moved", "moved price after id", 2)]),
        (
            (FIRST[0], field(7, "qty", TEXT), FIRST[2]),
            [("dropped", "dropped qty", 1), ("added", "added qty STRING", 7)],
        ),
        (
            (FIRST[0], field(1, "n", AtomicType("BIGINT"), description="count"), FIRST[2]),
            [
                ("renamed", "renamed qty to n", 1),
                ("retyped", "n INT became BIGINT", 1),
                ("comment", "set the comment of n to 'count'", 1),
            ],
        ),
        (
            (replace(FIRST[0], default_value="7"), *FIRST[1:]),
            [("default", "set the default of id to '7'", 0)],
        ),
        (
            (replace(FIRST[0], name="<b>"), *FIRST[1:]),
            [("renamed", "renamed id to <b>", 0)],
        ),
    ],
)
def test_changes_of_columns(fields: tuple[DataField, ...], changes: list[tuple[str, str, int | None]]) -> None:
    assert reported(schema(*FIRST), schema(*fields)) == changes


def test_reverted_changes() -> None:
    before = schema(field(0, "a", INT.not_null(), description="x", default_value="1"), comment="old")
    after = schema(field(0, "a", description="y"))
    assert reported(before, after) == [
        ("nullability", "a is now nullable", 0),
        ("comment", "changed the comment of a from 'x' to 'y'", 0),
        ("default", "removed the default of a", 0),
        ("table-comment", "removed the comment of the table", None),
    ]


def test_fields_inside_columns() -> None:
    def table(*inner: DataField, length: int = 2) -> TableSchema:
        row = RowType(inner)
        columns = (field(0, "r", row), field(1, "l", ArrayType(row)), field(2, "m", MapType(TEXT.not_null(), row)))
        return schema(*columns, field(3, "v", VectorType(AtomicType("FLOAT"), length)))

    before, after = (field(4, "a"), field(5, "b")), (field(4, "a", AtomicType("BIGINT")), field(6, "c"))
    changes = reported(table(*before), table(*after, length=3))
    paths = ("r.", "l.element.", "m.value.")
    assert changes == [
        *(
            change
            for path in paths
            for change in (
                ("dropped", f"dropped {path}b", 5),
                ("retyped", f"{path}a INT became BIGINT", 4),
                ("added", f"added {path}c INT", 6),
            )
        ),
        ("retyped", "v VECTOR<FLOAT, 2> became VECTOR<FLOAT, 3>", 3),
    ]
    lists = [schema(field(0, "l", ArrayType(element))) for element in (INT, AtomicType("BIGINT").not_null())]
    assert reported(*lists) == [
        ("retyped", "l.element INT became BIGINT", 0),
        ("nullability", "l.element is now NOT NULL", 0),
    ]
    assert reported(schema(field(0, "x", INT)), schema(field(0, "x", ArrayType(INT)))) == [
        ("retyped", "x INT became ARRAY<INT>", 0)
    ]


def test_options_without_secrets() -> None:
    before = schema(options={"bucket": "2", "gone": "1", "s3.secret-key": "hush", "same": "1"})
    after = schema(options={"bucket": "4", "new": "5", "s3.secret-key": "hushhush", "same": "1"})
    assert reported(before, after) == [
        ("option", "changed option bucket from '2' to '4'", None),
        ("option", "removed option gone", None),
        ("option", "set option new to '5'", None),
        ("option", "changed option s3.secret-key from '***' to '***'", None),
    ]


@given(st.permutations(range(9)))
def test_as_few_moves_as_possible_that_lead_to_the_order(order: list[int]) -> None:
    names = [f"c{number}" for number in range(9)]
    before = [field(number, names[number]) for number in range(9)]
    changes = describe_changes(schema(*before), schema(*(before[number] for number in order)))
    assert {change.kind for change in changes} <= {"moved"}
    arranged = list(names)
    for change in changes:
        _, name, *where = change.text.split()
        arranged.remove(name)
        arranged.insert(0 if where == ["to", "the", "front"] else arranged.index(where[1]) + 1, name)
    assert arranged == [names[number] for number in order]
    longest = [1] * 9
    for position in range(9):
        longest[position] += max(
            (longest[left] for left in range(position) if order[left] < order[position]), default=0
        )
    assert len(changes) == 9 - max(longest)


def test_versions_the_newest_first() -> None:
    first = schema(field(0, "a"), time_millis=5)
    second = schema(field(0, "b"), id=1, options={"bucket": "1", "s3.token": "hush"}, comment="<script>")
    history = describe_schema_history("d.t", 0, [first, second])
    assert (history.table, history.current) == ("d.t", 0)
    assert [version.id for version in history.versions] == [1, 0]
    assert [len(version.changes) for version in history.versions] == [4, 0]
    newest = history.versions[0]
    assert [(option.key, option.value) for option in newest.options] == [("bucket", "1"), ("s3.token", "***")]
    assert (newest.comment, history.versions[1].time_millis) == ("<script>", 5)


def test_columns() -> None:
    result = new_table_schema(
        [("d", "DATE"), ("k", "BIGINT", "the key"), ("v", "ARRAY<INT NOT NULL>")],
        primary_key=["d", "k"],
        partition_by=["d"],
        time_millis=0,
    )
    assert describe_fields(result) == (
        FieldValue(0, "d", "DATE", False, "primary key, partition", None, None),
        FieldValue(1, "k", "BIGINT", False, "primary key", "the key", None),
        FieldValue(2, "v", "ARRAY<INT NOT NULL>", True, "", None, None),
    )


def test_current_is_the_schema_of_the_version(table: Table, write: Any) -> None:
    write("a", [1], "x")
    store = table.store
    altered = replace(table.schema, id=1, fields=(*table.schema.fields, field(9, "later")), highest_field_id=9)
    store.file_io.put_if_absent(store.path("schema", "schema-1"), altered.to_json().encode())
    history = collect_schema_history(table.at(snapshot=1))
    assert (history.current, [version.id for version in history.versions]) == (0, [1, 0])
    assert [change.text for change in history.versions[0].changes] == ["added later INT"]
    assert collect_schema_history(Table(store.with_schema(altered))).current == 1
