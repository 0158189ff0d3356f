"""The names of catalogs, databases and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from workbench.base.errors import CatalogError, InvalidRequest
from workbench.base.secrets import without_credentials
from workbench.catalog.connect import refuses_changes
from workbench.catalog.named import absolute_warehouse

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

Item = TypeVar("Item")
Origin = Literal["user", "server", "session"]


@dataclass(frozen=True)
class CatalogValue:
    """A catalog. ``warehouse`` contains no credentials. ``origin`` is where it is defined: in the user's catalog file,
    in that of the environment, or in the running server. ``read_only`` is whether every change is refused."""

    name: str
    warehouse: str
    metastore: str
    origin: Origin
    read_only: bool = False


@dataclass(frozen=True)
class CatalogsValue:
    """All catalogs, by name."""

    items: tuple[CatalogValue, ...]


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


def describe_catalog(name: str, options: Mapping[str, str], origin: Origin) -> CatalogValue:
    """Return the value of a catalog with Paimon's catalog options; its warehouse is normalized."""
    warehouse, read_only = options.get("warehouse", ""), False
    # An invalid warehouse is shown as written; opening the catalog reports the error.
    with suppress(CatalogError):
        warehouse = absolute_warehouse(warehouse)
    with suppress(CatalogError):
        read_only = refuses_changes(options)
    metastore = options.get("metastore", "filesystem")
    return CatalogValue(name, without_credentials(warehouse), metastore, origin, read_only)


def collect_databases(
    catalog: Catalog, search: str = "", cursor: str | None = None, limit: int | None = None
) -> Page[DatabaseValue]:
    """Return a page of the databases whose names contain ``search``; see `page_of`."""
    return page_of(catalog.list_databases(), DatabaseValue, search, cursor, limit)


def collect_tables(
    catalog: Catalog, database: str, search: str = "", cursor: str | None = None, limit: int | None = None
) -> Page[TableEntryValue]:
    """Return a page of the tables whose names contain ``search``; see `page_of`.

    Raises:
        DatabaseNotFound: the database does not exist.
    """
    return page_of(catalog.list_tables(database), TableEntryValue, search, cursor, limit)


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
