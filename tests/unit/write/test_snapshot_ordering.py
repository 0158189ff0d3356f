"""Rows whose age is that of their commit: option ``sequence.snapshot-ordering``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CorruptFile
from workbench.format.spec.data_file import FileSource
from workbench.format.spec.manifest import read_manifest, write_manifest
from workbench.scan import section_reader as sections
from workbench.table.table import Table


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    catalog = wb.connect(tmp_path)
    catalog.create_database("db")
    options = {"bucket": 1, "write-only": True}
    table = catalog.create_table("db.t", {"id": "INT", "v": "INT"}, primary_key="id", options=options)
    for value in (1, 2, 3):
        ids = pa.array(range(value, 9), pa.int32())
        table.write(pa.table({"id": ids, "v": pa.array([value] * len(ids), pa.int32())}))
    return tmp_path


def with_sequences(warehouse: Path, numbers: Iterable[int], source: FileSource | None) -> Table:
    """Return the table with snapshot ordering, as if its commits had given their files these sequence numbers."""
    root = warehouse / "db.db" / "t"
    schema = root / "schema" / "schema-0"
    schema.write_text(schema.read_text().replace('"options": {', '"options": {"sequence.snapshot-ordering": "true",'))
    paths = sorted(root.glob("manifest/manifest-[!l]*"), key=lambda path: path.stat().st_mtime_ns)
    for path, number in zip(paths, numbers, strict=True):
        (entry,) = read_manifest(path.read_bytes(), str(path))
        file = replace(entry.file, min_sequence_number=number, max_sequence_number=number, file_source=source)
        path.write_bytes(write_manifest([replace(entry, file=file)]))
    return wb.connect(warehouse).get_table("db.t")


def values(table: Table) -> dict[int, int]:
    return dict(zip(*table.to_arrow().to_pydict().values(), strict=True))


@pytest.mark.parametrize("slice_rows", [1, 1 << 19])
def test_the_number_of_the_file_decides(warehouse: Path, slice_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_SLICE_ROWS", slice_rows)
    assert set(values(with_sequences(warehouse, (1, 2, 3), FileSource.APPEND)).items()) == {
        (1, 1),
        (2, 2),
        *((number, 3) for number in range(3, 9)),
    }
    assert set(values(with_sequences(warehouse, (3, 2, 1), FileSource.APPEND)).values()) == {1}


def test_compacted_files_store_the_numbers_of_rows(warehouse: Path) -> None:
    rows = with_sequences(warehouse, (3, 3, 3), FileSource.COMPACT).to_batches().read_all().to_pydict()
    assert dict(zip(rows["id"], rows["v"], strict=True)) == {1: 1, 2: 2, **dict.fromkeys(range(3, 9), 3)}


def test_files_of_an_unknown_writer_have_no_order(warehouse: Path) -> None:
    with pytest.raises(CorruptFile, match=r"data-.*sequence\.snapshot-ordering"):
        with_sequences(warehouse, (1, 2, 3), None).to_arrow()
