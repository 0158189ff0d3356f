"""The setting of a server with which cells delete without ``--yes``."""

from __future__ import annotations

import os
from typing import Any

import pytest


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> dict[str, Any]:
    """A server with or without the setting, and an environment without the variable."""
    monkeypatch.setenv("PAIMON_YES", "")
    return {"delete_without_yes": request.param}


@pytest.mark.parametrize(("settings", "inherited"), [(True, "1"), (False, "")], indirect=["settings"])
@pytest.mark.usefixtures("jp_serverapp")
def test_kernels_inherit_the_setting(settings: dict[str, Any], inherited: str) -> None:  # noqa: ARG001 - of the server
    assert os.environ["PAIMON_YES"] == inherited
