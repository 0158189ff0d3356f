"""The rooms of the package, who may import whom, and how large they may be (docs/architecture.md)."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.import_graph import PACKAGE, circles, imports, modules

CORE = {"metadata", "lsm", "expr", "format", "storage"}
WRITING = {"write", "commit", "scan", "datafile", *CORE}
VERBS = {f"table.{name}" for name in ("dml", "compaction", "maintenance", "versions", "schema_changes", "system")}
TABLE = {"table", "table.base", "table.api", "table.sandbox", "table.commits", *VERBS}
# The modules with the classes that `Table` extends, in the same folder.
TABLE_BASE = ("readable_table", "writable_table", "exports")
# What values that `Table` returns are made of: splits, scans, snapshots.
VALUES = {"scan", "metadata"}

# `base` is open to all. Each folder of `table` is a room, and so are the classes that `Table` extends.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "format": set(),
    "storage": set(),
    "expr": {"format"},
    "lsm": {"format", "expr"},
    # The layout of stored levels depends on the merge function.
    "metadata": {"lsm", "format", "expr", "storage"},
    "datafile": {"metadata", "lsm", "expr", "format", "storage"},
    "scan": {"datafile", *CORE},
    "write": {"scan", "datafile", "metadata", "lsm", "expr", "format"},
    "commit": {"metadata", "lsm", "format", "storage"},
    "table.base": {"scan", "datafile", *CORE},
    **{room: {*WRITING, "table.base"} for room in VERBS},
    "table.maintenance": {*WRITING, "table.versions"},
    # What follows a commit.
    "table.commits": {*WRITING, "table.maintenance"},
    **{room: {*WRITING, "table.base", "table.commits"} for room in ("table.dml", "table.compaction")},
    "table.sandbox": {*WRITING, "table.base", "table.schema_changes"},
    "table.api": {*WRITING, "table.base", "table.sandbox", "table.commits", *VERBS},
    "table": {*WRITING, *TABLE},
    "catalog": {*TABLE, *VALUES, "storage", "format"},
    "spark": {"catalog", *TABLE, *VALUES, "write", "commit", "lsm", "expr", "format"},
    # What `wb.spark` exports: the engine, and what runs statements on it.
    "spark.face": {"spark", "sql"},
    "sql": {"spark", "catalog", *TABLE, *VALUES, "expr", "format"},
    "lens": {"catalog", *TABLE, *VALUES, "lsm", "expr", "format"},
    "charts": {"lens"},
    "notebook": {"sql", "spark", "lens", "charts", "catalog"},
    "server": {"lens", "charts", "sql", "catalog", "metadata", *TABLE},
    # The demo and the command line use the package as its users do.
    "cli": {"", "sql", "lens", "catalog", *TABLE, *VALUES, "demo"},
    "demo": {"", "spark", "catalog", *TABLE, *VALUES, "lens", "format"},
}
# Files that tasks on Spark executors import: they may import code that writes, but no code that commits.
TASKS = tuple(
    f"workbench.spark.{name}"
    for name in ("tasks", "writing.tasks", "streaming.tasks", "maintenance.tasks", "maintenance.split_tasks")
)
LARGEST_SHARE = 0.20
MAX_FILES = 25


def room_of(module: str) -> str:
    """Return the room of a module: its folder, or within ``table`` the subfolder. The package itself is ``""``."""
    parts = module.split(".")[1:]
    if not parts:
        return ""
    if parts == ["spark"]:
        return "spark.face"
    if parts[0] == "table" and len(parts) > 1:
        if parts[1] in TABLE_BASE:
            return "table.base"
        return f"table.{parts[1]}" if (PACKAGE / "table" / parts[1]).is_dir() else "table"
    return parts[0]


def test_every_folder_is_a_room_of_the_table() -> None:
    assert {room_of(name) for name in modules()} - {""} <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_rooms_import_only_allowed_rooms(room: str) -> None:
    allowed = MAY_IMPORT[room] | {room, "base"}
    inside = [each for each in imports() if room_of(each.source) == room]
    assert not [str(each) for each in inside if room_of(each.target) not in allowed]


def test_no_two_modules_import_each_other_in_a_circle() -> None:
    # Imports by an `__init__.py` count, but not imports of one: importing a module always loads its packages first.
    edges = {(each.source, each.target) for each in imports() if modules()[each.target].name != "__init__.py"}
    assert circles(edges) == []


def test_no_two_rooms_import_each_other_in_a_circle() -> None:
    edges = {(room_of(each.source), room_of(each.target)) for each in imports()}
    assert circles({(source, target) for source, target in edges if source != target and target}) == []


def test_no_two_folders_of_a_room_import_each_other_in_a_circle() -> None:
    folders = {name: ".".join(path.relative_to(PACKAGE).parent.parts) for name, path in modules().items()}
    faces = {name for name in modules() if room_of(name).endswith(".face")}
    pairs = {(folders[each.source], folders[each.target]) for each in imports() if each.source not in faces}
    # The loose files of a room are above some of its folders and below others.
    siblings = {
        (a, b) for a, b in pairs if a and b and not f"{a}.".startswith(f"{b}.") and not f"{b}.".startswith(f"{a}.")
    }
    assert circles(siblings) == []


def test_spark_tasks_never_see_a_commit() -> None:
    reached, waiting = set(), list(TASKS)
    targets: dict[str, list[str]] = {}
    for each in imports():
        targets.setdefault(each.source, []).append(each.target)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += targets.get(module, [])
    assert not {module for module in reached if room_of(module) in ("commit", "table", "catalog")}


def test_no_room_is_larger_than_a_fifth_of_the_package() -> None:
    lines: Counter[str] = Counter()
    for name, path in modules().items():
        lines[name.split(".")[1] if "." in name else ""] += len(path.read_text(encoding="utf-8").splitlines())
    total = sum(lines.values())
    assert not {room: count for room, count in lines.items() if count > LARGEST_SHARE * total}


def test_no_folder_has_too_many_files_or_mixes_them_with_many_folders() -> None:
    folders = [path for path in (PACKAGE, *PACKAGE.rglob("*")) if path.is_dir() and (path / "__init__.py").exists()]
    files = {folder: sum(1 for path in folder.glob("*.py") if path.name != "__init__.py") for folder in folders}
    assert not {str(folder.relative_to(PACKAGE)): count for folder, count in files.items() if count > MAX_FILES}


def test_the_graph_sees_imports_of_every_kind(tmp_path: Path) -> None:
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("if TYPE_CHECKING:\n    from toy import b\n\ndef late() -> None:\n    import toy.c\n")
    (package / "b.py").write_text("from toy.a import late\n")
    (package / "c.py").write_text(f"import {sys.__name__}\n")
    result = {(each.source, each.target, each.line) for each in imports(package)}
    assert result == {("toy.a", "toy.b", 2), ("toy.a", "toy.c", 5), ("toy.b", "toy.a", 1)}
    assert circles({(source, target) for source, target, _ in result}) == [{"toy.a", "toy.b"}]
