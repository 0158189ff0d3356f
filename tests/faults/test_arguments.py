"""Whatever is passed to a public call, it fails with a `WorkbenchError` and changes nothing, or it works."""

from __future__ import annotations

import inspect
import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from tests.support.public_types import returned_types
from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest
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
# What a call needs beside the argument that is tried out.
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
    "Catalog.get_table": {"name": "db.t"},
    "Catalog.alter_table": {"name": "db.t", "changes": (wb.AddColumn("n", "INT"),)},
    "Catalog.rename_table": {"name": "db.t", "new_name": "db.new"},
    "Catalog.drop_table": {"name": "db.t"},
    "Scan.known_bounds": {"column": "id"},
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
    # The table and the catalog are those of the place.
    "explore": {"catalog": None},
    "levels": {"table": None},
    "timeline": {"table": None},
    "variant_to_json": {"column": None},
}
# Objects that other rooms pass to each other; users get them and hand them on.
INSIDE = {"store", "rows"}
# Types that calls return, which users do not create, and what rooms call among themselves.
RESULTS = {"FileSystemCatalog", "ReadableTable", "Table.over"}.union(
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
    result = [each for each in inspect.signature(value).parameters if each != "self"]
    return [each for each in result if each not in INSIDE]


CALLS = [call for call in public_calls() if arguments_of(call)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with a table that has several of everything."""
    position = tmp_path_factory.mktemp("prepared")
    catalog = wb.connect(position / "wh")
    catalog.create_database("db")
    catalog.create_database("other")
    columns = {"id": "BIGINT NOT NULL", "day": "STRING NOT NULL", "v": "STRING"}
    options = {"bucket": "1", "num-sorted-run.compaction-trigger": "3"}
    table = catalog.create_table("db.t", columns, primary_key=["id", "day"], partition_by="day", options=options)
    for number in range(2):
        table.write([{"id": number, "day": f"d{number}", "v": "a"}, {"id": 1, "day": "d1", "v": "b"}])
    table.create_tag("v1")
    table.create_branch("b1", tag="v1")
    table.set_consumer("c1", 1)
    return position / "wh"


class Place:
    """A copy of the warehouse, created again after each call that changed it."""

    def __init__(self, prepared: Path, directory: Path) -> None:
        self.prepared, self.warehouse = prepared, directory / "wh"
        self.files: dict[str, bytes] = {}
        self.renew()

    def renew(self) -> None:
        if not self.files or self.listed() != self.files:
            shutil.rmtree(self.warehouse, ignore_errors=True)
            shutil.copytree(self.prepared, self.warehouse)
            self.files = self.listed()
        self.catalog = wb.connect(self.warehouse)

    def listed(self) -> dict[str, bytes]:
        return {str(each): each.read_bytes() if each.is_file() else b"" for each in sorted(self.warehouse.rglob("*"))}

    def call(self, call: str, arguments: Mapping[str, Any]) -> None:
        owner, _, name = call.rpartition(".")
        function, given = self._function(owner, name), dict(arguments)
        changes = given.pop("changes", ())
        more = {"warehouse": given.pop("options")} if "options" in given and call == "connect" else {}
        result = function(*changes, **given, **more) if isinstance(changes, tuple) else function(changes, **given)
        if call == "Catalog.alter_table":
            return
        if isinstance(result, AbstractContextManager) and not isinstance(result, Sandbox):
            with result as opened:
                if isinstance(opened, MessageWriter):
                    opened.write([{"id": 9, "day": "d9", "v": "z"}])
                    self.catalog.get_table("db.t").commit(opened.prepare(), commit_user=given.get("commit_user"))
        elif isinstance(result, Sandbox):
            result.close()
        elif isinstance(result, Scan):
            result.to_arrow()
        elif name in PREDICATES and isinstance(result, Expr):
            self.catalog.get_table("db.t").to_arrow(where=result)
        elif not owner and is_dataclass(result):
            self._use(result)

    def _function(self, owner: str, name: str) -> Callable[..., Any]:
        table = self.catalog.get_table("db.t")
        created: dict[str, Callable[[], Any]] = {
            "Table": lambda: table,
            "Catalog": lambda: self.catalog,
            "Scan": table.scan,
            "WritePlan": table.new_write_plan,
            "MessageWriter": lambda: table.writer().__enter__(),
            "Sandbox": table.sandbox,
            "Expr": lambda: wb.col("id"),
            "Progress": wb.Progress,
        }
        if owner:
            result: Callable[..., Any] = getattr(created[owner](), name)
            if owner == "Catalog" and name == "alter_table":
                return lambda *changes, name: self.catalog.alter_table(name, *changes)
            return result
        if name in ("levels", "timeline"):
            return lambda **given: getattr(wb, name)(**{"table": table, **given}).to_arrow()
        function: Callable[..., Any] = getattr(wb, name)
        return function

    def _use(self, result: Any) -> None:
        if type(result).__name__.startswith("When"):
            rows = [{"id": 1, "day": "d1", "v": "m"}, {"id": 7, "day": "d7", "v": "n"}]
            self.catalog.get_table("db.t").merge(rows, ["id", "day"], [result])
        else:
            self.catalog.alter_table("db.t", result)


PREDICATES = ("isin", "between", "equal_null_safe", "is_null", "is_not_null", "like", "startswith", "contains")


def check_as_java_would(warehouse: Path) -> None:
    """All metadata is UTF-8, and its members have the types of Java's classes."""
    for file in warehouse.rglob("*"):
        if file.is_file() and file.parent.name in ("snapshot", "tag", "schema", "consumer"):
            text = file.read_bytes().decode("utf-8")
            if not text.startswith("{"):
                continue
            value = json.loads(text)
            assert "\\ud8" not in text, file
            if file.parent.name in ("snapshot", "tag"):
                assert type(value["commitIdentifier"]) is int
                assert -(2**63) <= value["commitIdentifier"] < 2**63
                assert isinstance(value["commitUser"], str)
                properties = value.get("properties") or {}
                assert all(isinstance(each, str) for pair in properties.items() for each in pair)
            if file.parent.name == "schema":
                assert all(isinstance(each, str) for pair in value["options"].items() for each in pair)
                assert all(isinstance(each["name"], str) for each in value["fields"])
                assert isinstance(value.get("comment", ""), str)
            if file.parent.name == "consumer":
                assert type(value["nextSnapshot"]) is int


@pytest.mark.parametrize("call", CALLS)
def test_wrong_arguments(call: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    position = Place(prepared, tmp_path)
    needed = {name: value for name, value in NEEDED.get(call, {}).items() if name not in ("table", "catalog")}
    failures = []
    for argument in arguments_of(call):
        for value in WRONG:
            value = iter(["id"]) if isinstance(value, Iterator) else value
            given = {**needed, argument: value}
            shown = f"{call}({argument}={type(value).__name__} {value!r:.60})"
            position.renew()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    position.call(call, given)
            except wb.WorkbenchError as error:
                if position.listed() == position.files:
                    continue
                if call.startswith(("Table", "Catalog")):
                    failures.append(f"{shown} failed and left files: {error}")
            except Exception as error:  # noqa: BLE001 - this is what must not be
                failures.append(f"{shown} raised {type(error).__name__}: {str(error)[:100]}")
            try:
                check_as_java_would(position.warehouse)
                for database in position.catalog.list_databases():
                    for name in position.catalog.list_tables(database):
                        result = wb.connect(position.warehouse).get_table(f"{database}.{name}")
                        result.to_arrow()
                        result.snapshots()
            except Exception as error:  # noqa: BLE001
                failures.append(f"{shown} left a table that cannot be read: {type(error).__name__} {error}")
    assert not failures, "\n" + "\n".join(failures)


@pytest.fixture
def table(tmp_path: Path, prepared: Path) -> Table:
    return Place(prepared, tmp_path).catalog.get_table("db.t")


@pytest.mark.parametrize("identifier", [1.0, "x", None, True, 2**63, -(2**63) - 1])
def test_no_commit_has_an_impossible_identifier(table: Table, identifier: Any) -> None:
    with table.writer() as writer:
        writer.write([{"id": 9, "day": "d9", "v": "z"}])
        messages = writer.prepare()
    with pytest.raises(InvalidRequest, match="'identifier' of commit"):
        table.commit(messages, identifier)
    assert table.snapshot().id == 2
    assert table.commit(messages, np.int64(5), "me", properties={"a": "b"}).snapshots[0].commit_identifier == 5
    check_as_java_would(Path(table.location))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"commit_user": 5}, "'commit_user' of commit"),
        ({"commit_user": "\ud800"}, "UTF-8"),
        ({"properties": {"a": 1}}, "'properties' of commit"),
        ({"properties": {1: "a"}}, "'properties' of commit"),
        ({"properties": {"a": None}}, "'properties' of commit"),
        ({"properties": {"a": "\udfff"}}, "UTF-8"),
        ({"properties": [("a", "b")]}, "'properties' of commit"),
    ],
)
def test_commit_properties_are_text(table: Table, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        table.commit([], identifier=1, **given)
    assert table.snapshot().id == 2


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (pa.array([None], pa.string()), "None"),
        (pa.nulls(1), "None"),
        (pa.array([0], pa.int8()), "int8"),
        (pa.array([3], pa.int64()), "int64"),
        (pa.array([1.0]), "double"),
        (pa.array([b"+I"]), "binary"),
        (pa.array([True]), "bool"),
        (pa.array([["+I"]]), "list"),
        (pa.array(["+I", "-D"]).dictionary_encode().slice(0, 1), None),
        (pa.array(["+I"], pa.large_string()), None),
    ],
)
def test_row_kinds_are_texts(table: Table, kinds: pa.Array, words: str | None) -> None:
    rows = pa.table({"id": [9], "day": ["d9"], "v": ["z"], "op": kinds})
    before = sorted(Path(table.location).rglob("*"))
    if words is None:
        assert table.write(rows, row_kind="op").rows == 1
        return
    with pytest.raises(wb.SchemaMismatch, match=f"(?s)({words}.*'op'|'op'.*{words})"):
        table.write(rows, row_kind="op")
    assert sorted(Path(table.location).rglob("*")) == before


