"""Column files joined by row ids, and large objects in separate files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.evolving import EVOLVING, PLACEHOLDER, EvolvingTable
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile import large_objects
from workbench.format.blob.descriptor import BlobDescriptor


def ints(values: object) -> pa.Array:
    return pa.array(values, pa.int32())


@pytest.fixture
def numbers(catalog: FileSystemCatalog) -> EvolvingTable:
    """Create a table with two ranges of rows: ``b`` was updated in the first, and nothing in the second."""
    evolving = EvolvingTable(catalog, {"a": "INT", "b": "INT", "c": "INT"}, EVOLVING)
    evolving.add(pa.table({"a": ints(range(100)), "b": ints(range(100))}), 0, 1, row_group_size=30)
    evolving.add(pa.table({"b": ints(range(1000, 1100))}), 0, 3, row_group_size=7)
    evolving.add(pa.table({"a": ints(range(100, 110)), "b": ints(range(10))}), 100, 2)
    return evolving


def test_the_newest_file_of_a_column_is_read(numbers: EvolvingTable) -> None:
    rows = numbers.table.to_arrow()
    assert rows["a"].to_pylist() == list(range(110))
    assert rows["b"].to_pylist() == [*range(1000, 1100), *range(10)]
    assert rows["c"].null_count == 110
    for columns in (["b"], ["c"], ["c", "a"], ["_ROW_ID"], ["b", "_ROW_ID", "a"]):
        selected = numbers.table.to_arrow(columns)
        assert selected.column_names == columns
        assert selected.num_rows == 110
        assert numbers.table.to_batches(columns).read_all() == selected


def test_ids_and_sequence_numbers_are_those_of_the_newest_file(numbers: EvolvingTable) -> None:
    rows = numbers.table.to_arrow(["_ROW_ID", "_SEQUENCE_NUMBER"])
    assert rows["_ROW_ID"].to_pylist() == list(range(110))
    assert rows["_SEQUENCE_NUMBER"].to_pylist() == [3] * 100 + [2] * 10


@pytest.mark.parametrize("rows", [1, 6, 29, 1000])
def test_streams_keep_rows_together(numbers: EvolvingTable, rows: int) -> None:
    batches = [batch for piece in numbers.table.scan().stream(rows) for batch in piece.to_batches()]
    assert max(batch.num_rows for batch in batches) <= rows
    assert pa.Table.from_batches(batches).combine_chunks() == numbers.table.to_arrow().combine_chunks()


@pytest.mark.parametrize("rows", [1, 29, 64])
def test_large_ranges_are_read_in_parts(numbers: EvolvingTable, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = numbers.table.to_arrow(["b", "_ROW_ID", "a"])
    monkeypatch.setattr("workbench.scan.split_reader._PART_ROWS", rows)
    assert numbers.table.to_arrow(["b", "_ROW_ID", "a"]).combine_chunks() == whole.combine_chunks()


def test_predicates(numbers: EvolvingTable) -> None:
    assert numbers.table.to_arrow(["a"], "b = 1007")["a"].to_pylist() == [7]
    assert numbers.table.to_arrow(["a"], "b = 7")["a"].to_pylist() == [107]
    assert numbers.table.to_arrow(["a"], "b = 7 OR a = 3")["a"].to_pylist() == [3, 107]
    assert numbers.table.to_arrow(["a"], "_ROW_ID IN (5, 105)")["a"].to_pylist() == [5, 105]
    assert numbers.table.to_arrow(["a"], "c IS NULL AND a = 8").num_rows == 1
    assert numbers.table.scan(where="_ROW_ID < 100").explain().files_pruned == {"value range": 1}
    assert numbers.table.scan(where="_ROW_ID > 99").explain().files_pruned == {"value range": 2}


def test_counts(numbers: EvolvingTable) -> None:
    assert numbers.table.scan().count() == 110
    assert numbers.table.scan(where="b < 1003").count() == 13
    assert numbers.table.to_arrow([]).num_rows == 110


def test_limit(numbers: EvolvingTable) -> None:
    assert numbers.table.to_arrow(["b"], limit=3)["b"].to_pylist() == [1000, 1001, 1002]


def test_files_that_contradict_each_other(numbers: EvolvingTable) -> None:
    path = numbers.add(pa.table({"c": ints(range(50))}), 80, 4)
    with pytest.raises(wb.CorruptFile, match=r"its row ids overlap those of data-"):
        numbers.table.to_arrow()
    assert path.exists()


def test_files_without_row_ids(numbers: EvolvingTable) -> None:
    numbers.add(pa.table({"c": ints([1])}), None, 4)
    with pytest.raises(wb.CorruptFile, match="has no row ids"):
        numbers.table.to_arrow()


# --- large objects ----------------------------------------------------------------------------------------------------


@pytest.fixture
def pictures(catalog: FileSystemCatalog) -> EvolvingTable:
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, EVOLVING)
    evolving.add(pa.table({"a": ints(range(6))}), 0, 1)
    evolving.add_blobs("pic", [b"zero", None, b"", b"three"], 0, 1)
    evolving.add_blobs("pic", [b"four", b"five" * 1000], 4, 1)
    return evolving


def test_objects(pictures: EvolvingTable) -> None:
    expected = [b"zero", None, b"", b"three", b"four", b"five" * 1000]
    assert pictures.table.to_arrow()["pic"].to_pylist() == expected
    assert pictures.table.to_batches().read_all()["pic"].to_pylist() == expected
    assert pictures.table.to_arrow(["pic"], "a IN (1, 4)")["pic"].to_pylist() == [None, b"four"]
    assert pictures.table.to_arrow(["a"], "pic IS NULL")["a"].to_pylist() == [1]
    assert pictures.table.to_arrow(["a"], "pic = X'666f7572'")["a"].to_pylist() == [4]


def test_updated_objects(pictures: EvolvingTable) -> None:
    pictures.add_blobs("pic", [PLACEHOLDER, b"one", None], 0, 2)
    pictures.add_blobs("pic", [b"TWO", PLACEHOLDER, PLACEHOLDER, b"FIVE"], 2, 3)
    assert pictures.table.to_arrow()["pic"].to_pylist() == [b"zero", b"one", b"TWO", b"three", b"four", b"FIVE"]


def test_a_placeholder_for_nothing_is_null(catalog: FileSystemCatalog) -> None:
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, EVOLVING)
    evolving.add(pa.table({"a": ints(range(2))}), 0, 1)
    evolving.add_blobs("pic", [PLACEHOLDER, b"x"], 0, 1)
    assert evolving.table.to_arrow()["pic"].to_pylist() == [None, b"x"]


def test_pieces_are_bounded(pictures: EvolvingTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_objects, "_PIECE_BYTES", 10)
    batches = [batch["pic"].to_pylist() for batch in pictures.table.to_batches()]
    assert max(map(len, batches)) <= 4
    assert [value for batch in batches for value in batch][3:] == [b"three", b"four", b"five" * 1000]


def test_objects_are_read_only_on_request(pictures: EvolvingTable) -> None:
    for path in Path(pictures.table.location).rglob("*.blob"):
        path.write_bytes(b"")
    assert pictures.table.to_arrow(["a"]).num_rows == 6
    with pytest.raises(wb.CorruptFile, match=r"\.blob"):
        pictures.table.to_arrow()


def test_missing_objects(pictures: EvolvingTable) -> None:
    pictures.add(pa.table({"a": ints(range(2))}), 6, 2)
    path = pictures.add_blobs("pic", [b"six"], 6, 2)
    with pytest.raises(wb.CorruptFile, match=f"{path.name}.*do not contain exactly the rows of their range"):
        pictures.table.to_arrow()


@pytest.mark.parametrize("place", [0, 6, 11, 17, -1, -3, -8])
def test_damaged_objects(pictures: EvolvingTable, place: int) -> None:
    """A flipped bit in the magic number, the bytes, the length, the checksum, the version, the size or the index."""
    pictures.add(pa.table({"a": ints(range(2))}), 6, 2)
    path = pictures.add_blobs("pic", [b"sixth", b"x"], 6, 2)
    data = bytearray(path.read_bytes())
    data[place] ^= 64
    path.write_bytes(data)
    with pytest.raises(wb.CorruptFile, match=path.name):
        pictures.table.to_arrow(["pic"], "a < 2")


def test_descriptors(catalog: FileSystemCatalog) -> None:
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, {**EVOLVING, "blob-as-descriptor": "true"})
    evolving.add(pa.table({"a": ints(range(3))}), 0, 1)
    path = evolving.add_blobs("pic", [b"zero", None, b"two!"], 0, 1)
    rows = [value and BlobDescriptor.from_bytes(value) for value in evolving.table.to_arrow()["pic"].to_pylist()]
    assert rows == [BlobDescriptor(str(path), 4, 4), None, BlobDescriptor(str(path), 24, 4)]


def in_columns(catalog: FileSystemCatalog, *objects: tuple[str, int, int]) -> EvolvingTable:
    """A table whose descriptors are stored in the column itself."""
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, {**EVOLVING, "blob-descriptor-field": "pic"})
    values = pa.array([BlobDescriptor(*each).to_bytes() for each in objects], pa.binary())
    evolving.add(pa.table({"a": ints(range(len(objects))), "pic": values}), 0, 1)
    return evolving


def test_descriptors_in_the_column(catalog: FileSystemCatalog) -> None:
    target = Path(catalog.warehouse) / "picture.bin"
    target.write_bytes(b"0123456789")
    url = f"file://{target}"
    result = in_columns(catalog, (str(target), 0, -1), (url, 2, 3), (str(target), 9, -1), (str(target), 2, 3))
    assert result.table.to_arrow()["pic"].to_pylist() == [b"0123456789", b"234", b"9", b"234"]
    target.unlink()
    with pytest.raises(wb.CorruptFile, match=r"picture\.bin"):
        result.table.to_arrow()


@pytest.mark.parametrize(
    "uri", ["{outside}/x", "{warehouse}/../x", "file:{outside}/x", "http://host/x", "s3://b/x", "x", ""]
)
def test_nothing_outside_the_warehouse_is_opened(catalog: FileSystemCatalog, uri: str) -> None:
    outside = Path(catalog.warehouse).parent
    (outside / "x").write_bytes(b"secret")
    result = in_columns(catalog, (uri.format(outside=outside, warehouse=catalog.warehouse), 0, -1))
    with pytest.raises(wb.Unsupported, match="outside of its warehouse"):
        result.table.to_arrow()
    assert result.table.to_arrow(["a"]).num_rows == 1


def test_garbled_descriptors(catalog: FileSystemCatalog) -> None:
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, {**EVOLVING, "blob-descriptor-field": "pic"})
    evolving.add(pa.table({"a": ints([1]), "pic": pa.array([b"no descriptor"], pa.binary())}), 0, 1)
    with pytest.raises(wb.WorkbenchError):
        evolving.table.to_arrow()


def test_objects_of_other_tables_are_refused(catalog: FileSystemCatalog) -> None:
    evolving = EvolvingTable(catalog, {"a": "INT", "pic": "BLOB"}, {**EVOLVING, "blob-view-field": "pic"})
    evolving.add(pa.table({"a": ints([1]), "pic": pa.array([b"view"], pa.binary())}), 0, 1)
    with pytest.raises(wb.Unsupported, match="'blob-view-field' = 'pic'"):
        evolving.table.to_arrow()
    assert evolving.table.to_arrow(["a"]).num_rows == 1


def test_collections_of_objects(catalog: FileSystemCatalog) -> None:
    """Collections are read from bytes in Java's layout; they are null in a range of rows without such a file."""
    evolving = EvolvingTable(catalog, {"a": "INT", "pics": "ARRAY<BLOB>", "named": "MAP<INT, BLOB>"}, EVOLVING)
    evolving.add(pa.table({"a": ints(range(3))}), 0, 1)
    evolving.add(pa.table({"a": ints(range(3, 5))}), 3, 1)
    head = b"BCBA\x01\x03\0\0\0"
    array = head + b"abcd" + b"\x02\x03\x08" + b"\x03\0\0\0"
    empty = b"BCBA\x01" + bytes(4) + bytes(4)
    evolving.add_blobs("pics", [array, None, empty], 0, 1)
    named = b"BCBM\x01\x01\0\0\0" + b"\x07\0\0\0" + b"xyz" + b"\x08" + b"\x06" + b"\x01\0\0\0\x01\0\0\0"
    evolving.add_blobs("named", [named, PLACEHOLDER, None], 0, 1)
    rows = evolving.table.to_arrow()
    assert rows.schema == evolving.table.arrow_schema
    assert rows["pics"].to_pylist() == [[b"a", None, b"bcd"], None, [], None, None]
    assert rows["named"].to_pylist() == [[(7, b"xyz")], None, None, None, None]
    assert evolving.table.to_arrow(["a"], "pics IS NOT NULL")["a"].to_pylist() == [0, 2]
    for position in (0, 4, 5, 13, len(array) - 1):
        damaged = bytearray(array)
        damaged[position] ^= 32
        evolving.add_blobs("pics", [bytes(damaged), PLACEHOLDER, PLACEHOLDER], 0, 2 + position)
        with pytest.raises(wb.CorruptFile, match=r"\.blob: (a collection|it is truncated|its index)"):
            evolving.table.to_arrow(["pics"])
