"""Where a schema contains a text: in the names of columns and nested fields, and in comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, MapType, RowType
from workbench.lens.texts import excerpt

Place = Literal["column", "column-comment", "table-comment"]

# The panel is narrow, so that an excerpt of a longer text begins shortly before what was found.
_SHORT, _EXCERPT, _BEFORE = 32, 80, 12


@dataclass(frozen=True)
class SchemaMatch:
    """A place in a schema that contains the text of a search.

    ``column`` is the path of the column or nested field, such as ``legs.element.tail_number``, and '' for the comment
    of the table. ``text`` is the path or the comment, shortened around what was found.
    """

    place: Place
    column: str
    text: str


def schema_matches(schema: TableSchema, text: str) -> list[SchemaMatch]:
    """Return where a schema contains a text, ignoring case: first the names of columns, then the comment of the table,
    then the comments of columns.

    A nested field is found by its name, or by a part of its path that ends in its name, such as ``legs.element.tail``.
    """
    wanted = text.casefold()
    names: list[SchemaMatch] = []
    comments: list[SchemaMatch] = []
    for path, start, field in _fields(schema.fields, ""):
        if wanted in path[max(0, start - len(wanted) + 1) :].casefold():
            names.append(SchemaMatch("column", path, _shown(path, wanted)))
        comments += _comment_matches("column-comment", path, field.description, wanted)
    return [*names, *_comment_matches("table-comment", "", schema.comment, wanted), *comments]


def _comment_matches(place: Place, column: str, comment: str | None, wanted: str) -> Iterator[SchemaMatch]:
    line = " ".join((comment or "").split())
    if wanted in line.casefold():
        yield SchemaMatch(place, column, _shown(line, wanted))


def _shown(text: str, wanted: str) -> str:
    return text if len(text) <= _SHORT else excerpt(text, wanted, _EXCERPT, _BEFORE)


def _fields(fields: tuple[DataField, ...], parent: str) -> Iterator[tuple[str, int, DataField]]:
    """Yield the path of each column and nested field, the position of its name in the path, and the field."""
    for field in fields:
        path = f"{parent}{field.name}"
        yield path, len(parent), field
        yield from _fields_inside(field.type, path)


def _fields_inside(data_type: DataType, path: str) -> Iterator[tuple[str, int, DataField]]:
    if isinstance(data_type, RowType):
        yield from _fields(data_type.fields, f"{path}.")
    elif isinstance(data_type, MapType):
        yield from _fields_inside(data_type.key, f"{path}.key")
        yield from _fields_inside(data_type.value, f"{path}.value")
    else:
        for child in data_type.children():
            yield from _fields_inside(child, f"{path}.element")
