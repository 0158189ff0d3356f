from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.catalog.connect import connect
from workbench.sql.execute import execute
from workbench.sql.result import Result


def run(catalog: Any, text: str, **given: Any) -> Result:
    """Run a statement in the database ``shop``."""
    return execute(text, catalog, "shop", engine=given.pop("engine", "auto"), **given)


def rows(catalog: Any, text: str, **given: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    table = run(catalog, text, **given).to_arrow()
    return list(zip(*[column.to_pylist() for column in table.columns], strict=True))


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    opened = connect(str(tmp_path))
    opened.create_database("shop")
    return opened


@pytest.fixture
def orders(catalog: Any) -> Any:
    run(catalog, "CREATE TABLE orders (id BIGINT NOT NULL, item STRING, price DECIMAL(10,2), weight DOUBLE)")
    run(
        catalog,
        "INSERT INTO orders VALUES (1, 'pen', 1.50, 0.5), (2, 'ink', 4.25, CAST('NaN' AS DOUBLE)),"
        " (3, NULL, NULL, NULL), (4, '', 2, -1)",
    )
    return catalog


@pytest.fixture(autouse=True)
def _without_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a Spark session that another test of this process may have started, because writes would run on it."""
    monkeypatch.setattr("workbench.sql.engines.choice.session_is_up", lambda: False)
