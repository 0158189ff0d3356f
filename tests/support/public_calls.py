"""All public calls, with arguments that they accept and values that they must refuse."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import workbench as wb
from tests.support.public_types import returned_types
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.expr.expressions import Expr
from workbench.scan.scan import Scan
from workbench.table.table import Sandbox, Table
from workbench.write.batch import MessageWriter, WritePlan

WRONG: list[Any] = [
    None,
    True,
    np.True_,
    0,
    1,
    -1,
    2**31,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**400,
    np.int64(1),
    np.uint64(2**64 - 1),
    1.0,
    float("nan"),
    float("inf"),
    1e308,
    Decimal("1.5"),
    "",
    " ",
    "1",
    "id",
    "no such thing",
    "a/b",
    "..",
    "\0",
    "\ud800",
    "99999999999999 d",
    "x" * 300,
    "é" * 5000,
    "(" * 50,
    b"id",
    bytearray(b"id"),
    [],
    ["id"],
    [1],
    [None],
    [["id"]],
    ["\ud800"],
    ("id",),
    {"id"},
    iter(["id"]),
    {},
    {"id": 1},
    {1: "id"},
    {"\ud800": "1"},
    {"day": "\ud800"},
    {"day": object()},
    {"day": ["d1"]},
    {"a": 1.5},
    {"a": None},
    [{"day": "\ud800"}],
    [{1: 2}],
    date(2026, 1, 1),
    date.max,
    datetime(2026, 1, 1),
    datetime.min,
    datetime.max,
    datetime(1, 1, 1, tzinfo=UTC),
    timedelta(days=1),
    timedelta.max,
    timedelta.min,
    pd.Timestamp("2026-01-01"),
    pd.Timedelta("1D"),
    pd.NaT,
    pd.NA,
    np.datetime64("2026-01-01"),
    np.array(["id"]),
    np.array([1, 2]),
    np.array(5),
    pd.DataFrame({"id": [1]}),
    pa.scalar(1),
    pa.table({"id": [1]}),
    Path("id"),
    Path("\udcff"),
    wb.col("id"),
    wb.col("id") == 1,
    object(),
    int,
    lambda: None,
]
DAYS = {"day": "d1"}
# The arguments that a call needs besides the one under test.
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "Table.create_tag": {"name": "new"},
    "Table.create_tag_from_timestamp": {"name": "new", "timestamp": 0},
    "Table.replace_tag": {"name": "v1"},
    "Table.rename_tag": {"name": "v1", "new_name": "v2"},
    "Table.delete_tag": {"name": "v1"},
    "Table.create_branch": {"name": "new"},
    "Table.rename_branch": {"name": "b1", "new_name": "b2"},
    "Table.delete_branch": {"name": "b1"},
    "Table.fast_forward": {"name": "b1"},
    "Table.merge_branch": {"name": "b1"},
    "Table.branch": {"name": "b1"},
    "Table.set_consumer": {"name": "new", "next_snapshot": 1},
    "Table.delete_consumer": {"name": "c1"},
    "Table.write": {"data": [{"id": 9, "day": "d9", "v": "z"}]},
    "Table.merge_schema": {"schema": pa.schema([("added", pa.int32())])},
    "Table.commit": {"messages": []},
    "Table.overwrite": {"messages": []},
    "Table.delete": {"where": "id = 1"},
    "Table.update": {"assignments": {"v": "'w'"}},
    "Table.merge": {"source": [{"id": 1, "day": "d1", "v": "m"}], "on": "id", "clauses": [wb.WhenMatched("*")]},
    "Table.drop_partitions": {"partitions": DAYS},
    "Table.mark_partitions_done": {"partitions": [DAYS]},
    "Table.rollback_to": {},
    "Catalog.create_database": {"name": "new"},
    "Catalog.drop_database": {"name": "other"},
    "Catalog.list_tables": {"database": "db"},
    "Catalog.create_table": {"name": "db.new", "schema": {"id": "BIGINT"}},
    "Catalog.find_table": {"name": "db.t"},
    "Catalog.get_table": {"name": "db.t"},
    "Catalog.alter_table": {"name": "db.t", "changes": (wb.AddColumn("n", "INT"),)},
    "Catalog.rename_table": {"name": "db.t", "new_name": "db.new"},
    "Catalog.drop_table": {"name": "db.t"},
    "Catalog.open": {"name": "db.t"},
    "Catalog.list_partitions": {"name": "db.t"},
    "Catalog.create_partitions": {"name": "db.t", "partitions": [DAYS]},
    "Catalog.migrate_table": {"name": "db.t"},
    "Catalog.migrate_database": {"name": "db"},
    "Catalog.list_other_tables": {"database": "db"},
    "Catalog.get_database": {"name": "db"},
    "Catalog.alter_database": {"name": "db", "properties": {"owner": "me"}},
    "Catalog.list_views": {"database": "db"},
    "Catalog.get_view": {"name": "db.v"},
    "Catalog.create_view": {"name": "db.v", "query": "SELECT 1 AS one", "schema": {"one": "INT"}},
    "Catalog.alter_view": {"name": "db.v", "view": wb.View((), "SELECT 1")},
    "Catalog.rename_view": {"name": "db.v", "new_name": "db.w"},
    "Catalog.drop_view": {"name": "db.v"},
    "Catalog.list_functions": {"database": "db"},
    "Catalog.get_function": {"name": "db.f"},
    "Scan.known_bounds": {"column": "id"},
    "Scan.stream": {"batch_rows": 1},
    "MessageWriter.write": {"data": [{"id": 9, "day": "d9", "v": "z"}]},
    "Sandbox.alter_table": {"changes": (wb.AddColumn("n", "INT"),)},
    "Expr.isin": {"values": [1]},
    "Expr.between": {"low": 1, "high": 2},
    "Expr.like": {"pattern": "a%"},
    "Expr.startswith": {"prefix": "a"},
    "Expr.endswith": {"suffix": "a"},
    "Expr.contains": {"part": "a"},
    "Expr.equal_null_safe": {"other": 1},
    "Expr.cast": {"data_type": "INT"},
    "Expr.field": {"name": "a"},
    "Progress.step": {"label": "work"},
    "Progress.describe": {"detail": "3 rows"},
    "AddColumn": {"name": "n", "type": "INT"},
    "DropColumn": {"name": "v"},
    "MoveColumn": {"name": "v", "first": True},
    "RemoveOption": {"key": "bucket"},
    "RenameColumn": {"name": "v", "new_name": "w"},
    "SetOption": {"key": "snapshot.num-retained.max", "value": "20"},
    "UpdateColumnComment": {"name": "v", "comment": "c"},
    "UpdateColumnDefault": {"name": "v", "value": "d"},
    "UpdateColumnNullability": {"name": "v", "nullable": True},
    "UpdateColumnType": {"name": "v", "type": "STRING"},
    "UpdateComment": {"comment": "c"},
    "WhenMatched": {"delete": True},
    "WhenNotMatched": {},
    "WhenNotMatchedBySource": {"delete": True},
    "col": {"name": "id"},
    "connect": {},
    # The test passes its own catalog, and its own table to views.
    "compact_database": {"catalog": None},
    "explore": {"catalog": None},
    "Variant": {"value": b"\x00", "metadata": b"\x01\x00\x00"},
    "variant": {"value": None},
    "variant_to_json": {"column": None},
}
# The views of a table, with the name of the argument that takes the table.
VIEWS = {
    "biography": "table",
    "compaction": "table",
    "diff": "a",
    "explain": "table",
    "health": "target",
    "levels": "table",
    "summary": "table",
    "timeline": "table",
}
# Arguments for internal objects, which users at most receive and pass on.
INSIDE = {"store", "rows"}
# Types that calls return and users do not create, and methods that only other packages of this library call.
RESULTS = {"FileSystemCatalog", "ReadableTable", "Table.with_store"}.union(
    *map(returned_types, (Sandbox, Scan, FileSystemCatalog))
)
HOOKS = {"load_ipython_extension", "unload_ipython_extension"}
CLASSES = {
    "Table": Table,
    "Catalog": FileSystemCatalog,
    "Scan": Scan,
    "MessageWriter": MessageWriter,
    "WritePlan": WritePlan,
    "Sandbox": Sandbox,
    "Expr": Expr,
    "Progress": wb.Progress,
}


def public_calls() -> Iterator[str]:
    for name in wb.__all__:
        value = getattr(wb, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            continue
        if callable(value) and name not in CLASSES and name not in RESULTS | HOOKS:
            yield name
    for owner, kind in CLASSES.items():
        inherited = dir(Table) if owner == "Sandbox" else ()
        for name, value in inspect.getmembers_static(kind):
            if f"{owner}.{name}" in RESULTS:
                continue
            if not name.startswith("_") and inspect.isfunction(value) and name not in inherited:
                yield f"{owner}.{name}"


def arguments_of(call: str) -> list[str]:
    owner, _, name = call.rpartition(".")
    value = getattr(CLASSES[owner], name) if owner else getattr(wb, name)
    found = [each for each in inspect.signature(value).parameters if each != "self"]
    return [each for each in found if each not in INSIDE]


CALLS = [call for call in public_calls() if arguments_of(call)]
