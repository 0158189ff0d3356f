"""Observers of changes: each change of rows in this process is reported once it is published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base import observers

CHANGES: dict[str, Callable[[Any], Any]] = {
    "write": lambda table: table.write([{"id": 9}]),
    "delete": lambda table: table.delete("id = 1"),
    "truncate": lambda table: table.truncate(),
    "roll back": lambda table: table.rollback_to(1),
    "fast-forward": lambda table: table.fast_forward("b"),
}


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(observers, "_observers", [])
    observers.observe_changes(found.append)
    observers.observe_changes(found.append)
    return found


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_reported(tmp_path: Path, reported: list[str], change: str) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "INT"})
    table.write([{"id": 1}])
    table.create_tag("first")
    table.create_branch("b", "first")
    table.write([{"id": 2}])
    reported.clear()
    CHANGES[change](table)
    assert reported == ["db.t"]
    table.to_arrow()
    assert reported == ["db.t"]
