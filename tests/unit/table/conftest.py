from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    made = connect(tmp_path / "warehouse")
    made.create_database("db")
    return made
