from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from workbench.catalog.catalog import Catalog
from workbench.sql.context import Context
from workbench.sql.execute import execute
from workbench.sql.result import Result

Run = Callable[[str], Result]


@pytest.fixture(autouse=True)
def no_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit durations from results, because they depend on the machine."""
    monkeypatch.setattr(Context, "timed", lambda _: nullcontext(lambda: ""))


@pytest.fixture
def run(catalog: Catalog) -> Run:
    """Return a function that runs a statement in the database 'shop'."""
    return lambda text: execute(text, catalog, "shop")


@pytest.fixture
def rows(run: Run) -> Callable[[str], list[tuple[Any, ...]]]:
    """Return a function that runs a statement and returns its rows as tuples."""
    return lambda text: [tuple(row.values()) for row in run(text).to_arrow().to_pylist()]


@pytest.fixture
def orders(run: Run) -> str:
    """Return the name of a partitioned table with a primary key and three rows."""
    run(
        "CREATE TABLE orders (id BIGINT NOT NULL, v STRING, day STRING, n INT) PARTITIONED BY (day) "
        "TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '1')"
    )
    run("INSERT INTO orders VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'c', 'y', 3)")
    return "orders"


@pytest.fixture
def notes(run: Run) -> str:
    """Return the name of an append table with three rows."""
    run("CREATE TABLE notes (id INT NOT NULL, n INT)")
    run("INSERT INTO notes VALUES (1, NULL), (2, 5), (3, 6)")
    return "notes"
