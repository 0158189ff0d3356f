"""The example of the page about catalogs works."""

from __future__ import annotations

from typing import Any, Literal

import fsspec

from tests.catalogs.rest.servers import TOKEN, WAREHOUSE
from tests.support.page_examples import DOCS, examples
from workbench.catalog.virtual_files import VirtualFileSystem


def test_the_example_of_the_page(port: int) -> None:
    page = examples(DOCS / "connect.md")
    names: dict[str, Any] = {}
    exec(_of_server(*page["REST"], port), names)
    rows = names["orders"].to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "state": "new"}, {"id": 2, "state": "paid"}]
    # As the installed package does by its entry point.
    fsspec.register_implementation("pvfs", VirtualFileSystem, clobber=True)
    (text,) = page["Files of tables"]
    service = {"uri": f"http://127.0.0.1:{port}", "token.provider": "bear", "token": TOKEN}
    path = f"pvfs://{WAREHOUSE}/shop/lists/a.csv"
    files = fsspec.filesystem("pvfs", options=service)
    files.mkdir(path.rpartition("/")[0])
    files.pipe_file(path, b"id\n7\n")
    *before, last = text.strip().splitlines()
    exec(_of_server("\n".join(before), port), names)
    read = eval(_of_server(last, port, "eval"), names)
    assert read["id"].tolist() == [7]


def _of_server(text: str, port: int, mode: Literal["exec", "eval"] = "exec") -> Any:
    text = text.replace("localhost:8080", f"127.0.0.1:{port}").replace("the-token", TOKEN)
    return compile(text.replace('"sales"', f'"{WAREHOUSE}"').replace("//sales/", f"//{WAREHOUSE}/"), "connect.md", mode)
