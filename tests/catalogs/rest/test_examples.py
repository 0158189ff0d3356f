"""The example of the page about catalogs works."""

from __future__ import annotations

from typing import Any

from tests.catalogs.rest.servers import TOKEN, WAREHOUSE
from tests.support.page_examples import DOCS, examples


def test_the_example_of_the_page(port: int) -> None:
    (text,) = examples(DOCS / "connect.md")["REST"]
    text = text.replace("localhost:8080", f"127.0.0.1:{port}").replace('"sales"', f'"{WAREHOUSE}"')
    names: dict[str, Any] = {}
    exec(compile(text.replace("the-token", TOKEN), "connect.md", "exec"), names)
    rows = names["orders"].to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "state": "new"}, {"id": 2, "state": "paid"}]
