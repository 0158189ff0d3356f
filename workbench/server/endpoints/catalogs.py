"""``catalogs``: list the catalogs of the catalog files and those added to this server, add one, remove one; the kinds
that can be added, and whether one can be opened."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Client, Endpoint, Reading
from workbench.server.endpoints.paths import CATALOG, CONNECTION
from workbench.server.endpoints.paths import CATALOG_KINDS as KINDS_PATH
from workbench.server.endpoints.paths import CATALOGS as PATH
from workbench.server.failures import failure
from workbench.server.parameters import CatalogName, CatalogOptions, Flag
from workbench.server.protocol import Answer, Workbench
from workbench.server.requests import CatalogRequest, NoParameters

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class AddCatalogRequest:
    """A catalog to add: to the user's catalog file with ``remember``, otherwise only until the server stops."""

    name: CatalogName
    options: CatalogOptions
    remember: Flag = False


@dataclass(frozen=True)
class ConnectionRequest:
    """The options of a catalog that is opened, but not added."""

    options: CatalogOptions


def _catalogs_value() -> Any:
    from workbench.lens.catalogs.kinds import CatalogsValue

    return CatalogsValue


def _read_catalogs(_request: NoParameters, catalogs: OpenCatalogs) -> Reading:
    from workbench.catalog.named import named_catalogs
    from workbench.lens.catalogs.kinds import CatalogsValue, describe_catalog

    named = [describe_catalog(each.name, each.options, each.origin) for each in named_catalogs().values()]
    added = [describe_catalog(name, options, "session") for name, options in catalogs.session.items()]
    by_name = {each.name: each for each in (*named, *added)}
    return Reading(lambda: CatalogsValue(tuple(by_name[name] for name in sorted(by_name))))


def _catalog_value() -> Any:
    from workbench.lens.catalogs.kinds import CatalogValue

    return CatalogValue


def _add_catalog(request: AddCatalogRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.base.errors import AlreadyExists
    from workbench.catalog.kinds import kind_of
    from workbench.catalog.named import named_catalogs, remember_catalog
    from workbench.lens.catalogs.connection import check_connection
    from workbench.lens.catalogs.kinds import describe_catalog

    if request.name in named_catalogs():
        raise AlreadyExists(f"Catalog '{request.name}' already exists.", "Choose another name.")
    options = kind_of(request.options).absolute(request.options)
    check_connection(options, catalogs.progress, seconds=None)
    if request.remember:
        remember_catalog(request.name, options)
    value = describe_catalog(request.name, options, "user" if request.remember else "session")
    return Reading(lambda: value, status=HTTPStatus.CREATED)


async def _handle_add(request: AddCatalogRequest, client: Client) -> Answer:
    workbench = client.workbench
    answer = _taken(request.name, workbench) or await client.ask_worker()
    if answer.status == HTTPStatus.CREATED and not request.remember:
        # Another request may have taken the name while the worker opened the catalog.
        answer = _taken(request.name, workbench) or answer
        workbench.session_catalogs.setdefault(request.name, request.options)
    if answer.status == HTTPStatus.CREATED:
        remembered = " and remembered" if request.remember else ""
        workbench.log.info("Paimon workbench: catalog %r was added%s", request.name, remembered)
    return answer


def _taken(name: str, workbench: Workbench) -> Answer | None:
    if name not in workbench.session_catalogs:
        return None
    return failure(HTTPStatus.CONFLICT, "already_exists", f"Catalog '{name}' already exists.", "Choose another name.")


async def _handle_remove(request: CatalogRequest, client: Client) -> Answer:
    workbench = client.workbench
    if workbench.session_catalogs.pop(request.catalog, None) is None:
        message = f"Catalog '{request.catalog}' was not added to this server."
        return failure(
            HTTPStatus.NOT_FOUND,
            "catalog_not_found",
            message,
            "To remove a catalog that a catalog file defines, edit that file.",
        )
    workbench.log.info("Paimon workbench: catalog %r was removed", request.catalog)
    return Answer(HTTPStatus.NO_CONTENT, b"")


def _kinds_value() -> Any:
    from workbench.lens.catalogs.kinds import CatalogKindsValue

    return CatalogKindsValue


def _read_kinds(_request: NoParameters, _catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalogs.kinds import describe_kinds

    return Reading(describe_kinds)


def _connection_value() -> Any:
    from workbench.lens.catalogs.connection import ConnectionValue

    return ConnectionValue


def _test_connection(request: ConnectionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalogs.connection import check_connection

    return Reading(lambda: check_connection(request.options, catalogs.progress))


CATALOGS = Endpoint("catalogs", PATH, NoParameters, _catalogs_value, _read_catalogs)
ADD_CATALOG = Endpoint("add_catalog", PATH, AddCatalogRequest, _catalog_value, _add_catalog, "POST", _handle_add)
REMOVE_CATALOG = Endpoint(
    "remove_catalog", CATALOG, CatalogRequest, lambda: type(None), None, method="DELETE", handle=_handle_remove
)
CATALOG_KINDS = Endpoint("catalog_kinds", KINDS_PATH, NoParameters, _kinds_value, _read_kinds)
TEST_CONNECTION = Endpoint(
    "test_connection", CONNECTION, ConnectionRequest, _connection_value, _test_connection, "POST"
)
