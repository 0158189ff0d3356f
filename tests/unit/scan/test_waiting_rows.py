"""Option 'postpone.merge-on-read': a read returns what it would return after a compaction gave every row its bucket."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.support.sampling import sampled
from workbench.metadata.manifests import ManifestFiles
from workbench.scan import section_reader, waiting_rows
from workbench.table.read_options import open_for_read

MERGED = {"postpone.merge-on-read": "true"}
_WAITS = {"bucket": "-2", "postpone.batch-write-fixed-bucket": "false"}
_COLUMNS = {"p": "INT NOT NULL", "id": "INT NOT NULL", "a": "INT", "b": "STRING", "s": "INT"}
_KINDS: dict[str, dict[str, str]] = {
    "deduplicate": {},
    "three buckets": {"postpone.default-bucket-num": "3"},
    "bucket key": {"postpone.default-bucket-num": "3", "bucket-key": "id"},
    "sequence field": {"sequence.field": "s"},
    "partial-update": {"merge-engine": "partial-update"},
    "aggregation": {"merge-engine": "aggregation", "fields.a.aggregate-function": "sum"},
    "first-row": {"merge-engine": "first-row", "postpone.default-bucket-num": "2"},
    "deletion vectors": {"deletion-vectors.enabled": "true", "postpone.default-bucket-num": "2"},
    "ignore-delete": {"ignore-delete": "true"},
    "parquet": {"postpone.default-bucket-num": "2"},
}
# Kinds of tables whose rows cannot be deleted.
_KEEPS_ALL = ("partial-update", "aggregation", "first-row")

_BATCH = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 9), st.none() | st.integers(0, 9), st.booleans()), min_size=1
)
_HISTORY = st.lists(st.tuples(st.sampled_from(["write", "write", "compact"]), _BATCH), min_size=1, max_size=6)


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    made = wb.connect(str(tmp_path / "warehouse"))
    made.create_database("db")
    return made


def _create(catalog: Any, kind: str) -> Any:
    # Avro files cannot have such a column, so that rows wait in Parquet files.
    columns = {**_COLUMNS, **({"m": "TIMESTAMP(9)"} if kind == "parquet" else {})}
    return catalog.create_table("db.t", columns, ["p", "id"], ["p"], {**_WAITS, **_KINDS[kind]})


def _batch(table: Any, rows: list[tuple[int, int, int | None, bool]], number: int, *, deletes: bool) -> pa.Table:
    return pa.table(
        {
            "p": pa.array([row[0] for row in rows], pa.int32()),
            "id": pa.array([row[1] for row in rows], pa.int32()),
            "a": pa.array([row[2] for row in rows], pa.int32()),
            "b": [None if row[2] is None else f"{number}-{at}" for at, row in enumerate(rows)],
            "s": pa.array([10 if row[3] else number for row in rows], pa.int32()),
            **({"m": pa.nulls(len(rows), pa.timestamp("ns"))} if "m" in table.schema.field_names else {}),
            "kind": ["+I" if row[3] or not deletes else "-D" for row in rows],
        }
    )


def _rows(table: Any, **read: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.to_arrow(**read).to_pylist()), key=repr)


def _compacted(catalog: Any) -> Any:
    """Return a compacted copy of the table."""
    folder = Path(catalog.warehouse, "copy.db")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(catalog.warehouse, "db.db"), folder)
    copied = catalog.get_table("copy.t")
    copied.compact(full=True)
    return copied


@pytest.mark.parametrize("kind", sampled(_KINDS, 4))
def test_reads_equal_those_after_a_compaction(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    @settings(max_examples=12, deadline=None)
    @given(history=_HISTORY, few=st.booleans())
    def check(history: list[tuple[str, Any]], few: bool) -> None:
        catalog = wb.connect(str(tmp_path_factory.mktemp("warehouse")))
        catalog.create_database("db")
        table = _create(catalog, kind)
        for number, (action, rows) in enumerate(history):
            if action == "compact":
                table.compact()
            else:
                table.write(_batch(table, rows, number, deletes=kind not in _KEEPS_ALL), row_kind="kind")
        read, expected = open_for_read(table, MERGED), _compacted(catalog)
        with pytest.MonkeyPatch.context() as patch:
            if few:
                patch.setattr(waiting_rows, "_PIECE_ROWS", 2)
                patch.setattr(section_reader, "_SLICE_ROWS", 3)
                patch.setattr(section_reader, "_WHOLE_SECTION_BYTES", 0)
            assert _rows(read) == _rows(expected)
            for where in ("id = 3", "p = 1", "a > 4", "b IS NULL", "p = 0 AND id IN (1, 2) AND a IS NOT NULL"):
                assert _rows(read, where=where) == _rows(expected, where=where)
            assert _rows(read, columns=["b"]) == _rows(expected, columns=["b"])
            streamed = pa.Table.from_batches(read.to_batches(where="id < 7"), read.arrow_schema)
            assert streamed.num_rows == expected.scan(where="id < 7").count()
        assert read.scan().count() == expected.scan().count()
        assert len(_rows(read, limit=3)) == min(3, expected.scan().count())

    check()


def test_rows_wait_unless_the_option_is_set(catalog: Any) -> None:
    table = _create(catalog, "three buckets")
    table.write(_batch(table, [(0, 1, 1, True), (0, 1, 2, True), (1, 1, 3, True)], 0, deletes=True), row_kind="kind")
    assert _rows(table) == []
    assert table.scan().explain().files_pruned == {"no bucket yet": 2}
    read = open_for_read(table, MERGED)
    assert [row[2] for row in _rows(read)] == [2, 3]
    assert not read.scan().explain().files_pruned
    assert all(not split.raw_convertible and split.waiting for split in read.scan().plan())
    assert "no bucket yet" not in str(read.scan(where="p = 0").explain())
    catalog.alter_table("db.t", wb.SetOption("postpone.merge-on-read", "true"))
    assert [row[2] for row in _rows(catalog.get_table("db.t"))] == [2, 3]


def test_a_key_leaves_out_the_buckets_that_it_is_not_in(catalog: Any) -> None:
    table = _create(catalog, "three buckets")
    rows = [(0, number, number, True) for number in range(10)]
    table.write(_batch(table, rows, 0, deletes=True), row_kind="kind")
    table.compact()
    table.write(_batch(table, rows, 1, deletes=True), row_kind="kind")
    scan = open_for_read(table, MERGED).scan(where="p = 0 AND id = 3")
    assert len(scan.plan()) == 1
    assert scan.to_arrow()["b"].to_pylist() == ["1-3"]


def test_what_would_not_see_the_waiting_rows_is_refused(catalog: Any) -> None:
    table = _create(catalog, "deduplicate")
    table.write(_batch(table, [(0, 1, 1, True)], 0, deletes=True), row_kind="kind")
    read = open_for_read(table, MERGED)
    with pytest.raises(wb.Unsupported, match="cannot be compared"):
        read.changes(0, 1, mode="diff")
    with pytest.raises(wb.Unsupported, match="cannot be explained"):
        wb.explain(read, "id = 1").value  # noqa: B018
    with pytest.raises(wb.Unsupported, match="no biography"):
        wb.biography(read, {"p": 0, "id": 1}).value  # noqa: B018
    catalog.alter_table(
        "db.t",
        wb.SetOption("postpone.merge-on-read", "true"),
        wb.SetOption("postpone.batch-write-fixed-bucket", "true"),
    )
    straight = catalog.get_table("db.t")
    with pytest.raises(wb.Unsupported, match="hide the changed rows"):
        straight.update({"a": "2"}, where="id = 1")
    straight.compact()
    straight.update({"a": "2"}, where="id = 1")
    assert [row[2] for row in _rows(straight)] == [2]


def test_changes_of_waiting_rows_wait_as_well(catalog: Any) -> None:
    table = _create(catalog, "deduplicate")
    table.write(_batch(table, [(0, 1, 1, True), (0, 2, 2, True)], 0, deletes=True), row_kind="kind")
    catalog.alter_table("db.t", wb.SetOption("postpone.merge-on-read", "true"))
    table = catalog.get_table("db.t")
    table.update({"a": "a + 10"}, where="id = 1")
    table.delete("id = 2")
    assert [row[2] for row in _rows(table)] == [11]
    assert {entry.bucket for entry in ManifestFiles(table.store).live_files(table.version)} == {-2}
    table.compact()
    assert [row[2] for row in _rows(table)] == [11]
