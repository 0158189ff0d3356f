"""Counts, limits and explanations of a plan from metadata alone, which agree with reading."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from workbench.base.errors import CorruptFile
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

PER_FILE = 100
PARTITIONS = ("a", "b", "c", None)


@pytest.fixture
def events(catalog: FileSystemCatalog) -> Table:
    """Partitions a, b, c and NULL of an append table, two files each."""
    created = catalog.create_table("db.events", {"id": "INT", "p": "STRING", "n": "INT"}, partition_by="p")
    for position in range(2 * len(PARTITIONS)):
        ids = list(range(position * PER_FILE, (position + 1) * PER_FILE))
        names = pa.array([PARTITIONS[position // 2]] * PER_FILE, pa.string())
        created.write(pa.table({"id": ids, "p": names, "n": [None if each % 10 == 3 else each % 7 for each in ids]}))
    return created


def remove_data(table: Table) -> None:
    for path in Path(table.location).rglob("*.parquet"):
        path.unlink()


@pytest.mark.parametrize(
    "where", [None, "p = 'a'", "p IN ('a', 'c')", "p IS NULL", "p <> 'b' OR p IS NULL", "p = 'z'", "p LIKE 'a%'"]
)
def test_metadata_counts_without_reading(events: Table, where: str | None) -> None:
    expected = events.to_arrow(where=where).num_rows
    assert expected == len([each for each in events.to_arrow().column("p").to_pylist() if _holds(where, each)])
    remove_data(events)
    assert events.scan(where=where).count() == expected
    assert events.to_arrow([], where=where).num_rows == expected
    assert events.to_arrow([], where=where).column_names == []
    assert events.scan(where=where, limit=150).count() == min(150, expected)
    with pytest.raises(CorruptFile):
        events.scan(where="p = 'a' AND n = 5").count()


def _holds(where: str | None, partition: str | None) -> bool:
    kept = {
        None: PARTITIONS,
        "p = 'a'": "a",
        "p IN ('a', 'c')": "ac",
        "p IS NULL": (None,),
        "p <> 'b' OR p IS NULL": ("a", "c", None),
        "p = 'z'": (),
        "p LIKE 'a%'": "a",
    }
    return partition in tuple(kept[where])


@pytest.mark.parametrize("where", ["n = 5", "id >= 250", "p = 'a' AND n IS NULL", "upper(p) = 'A'"])
def test_uncertain_files_are_counted_by_reading(events: Table, where: str) -> None:
    expected = events.to_arrow(where=where).num_rows
    assert expected
    assert events.scan(where=where).count() == expected
    assert sum(batch.num_rows for batch in events.to_batches(["id"], where=where)) == expected
    assert events.to_arrow([], where=where, limit=3).num_rows == 3


def test_merged_rows_are_counted_once(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "write-only": "true"}
    created = catalog.create_table("db.t", {"id": "INT", "n": "INT"}, primary_key="id", options=options)
    assert created.scan().count() == 0
    created.write(pa.table({"id": range(10), "n": range(10)}))
    created.write(pa.table({"id": [3, 4], "n": [0, 0], "op": ["-D", "+U"]}), row_kind="op")
    created.write(pa.table({"id": [100, 101], "n": [1, 1]}))
    assert created.scan().count() == created.to_arrow().num_rows == 11
    assert created.scan(where="n = 0").count() == 2
    created.compact(full=True)
    remaining = catalog.get_table("db.t")
    remove_data(remaining)
    assert remaining.scan().count() == 11


@pytest.mark.parametrize(
    ("where", "limit", "left_out"), [(None, 1, 7), (None, 150, 6), ("p = 'b'", 100, 1), (None, 0, 8)]
)
def test_a_limit_reads_no_more_files_than_needed(events: Table, where: str | None, limit: int, left_out: int) -> None:
    scan = events.scan(where=where, limit=limit)
    report = scan.explain()
    assert report.files_pruned.get("limit") == left_out
    assert report.files_read == sum(len(split.files) for split in scan.plan())
    assert scan.to_arrow().num_rows == limit


def test_a_limit_does_not_trust_rows_that_may_not_match(events: Table) -> None:
    scan = events.scan(where="n = 5", limit=2)
    assert "limit" not in scan.explain().files_pruned
    assert scan.to_arrow().num_rows == 2


def test_a_limit_does_not_trust_rows_that_are_merged(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "write-only": "true"}
    created = catalog.create_table("db.t", {"id": "INT", "n": "INT"}, primary_key="id", options=options)
    created.write(pa.table({"id": range(10), "n": range(10)}))
    created.write(pa.table({"id": range(9), "op": ["-D"] * 9, "n": range(9)}), row_kind="op")
    created.write(pa.table({"id": range(100, 110), "n": range(10)}))
    created.write(pa.table({"id": range(200, 210), "n": range(10)}))
    scan = created.scan(limit=9)
    assert scan.explain().files_pruned == {"limit": 1}
    assert scan.to_arrow().num_rows == 9


def test_outcomes_of_each_file(events: Table) -> None:
    report = events.scan(where="p = 'a' AND id < 50 AND n IS NOT NULL").explain()
    reported = {outcome.rule: outcome for outcome in report.outcomes}
    assert report.files_pruned == {"partition": 2, "value range": 1}
    assert (report.manifests, report.manifests_pruned, report.files, report.files_read) == (8, 4, 4, 1)
    assert (reported[""].partition, reported[""].bucket, reported[""].rows) == ("p=a", 0, PER_FILE)
    assert reported[""].why == "id: 0 to 99, no NULL; p: a to a, no NULL; n: 0 to 6, 10 NULL"
    assert reported["value range"].why.startswith("id: 100 to 199, no NULL")
    assert str(report).splitlines() == [
        "Scan of db.events at snapshot 8 where p = 'a' AND id < 50 AND n IS NOT NULL",
        "Manifests: 8, of which 4 left out by partition",
        "Files: 4, of which 1 to read with 100 stored rows",
        "  2 left out by partition: their partitions do not match",
        "  1 left out by value range: the requested values are outside their bounds, or their NULL counts do not match",
    ]
    assert repr(report) == str(report)


def test_a_report_in_a_notebook(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("db.t", {"s": "STRING"})
    created.write(pa.table({"s": ["<b>", "x" * 16]}))
    created.write(pa.table({"s": pa.nulls(2, pa.string())}))
    shown = created.scan(where="s = '<b>'").explain()._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "s is NULL" in shown
    assert shown.count("<tr>") == 1 + 2 + 1 + 2
    assert "without a snapshot" in str(catalog.create_table("db.empty", {"a": "INT"}).scan().explain())


def test_a_report_of_many_files_shows_some(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("db.t", {"id": "INT", "p": "INT"}, partition_by="p", options={"write-only": "true"})
    created.write(pa.table({"id": range(130), "p": range(130)}))
    report = created.scan().explain()
    assert len(report.outcomes) == 130
    assert "The first 100 of 130 files" in report._repr_html_()


def test_keys_are_shown_where_they_decide(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("db.t", {"id": "INT", "n": "INT"}, primary_key="id", options={"bucket": "1"})
    created.write(pa.table({"id": [1, 5], "n": [1, 2]}))
    (only,) = created.scan(where="id > 7").explain().outcomes
    assert (only.rule, only.why) == ("key range", "id: 1 to 5, no NULL")


def test_bounds_from_metadata(events: Table) -> None:
    assert [each.as_py() for each in events.scan().known_bounds("id") or ()] == [0, 799]
    assert [each.as_py() for each in events.scan(where="p = 'b'").known_bounds("n") or ()] == [0, 6]
    assert [each.as_py() for each in events.scan(where="p = 'z'").known_bounds("n") or ()] == []
    assert events.scan(where="n = 5").known_bounds("id") is None
    assert events.scan().known_bounds("p") is None
    assert events.scan(limit=3).known_bounds("id") is None


def test_bounds_of_merged_rows_are_not_known(catalog: FileSystemCatalog) -> None:
    options = {
        "bucket": "1",
        "write-only": "true",
        "metadata.stats-mode": "truncate(2)",
        "fields.n.stats-mode": "counts",
    }
    created = catalog.create_table("db.t", {"id": "INT", "n": "INT"}, primary_key="id", options=options)
    created.write(pa.table({"id": range(10), "n": range(10)}))
    assert created.scan().known_bounds("id") is not None
    assert created.scan().known_bounds("n") is None
    created.write(pa.table({"id": [9], "n": [0], "op": ["-D"]}), row_kind="op")
    assert created.scan().known_bounds("id") is None
