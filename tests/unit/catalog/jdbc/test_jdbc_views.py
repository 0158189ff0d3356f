"""The text of views in a database."""

from __future__ import annotations

import pytest

from workbench.base.errors import CatalogError
from workbench.catalog.descriptions import View
from workbench.catalog.jdbc.views import view_from_text, view_text
from workbench.format.types import DataField, parse_type

_TEXT = """{
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "BIGINT",
    "description" : "the \\"id\\""
  } ],
  "query" : "SELECT 'ü'",
  "dialects" : { },
  "comment" : "large",
  "options" : {
    "k" : "v"
  }
}"""


def test_views_are_written_as_java_writes_them() -> None:
    view = View((DataField(0, "id", parse_type("BIGINT"), 'the "id"'),), "SELECT 'ü'", {}, "large", {"k": "v"})
    assert view_text(view) == _TEXT
    assert view_from_text("shop.v", _TEXT) == view


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"fields": 1, "query": "q"}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(CatalogError, match=r"View shop\.v cannot be read"):
        view_from_text("shop.v", text)
