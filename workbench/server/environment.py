"""Which Python the server runs in."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.resource import ResourceHandler


class EnvironmentHandler(ResourceHandler):
    """``environment``."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """The environment."""
        self.parameters()
        await self.respond("environment", {})
