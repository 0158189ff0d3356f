"""Tables of Java with deletion vectors of both kinds, in files of every format: any batch size gives the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.golden import KEYED_TABLES, unpack
from workbench.catalog.connect import connect
from workbench.datafile.formats import orc_reader as orc
from workbench.scan import section_reader as sections


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("large_bytes", [0, 4 << 20])
@pytest.mark.parametrize("rows", [1, 7, 1000])
@pytest.mark.parametrize("name", KEYED_TABLES)
def test_batches(warehouse: Path, monkeypatch: pytest.MonkeyPatch, name: str, rows: int, large_bytes: int) -> None:
    table = connect(warehouse).get_table(f"db.{name}")
    expected = sorted(map(repr, table.to_arrow().to_pylist()))
    assert len(expected) > 500
    monkeypatch.setattr(sections, "_SLICE_ROWS", rows)
    monkeypatch.setattr(orc, "_LARGE_BYTES", large_bytes)
    batches = [batch for piece in table.scan().stream(rows) for batch in piece.to_batches()]
    assert sorted(repr(row) for batch in batches for row in batch.to_pylist()) == expected
    assert max(batch.num_rows for batch in batches) <= rows
