"""A build hook for hatchling that builds the front end. Editable installs skip it: they need no Node and stay quick."""

from __future__ import annotations

import tomllib
from typing import Any

import front_end
from hatchling import build as hatchling
from hatchling.build import build_editable, get_requires_for_build_editable
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

build_sdist = hatchling.build_sdist
build_wheel = hatchling.build_wheel


def get_requires_for_build_wheel(settings: dict[str, Any] | None = None) -> list[str]:
    """Return what is required to build a wheel; Node only if the front end is built."""
    return [*hatchling.get_requires_for_build_wheel(settings), *_front_end_requires()]


def get_requires_for_build_sdist(settings: dict[str, Any] | None = None) -> list[str]:
    """Return what is required to build an sdist, which contains the built front end, so that wheels from it need no
    Node.
    """
    return [*hatchling.get_requires_for_build_sdist(settings), *_front_end_requires()]


def _front_end_requires() -> list[str]:
    if front_end.is_fresh():
        return []
    project = tomllib.loads((front_end.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"]["build"])


class FrontEndHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the front end and installs the labextension where JupyterLab finds it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before hatchling collects files; ``version`` is "editable" or "standard"."""
        if version == "editable":
            return
        front_end.build()
        build_data["artifacts"] += [front_end.VIEWS]
        if self.target_name == "wheel":
            home = "share/jupyter/labextensions/paimon-workbench"
            build_data["shared_data"][front_end.LABEXTENSION] = home
            build_data["shared_data"]["extension/install.json"] = f"{home}/install.json"
        else:
            build_data["artifacts"] += [f"{front_end.LABEXTENSION}/**", front_end.RECORD]
