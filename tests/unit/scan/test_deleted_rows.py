"""Deletion vectors of an append table: created by hand, so that they may be wrong."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from workbench.base.errors import CorruptFile, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.index.deletion_vector import BITMAP32_MAGIC
from workbench.scan.split_reader import SplitReader
from workbench.table.table import Table

ROWS = 3000
RANGE = {
    "type": "record",
    "name": "range",
    "fields": [
        {"name": "f0", "type": "string"},
        {"name": "f1", "type": "int"},
        {"name": "f2", "type": "int"},
        {"name": "_CARDINALITY", "type": ["null", "long"], "default": None},
    ],
}
ENTRY = {
    "type": "record",
    "name": "entry",
    "fields": [
        *({"name": name, "type": kind} for name, kind in (("_VERSION", "int"), ("_KIND", "int"))),
        *({"name": name, "type": kind} for name, kind in (("_PARTITION", "bytes"), ("_BUCKET", "int"))),
        *({"name": name, "type": "string"} for name in ("_INDEX_TYPE", "_FILE_NAME")),
        *({"name": name, "type": "long"} for name in ("_FILE_SIZE", "_ROW_COUNT")),
        {"name": "_DELETIONS_VECTORS_RANGES", "type": ["null", {"type": "array", "items": ["null", RANGE]}]},
    ],
}


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """Two files of 3,000 rows, the option for vectors set behind the library's back."""
    created = catalog.create_table("db.t", {"id": "BIGINT NOT NULL", "s": "STRING"})
    for first in (0, ROWS):
        ids = range(first, first + ROWS)
        created.write(pa.table({"id": pa.array(ids, pa.int64()), "s": [f"row {each}" for each in ids]}))
    set_option(created, "true")
    return catalog.get_table("db.t")


def set_option(table: Table, value: str) -> None:
    path = Path(table.location, "schema", "schema-0")
    schema = json.loads(path.read_text())
    schema["options"]["deletion-vectors.enabled"] = value
    path.write_text(json.dumps(schema))


def vector(positions: Sequence[int]) -> bytes:
    body = BITMAP32_MAGIC.to_bytes(4, "big") + BitMap(positions).serialize()
    return len(body).to_bytes(4, "big") + body + crc32(body).to_bytes(4, "big")


def delete(table: Table, positions: Sequence[Sequence[int]], **changes: Any) -> Table:
    """Add a snapshot in which the rows at these positions of each file are deleted; ``changes`` override fields of the
    index entry."""
    latest = table.snapshot()
    number = latest.id + 1
    live = sorted((file for split in table.scan().plan() for file in split.files), key=lambda file: file.file_name)
    first = {file.file_name: table.store.path("bucket-0", file.file_name) for file in live}
    ids = {name: pq.read_table(path)["id"][0].as_py() for name, path in first.items()}
    data, ranges = b"\x01", []
    for name, chosen in zip(sorted(ids, key=ids.__getitem__), positions, strict=True):
        if chosen:
            blob = vector(chosen)
            ranges.append({"f0": name, "f1": len(data), "f2": len(blob) - 8, "_CARDINALITY": len(chosen)})
            data += blob
    home = Path(table.location)
    (home / "index").mkdir(exist_ok=True)
    (home / "index" / f"index-{number}").write_bytes(data)
    partition = (0).to_bytes(4, "big") + bytes(8)
    entry = {"_VERSION": 1, "_KIND": 0, "_PARTITION": partition, "_BUCKET": 0, "_INDEX_TYPE": "DELETION_VECTORS"}
    entry |= {"_FILE_NAME": f"index-{number}", "_FILE_SIZE": len(data), "_ROW_COUNT": len(ranges)}
    entry |= {"_DELETIONS_VECTORS_RANGES": ranges, **changes}
    with (home / "manifest" / f"index-manifest-{number}").open("wb") as out:
        fastavro.writer(out, fastavro.parse_schema(ENTRY), [entry])
    snapshot = json.loads((home / "snapshot" / f"snapshot-{latest.id}").read_text())
    snapshot |= {"id": number, "indexManifest": f"index-manifest-{number}", "commitKind": "OVERWRITE"}
    (home / "snapshot" / f"snapshot-{number}").write_text(json.dumps(snapshot))
    (home / "snapshot" / "LATEST").write_text(str(number))
    return table


