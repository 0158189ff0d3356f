"""The catalogs that this server knows: those of the catalog files, and those that somebody added since it runs."""

from __future__ import annotations

from http import HTTPStatus

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.base.errors import InvalidRequest
from workbench.server.failures import failure
from workbench.server.parameters import catalog_name, check_known, json_object, option_texts, text_of, warehouse
from workbench.server.protocol import Answer
from workbench.server.resource import ResourceHandler


class CatalogsHandler(ResourceHandler):
    """``catalogs``."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """All catalogs."""
        self.parameters()
        await self.respond("catalogs", {"session_catalogs": self.workbench.session_catalogs})

    @authenticated
    @authorized
    async def post(self) -> None:
        """Add one: for the time that the server runs, or also to the user's catalog file."""
        self.parameters()
        body = json_object(self.request.body)
        check_known(body, ("name", "warehouse", "options", "remember"))
        name, remember = catalog_name(text_of(body, "name")), body.get("remember", False)
        if not isinstance(remember, bool):
            raise InvalidRequest("'remember' is neither true nor false.")
        options = {**option_texts(body.get("options", {})), "warehouse": warehouse(text_of(body, "warehouse"))}
        answer = self._taken(name) or await self.ask(
            "add_catalog", {"catalog": name, "options": options, "remember": remember}
        )
        if answer.status == HTTPStatus.CREATED and not remember:
            # While the warehouse was being looked at, somebody else may have taken the name.
            answer = self._taken(name) or answer
            self.workbench.session_catalogs.setdefault(name, options)
        if answer.status == HTTPStatus.CREATED:
            self.log.info("Paimon workbench: catalog %r is added%s", name, " and remembered" if remember else "")
        self.send(answer)

    def _taken(self, name: str) -> Answer | None:
        if name not in self.workbench.session_catalogs:
            return None
        return failure(
            HTTPStatus.CONFLICT, "already_exists", f"There is a catalog '{name}' already.", "Choose another name."
        )


class CatalogHandler(ResourceHandler):
    """``catalogs/{catalog}``."""

    @authenticated
    @authorized
    async def delete(self, catalog: str) -> None:
        """Forget a catalog that was added for the time that the server runs."""
        self.parameters()
        name = catalog_name(catalog)
        if self.workbench.session_catalogs.pop(name, None) is None:
            hint = "Those of catalog files are removed there."
            self.send(failure(HTTPStatus.NOT_FOUND, "catalog_not_found", f"No catalog '{name}' was added here.", hint))
            return
        self.log.info("Paimon workbench: catalog %r is removed", name)
        self.send(Answer(HTTPStatus.NO_CONTENT, b""))
