"""The extension in a running server: its settings, its worker, and the catalogs added to the server."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tornado.web import Application
from traitlets import Bool, Float, Integer, List, Unicode
from traitlets.config import LoggingConfigurable

from workbench.base.confirmation import YES_VARIABLE, confirm_by_setting
from workbench.server.handler import SETTING
from workbench.server.routes import routes
from workbench.server.supervisor import Supervisor

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


class PaimonWorkbench(LoggingConfigurable):
    """The server extension. Settings: ``c.PaimonWorkbench.request_timeout = 30`` and so on, in a Jupyter server."""

    memory_megabytes = Integer(
        4096, min=256, help="Memory limit of the process that reads tables; enforced on Linux."
    ).tag(config=True)
    request_timeout = Float(60.0, min=0.1, help="Seconds after which a request times out.").tag(config=True)
    poll_interval = Float(1.0, min=0.05, help="Seconds between two polls of a watched table.").tag(config=True)
    delete_without_yes = Bool(
        False, help=f"Set {YES_VARIABLE}=1 for the kernels of this server: their cells delete without --yes."
    ).tag(config=True)
    endpoint_modules = List(
        Unicode(), help="Installed modules that register further endpoints; the server and its worker import them."
    ).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.session_catalogs: dict[str, Mapping[str, str]] = {}
        memory_bytes = self.memory_megabytes << 20
        self.worker = Supervisor(memory_bytes, self.request_timeout, self.log, self.endpoint_modules)

    def join(self, serverapp: ServerApp) -> None:
        """Add the routes to a server. The worker starts with the first request, which the panel sends as it loads."""
        for module in self.endpoint_modules:
            import_module(module)
        if self.delete_without_yes:
            # Kernels inherit the environment of the server.
            confirm_by_setting()
        web_app: Application = serverapp.web_app
        web_app.settings[SETTING] = self
        web_app.add_handlers(".*$", routes(web_app.settings["base_url"]))
