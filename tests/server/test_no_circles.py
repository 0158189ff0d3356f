"""No circle of imports in the rooms that show tables, deferred and type-only imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "workbench"


def imports_of(source: Path, modules: set[str]) -> set[str]:
    result: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from package import module` imports the module.
            named = {f"{node.module}.{alias.name}" for alias in node.names} & modules
            result |= named or {node.module}
    return result & modules


def graph_of(room: str) -> dict[str, set[str]]:
    files = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.glob(room)}
    named = {name.removesuffix(".__init__"): path for name, path in files.items()}
    return {name: imports_of(path, set(named)) - {name} for name, path in named.items()}


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    result: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        module = waiting.pop()
        if module not in result:
            result.add(module)
            waiting += graph[module]
    return result


@pytest.mark.parametrize("room", ["server", "lens", "notebook"])
def test_no_module_imports_itself_by_way_of_others(room: str) -> None:
    graph = graph_of(f"{room}/**/*.py")
    assert sum(map(len, graph.values())) > 3, "the imports are seen"
    assert not [module for module in graph if module in reachable(graph, module)]


def test_the_check_detects_a_circle() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert [module for module in graph if module in reachable(graph, module)] == ["a", "b", "c"]
