"""UPDATE, DELETE and MERGE as Spark jobs, compared with the same changes by the library."""

from __future__ import annotations

import random
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import workbench as wb
from tests.support.sampling import sampled
from tests.support.spark_rows import ordered
from workbench.base.errors import WorkbenchError
from workbench.spark.changes import append_tables
from workbench.spark.changes.tasks import DELETE, OPERATION
from workbench.spark.reading.metadata_columns import FILE_PATH, ROW_INDEX
from workbench.sql.commands import on_spark
from workbench.sql.procedures.runners import stored_bytes

pytestmark = pytest.mark.spark
_COLUMNS = {"id": "INT NOT NULL", "p": "STRING NOT NULL", "v": "STRING", "n": "BIGINT", "at": "TIMESTAMP(6)"}
_SUM = {"merge-engine": "aggregation", "fields.n.aggregate-function": "sum"}
_KINDS: dict[str, dict[str, Any]] = {
    "plain": {"partition_by": ["p"]},
    "marked": {"options": {"deletion-vectors.enabled": "true"}},
    "buckets": {"partition_by": ["p"], "options": {"bucket": "3", "bucket-key": "id"}},
    "hive": {"options": {"bucket": "2", "bucket-key": "n", "bucket-function.type": "hive"}},
    "keyed": {"primary_key": ["id", "p"], "partition_by": ["p"], "options": {"bucket": "2"}},
    "dynamic": {"primary_key": ["id"], "options": {"deletion-vectors.enabled": "true"}},
    "crossing": {"primary_key": ["id"], "partition_by": ["p"]},
    "changelog": {"primary_key": ["id"], "options": {"bucket": "1", "changelog-producer": "input"}},
    "partial": {
        "primary_key": ["id"],
        "options": {
            "bucket": "1",
            "merge-engine": "partial-update",
            "partial-update.remove-record-on-delete": "true",
        },
    },
}


@pytest.fixture
def attached(plain_session: Any) -> Any:
    return plain_session


def _rows(source: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "p": source.choice("ab"),
            "v": source.choice(["x", "y", None]),
            "n": source.choice([None, *range(20)]),
            "at": source.choice([None, datetime(2026, 1, 2, 3, 4, 5, 600)]),
        }
        for number in source.sample(range(60), count)
    ]


@pytest.mark.parametrize("kind", sampled(_KINDS, 6))
def test_a_job_changes_the_rows_that_the_library_changes(attached: Any, catalog: Any, kind: str) -> None:
    source = random.Random(kind)
    by_job, by_library = (catalog.create_table(f"shop.{name}", _COLUMNS, **_KINDS[kind]) for name in ("job", "other"))
    for _ in range(2):
        rows = _rows(source, 25)
        by_job.write(rows)
        by_library.write(rows)
    number = source.randrange(8)
    moving = kind in ("plain", "marked", "buckets", "hive", "crossing")
    assigned = {"v": "concat(coalesce(v, 'z'), p)", "n": "coalesce(n, 0) + 1", **({"p": "'c'"} if moving else {})}
    sets = ", ".join(f"{name} = {value}" for name, value in assigned.items())
    pairs = [(each["id"], each["p"], f"new {each['id']}") for each in _rows(source, 30)]
    new = attached.createDataFrame(pairs, "id int, p string, v string")
    new.createOrReplaceTempView("new")
    clauses = [
        wb.WhenMatched(delete=True, condition="s.id % 5 = 0"),
        wb.WhenMatched({"v": "s.v"}),
        wb.WhenNotMatched({"id": "s.id", "p": "s.p", "v": "s.v", "n": "1"}),
        wb.WhenNotMatchedBySource({"v": "'alone'"}, condition="t.n > 10"),
    ]
    attached.sql(f"UPDATE paimon.shop.job SET {sets} WHERE n % 8 >= {number} OR n IS NULL")
    by_library.update(assigned, f"n % 8 >= {number} OR n IS NULL")
    assert ordered(by_job) == ordered(by_library)
    attached.sql(f"DELETE FROM paimon.shop.job WHERE id % 8 = {number} OR (p = 'a' AND v IS NULL)")
    by_library.delete(f"id % 8 = {number} OR (p = 'a' AND v IS NULL)")
    assert ordered(by_job) == ordered(by_library)
    # Otherwise a row would be both changed and inserted.
    matching = "t.id = s.id" if _KINDS[kind].get("primary_key") == ["id"] else "t.id = s.id AND t.p = s.p"
    attached.sql(
        f"""MERGE INTO paimon.shop.job AS t USING new AS s ON {matching}
        WHEN MATCHED AND s.id % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v
        WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, s.p, s.v, 1)
        WHEN NOT MATCHED BY SOURCE AND t.n > 10 THEN UPDATE SET v = 'alone'"""
    )
    by_library.merge(new.toArrow(), matching, clauses)
    assert ordered(by_job) == ordered(by_library)
    shown = [[each.operation for each in table.snapshots()] for table in (by_job, by_library)]
    assert shown[0] == shown[1]


