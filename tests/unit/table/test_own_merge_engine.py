"""A merge engine that is registered from outside the package: its traits decide how its tables are treated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.keep_longest import KEEP_LONGEST
from workbench.base.errors import AlreadyExists, InvalidSchema, MergeError, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.options import merge_engine
from workbench.format.options.core_options import CoreOptions
from workbench.format.options.merge_engine import ExistingProcessor, MergeEngine, register_merge_engine
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "text": "STRING"}
REMOVE = "aggregation.remove-record-on-delete"
MakeTable: TypeAlias = Callable[..., Table]


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the engines of a test when it ends."""
    monkeypatch.setattr(merge_engine, "_ENGINES", dict(merge_engine._ENGINES))


@pytest.fixture
def make(catalog: FileSystemCatalog) -> MakeTable:
    """Create a table of an engine with these traits."""

    def create(engine: MergeEngine = KEEP_LONGEST, options: Mapping[str, str] | None = None) -> Table:
        register_merge_engine(engine)
        given = {"bucket": "1", "merge-engine": engine.name, **(options or {})}
        return catalog.create_table("db.t", COLUMNS, ["id"], options=given)

    return create


def write(table: Table, *rows: tuple[int, str], kind: str = "+I") -> None:
    columns = {"id": [number for number, _ in rows], "text": [text for _, text in rows], "kind": [kind] * len(rows)}
    table.write(pa.table(columns), row_kind="kind")


def content(table: Table, where: str | None = None) -> dict[int, str]:
    return {row["id"]: row["text"] for row in table.to_arrow(where=where).to_pylist()}


@pytest.mark.parametrize("producer", ["none", "lookup", "full-compaction"])
def test_it_writes_reads_and_compacts(make: MakeTable, producer: str) -> None:
    table = make(options={"changelog-producer": producer})
    write(table, (1, "long one"), (1, "short"), (2, "a"))
    assert content(table) == {1: "long one", 2: "a"}
    write(table, (1, "x"), (2, "abc"), (3, "new"))
    write(table, (2, "ab"), (3, "old"))
    expected = {1: "long one", 2: "abc", 3: "old"}
    assert content(table) == expected
    assert content(table, "text = 'x'") == {}
    assert content(table, "text = 'abc'") == {2: "abc"}
    table.compact(full=True)
    assert content(table) == expected
    assert sum(len(split.files) for split in table.scan().plan()) == 1
    write(table, (1, "the longest of them all"), (2, "b"))
    assert content(table) == {**expected, 1: "the longest of them all"}


def test_the_changelog_contains_its_changes(make: MakeTable) -> None:
    table = make(options={"changelog-producer": "lookup"})
    write(table, (1, "long"))
    before = table.snapshots()[-1].id
    write(table, (1, "longest"), (2, "b"))
    changes = table.changes(before, table.snapshots()[-1].id, mode="changelog").to_pylist()
    reported = sorted((row["id"], row["rowkind"], row["text"]) for row in changes)
    assert reported == [(1, "+U", "longest"), (1, "-U", "long"), (2, "+I", "b")]


def test_rows_are_deleted_if_it_takes_deletes(make: MakeTable) -> None:
    table = make(replace(KEEP_LONGEST, takes_deletes=True, takes_updates=True))
    write(table, (1, "long one"), (2, "b"), (3, "c"))
    table.delete("id = 1")
    write(table, (2, "b"), kind="-D")
    table.merge([{"id": 3}], ["id"], [wb.WhenMatched(delete=True)])
    assert content(table) == {}
    write(table, (1, "x"))
    table.compact(full=True)
    assert content(table) == {1: "x"}


def test_rows_are_deleted_from_their_files_if_it_does_not_take_deletes(make: MakeTable) -> None:
    table = make(replace(KEEP_LONGEST, takes_updates=True))
    write(table, (1, "long one"), (2, "b"))
    write(table, (1, "a"))
    with pytest.raises(MergeError, match="keep-longest"):
        write(table, (1, "a"), kind="-D")
    with pytest.raises(Unsupported, match="Rows cannot be deleted with option 'merge-engine' = 'keep-longest'"):
        table.merge([{"id": 1}], ["id"], [wb.WhenMatched(delete=True)])
    assert content(table) == {1: "long one", 2: "b"}
    table.delete("text LIKE 'long%'")
    assert content(table) == {2: "b"}


