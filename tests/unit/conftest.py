from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = connect(tmp_path / "warehouse")
    opened.create_database("db")
    return opened