_DELETED_FROM_FILES: dict[str, dict[str, Any]] = {
    "sums": {"primary_key": ["id", "p"], "partition_by": ["p"], "options": {"bucket": "3", **_SUM}},
    "marked sums": {
        "primary_key": ["v2", "id"],
        "options": {"bucket": "2", "deletion-vectors.enabled": "true", **_SUM},
    },
    "first row": {"primary_key": ["id"], "options": {"bucket": "1", "merge-engine": "first-row"}},
    "parts": {"primary_key": ["id"], "options": {"bucket": "2", "merge-engine": "partial-update"}},
    "dates": {"primary_key": ["day", "id"], "partition_by": ["day"], "options": {"ignore-delete": "true"}},
    "crossing": {"primary_key": ["id"], "partition_by": ["p"], "options": _SUM},
}


@pytest.mark.parametrize("kind", sampled(_DELETED_FROM_FILES, 3))
def test_a_job_deletes_rows_from_files_as_the_library_does(attached: Any, catalog: Any, kind: str) -> None:
    source = random.Random(kind)
    columns = {**_COLUMNS, "v2": "STRING NOT NULL", "day": "DATE NOT NULL"}
    by_job, by_library = (
        catalog.create_table(f"shop.{name}", columns, **_DELETED_FROM_FILES[kind]) for name in ("job", "other")
    )
    for _ in range(3):
        rows = [
            {**each, "v2": f"a long key {each['id'] % 2}", "day": date(2026, 1, 1 + each["id"] % 3)}
            for each in _rows(source, 25)
        ]
        by_job.write(rows)
        by_library.write(rows)
    where = "n % 3 = 1 OR id IN (1, 5, 9) OR v IS NULL"
    attached.sql(f"DELETE FROM paimon.shop.job WHERE {where}")
    by_library.delete(where)
    assert ordered(by_job) == ordered(by_library)
    shown = [[each.operation for each in table.snapshots()] for table in (by_job, by_library)]
    assert shown[0] == shown[1]
    attached.sql("DELETE FROM paimon.shop.job WHERE n = 777")
    assert ordered(by_job) == ordered(by_library)
    for each in (by_job, by_library):
        each.compact(full=True)
    assert ordered(by_job) == ordered(by_library)


