"""``df.writeStream``: output modes, exactly once, row kinds, compaction, changed columns, ``foreachBatch``."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

import workbench as wb
from tests.support.sampling import sampled
from workbench.spark.data_source import register_format

pytestmark = pytest.mark.spark
COLUMNS = {"id": "INT", "v": "STRING"}


class Source:
    """A folder of text files; each of their lines is a row ``id,v,kind``."""

    def __init__(self, session: Any, folder: Path) -> None:
        self.session, self.folder = session, folder / "lines"
        self.checkpoint = folder / "checkpoint"
        self.folder.mkdir()
        self.files = 0

    def add(self, *lines: str) -> None:
        """Add a file."""
        self.files += 1
        path = self.folder / f"{self.files}.csv"
        path.write_text("".join(f"{line}\n" for line in lines))
        # Spark reads files in the order of their times.
        os.utime(path, (1_700_000_000 + self.files,) * 2)

    def frame(self, schema: str = "id int, v string") -> Any:
        """Return the stream of all files, one file a batch."""
        return self.session.readStream.schema(schema).option("maxFilesPerTrigger", 1).csv(str(self.folder))

    def run(self, frame: Any, start: Callable[[Any], Any], name: str = "first", mode: str = "append") -> None:
        """Run a query over what is available."""
        writer = frame.writeStream.outputMode(mode).option("checkpointLocation", f"{self.checkpoint}-{name}")
        start(writer.trigger(availableNow=True)).awaitTermination()

    def forget(self, batch: int, name: str = "first") -> None:
        """Forget that a batch was committed, as if the driver had ended right after the commit of the sink."""
        for prefix in ("", "."):
            suffix = ".crc" if prefix else ""
            Path(f"{self.checkpoint}-{name}/commits/{prefix}{batch}{suffix}").unlink(missing_ok=True)


@pytest.fixture
def lines(spark: Any, catalog: Any, tmp_path: Path) -> Source:
    wb.spark.attach(spark, catalog)
    return Source(spark, tmp_path)


def rows(catalog: Any, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in catalog.get_table(name).to_arrow().to_pylist())


_TARGETS: dict[str, dict[str, Any]] = {
    "rows": {},
    "keys": {"primary_key": ["id"], "options": {"bucket": "2"}},
    "dynamic buckets": {"primary_key": ["id"]},
    "postponed buckets": {"primary_key": ["id"], "options": {"bucket": "-2"}},
    "changelog": {"primary_key": ["id"], "options": {"bucket": "1", "changelog-producer": "lookup"}},
}


def _start(writer: Any) -> Any:
    return writer.format("paimon").start("shop.t")


def _to_table(writer: Any) -> Any:
    return writer.toTable("paimon.shop.t")


@pytest.mark.parametrize("start", [_start, _to_table])
@pytest.mark.parametrize("kind", sampled(_TARGETS, 3))
def test_a_repeated_batch_changes_nothing(lines: Source, catalog: Any, kind: str, start: Any) -> None:
    table = catalog.create_table("shop.t", COLUMNS, **_TARGETS[kind])
    lines.add("1,a", "2,a")
    lines.add("1,b", "3,b")
    for _ in range(2):
        lines.run(lines.frame(), start)
        merged = [(1, "b"), (2, "a"), (3, "b")]
        assert rows(catalog, "shop.t") == ([(1, "a"), *merged] if kind == "rows" else merged)
        assert len([each for each in table.snapshots() if each.commit_kind == "APPEND"]) == 2
        lines.forget(1)
    if kind == "changelog":
        assert table.changes(mode="changelog").num_rows == 5


def test_keys_are_compacted_by_one_user(lines: Source, catalog: Any) -> None:
    table = catalog.create_table("shop.t", COLUMNS, **_TARGETS["keys"])
    for number in range(8):
        lines.add(f"{number},x", "1,y")
    lines.run(lines.frame(), lambda writer: writer.format("paimon").start(table.location))
    assert len(rows(catalog, "shop.t")) == 8
    assert {"APPEND", "COMPACT"} == {each.commit_kind for each in table.snapshots()}
    assert len({each.commit_user for each in table.snapshots() if each.commit_kind == "APPEND"}) == 1


@pytest.mark.long
def test_row_kinds_complete_mode_and_refusals(lines: Source, catalog: Any) -> None:
    catalog.create_table("shop.t", COLUMNS, ["id"], options={"bucket": "2"})
    lines.add("1,a,+I", "2,a,+I", "3,a,+I")
    lines.add("1,a,-D", "2,b,+U")
    to_t = lambda writer: writer.format("paimon").option("row_kind", "kind").start("shop.t")  # noqa: E731
    lines.run(lines.frame("id int, v string, kind string"), to_t, "kinds")
    assert rows(catalog, "shop.t") == [(2, "b"), (3, "a")]

    catalog.create_table("shop.n", {"v": "STRING", "n": "BIGINT"}, partition_by=["v"])
    counted = lines.frame("id int, v string, kind string").groupBy("v").count().withColumnRenamed("count", "n")
    to_n = lambda writer: writer.format("paimon").start("shop.n")  # noqa: E731
    lines.run(counted, to_n, "counts", "complete")
    assert rows(catalog, "shop.n") == [("a", 4), ("b", 1)]
    lines.run(counted, lambda writer: writer.toTable("paimon.shop.n"), "again", "complete")
    assert rows(catalog, "shop.n") == [("a", 4), ("b", 1)]
    with pytest.raises(PySparkException, match=r"[Uu]pdate"):
        lines.run(counted, to_n, "update", "update")

    with pytest.raises(PySparkException, match=r"missing|has no column|'kind'"):
        lines.run(lines.frame("id int, v string, kind string"), to_n, "wrong")
    wider = lines.frame("id int, v string, kind string")
    merging = lambda writer: writer.format("paimon").option("write.merge-schema", "true").start("shop.t")  # noqa: E731
    lines.run(wider, merging, "wider")
    assert catalog.get_table("shop.t").schema.field_names == ("id", "v", "kind")
    assert rows(catalog, "shop.t") == [(1, "a", "-D"), (2, "b", "+U"), (3, "a", "+I")]


def test_names_in_any_case_or_by_position(lines: Source, catalog: Any) -> None:
    catalog.create_table("shop.named", COLUMNS)
    lines.add("1,a")
    for name, columns in (("cases", "ID int, V string"), ("places", "x int, y string")):
        lines.run(lines.frame(columns), lambda writer: writer.format("paimon").start("shop.named"), name)
    assert rows(catalog, "shop.named") == [(1, "a"), (1, "a")]


def test_foreach_batch(lines: Source, catalog: Any) -> None:
    table = catalog.create_table("shop.t", COLUMNS, ["id"])
    lines.add("1,a", "2,a")
    lines.add("1,b")

    def upsert(batch: Any, number: int) -> None:
        wb.spark.write(batch, table, identifier=number, commit_user="orders-stream")

    for _ in range(2):
        lines.run(lines.frame(), lambda writer: writer.foreachBatch(upsert).start())
        lines.forget(1)
        assert rows(catalog, "shop.t") == [(1, "b"), (2, "a")]
    assert [each.commit_identifier for each in table.snapshots() if each.commit_kind == "APPEND"] == [0, 1]


@pytest.mark.long
def test_paths_and_names_in_the_catalog(lines: Source, catalog: Any) -> None:
    session = lines.session
    table = catalog.create_table("shop.t", COLUMNS, ["id"], options={"bucket": "1"})
    session.sql("SELECT 1 AS id, 'a' AS v").write.format("paimon").mode("append").save(table.location)
    session.sql("SELECT 1 AS id, 'b' AS v").write.format("paimon").mode("append").save("shop.t")
    by_path = session.read.format("paimon").load(table.location)
    assert [tuple(row) for row in by_path.collect()] == [(1, "b")]
    old = session.read.format("paimon").option("scan.snapshot-id", 1).load("shop.t")
    assert old.select("v").collect()[0].v == "a"
    changed = session.read.format("paimon").option("incremental-between", "1,2").load(table.location)
    assert [tuple(row) for row in changed.collect()] == [(1, "b")]
    kinds = session.read.format("paimon").option("read.changelog", "true").load(table.location)
    assert kinds.columns == ["rowkind", "id", "v"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: session.read.format("paimon").load("shop.t").count()).result() == 1

    log = catalog.create_table("shop.log", COLUMNS)
    copied = lambda writer: writer.format("paimon").start(log.location)  # noqa: E731
    lines.run(session.readStream.table("paimon.shop.t"), copied, "copy")
    lines.run(session.readStream.format("paimon").option("scan.snapshot-id", 1).load(table.location), copied, "changes")
    assert rows(catalog, "shop.log") == [(1, "a"), (1, "b"), (1, "b")]
    audit = catalog.create_table("shop.audit", {"kind": "STRING", **COLUMNS})
    to_audit = lambda writer: writer.format("paimon").start(audit.location)  # noqa: E731
    with_kinds = session.readStream.table("paimon.shop.`t$audit_log`").withColumnRenamed("rowkind", "kind")
    lines.run(with_kinds, to_audit, "audit")
    assert rows(catalog, "shop.audit") == [("+I", 1, "b")]
    unnamed = session.readStream.option("read.changelog", "true").table("paimon.shop.t")
    with pytest.raises(PySparkException, match=r"not supported with readStream\.table"):
        lines.run(unnamed, to_audit, "refused")
    to_new = lambda writer: writer.format("paimon").toTable("paimon.shop.new")  # noqa: E731
    lines.run(session.readStream.table("paimon.shop.t"), to_new, "new")
    assert rows(catalog, "shop.new") == [(1, "b")]


def test_sessions_that_are_not_attached_write_by_tasks(lines: Source, catalog: Any) -> None:
    """Where only the format is registered, no batch is handed to this process."""
    register_format(lines.session, catalog, "tasks_only")
    lines.add("1,a", "2,a")
    catalog.create_table("shop.t", COLUMNS, ["id"], options={"bucket": "2"})
    for name in ("first", "again"):
        lines.run(lines.frame(), lambda writer: writer.format("tasks_only").start("shop.t"), name)
    assert rows(catalog, "shop.t") == [(1, "a"), (2, "a")]
    catalog.create_table("shop.dynamic", COLUMNS, ["id"])
    with pytest.raises(PySparkException, match="in a session that is not attached"):
        lines.run(lines.frame(), lambda writer: writer.format("tasks_only").start("shop.dynamic"), "no")
