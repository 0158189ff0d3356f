"""Ids and sequence numbers of rows: from the manifest, from the file, or lost."""

from __future__ import annotations

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.evolving import TRACKED, EvolvingTable
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def tracked(catalog: FileSystemCatalog) -> EvolvingTable:
    evolving = EvolvingTable(catalog, {"id": "INT", "s": "STRING"}, TRACKED)
    evolving.add(rows(0, 4), 0, 1, row_group_size=2)
    evolving.add(rows(4, 3), 4, 2)
    return evolving


def rows(first: int, count: int) -> pa.Table:
    ids = range(first, first + count)
    return pa.table({"id": pa.array(ids, pa.int32()), "s": [f"s{each}" for each in ids]})


def test_ids_are_returned_only_on_request(tracked: EvolvingTable) -> None:
    assert tracked.table.to_arrow().column_names == ["id", "s"]
    assert tracked.table.arrow_schema.names == ["id", "s"]
    shown = tracked.table.to_arrow(["_SEQUENCE_NUMBER", "id", "_ROW_ID"])
    assert shown.schema == pa.schema(
        [
            pa.field("_SEQUENCE_NUMBER", pa.int64(), nullable=False),
            pa.field("id", pa.int32()),
            pa.field("_ROW_ID", pa.int64(), nullable=False),
        ]
    )
    assert shown["_ROW_ID"].to_pylist() == list(range(7))
    assert shown["_SEQUENCE_NUMBER"].to_pylist() == [1] * 4 + [2] * 3
    assert tracked.table.to_arrow(["_ROW_ID"]).num_rows == 7
    assert tracked.table.to_batches(["_ROW_ID"]).read_all()["_ROW_ID"].to_pylist() == list(range(7))


def test_ids_in_predicates(tracked: EvolvingTable) -> None:
    scan = tracked.table.scan(["id"], "_ROW_ID BETWEEN 3 AND 4")
    assert scan.to_arrow()["id"].to_pylist() == [3, 4]
    assert tracked.table.scan(where="_ROW_ID > 4").explain().files_pruned == {"value range": 1}
    # Row ids count from the start of the file, regardless of skipped row groups.
    assert tracked.table.to_arrow(["_ROW_ID"], "id = 3")["_ROW_ID"].to_pylist() == [3]
    assert tracked.table.to_arrow(["id"], "_SEQUENCE_NUMBER = 2 AND s < 's6'")["id"].to_pylist() == [4, 5]


def test_ids_in_the_file_take_precedence(tracked: EvolvingTable) -> None:
    ids, numbers = pa.array([90, None, 40], pa.int64()), pa.array([None, 5, None], pa.int64())
    tracked.add(rows(7, 3).append_column("_ROW_ID", ids).append_column("_SEQUENCE_NUMBER", numbers), 7, 9)
    shown = tracked.table.to_arrow(["_ROW_ID", "_SEQUENCE_NUMBER"], "id > 6")
    assert shown["_ROW_ID"].to_pylist() == [90, 8, 40]
    assert shown["_SEQUENCE_NUMBER"].to_pylist() == [9, 5, 9]
    assert tracked.table.to_arrow(["id"], "_ROW_ID = 90")["id"].to_pylist() == [7]


def test_lost_ids(tracked: EvolvingTable) -> None:
    path = tracked.add(rows(7, 1), None, 3)
    assert tracked.table.to_arrow().num_rows == 8
    with pytest.raises(wb.WorkbenchError, match=f"{path.name} has no row ids: they were lost"):
        tracked.table.to_arrow(["_ROW_ID"])
    assert tracked.table.to_arrow(["_SEQUENCE_NUMBER"])["_SEQUENCE_NUMBER"].to_pylist()[-1] == 3


def test_the_system_table(tracked: EvolvingTable) -> None:
    system = tracked.catalog.open("db.t$row_tracking")
    assert [str(each) for each in system.schema.fields][2:] == [
        "_ROW_ID BIGINT NOT NULL",
        "_SEQUENCE_NUMBER BIGINT NOT NULL",
    ]
    assert system.to_arrow(where="id = 5").to_pylist() == [{"id": 5, "s": "s5", "_ROW_ID": 5, "_SEQUENCE_NUMBER": 2}]
    assert system.to_arrow(["s"], limit=2).num_rows == 2
    assert system.at(snapshot=1).to_arrow().num_rows == 4


def test_tables_that_do_not_track(catalog: FileSystemCatalog) -> None:
    plain = catalog.create_table("db.plain", {"id": "INT"})
    with pytest.raises(wb.SchemaMismatch, match="There is no column '_ROW_ID'"):
        plain.to_arrow(["_ROW_ID"])
    with pytest.raises(wb.WorkbenchError, match=r"db\.plain does not track its rows"):
        catalog.open("db.plain$row_tracking")


def test_new_rows_get_the_next_ids(tracked: EvolvingTable) -> None:
    tracked.table.write(rows(7, 2))
    actual_rows = tracked.table.to_arrow(["_ROW_ID", "_SEQUENCE_NUMBER"])
    assert actual_rows["_ROW_ID"].to_pylist()[-2:] == [0, 1]
    assert tracked.table.snapshot().next_row_id == 2
    assert actual_rows["_SEQUENCE_NUMBER"].to_pylist()[-2:] == [tracked.table.snapshot().id] * 2