@pytest.mark.parametrize("vectors", sampled(["true", "false"], 2))
def test_a_job_keeps_row_ids(attached: Any, catalog: Any, vectors: str) -> None:
    options = {"row-tracking.enabled": "true", "deletion-vectors.enabled": vectors}
    tables = [
        catalog.create_table(f"shop.{name}", _COLUMNS, partition_by=["p"], options=options) for name in ("job", "other")
    ]
    source = random.Random(vectors)
    for _ in range(2):
        rows = _rows(source, 25)
        for table in tables:
            table.write(rows)
    by_job, by_library = tables

    def tracked(table: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = table.to_arrow([*_COLUMNS, "_ROW_ID", "_SEQUENCE_NUMBER"]).to_pylist()
        return sorted(found, key=str)

    attached.sql("UPDATE paimon.shop.job SET v = concat(coalesce(v, 'z'), p) WHERE id % 3 = 0")
    by_library.update({"v": "concat(coalesce(v, 'z'), p)"}, "id % 3 = 0")
    assert tracked(by_job) == tracked(by_library)
    attached.sql("DELETE FROM paimon.shop.job WHERE id % 5 = 0")
    by_library.delete("id % 5 = 0")
    assert tracked(by_job) == tracked(by_library)
    kept = {row["_ROW_ID"]: row["id"] for row in tracked(by_job)}
    attached.sql(
        """MERGE INTO paimon.shop.job t USING (SELECT explode(sequence(0, 70, 7)) AS id) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET n = 777 WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 'b')"""
    )
    after = {row["_ROW_ID"]: row["id"] for row in tracked(by_job)}
    assert kept.items() <= after.items()
    assert len(after) == len(tracked(by_job))
    assert all(row["n"] == 777 for row in tracked(by_job) if row["id"] % 7 == 0 and row["_ROW_ID"] in kept)
    with pytest.raises(PySparkException, match="cannot move to another partition"):
        attached.sql("UPDATE paimon.shop.job SET p = 'moved'")


@pytest.mark.parametrize("key", sampled([["id"], []], 2))
def test_a_job_changes_variants(attached: Any, catalog: Any, key: list[str]) -> None:
    options = {"bucket": "1"} if key else {}
    catalog.create_table("shop.t", {"id": "INT", "v": "VARIANT", "w": "STRING"}, key, options=options)
    attached.sql("INSERT INTO paimon.shop.t VALUES (1, parse_json('{\"a\":1}'), 'x'), (2, parse_json('[1]'), 'y')")
    attached.sql("UPDATE paimon.shop.t SET w = 'n' WHERE id = 1")
    attached.sql("UPDATE paimon.shop.t SET v = parse_json('{\"b\":[true,null]}') WHERE id = 2")
    attached.sql(
        """MERGE INTO paimon.shop.t t USING (SELECT 3 AS id, parse_json('"q"') AS v) s ON t.id = s.id
        WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"""
    )
    found = attached.sql("SELECT id, to_json(v), w FROM paimon.shop.t ORDER BY id").collect()
    assert [tuple(row) for row in found] == [(1, '{"a":1}', "n"), (2, '{"b":[true,null]}', "y"), (3, '"q"', None)]


@pytest.mark.parametrize("vectors", sampled(["false", "true"], 2))
def test_a_job_keeps_nanoseconds_that_do_not_change(attached: Any, catalog: Any, vectors: str) -> None:
    options = {"deletion-vectors.enabled": vectors}
    table = catalog.create_table("shop.t", {"id": "INT", "at": "TIMESTAMP(9)", "v": "STRING"}, options=options)
    moments = pa.array([1_500_000_001, -1_500_000_001, None, 5], pa.timestamp("ns"))
    table.write(pa.table({"id": [1, 2, 3, 4], "at": moments, "v": ["a", "b", "c", "d"]}))
    attached.sql("UPDATE paimon.shop.t SET v = 'n' WHERE id < 4")
    attached.sql("UPDATE paimon.shop.t SET at = TIMESTAMP_NTZ'1970-01-01 00:00:01' WHERE id = 4")
    found = table.to_arrow().sort_by("id")
    assert found.column("at").cast(pa.int64()).to_pylist() == [1_500_000_001, -1_500_000_001, None, 1_000_000_000]
    assert found.column("v").to_pylist() == ["n", "n", "n", "d"]


def test_a_job_on_an_old_version_conflicts(attached: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "INT"})
    table.write([{"id": number} for number in range(4)])
    version = table.snapshots()[-1]
    places = attached.sql(f"SELECT {DELETE} AS {OPERATION}, {FILE_PATH}, {ROW_INDEX} FROM paimon.shop.log WHERE id < 2")
    found = attached.createDataFrame(places.collect(), places.schema)
    table.delete("id = 3")
    files = set(table.store.file_io.list_files(table.location + "/bucket-0"))
    with pytest.raises(wb.CommitConflict):
        append_tables.change_rows(table, version, found, "DELETE", wb.Progress(), {})
    assert [row["id"] for row in ordered(table)] == [0, 1, 2]
    assert set(table.store.file_io.list_files(table.location + "/bucket-0")) == files


def test_an_attached_catalog_serves_every_session(attached: Any, catalog: Any) -> None:
    assert isinstance(attached, SparkSession)
    table = catalog.create_table("shop.log", {"id": "INT", "v": "STRING"})
    table.write([{"id": 1, "v": "a"}])
    attached.sql("CREATE OR REPLACE TEMP VIEW ids AS SELECT 1 AS id")
    attached.sql("UPDATE paimon.shop.log AS t SET v = 'b' WHERE EXISTS (SELECT 1 FROM ids WHERE ids.id = t.id)")
    assert ordered(table) == [{"id": 1, "v": "b"}]


def test_spark_runs_what_the_library_does_not_know(attached: Any, catalog: Any) -> None:
    session = wb.spark.attach(attached, catalog)
    table = catalog.create_table("shop.keyed", {"id": "INT", "v": "STRING"}, ["id"], options={"bucket": "1"})
    table.write([{"id": number, "v": "abc"[number % 3]} for number in range(6)])
    least = "SELECT min(x.id) FROM paimon.shop.keyed x WHERE x.v = t.v"
    session.sql(f"DELETE FROM paimon.shop.keyed AS t WHERE id > ({least})")
    assert [row["id"] for row in ordered(table)] == [0, 1, 2]
    session.sql(
        """MERGE INTO paimon.shop.keyed t USING (WITH ids AS (SELECT explode(array(1, 7)) AS id) SELECT * FROM ids) s
        ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = soundex(t.v) WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"""
    )
    assert [row["v"] for row in ordered(table)] == ["a", "B000", "c", None]
    newest = table.snapshots()[-1]
    assert newest.properties is not None
    assert "MERGE INTO" in str(newest.properties)
    with pytest.raises(PySparkException, match="no_such_function"):
        session.sql("UPDATE paimon.shop.keyed SET v = no_such_function(v)")
    with pytest.raises(wb.WorkbenchError, match="primary key column 'id'"):
        session.sql("UPDATE paimon.shop.keyed SET id = 1 WHERE id = 2")
    assert table.snapshots()[-1].id == newest.id


