"""The tree of names: catalogs, their databases, and the tables of those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from workbench.base.errors import CatalogError, InvalidRequest
from workbench.catalog.named import absolute_warehouse
from workbench.lens.credentials import without_credentials

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog

Item = TypeVar("Item")
Origin = Literal["user", "server", "session"]


@dataclass(frozen=True)
class CatalogValue:
    """A catalog. ``warehouse`` has no credentials in it. ``origin`` says who named it: the user's catalog file, that
    of the environment, or somebody for the time that the server runs."""

    name: str
    warehouse: str
    metastore: str
    origin: Origin


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
    """Some items of a list. ``next`` is the cursor of the next page, None on the last one; ``total`` counts those of
    all pages."""

    items: tuple[Item, ...]
    next: str | None
    total: int


def tell_catalog(name: str, options: Mapping[str, str], origin: Origin) -> CatalogValue:
    """A catalog from Paimon's catalog options. Its warehouse reads the same however the user wrote it."""
    warehouse = options.get("warehouse", "")
    # What is no place at all is shown as it was written: opening the catalog says what is wrong with it.
    with suppress(CatalogError):
        warehouse = absolute_warehouse(warehouse)
    return CatalogValue(name, without_credentials(warehouse), options.get("metastore", "filesystem"), origin)


def gather_databases(
    catalog: FileSystemCatalog, search: str = "", cursor: str | None = None, limit: int | None = None
) -> Page[DatabaseValue]:
    """Databases whose names contain ``search``; see `page_of`."""
    return page_of(catalog.list_databases(), DatabaseValue, search, cursor, limit)


def gather_tables(
    catalog: FileSystemCatalog, database: str, search: str = "", cursor: str | None = None, limit: int | None = None
) -> Page[TableEntryValue]:
    """Tables whose names contain ``search``; see `page_of`. Raises DatabaseNotFound."""
    return page_of(catalog.list_tables(database), TableEntryValue, search, cursor, limit)


def page_of(
    names: Iterable[str],
    item: Callable[[str], Item],
    search: str = "",
    cursor: str | None = None,
    limit: int | None = None,
) -> Page[Item]:
    """A page of names, in their order, made into items: at most ``limit`` that contain ``search`` in any case.

    The cursor is the last name of the page before: names that come or go meanwhile make no other one show twice or
    not at all.

    Raises:
        InvalidRequest: the limit is below 1.
    """
    check_limit(limit)
    wanted = search.casefold()
    found = sorted({name for name in names if wanted in name.casefold()})
    rest = [name for name in found if cursor is None or name > cursor]
    shown = rest[:limit]
    following = shown[-1] if len(shown) < len(rest) else None
    return Page(tuple(item(name) for name in shown), following, len(found))


def check_limit(limit: int | None) -> None:
    """Refuse a page that holds nothing. Raises InvalidRequest."""
    if limit is not None and limit < 1:
        raise InvalidRequest(f"A page of {limit} is not possible.", "Ask for 1 or more.")
