"""The extension in a running server: its settings, its worker and the catalogs of this session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tornado.web import Application
from traitlets import Float, Integer
from traitlets.config import LoggingConfigurable

from workbench.server.resource import SETTING
from workbench.server.routes import routes
from workbench.server.supervisor import Supervisor

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


class PaimonWorkbench(LoggingConfigurable):
    """Set as ``c.PaimonWorkbench.request_timeout = 30`` in a Jupyter server's configuration."""

    memory_megabytes = Integer(
        4096, min=256, help="Memory that the process that reads tables may use; kept on Linux."
    ).tag(config=True)
    request_timeout = Float(60.0, min=0.1, help="Seconds that one answer may take.").tag(config=True)
    poll_interval = Float(1.0, min=0.05, help="Seconds between two looks at a watched table.").tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.session_catalogs: dict[str, Mapping[str, str]] = {}
        self.worker = Supervisor(self.memory_megabytes << 20, self.request_timeout, self.log)

    def join(self, serverapp: ServerApp) -> None:
        """Become part of a server. The worker starts with the first request, which the panel sends as it loads."""
        web_app: Application = serverapp.web_app
        web_app.settings[SETTING] = self
        web_app.add_handlers(".*$", routes(web_app.settings["base_url"]))
