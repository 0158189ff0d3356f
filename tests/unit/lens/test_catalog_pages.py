from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import DatabaseNotFound, InvalidRequest
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.catalog import (
    DatabaseValue,
    collect_databases,
    collect_tables,
    page_of,
)

NAMES = st.sets(st.text(min_size=1, max_size=6), max_size=30)
LIMITS = st.integers(1, 7)


def pages(names: set[str], search: str, limit: int) -> list[list[str]]:
    result, cursor = [], None
    while True:
        page = page_of(names, str, search, cursor, limit)
        assert page.total == sum(search.casefold() in name.casefold() for name in names)
        assert page.listed == len(names)
        result.append(list(page.items))
        cursor = page.next
        if cursor is None:
            return result


@given(NAMES, st.text(max_size=2), LIMITS)
def test_pages_together_are_the_list(names: set[str], search: str, limit: int) -> None:
    result = pages(names, search, limit)
    together = [name for page in result for name in page]
    assert together == sorted(name for name in names if search.casefold() in name.casefold())
    assert all(len(page) == limit for page in result[:-1])
    assert len(result[-1]) <= limit


@given(NAMES, NAMES, NAMES, LIMITS)
def test_added_and_removed_names_do_not_affect_others(
    names: set[str], come: set[str], go: set[str], limit: int
) -> None:
    first = page_of(names, str, limit=limit)
    later = (names | come) - go
    seen, cursor = list(first.items), first.next
    while cursor is not None:
        page = page_of(later, str, cursor=cursor, limit=limit)
        seen.extend(page.items)
        cursor = page.next
    assert len(seen) == len(set(seen))
    assert first.next is None or names - go <= set(seen)


def test_search_is_in_any_case() -> None:
    names = ["Orders", "orders_2", "BORDER", "straße", "other"]
    assert page_of(names, str, "oRDER").items == ("BORDER", "Orders", "orders_2")
    assert page_of(names, str, "STRASSE").items == ("straße",)


def test_a_cursor_may_be_a_removed_name() -> None:
    assert page_of(["a", "c", "d"], str, cursor="b", limit=1).items == ("c",)


@pytest.mark.parametrize("limit", [0, -1])
def test_an_empty_page_cannot_be_requested(limit: int) -> None:
    with pytest.raises(InvalidRequest, match=str(limit)):
        page_of(["a"], str, limit=limit)


def test_the_tree_of_a_warehouse(catalog: FileSystemCatalog) -> None:
    evil = "<img src=x onerror=alert(1)>"
    for name in ("a", "B", evil):
        catalog.create_table(f"d.{name}", {"n": "INT"})
    catalog.create_database("e")
    assert collect_databases(catalog).items == (DatabaseValue("d"), DatabaseValue("e"))
    assert [entry.name for entry in collect_tables(catalog, "d").items] == [evil, "B", "a"]
    assert collect_tables(catalog, "d", "b").total == 1
    assert collect_tables(catalog, "e").items == ()
    with pytest.raises(DatabaseNotFound, match="nothing"):
        collect_tables(catalog, "nothing")
