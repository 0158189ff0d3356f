"""Tables of so many files that their manifests are read together, by columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.format.spec import manifest_columns
from workbench.metadata import manifests

pytestmark = pytest.mark.usefixtures("table")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "_ENTRIES_WORTH_COLUMNS", 2)
    monkeypatch.setattr(manifest_columns, "_FEWEST_BLOCKS", 2)
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db", exist_ok=True)
    options = {"bucket": "2", "manifest.merge-min-count": "1000"}
    table = catalog.create_table("db.t", {"k": "INT", "v": "STRING"}, primary_key=["k"], options=options)
    for number in range(4):
        table.write([{"k": key, "v": f"{number}"} for key in range(number, 20)])
    return table


def test_they_read_the_same(tmp_path: Path) -> None:
    again = wb.connect(str(tmp_path)).get_table("db.t")
    rows = again.to_arrow().sort_by("k")
    assert rows["v"].to_pylist() == ["0", "1", "2", *["3"] * 17]
    assert again.at(snapshot=1).to_arrow().num_rows == 20


def test_a_damaged_one_is_named(tmp_path: Path) -> None:
    damaged = max((tmp_path / "db.db" / "t" / "manifest").glob("manifest-[!l]*"))
    damaged.write_bytes(damaged.read_bytes()[:-20])
    with pytest.raises(wb.CorruptFile, match=damaged.name):
        wb.connect(str(tmp_path)).get_table("db.t").to_arrow()
