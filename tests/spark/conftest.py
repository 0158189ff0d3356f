from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    pytest.importorskip("pyspark")
    from tests.support.spark_places import small_session

    session = small_session("workbench-tests")
    yield session
    session.stop()


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    import workbench as wb

    opened = wb.connect(str(tmp_path / "warehouse"))
    opened.create_database("shop")
    return opened