@pytest.mark.parametrize("day", ["x" * 252, "é" * 126, "%" * 84, "x" * 5000])
def test_no_partition_has_a_name_that_is_too_long(table: Table, day: str) -> None:
    before = sorted(Path(table.location).rglob("*"))
    for act in (
        lambda: table.write([{"id": 9, "day": day}]),
        lambda: table.write([{"id": 9, "day": day}], mode="overwrite"),
        lambda: table.mark_partitions_done([{"day": day}]),
        lambda: table.merge([{"id": 9, "day": day, "v": "z"}], ["id", "day"], [wb.WhenNotMatched()]),
    ):
        with pytest.raises(wb.SchemaMismatch, match=r"'day'.*255 bytes"):
            act()
    assert sorted(Path(table.location).rglob("*")) == before
    table.write([{"id": 9, "day": "x" * 251}])
    table.write([{"id": 9, "day": "%" * 83}])
    assert table.to_arrow().num_rows == 4


@pytest.mark.parametrize(
    "row", [{"id": 9, "day": "\ud800"}, {"id": 9, "day": "d", "\ud800": 1}, {"id": 9, "day": "d", 5: 1}, {None: 1}]
)
def test_rows_of_dicts_hold_texts(table: Table, row: dict[Any, Any]) -> None:
    with pytest.raises(wb.SchemaMismatch):
        table.write([row])
    assert table.snapshot().id == 2