@pytest.mark.parametrize("is_set", [True, False])
def test_deletes_may_need_an_option(make: MakeTable, is_set: bool) -> None:
    engine = replace(KEEP_LONGEST, takes_deletes=True, takes_updates=True, delete_options=(REMOVE,))
    table = make(engine, {REMOVE: "true"} if is_set else {})
    write(table, (1, "a"))
    clauses = [wb.WhenMatched(delete=True)]
    if is_set:
        table.merge([{"id": 1}], ["id"], clauses)
        assert content(table) == {}
        return
    with pytest.raises(Unsupported, match=rf"'merge-engine' = 'keep-longest' rows cannot be deleted[\s\S]*{REMOVE}"):
        table.merge([{"id": 1}], ["id"], clauses)


def test_updates_are_accepted_or_refused(make: MakeTable, catalog: FileSystemCatalog) -> None:
    table = make()
    write(table, (1, "a"))
    merge = [wb.WhenMatched(update={"text": "s.text"})]
    source = [{"id": 1, "text": "abc"}]
    refused: list[tuple[str, Callable[[], Any]]] = [
        ("UPDATE", lambda: table.update({"text": "'ab'"})),
        ("MERGE", lambda: table.merge(source, ["id"], merge)),
    ]
    for statement, call in refused:
        with pytest.raises(Unsupported, match=f"{statement} is not supported with option 'merge-engine' = 'keep-long"):
            call()
    assert content(table) == {1: "a"}
    catalog.drop_table("db.t")
    taking = make(replace(KEEP_LONGEST, name="keep-longest-updated", takes_updates=True))
    write(taking, (1, "a"))
    taking.update({"text": "'ab'"})
    assert content(taking) == {1: "ab"}
    taking.merge(source, ["id"], merge)
    assert content(taking) == {1: "abc"}


@pytest.mark.parametrize(
    ("processor", "expected"),
    [
        (ExistingProcessor.DELETE, {("q", "b")}),
        (ExistingProcessor.USE_OLD, {("p", "long")}),
        (ExistingProcessor.SKIP_NEW, {("p", "long")}),
    ],
)
def test_keys_that_change_their_partition(
    catalog: FileSystemCatalog, processor: ExistingProcessor, expected: set[tuple[str, str]]
) -> None:
    register_merge_engine(replace(KEEP_LONGEST, existing_processor=processor, takes_deletes=True))
    columns = {**COLUMNS, "part": "STRING NOT NULL"}
    table = catalog.create_table("db.t", columns, ["id"], ["part"], options={"merge-engine": "keep-longest"})
    table.write([{"id": 1, "text": "long", "part": "p"}])
    table.write([{"id": 1, "text": "b", "part": "q"}])
    assert {(row["part"], row["text"]) for row in table.to_arrow().to_pylist()} == expected
    table.write([{"id": 1, "text": "the longest", "part": "p"}])
    assert [row["text"] for row in table.to_arrow().to_pylist()] == ["the longest"]


def test_the_rules_of_options_follow_the_traits(make: MakeTable) -> None:
    with pytest.raises(InvalidSchema, match="'merge-engine' = 'keep-longest' cannot have 'deletion-vectors"):
        make(replace(KEEP_LONGEST, keeps_first=True), {"deletion-vectors.enabled": "true"})


def test_an_unknown_engine_is_refused(catalog: FileSystemCatalog) -> None:
    with pytest.raises(Unsupported, match="'merge-engine' = 'keep-longest' is not supported"):
        catalog.create_table("db.t", COLUMNS, ["id"], options={"merge-engine": "keep-longest"})
    with pytest.raises(Unsupported, match=r"'merge-engine' = 'dedup'"):
        CoreOptions({"merge-engine": "dedup"}).engine  # noqa: B018
    assert CoreOptions({"merge-engine": "First-Row"}).engine.keeps_first


def test_registered_names_are_unique() -> None:
    register_merge_engine(KEEP_LONGEST)
    register_merge_engine(KEEP_LONGEST)
    with pytest.raises(AlreadyExists, match="'keep-longest'"):
        register_merge_engine(replace(KEEP_LONGEST, takes_deletes=True))
