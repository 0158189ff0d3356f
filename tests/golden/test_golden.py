"""Tables that Java 2.0.0 and Spark with Paimon 0.9 created earlier, read as their makers read them. No Java is
needed."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.stored import MAKERS, Stored, archive, folder_of, kept_cells
from tests.interop.matrix.feature import Cell
from tests.interop.matrix.judging import judge
from tests.interop.matrix.table import cells
from tests.support.sampling import sampled

ALL = list(cells())
GOLDEN = [cell for maker in MAKERS for cell in kept_cells(maker, ALL)]


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder with the tables of a maker."""
    folders: dict[str, Path] = {}

    def of(maker: str) -> Path:
        if maker not in folders:
            folders[maker] = tmp_path_factory.mktemp(maker)
            with tarfile.open(archive(maker)) as packed:
                packed.extractall(folders[maker], filter="data")
        return folders[maker]

    return of


@pytest.mark.parametrize("cell", sampled(GOLDEN, 2), ids=str)
def test_a_golden_table(cell: Cell, unpacked: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = unpacked(cell.maker) / folder_of(cell)
    assert judge(cell.made, Stored(cell.maker, warehouse), warehouse, "db.t", monkeypatch) == "same"


def test_archives_are_small() -> None:
    assert sum(archive(maker).stat().st_size for maker in MAKERS) < 2_000_000
