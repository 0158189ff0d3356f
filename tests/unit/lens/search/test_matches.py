"""What a search finds in a schema, and what it shows of it."""

from __future__ import annotations

import pytest

from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField
from workbench.format.types.type_parser import parse_type
from workbench.lens.search.matches import SchemaMatch, schema_matches

LEG = "ROW<tail_number STRING, stop ROW<city STRING COMMENT 'where it lands'>>"
COLUMNS = {
    "Carrier": "STRING",
    "legs": f"ARRAY<{LEG}>",
    "seats": "MAP<ROW<deck INT>, ARRAY<ROW<row_number INT>>>",
    "tags": "MULTISET<ROW<word STRING>>",
}
COMMENTS = {"Carrier": "The airline", "seats": "By deck\nand row"}
SCHEMA = TableSchema(
    0,
    tuple(
        DataField(number, name, parse_type(kind), COMMENTS.get(name))
        for number, (name, kind) in enumerate(COLUMNS.items())
    ),
    20,
    comment="All flights\nof a day",
)


def found(text: str) -> list[tuple[str, str]]:
    return [(each.place, each.column) for each in schema_matches(SCHEMA, text)]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("carr", "Carrier"),
        ("CARRIER", "Carrier"),
        ("tail_number", "legs.element.tail_number"),
        ("element.tail", "legs.element.tail_number"),
        ("stop.cit", "legs.element.stop.city"),
        ("p.c", "legs.element.stop.city"),
        ("key.deck", "seats.key.deck"),
        ("row_num", "seats.value.element.row_number"),
        ("word", "tags.element.word"),
    ],
)
def test_names_of_columns_and_nested_fields(text: str, column: str) -> None:
    assert ("column", column) in found(text)


def test_a_field_is_not_found_by_the_names_around_it() -> None:
    assert found("legs") == [("column", "legs")]
    assert found("stop") == [("column", "legs.element.stop")]
    assert found("element") == []


def test_comments_of_the_table_and_of_columns_at_any_depth() -> None:
    assert found("flights") == [("table-comment", "")]
    assert found("airline") == [("column-comment", "Carrier")]
    assert found("lands") == [("column-comment", "legs.element.stop.city")]
    assert found("day") == [("table-comment", "")]


def test_a_line_break_is_a_space() -> None:
    assert schema_matches(SCHEMA, "flights of") == [SchemaMatch("table-comment", "", "All flights of a day")]
    assert found("deck and") == [("column-comment", "seats")]


def test_names_come_before_comments() -> None:
    assert found("deck") == [("column", "seats.key.deck"), ("column-comment", "seats")]


def test_nothing_is_found_by_what_is_not_there() -> None:
    assert found("nothing of that name") == []


@pytest.mark.parametrize("ahead", [0, 5, 40, 400])
@pytest.mark.parametrize("after", [0, 5, 400])
def test_an_excerpt_shows_what_was_found_near_its_start(ahead: int, after: int) -> None:
    comment = f"{'a' * ahead}Needle{'z' * after}"
    schema = TableSchema(0, (DataField(0, "n", parse_type("INT")),), 0, comment=comment)
    (match,) = schema_matches(schema, "nEEDLE")
    assert 0 <= match.text.index("Needle") <= 32 - len("Needle")
    assert len(match.text) <= 82
    assert match.text.startswith("…") == (not comment.startswith(match.text[:20].strip("…")))
    assert match.text.strip("…") in comment
    assert match.text.endswith("…") == (not comment.endswith(match.text[-4:]))
