"""The rules of settings compared with Java: both refuse and accept the same ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.interop.altering import for_java
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import RefereeError
from tests.interop.setting_cases import ACCEPTED, CHANGES, REFUSED, Setting
from workbench.format.types import parse_type, type_to_json

pytestmark = pytest.mark.java


def java_refuses(java: Any, warehouse: Path, setting: Setting, *changes: Any) -> bool:
    """Return whether Java refuses to create such a table or to make the changes."""
    columns = {name: type_to_json(parse_type(text)) for name, text in setting.columns.items()}
    keys = (setting.table.get("primary_key", ()), setting.table.get("partition_by", ()))
    options = {**setting.table.get("options", {}), **setting.options}
    try:
        java.create(warehouse, TABLE, columns, *keys, options)
    except RefereeError:
        assert not changes, "the table before the change must be sound"
        return True
    try:
        if changes:
            java.alter(warehouse, TABLE, *map(for_java, changes))
        java.ask("schema", warehouse, TABLE)
    except RefereeError:
        return True
    finally:
        shutil.rmtree(warehouse / "db.db" / "t")
    return False


def test_settings_are_refused_as_java_refuses_them(referee: Callable[[str], Any], tmp_path: Path) -> None:
    # Our side of the same lists: tests/unit/catalog/test_settings.py.
    java = referee("java-2.0.0")
    assert [str(each) for each in REFUSED if not java_refuses(java, tmp_path, each)] == []
    assert [str(each) for each in ACCEPTED if java_refuses(java, tmp_path, each)] == []
    for case in CHANGES:
        assert java_refuses(java, tmp_path, case.before, case.change) is not case.taken, str(case)


def test_java_keeps_user_properties(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, own = referee("java-2.0.0"), {"my.own": "x", "team": "y", "created.by": "z"}
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    catalog.create_table(TABLE, {"a": "INT"}, options=own).write([{"a": 1}])
    java.alter(tmp_path, TABLE, ("set", "cost-center", "7"))
    catalog.alter_table(TABLE, wb.SetOption("my.own", "new"), wb.RemoveOption("team"))
    java.alter(tmp_path, TABLE, ("add", "b", "INT"))
    assert our_table(tmp_path).options == {"my.own": "new", "created.by": "z", "cost-center": "7"}
    assert java.read(tmp_path, TABLE).columns == our_table(tmp_path).schema.field_names
