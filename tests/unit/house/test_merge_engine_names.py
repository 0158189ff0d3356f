"""Merge engines are known by their traits: no code outside their registry compares names (docs/architecture.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.import_graph import modules
from workbench.format.options.merge_engine import merge_engine_names

REGISTRY = "workbench.format.options.merge_engine"
OPTION = "merge-engine"


def names_of_engines(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that name an engine, except as the value of the table option, or that compare the option."""
    names = merge_engine_names()
    settings = {
        id(value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == OPTION
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in names and id(node) not in settings:
            yield node.lineno
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(isinstance(each, ast.Attribute) and each.attr == "merge_engine" for each in sides):
                yield node.lineno


def texts_with_an_engine() -> Iterator[tuple[str, str]]:
    """The name and the text of each module that may name an engine; parsing all of them takes seconds."""
    words = (*merge_engine_names(), "merge_engine")
    for name, path in modules().items():
        text = path.read_text(encoding="utf-8")
        if name != REGISTRY and any(word in text for word in words):
            yield name, text


def test_no_module_compares_the_name_of_an_engine() -> None:
    result = [f"{name}:{line}" for name, text in texts_with_an_engine() for line in names_of_engines(ast.parse(text))]
    assert result == []


def test_every_way_to_name_an_engine_is_found() -> None:
    code = """
first = core.merge_engine == "first-row"
either = engine in ("deduplicate", "aggregation")
by_name = {"partial-update": 1}
other = core.merge_engine != name
options = {"merge-engine": "first-row"}
"""
    assert sorted(set(names_of_engines(ast.parse(code)))) == [2, 3, 4, 5]


def test_a_table_loads_only_its_own_engine(tmp_path: Path) -> None:
    code = f"""
import sys
import workbench as wb
cat = wb.connect({str(tmp_path)!r})
cat.create_database("d")
table = cat.create_table("d.t", {{"id": "BIGINT NOT NULL", "v": "INT"}}, ["id"], options={{"bucket": "1"}})
for value in (1, 2):
    table.write([{{"id": 1, "v": value}}])
assert table.to_arrow()["v"].to_pylist() == [2]
print(*(name for name in sys.modules if name.startswith("workbench.lsm.")))
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "workbench.lsm.deduplicate" in loaded
    others = {"aggregation", "aggregates", "partial_update", "sequence_groups", "first_row"}
    assert not others.intersection(name.split(".")[2] for name in loaded)
