"""A public call with any arguments either works, or raises a `WorkbenchError` and changes nothing."""

from __future__ import annotations

import inspect
import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from tests.support.public_calls import CALLS, CLASSES, NEEDED, VIEWS, WRONG, arguments_of
from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest
from workbench.expr.expressions import Expr
from workbench.scan.scan import Scan
from workbench.table.table import Sandbox, Table
from workbench.write.batch import MessageWriter


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
        if name in VIEWS:
            return lambda **given: getattr(wb, name)(**{VIEWS[name]: table, **given}).to_arrow()
        function: Callable[..., Any] = getattr(wb, name)
        if name == "compact_database":
            return lambda **given: function(**{"catalog": self.catalog, **given})
        return function

    def _use(self, result: Any) -> None:
        if type(result).__name__.startswith("When"):
            rows = [{"id": 1, "day": "d1", "v": "m"}, {"id": 7, "day": "d7", "v": "n"}]
            self.catalog.get_table("db.t").merge(rows, ["id", "day"], [result])
        else:
            self.catalog.alter_table("db.t", result)


PREDICATES = ("isin", "between", "equal_null_safe", "is_null", "is_not_null", "like", "startswith", "contains")


def check_as_java_would(warehouse: Path) -> None:
    """Check that all metadata is UTF-8, and that its members have the types of Java's classes."""
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
def test_some_wrong_arguments(call: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_wrong_arguments(call, prepared, tmp_path, every=9)


@pytest.mark.long
@pytest.mark.parametrize("call", CALLS)
def test_all_wrong_arguments(call: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_wrong_arguments(call, prepared, tmp_path)


def check_wrong_arguments(call: str, prepared: Path, tmp_path: Path, every: int = 1) -> None:
    """Pass wrong values as each argument: one in ``every`` of the values, different ones for each argument."""
    position = Place(prepared, tmp_path)
    needed = {name: value for name, value in NEEDED.get(call, {}).items() if name != "catalog"}
    failures = []
    for argument in arguments_of(call):
        for value in WRONG[crc32(f"{call}.{argument}".encode()) % every :: every]:
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
            given = {*NEEDED.get(call, {}), VIEWS.get(call)}
            if needs and parameter.name in arguments_of(call) and parameter.name not in given:
                missing.append(f"{call}: {parameter.name}")
    assert not missing


@pytest.mark.parametrize("zone", [5, None, "", "\ud800", "\0", "Mars/Olympus", object()])
def test_time_zones(table: Table, zone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", zone)
    with pytest.raises(wb.WorkbenchError, match="is not a time zone"):
        table.at(timestamp="2026-11-01 12:00:00")
