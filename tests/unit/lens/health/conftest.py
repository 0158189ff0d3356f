from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.maintained_tables import clocked
from tests.unit.lens.health.defects import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(*clocked(tmp_path / "warehouse"))
