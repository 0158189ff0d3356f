"""The names of databases and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from workbench.base.errors import InvalidRequest
from workbench.lens.catalogs.definitions import OtherEntriesValue, collect_other_entries

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

Item = TypeVar("Item")


@dataclass(frozen=True)
class DatabaseValue:
    """A database of a catalog."""

    name: str


@dataclass(frozen=True)
class TableEntryValue:
    """A table of a database."""

    name: str


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A page of a list. ``next`` is the cursor of the next page, None on the last one; ``total`` counts the items of
    all pages, ``listed`` also those that a search left out."""

    items: tuple[Item, ...]
    next: str | None
    total: int
    listed: int


@dataclass(frozen=True)
class TablesValue:
    """A `Page` of the tables of a database; the first one also has what the database contains besides tables."""

    items: tuple[TableEntryValue, ...]
    next: str | None
    total: int
    listed: int
    entries: OtherEntriesValue | None


def collect_databases(
    catalog: Catalog, search: str = "", cursor: str | None = None, limit: int | None = None
) -> Page[DatabaseValue]:
    """Return a page of the databases whose names contain ``search``; see `page_of`."""
    return page_of(catalog.list_databases(), DatabaseValue, search, cursor, limit)


def collect_tables(
    catalog: Catalog, database: str, search: str = "", cursor: str | None = None, limit: int | None = None
) -> TablesValue:
    """Return a page of the tables whose names contain ``search``; see `page_of`.

    Raises:
        DatabaseNotFound: the database does not exist.
    """
    page = page_of(catalog.list_tables(database), TableEntryValue, search, cursor, limit)
    entries = collect_other_entries(catalog, database, search) if cursor is None else None
    return TablesValue(page.items, page.next, page.total, page.listed, entries)


def page_of(
    names: Iterable[str],
    item: Callable[[str], Item],
    search: str = "",
    cursor: str | None = None,
    limit: int | None = None,
) -> Page[Item]:
    """Return a page of sorted names as items: at most ``limit`` names that contain ``search``, ignoring case.

    The cursor is the last name of the previous page, so names that are added or removed between two pages do not
    repeat or hide others.

    Raises:
        InvalidRequest: the limit is below 1.
    """
    check_limit(limit)
    wanted = search.casefold()
    distinct = set(names)
    matching = sorted(name for name in distinct if wanted in name.casefold())
    rest = [name for name in matching if cursor is None or name > cursor]
    shown = rest[:limit]
    following = shown[-1] if len(shown) < len(rest) else None
    return Page(tuple(item(name) for name in shown), following, len(matching), len(distinct))


def check_limit(limit: int | None) -> None:
    """Refuse a limit below 1. Raises InvalidRequest."""
    if limit is not None and limit < 1:
        raise InvalidRequest(f"limit must be at least 1, got {limit}.", "Pass 1 or more.")
