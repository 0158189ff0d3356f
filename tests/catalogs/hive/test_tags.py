"""Tags as partitions of the metastore (option ``metastore.tag-to-partition``): of ours and of Java, the same ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import RunningMetastore, registered
from tests.catalogs.referee import JavaCatalog
from tests.catalogs.relay import relay
from workbench.sql.execute import execute

pytestmark = pytest.mark.java

TAGGED = {"metastore.tag-to-partition": "dt", "bucket": "-1"}
COLUMNS = [["k", "INT"], ["v", "STRING"]]


class Pair:
    """A table that this library created and changes, and one that Java does."""

    def __init__(self, catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str) -> None:
        self._catalog, self._java, self._metastore, self._database = catalog, java, metastore, database

    def create(self, **options: str) -> wb.Table:
        given = {**TAGGED, **options}
        self._java.run("createTable", table=f"{self._database}.theirs", columns=COLUMNS, options=given)
        return self._catalog.create_table(f"{self._database}.ours", {"k": "INT", "v": "STRING"}, options=given)

    def theirs(self, step: str, **arguments: Any) -> Any:
        return self._java.run(step, table=f"{self._database}.theirs", **arguments)

    def partitions(self) -> list[str]:
        """Check that both have the same partitions, in every respect, and return their values."""
        ours, theirs = (registered(self._metastore, self._database, each) for each in ("ours", "theirs"))
        for each in theirs.values():
            assert each.sd.location.count("/theirs/") == 1
            each.tableName, each.sd.location = "ours", each.sd.location.replace("/theirs/", "/ours/")
        assert ours == theirs
        return sorted(value for (value,) in ours)


@pytest.fixture
def pair(catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str) -> Pair:
    return Pair(catalog, java, metastore, database)


def test_tags_become_the_partitions_that_java_makes_of_them(
    pair: Pair, catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    table = pair.create()
    ours, theirs = metastore.get(database, "ours"), metastore.get(database, "theirs")
    assert ours.partitionKeys == theirs.partitionKeys
    assert ours.sd.cols == theirs.sd.cols
    for number in (1, 2):
        table.write([{"k": number, "v": "x"}])
        pair.theirs("write", rows=[[number, "x"]])
    assert pair.partitions() == []
    for tag in ("2026-11-01", "a b=c%"):
        table.create_tag(tag, snapshot=1)
        pair.theirs("createTag", tag=tag, snapshot=1)
    assert pair.partitions() == ["2026-11-01", "a b=c%"]
    table.replace_tag("2026-11-01", snapshot=2)
    pair.theirs("replaceTag", tag="2026-11-01", snapshot=2)
    assert pair.partitions() == ["2026-11-01", "a b=c%"]
    listed = [dict(each.spec) for each in catalog.list_partitions(f"{database}.ours")]
    assert listed == [each["spec"] for each in java.run("listPartitions", table=f"{database}.ours")]
    table.delete_tag("a b=c%")
    pair.theirs("deleteTag", tag="a b=c%")
    assert pair.partitions() == ["2026-11-01"]
    # Each changes the table of the other.
    java.run("createTag", table=f"{database}.ours", tag="by java", snapshot=1)
    catalog.get_table(f"{database}.theirs").create_tag("by java", snapshot=1)
    assert pair.partitions() == ["2026-11-01", "by java"]
    java.run("deleteTag", table=f"{database}.ours", tag="2026-11-01")
    catalog.get_table(f"{database}.theirs").delete_tag("2026-11-01")
    assert pair.partitions() == ["by java"]


@pytest.mark.long
def test_automatic_tags_become_partitions_until_they_expire(pair: Pair) -> None:
    creation = {"tag.automatic-creation": "process-time", "tag.default-time-retained": "1 ms"}
    table = pair.create(**creation)
    for number in (1, 2):
        table.write([{"k": number, "v": "x"}])
        pair.theirs("write", rows=[[number, "x"]])
    # A tag that is over is removed by the commit that follows.
    assert pair.partitions() == sorted(table.tags()) == pair.theirs("listTags")
    table.create_tag("short", snapshot=1)
    pair.theirs("createTag", tag="short", snapshot=1)
    assert "short" in pair.partitions()
    table.expire_tags()
    pair.theirs("write", rows=[[3, "x"]])
    assert "short" not in pair.partitions()


@pytest.mark.long
def test_the_oldest_tags_make_room_for_those_of_jobs(pair: Pair, metastore: RunningMetastore, database: str) -> None:
    table = pair.create(**{"tag.automatic-creation": "batch", "tag.num-retained-max": "2"})
    for number in (1, 2):
        table.write([{"k": number, "v": "x"}])
        table.create_tag(f"t{number}")
    table.write([{"k": 3, "v": "x"}])
    newest, kept = sorted(table.tags())
    assert (newest[:12], kept) == ("batch-write-", "t2")
    assert set(registered(metastore, database, "ours")) == {(newest,), (kept,)}


@pytest.mark.long
def test_the_current_tag_is_previewed(pair: Pair) -> None:
    table = pair.create(**{"metastore.tag-to-partition.preview": "process-time", "sink.process-time-zone": "UTC"})
    before = datetime.now(UTC).date().isoformat()
    table.write([{"k": 1, "v": "x"}])
    pair.theirs("write", rows=[[1, "x"]])
    assert table.tags() == {}
    assert pair.partitions() in ([before], [datetime.now(UTC).date().isoformat()])


@pytest.mark.long
def test_renamed_and_rolled_back_tags_leave_no_partition(
    pair: Pair, metastore: RunningMetastore, database: str
) -> None:
    table = pair.create()
    for number in (1, 2):
        table.write([{"k": number, "v": "x"}])
        table.create_tag(f"t{number}")
    table.rename_tag("t1", "first")
    assert set(registered(metastore, database, "ours")) == {("first",), ("t2",)}
    with pytest.raises(wb.AlreadyExists):
        table.rename_tag("first", "t2")
    assert set(registered(metastore, database, "ours")) == {("first",), ("t2",)}
    table.rollback_to(1)
    assert set(registered(metastore, database, "ours")) == {("first",)}


@pytest.mark.long
def test_hive_sees_the_tags_of_the_main_branch_only(pair: Pair, metastore: RunningMetastore, database: str) -> None:
    table = pair.create()
    table.write([{"k": 1, "v": "x"}])
    table.create_tag("t1")
    table.create_branch("dev", tag="t1")
    branch = table.branch("dev")
    branch.write([{"k": 2, "v": "x"}])
    branch.create_tag("t2")
    branch.delete_tag("t1")
    assert set(registered(metastore, database, "ours")) == {("t1",)}
    table.fast_forward("dev")
    assert set(registered(metastore, database, "ours")) == {("t2",)}
    table.purge_files(dry_run=False)
    assert registered(metastore, database, "ours") == {}


def test_the_option_is_refused_where_the_metastore_could_not_have_it(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    name, option = f"{database}.t", {"metastore.tag-to-partition": "dt"}
    with pytest.raises(wb.InvalidSchema, match="has partitions, so its tags cannot be partitions"):
        catalog.create_table(name, {"k": "INT", "p": "INT"}, partition_by="p", options=option)
    assert not (metastore.warehouse / f"{database}.db" / "t").exists()
    before = catalog.create_table(name, {"k": "INT"}).schema
    with pytest.raises(wb.Unsupported, match="cannot change the partition columns of a table"):
        catalog.alter_table(name, wb.SetOption("metastore.tag-to-partition", "dt"))
    # Java writes the schema, is refused by the metastore and deletes the schema again.
    with pytest.raises(Exception, match="partition keys can not be changed"):
        java.run("alterTable", table=name, changes=[["set", "metastore.tag-to-partition", "dt"]])
    assert catalog.get_table(name).schema == before


def test_a_tag_is_kept_unless_its_partition_can_be_removed(
    pair: Pair, options: dict[str, str], metastore: RunningMetastore, database: str
) -> None:
    table = pair.create()
    table.write([{"k": 1, "v": "x"}])
    table.create_tag("t1")
    with relay(metastore.port) as between:
        cut = wb.connect({**options, "uri": f"thrift://127.0.0.1:{between.port}"})
        table = cut.get_table(f"{database}.ours")
        between.die()
        with pytest.raises(wb.CatalogError, match="does not answer"):
            table.delete_tag("t1")
        with pytest.warns(RuntimeWarning, match=rf"Tag t2 .*exists, but .*CALL sys\.repair\('{database}\.ours'\)"):
            table.create_tag("t2")
    assert sorted(table.tags()) == ["t1", "t2"]
    assert set(registered(metastore, database, "ours")) == {("t1",)}
    execute(f"CALL sys.repair('{database}.ours')", wb.connect(options))
    assert set(registered(metastore, database, "ours")) == {("t1",), ("t2",)}