def test_changes_of_rows_know_metadata_columns(attached: Any, catalog: Any) -> None:
    session = wb.spark.attach(attached, catalog)
    plain = {"id": "INT NOT NULL", "p": "STRING", "v": "BIGINT"}
    table = catalog.create_table("shop.places", plain, partition_by=["p"])
    table.write([{"id": 1, "p": "a", "v": 1}, {"id": 2, "p": "a", "v": 2}, {"id": 3, "p": "b", "v": 3}])
    places = "paimon.shop.places"
    session.sql(f"UPDATE {places} SET v = 10 + __paimon_bucket WHERE __paimon_row_index = 1 AND __paimon_bucket = 0")
    session.sql(f"DELETE FROM {places} WHERE __PAIMON_PARTITION.p = 'b' OR __paimon_bucket > 0")
    merging = f"MERGE INTO {places} t USING (SELECT __paimon_row_index AS at, * FROM {places}) s ON t.id = s.id"
    with pytest.raises(WorkbenchError, match="metadata column '__paimon_row_index'"):
        session.sql(f"{merging} WHEN MATCHED AND t.__paimon_row_index = 0 THEN UPDATE SET v = 7")
    session.sql(f"{merging} WHEN MATCHED AND s.at = 0 THEN UPDATE SET v = 7")
    assert [(row["id"], row["v"]) for row in ordered(table)] == [(1, 7), (2, 10)]
    keyed = catalog.create_table("shop.buckets", plain, ["id"], options={"bucket": "2"})
    keyed.write([{"id": number, "p": "a", "v": number} for number in range(6)])
    keyed.write([{"id": number, "p": "b", "v": number} for number in range(6)])
    in_first = {row.id for row in session.table("paimon.shop.buckets").where("__paimon_bucket = 0").collect()}
    assert 0 < len(in_first) < 6
    session.sql("UPDATE paimon.shop.buckets SET v = -1 WHERE __paimon_bucket = 0")
    assert [row["v"] for row in ordered(keyed)] == [-1 if number in in_first else number for number in range(6)]
    with pytest.raises(PySparkException, match="merged from several files"):
        session.sql("DELETE FROM paimon.shop.buckets WHERE __paimon_row_index = 0")
    session.sql("DELETE FROM paimon.shop.buckets WHERE __paimon_bucket = 0")
    assert [row["id"] for row in ordered(keyed)] == [number for number in range(6) if number not in in_first]


def test_statements_that_spark_cannot_parse_change_nothing(attached: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.parsed", {"id": "INT"})
    table.write([{"id": 1}])
    session = wb.spark.attach(attached, catalog)
    merging = "MERGE INTO paimon.shop.parsed t USING paimon.shop.parsed s ON t.id = s.id"
    for text in (
        "UPDATE paimon.shop.parsed, paimon.shop.parsed x SET id = 2",
        f"{merging} WHEN MATCHED THEN UPDATE SET id = 2 WHEN MATCHED THEN DELETE",
        f"{merging} WHEN NOT MATCHED THEN INSERT VALUES (2)",
        "MERGE INTO paimon.shop.parsed x USING paimon.shop.parsed y ON t.id = y.id WHEN MATCHED THEN DELETE",
    ):
        with pytest.raises(PySparkException):
            session.sql(text)
    assert ordered(catalog.get_table("shop.parsed")) == [{"id": 1}]


def test_large_tables_are_changed_by_a_job(attached: Any, catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = wb.spark.attach(attached, catalog)
    table = catalog.create_table("shop.log", {"p": "STRING", "id": "INT"}, partition_by=["p"])
    table.write([{"p": part, "id": number} for part in "ab" for number in range(3)])
    jobs: list[str] = []
    running = on_spark._run_job

    def noted(job: Any) -> Any:
        jobs.append(job.context.statement)
        return running(job)

    monkeypatch.setattr(on_spark, "_run_job", noted)
    session.sql("DELETE FROM paimon.shop.log WHERE id = 0")
    assert jobs == []
    monkeypatch.setattr(on_spark, "LARGE_BYTES", stored_bytes(table.scan()) * 3 // 4)
    session.sql("DELETE FROM paimon.shop.log WHERE id = 1 AND p = 'a'")
    assert jobs == []
    session.sql("DELETE FROM paimon.shop.log WHERE id = 2")
    assert jobs == ["DELETE FROM paimon.shop.log WHERE id = 2"]
    assert [row["id"] for row in ordered(table)] == [1]
