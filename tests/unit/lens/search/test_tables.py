"""The search of a database: in parts, with what could not be read, and how quickly it stops."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import Cancelled, DatabaseNotFound, InvalidRequest
from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.search import tables
from workbench.lens.search.tables import search_tables

TABLES = 40


@pytest.fixture
def flights(catalog: FileSystemCatalog) -> FileSystemCatalog:
    """A database ``d`` with tables of one column each, all with a comment."""
    for number in range(TABLES):
        catalog.create_table(f"d.t{number:02d}", {f"column_{number:02d}": "INT"}, comment="a flight")
    return catalog


def names(value: Any) -> list[str]:
    return [each.table for each in value.found]


def test_columns_and_comments(flights: FileSystemCatalog) -> None:
    value = search_tables(flights, "d", " COLUMN_07 ")
    assert (names(value), value.unread, value.read, value.total, value.next) == (["t07"], (), TABLES, TABLES, None)
    assert (value.found[0].matches[0].column, value.found[0].count) == ("column_07", 1)
    assert names(search_tables(flights, "d", "flight")) == [f"t{number:02d}" for number in range(TABLES)]


def test_tables_are_not_found_again_by_their_names(flights: FileSystemCatalog) -> None:
    flights.create_table("d.column_store", {"column_a": "INT"})
    assert names(search_tables(flights, "d", "COLUMN_")) == [f"t{number:02d}" for number in range(TABLES)]


def test_only_some_matches_of_a_wide_table_are_shown(catalog: FileSystemCatalog) -> None:
    catalog.create_table("d.wide", {f"c{number}": "INT" for number in range(500)})
    (found,) = search_tables(catalog, "d", "c").found
    assert ([each.column for each in found.matches], found.count) == (["c0", "c1"], 500)


def test_parts_together_are_the_whole(flights: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    # The time is over before it begins.
    monkeypatch.setattr(tables, "_LISTINGS", -1)
    whole = search_tables(flights, "d", "flight")
    found, read, cursor, parts = [], 0, None, 0
    while parts == 0 or cursor is not None:
        part = search_tables(flights, "d", "flight", cursor, seconds=-1000)
        found += part.found
        read, cursor, parts = read + part.read, part.next, parts + 1
        assert part.total == TABLES
    assert (tuple(found), read) == (whole.found, TABLES)
    assert parts == TABLES


def test_a_table_that_cannot_be_read_is_named(flights: FileSystemCatalog) -> None:
    database = Path(flights.warehouse) / "d.db"
    (database / "t03" / "schema" / "schema-0").write_text("{ not a schema")
    schema = database / "t05" / "schema" / "schema-0"
    schema.unlink()
    schema.mkdir()
    value = search_tables(flights, "d", "flight")
    assert [each.table for each in value.unread] == ["t03", "t05"]
    assert "schema-0" in value.unread[0].reason
    assert (len(value.found), value.read) == (TABLES - 2, TABLES)


def test_a_table_that_was_dropped_meanwhile_is_left_out(
    flights: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = flights.list_tables("d")
    flights.drop_table("d.t11")
    monkeypatch.setattr(flights, "list_tables", lambda _: listed)
    value = search_tables(flights, "d", "flight")
    assert (len(value.found), value.unread, value.read) == (TABLES - 1, (), TABLES)


def test_the_newest_schema_is_searched(flights: FileSystemCatalog) -> None:
    assert names(search_tables(flights, "d", "column_07")) == ["t07"]
    flights.drop_table("d.t07")
    flights.create_table("d.t07", {"another": "INT"})
    assert names(search_tables(flights, "d", "column_07")) == []
    assert names(search_tables(flights, "d", "another")) == ["t07"]
    shutil.rmtree(Path(flights.warehouse) / "d.db" / "t08")
    assert search_tables(flights, "d", "another").total == TABLES - 1


def test_a_canceled_search_reads_no_more(flights: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    progress, opened, get_table = Progress(), [], flights.get_table

    def open_one(name: Any) -> Any:
        opened.append(name)
        progress.cancel()
        return get_table(name)

    monkeypatch.setattr(flights, "get_table", open_one)
    with pytest.raises(Cancelled):
        search_tables(flights, "d", "flight", progress=progress)
    assert len(opened) < TABLES


def test_what_cannot_be_searched(flights: FileSystemCatalog) -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        search_tables(flights, "d", " ")
    with pytest.raises(DatabaseNotFound, match="nothing"):
        search_tables(flights, "nothing", "x")
