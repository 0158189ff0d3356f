"""The Jupyter server extension: lens values over HTTP. Importing this package loads nothing that reads tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "workbench.server"}]


def _load_jupyter_server_extension(serverapp: ServerApp) -> None:
    from workbench.server.application import PaimonWorkbench

    PaimonWorkbench(parent=serverapp).join(serverapp)
