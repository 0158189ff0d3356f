"""The registry of engines: the chosen one runs a query, otherwise the first that accepts it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import InvalidExpression
from workbench.sql.engines import registry
from workbench.sql.engines.protocol import Engine
from workbench.sql.execute import execute
from workbench.sql.result import Result, rows_result


class Answer:
    """A query whose only row is 42."""

    width = 1

    def rows(self) -> pa.Table:
        return pa.table({"answer": [42]})

    def result(self) -> Result:
        return rows_result(self.rows(), "The answer", 10)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(registry, "_ENGINES", dict(registry._ENGINES))
    registry.register_engine(Engine("deep", lambda _context, _select: Answer()))
    return "deep"


def test_a_registered_engine_runs_queries(catalog: Any, engine: str) -> None:
    assert "deep" in registry.engine_names()
    assert execute("SELECT 1", catalog, engine=engine).to_arrow().to_pydict() == {"answer": [42]}
    assert execute("SELECT 1 AS one", catalog).to_arrow().to_pydict() == {"one": [1]}


@pytest.mark.parametrize("name", ["deep", "duckdb", "auto"])
@pytest.mark.usefixtures("engine")
def test_names_of_engines_are_unique(name: str) -> None:
    with pytest.raises(InvalidExpression, match="already an engine"):
        registry.register_engine(Engine(name, lambda _context, _select: Answer()))
