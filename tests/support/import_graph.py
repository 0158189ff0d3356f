"""The imports between the modules of the package, read from their source: deferred and type-only ones count too."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "workbench"


@dataclass(frozen=True)
class Import:
    """Module ``source`` imports module ``target`` at ``line``."""

    source: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target}"


@functools.cache
def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of a package by their dotted names; that of a package refers to its ``__init__``."""
    result = {}
    for path in sorted(package.rglob("*.py")):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        result[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return result


@functools.cache
def imports(package: Path = PACKAGE) -> tuple[Import, ...]:
    """All imports of one module of the package by another."""
    known = modules(package)
    return tuple(
        Import(name, target, line)
        for name, path in known.items()
        for target, line in _imported(ast.parse(path.read_text(encoding="utf-8")), known)
        if target != name
    )


def _imported(tree: ast.AST, known: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno} imports relatively"
            # `from package import module` names the module in its alias.
            paths = [(f"{node.module}.{alias.name}", node.module or "") for alias in node.names]
            names = [path if path in known else module for path, module in paths]
        else:
            continue
        yield from ((name, node.lineno) for name in dict.fromkeys(names) if name in known)


def circles(edges: Collection[tuple[str, str]]) -> list[set[str]]:
    """The groups of nodes that reach each other (Tarjan's strongly connected components of more than one node)."""
    targets: dict[str, list[str]] = {}
    for source, target in edges:
        targets.setdefault(source, []).append(target)
        targets.setdefault(target, [])
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    result: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for target in targets[node]:
            if target not in order:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], order[target])
        if lowest[node] == order[node]:
            group = set(stack[stack.index(node) :])
            del stack[stack.index(node) :]
            if len(group) > 1:
                result.append(group)

    for node in sorted(targets):
        if node not in order:
            visit(node)
    return result
