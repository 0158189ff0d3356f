"""The rooms of the house, and who may import whom: the table of the design, kept."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "workbench"

MAY_IMPORT = {
    "base": set(),
    "format": set(),
    "expr": {"format"},
    "storage": set(),
    "lsm": {"format", "expr"},
    "table": {"format", "expr", "storage", "lsm"},
    "catalog": {"table", "storage", "format"},
    "spark": {"catalog", "table", "lsm", "expr", "format"},
    "sql": {"spark", "catalog", "table", "expr"},
    "lens": {"catalog", "table", "lsm", "expr", "format"},
    "notebook": {"sql", "spark", "lens", "charts", "catalog"},
    "server": {"lens", "charts", "catalog", "table"},
    "demo": {"spark", "catalog", "table", "lens", "format"},
}


def imported_rooms(source: Path) -> set[tuple[str, int]]:
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{source}:{node.lineno} imports relatively"
            # `from workbench import x` names the room in its alias.
            names = [f"workbench.{a.name}" for a in node.names] if node.module == "workbench" else [node.module or ""]
        for name in names:
            parts = name.split(".")
            if parts[0] == "workbench" and len(parts) > 1:
                found.add((parts[1], node.lineno))
    return found


def test_every_folder_is_a_room_of_the_table() -> None:
    rooms = {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert rooms <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_it_may(room: str) -> None:
    allowed = MAY_IMPORT[room] | {room, "base"}
    wrong = [
        f"{source.relative_to(PACKAGE.parent)}:{line} imports {other}"
        for source in sorted((PACKAGE / room).rglob("*.py"))
        for other, line in sorted(imported_rooms(source))
        if other not in allowed
    ]
    assert not wrong


def test_the_walls_are_looked_at() -> None:
    """The check itself sees imports of every kind."""
    assert ("format", 1) in {(room, 1) for room, _ in imported_rooms(PACKAGE / "table" / "store.py")}
    assert "table" in {room for room, _ in imported_rooms(PACKAGE / "catalog" / "filesystem.py")}
