"""Every operation that changes a table also works in a sandbox; the table is unchanged until the sandbox is applied."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.faults.operations import NEW_ROW, OPERATIONS, clean, make, rows
from tests.faults.test_crash_of_operations import check_clean, versions
from workbench.catalog.connect import connect
from workbench.lens.levels import collect_buckets
from workbench.lens.timeline import collect_timeline

QUICK = ("delete by vectors", "update keys", "analyze")


def fingerprint(warehouse: Path) -> dict[str, str]:
    files = (path for path in warehouse.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.long) for each in OPERATIONS]
)
def test_in_a_sandbox(tmp_path: Path, name: str) -> None:
    operation = OPERATIONS[name]
    make(tmp_path, operation)
    table = connect(tmp_path).get_table("db.t")
    before, content = fingerprint(tmp_path), rows(table)
    with table.sandbox() as s:
        operation.act(s)
        clean(s)
        assert fingerprint(tmp_path) == before
        shown, newest = versions(s), rows(s)
        assert (newest != content) == operation.changes_rows
        # Pictures work as for any table.
        assert collect_timeline(s).total == len(s.snapshots())
        state = s.report().after
        assert sum(len(each.files) for each in collect_buckets(s).buckets) == state.files
        s.apply()
    assert versions(table) == shown
    opened = connect(tmp_path).get_table("db.t")
    assert rows(opened) == newest
    opened.write([NEW_ROW])
    assert rows(connect(tmp_path).get_table("db.t")) == sorted([*newest, str(NEW_ROW)])
    check_clean(connect(tmp_path).get_table("db.t"), name)