def test_plain_values_reach_the_body() -> None:
    seen: list[Any] = []

    @checked
    def call(
        number: int, flag: bool = False, names: Sequence[str] | None = None, *more: int, word: str = "", **rest: str
    ) -> None:
        seen.append((number, flag, names, more, word, rest))

    call(np.int32(7), np.True_, (name for name in ("a", "b")), 1, np.uint8(2), word="w", other="o")
    assert seen == [(7, True, ["a", "b"], (1, 2), "w", {"other": "o"})]
    assert [type(each) for each in (seen[0][0], seen[0][1], seen[0][3][1])] == [int, bool, int]
    with pytest.raises(InvalidRequest, match=r"Argument 'other' of call\(\) must be text, not 5 \(int\)"):
        call(1, other=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing 1 required"):
        call()  # type: ignore[call-arg]


def test_help_is_unchanged() -> None:
    assert list(inspect.signature(Table.at).parameters) == [
        "self", "snapshot", "timestamp", "tag", "watermark", "version"
    ]  # fmt: skip
    assert inspect.signature(Table.scan).return_annotation == "Scan"
    assert (Table.compact.__doc__ or "").startswith("Compact")
    assert [each.name for each in fields(wb.AddColumn)] == ["name", "type", "comment", "first", "after"]


def test_every_public_call_is_known() -> None:
    missing = []
    for call in CALLS:
        owner, _, name = call.rpartition(".")
        value = getattr(CLASSES[owner], name) if owner else getattr(wb, name)
        for parameter in inspect.signature(value).parameters.values():
            is_one = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            needs = is_one and parameter.default is parameter.empty
            if needs and parameter.name in arguments_of(call) and parameter.name not in NEEDED.get(call, {}):
                missing.append(f"{call}: {parameter.name}")
    assert not missing


@pytest.mark.parametrize("zone", [5, None, "", "\ud800", "\0", "Mars/Olympus", object()])
def test_time_zones(table: Table, zone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", zone)
    with pytest.raises(wb.WorkbenchError, match="is not a time zone"):
        table.at(timestamp="2026-11-01 12:00:00")