def ids(result: pa.Table) -> list[int]:
    return sorted(result["id"].to_pylist())


def test_deleted_rows_are_hidden_in_their_version_only(table: Table) -> None:
    delete(table, [[0, 5, ROWS - 1], []])
    left = [each for each in range(2 * ROWS) if each not in (0, 5, ROWS - 1)]
    assert ids(table.to_arrow()) == left
    assert ids(table.to_batches().read_all()) == left
    assert ids(table.to_arrow(where="id < 10", columns=["s", "id"])) == [1, 2, 3, 4, 6, 7, 8, 9]
    assert len(table.to_arrow(limit=7)) == 7
    assert ids(table.at(snapshot=2).to_arrow()) == list(range(2 * ROWS))


def test_changes_of_vectors_alone_are_changes(table: Table) -> None:
    delete(table, [[1, 2], []])
    delete(table, [[1, 2], [7]])
    delete(table, [[1, 2], [7]])
    result = {(a, b): table.changes(a, b, mode="diff") for a, b in ((2, 3), (3, 4), (2, 5), (4, 5))}
    rows = {pair: [tuple(row.values())[:2] for row in each.to_pylist()] for pair, each in result.items()}
    assert sorted(rows[2, 3]) == [("-D", 1), ("-D", 2)]
    assert rows[3, 4] == [("-D", ROWS + 7)]
    assert len(rows[2, 5]) == 3
    assert rows[4, 5] == []


def test_splits_travel_with_their_vectors(table: Table) -> None:
    """A task in another process receives enough to omit the rows."""
    delete(table, [list(range(100)), list(range(50))])
    scan = table.scan()
    store, splits = pickle.loads(pickle.dumps((scan.store, scan.plan())))
    assert not any(split.raw_convertible for split in splits)
    reader = SplitReader(store, scan.schema, ("id",))
    assert reader.read_all(splits).num_rows == 2 * ROWS - 150


def test_everything_deleted(table: Table) -> None:
    delete(table, [range(ROWS), range(ROWS)])
    assert table.to_arrow().num_rows == 0
    assert table.to_batches().read_all().num_rows == 0


def test_later_rows_keep_the_vectors(table: Table) -> None:
    delete(table, [[1], []])
    table.write(pa.table({"id": pa.array([-1], pa.int64()), "s": ["x"]}))
    assert ids(table.to_arrow()) == [-1, 0, *range(2, 2 * ROWS)]


def test_vectors_of_a_table_without_the_option_are_refused(table: Table, catalog: FileSystemCatalog) -> None:
    delete(table, [[1], []])
    set_option(table, "false")
    with pytest.raises(Unsupported, match="deletion vectors"):
        catalog.get_table("db.t").to_arrow()


@pytest.mark.parametrize("change", [{"_VERSION": 2}, {"_KIND": 1}, {"_DELETIONS_VECTORS_RANGES": None}])
def test_unknown_entries_are_refused(table: Table, change: dict[str, Any]) -> None:
    delete(table, [[1], []], **change)
    with pytest.raises((CorruptFile, Unsupported), match="index-manifest-3"):
        table.to_arrow()


def test_damaged_index_files(table: Table, catalog: FileSystemCatalog) -> None:
    delete(table, [list(range(0, ROWS, 3)), []])
    path = Path(table.location, "index", "index-3")
    data = path.read_bytes()
    positions = range(1, len(data), 37)
    damaged = [data[:position] for position in (0, *positions)]
    damaged += [data[:position] + bytes([data[position] ^ 0x41]) + data[position + 1 :] for position in positions]
    for each in damaged:
        path.write_bytes(each)
        with pytest.raises((CorruptFile, Unsupported), match="index-3"):
            catalog.get_table("db.t").to_arrow()
    path.unlink()
    with pytest.raises(CorruptFile, match="index-3"):
        catalog.get_table("db.t").to_arrow()
    path.write_bytes(data)
    assert catalog.get_table("db.t").to_arrow().num_rows == 2 * ROWS - 1000
