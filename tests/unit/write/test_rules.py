"""The rules that local and Spark writes share."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.format.options.core_options import CoreOptions
from workbench.write.rules import writer_compacts


@pytest.mark.parametrize(
    ("options", "append", "overwrite"),
    [
        ({"bucket": "1"}, True, False),
        ({"bucket": "1", "changelog-producer": "lookup"}, True, True),
        ({"bucket": "1", "merge-engine": "first-row"}, True, True),
        ({"bucket": "1", "changelog-producer": "lookup", "write-only": "true"}, False, False),
        ({"bucket": "-2", "changelog-producer": "lookup"}, False, False),
    ],
)
def test_which_writers_compact(options: dict[str, str], append: bool, overwrite: bool) -> None:
    core = CoreOptions(options)
    assert (writer_compacts(core, overwrite=False), writer_compacts(core, overwrite=True)) == (append, overwrite)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "upsert"}, "Mode 'upsert' is not supported. Use 'append' or 'overwrite'."),
        ({"partition": {"a": 1}}, "Argument 'partition' requires mode='overwrite'."),
        ({"row_kind": "k"}, "db.t has no primary key, so its rows have no row kinds. Remove 'row_kind'."),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Any, arguments: dict[str, Any], message: str) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"a": "INT"}, partition_by=["a"])
    with pytest.raises(WorkbenchError) as refused:
        table.write([{"a": 1}], **arguments)
    assert str(refused.value).startswith(message)
    assert table.snapshots() == []
