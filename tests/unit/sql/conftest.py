from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.catalog.connect import connect


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    opened = connect(str(tmp_path))
    opened.create_database("shop")
    return opened


@pytest.fixture(autouse=True)
def _without_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a Spark session that another test of this process may have started, because writes would run on it."""
    monkeypatch.setattr("workbench.sql.engines.choice.session_is_up", lambda: False)
