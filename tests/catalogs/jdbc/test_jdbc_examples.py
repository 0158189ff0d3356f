"""The examples of the page about catalogs work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import PASSWORD, Place
from tests.support.page_examples import DOCS, examples

_SERVER, _FILE = examples(DOCS / "connect.md")["JDBC"]


def _run(text: str, replaced: dict[str, str]) -> Any:
    for old, new in replaced.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    names: dict[str, Any] = {}
    exec(compile(f"import workbench as wb\n{text}", "JDBC", "exec"), names)
    return names["lake"]


@pytest.mark.parametrize("new_place", KINDS[1:], indirect=True)
def test_the_example_with_a_server(place: Place, tmp_path: Path) -> None:
    lake = _run(
        _SERVER,
        {"jdbc:postgresql://localhost:5432/lake": place.uri, "/data/warehouse": f"{tmp_path}/lake", "…": PASSWORD},
    )
    assert (lake.list_tables("shop"), lake.list_views("shop")) == (["orders"], ["new_orders"])
    assert lake.get_table("shop.orders").to_arrow().num_rows == 2


def test_the_example_with_a_file(tmp_path: Path) -> None:
    lake = _run(_FILE, {"/data/catalog.db": f"{tmp_path}/c.db", "/data/warehouse": f"{tmp_path}/lake"})
    assert lake.list_databases() == []
