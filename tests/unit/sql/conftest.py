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
