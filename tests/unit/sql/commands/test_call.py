from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, InvalidRequest, SnapshotNotFound, Unsupported
from workbench.sql.procedures.protocol import Procedure, options_of, partition_condition, partitions_of
from workbench.sql.procedures.registry import procedure_named, procedure_names, register_procedure

pytestmark = pytest.mark.usefixtures("orders", "notes")


@pytest.fixture(autouse=True)
def history(run: Any, orders: str) -> None:
    for number in (4, 5, 6):
        run(f"INSERT INTO {orders} VALUES ({number}, 'v', 'y', {number})")


def snapshots(catalog: Any) -> list[int]:
    return [snapshot.id for snapshot in catalog.get_table("shop.orders").snapshots()]


def test_tags_by_name_and_by_position(rows: Any, catalog: Any) -> None:
    table = catalog.get_table("shop.orders")
    assert rows("CALL sys.create_tag(table => 'orders', tag => 'a', snapshot => 1, time_retained => '1 d')") == [
        (True,)
    ]
    rows("CALL paimon.sys.create_tag('shop.orders', 'b', 2)")
    rows("CALL sys.rename_tag(`table` => 'paimon.shop.orders', tag => 'b', target_tag => 'c')")
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {"a": 1, "c": 2}
    rows("CALL sys.replace_tag('orders', 'c', 3)")
    assert table.tags()["c"].snapshot.id == 3
    rows("CALL sys.delete_tag('orders', 'a,c,missing')")
    assert table.tags() == {}
    first = table.snapshot(1)
    created = rows(f"CALL sys.create_tag_from_timestamp('orders', 't', {first.time_millis}, NULL)")
    assert created == [("t", 1, first.time_millis, "null")]
    assert rows("CALL sys.expire_tags('orders')") == [("No expired tags.",)]


def test_expiry(rows: Any, catalog: Any) -> None:
    call = "CALL sys.expire_snapshots(table => 'orders', retain_max => '2', retain_min => 1)"
    before = snapshots(catalog)
    # The minimum of the table, 10 by default, is not lowered to the given maximum.
    with pytest.raises(InvalidRequest, match="retain"):
        rows("CALL sys.expire_snapshots('orders', 2)")
    assert rows(call) == [(len(before) - 2,)]
    assert snapshots(catalog) == before[-2:]
    assert rows("CALL sys.expire_partitions('orders', '10000 d', 'yyyy-MM-dd', '$day')") == [
        ("No expired partitions.",)
    ]


def test_rollback(rows: Any, catalog: Any) -> None:
    newest = snapshots(catalog)[-1]
    assert rows("CALL sys.rollback(table => 'orders', version => '3')") == [(newest, 3)]
    rows("CALL sys.create_tag('orders', 'two', 2)")
    assert rows("CALL sys.rollback('orders', 'two')") == [(3, 2)]
    assert rows("CALL sys.rollback(table => 'orders', snapshot => 1)") == [(2, 1)]
    with pytest.raises(InvalidRequest, match="exactly one"):
        rows("CALL sys.rollback('orders')")


def test_rollback_to_a_time(rows: Any, catalog: Any) -> None:
    at = catalog.get_table("shop.orders").snapshot(2).time_millis
    ((_, current),) = rows(f"CALL sys.rollback_to_timestamp('orders', {at})")
    assert current == snapshots(catalog)[-1]
    with pytest.raises(SnapshotNotFound):
        rows("CALL sys.rollback_to_timestamp('orders', 1)")


def test_branches(rows: Any, catalog: Any) -> None:
    rows("CALL sys.create_tag('orders', 'one', 1)")
    rows("CALL sys.create_branch('orders', 'dev', 'one')")
    rows("CALL sys.create_branch(table => 'orders', branch => 'dev', ignoreIfExists => 'true')")
    rows("CALL sys.rename_branch('orders', 'dev', 'test')")
    assert rows("SELECT count(*) FROM `orders$branch_test`") == [(3,)]
    rows("CALL sys.fast_forward('orders', 'test')")
    assert rows("SELECT count(*) FROM orders") == [(3,)]
    rows("CALL sys.delete_branch('orders', 'test')")
    assert list(catalog.get_table("shop.orders").branches()) == []


def test_options_of_a_call_do_not_redefine_the_table(rows: Any) -> None:
    assert rows("CALL sys.compact(table => 'orders', options => 'bucket=1,num-levels=3')") == [(True,)]
    with pytest.raises(InvalidRequest, match="'bucket' cannot be set"):
        rows("CALL sys.compact(table => 'orders', options => 'bucket=5')")


def test_consumers(rows: Any, catalog: Any) -> None:
    rows("CALL sys.reset_consumer(table => 'orders', consumerId => 'me', nextSnapshotId => 2)")
    rows("CALL sys.reset_consumer('orders', 'you', 3)")
    rows("CALL sys.clear_consumers('orders', '', 'yo.*')")
    assert list(catalog.get_table("shop.orders").consumers()) == ["you"]
    for name in ("you", "missing"):
        rows(f"CALL sys.reset_consumer('orders', '{name}')")
    assert not catalog.get_table("shop.orders").consumers()


def test_compaction(rows: Any) -> None:
    runs = "SELECT count(*) FROM `orders$files` WHERE level = 0"
    rows("INSERT INTO orders VALUES (7, 'v', 'x', 7)")
    rows("""CALL sys.compact(table => 'orders', where => "day = 'x'", options => 'target-file-size=1mb')""")
    assert rows("SELECT DISTINCT level FROM `orders$files` WHERE partition = '{x}'") == [(5,)]
    rows("CALL sys.compact('orders', partitions => 'day=x;day=y')")
    assert rows(runs) == [(0,)]
    assert rows("CALL sys.compact_manifest('orders')") == [(True,)]
    assert rows("CALL sys.compact_database('sh.*')") == [("Compact database finished. Success: 2, Failed: 0",)]


def test_sorting_an_append_table(rows: Any) -> None:
    rows("CALL sys.compact(table => 'notes', order_strategy => 'zorder', order_by => 'n, id')")
    assert len(rows("SELECT * FROM notes")) == 3


def test_rescale(rows: Any) -> None:
    rows("CREATE TABLE fresh (id INT, v INT) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2')")
    with pytest.raises(InvalidRequest, match="has no snapshot"):
        rows("CALL sys.rescale(table => 'fresh', bucket_num => 4)")
    rows("CALL sys.rescale(table => 'orders', bucket_num => 2, partitions => 'day=x;day=y')")
    assert {bucket for (bucket,) in rows("SELECT total_buckets FROM `orders$partitions`")} == {2}
    rows("""CALL sys.rescale(table => 'orders', bucket_num => 3, where => "day = 'x'")""")
    assert rows("SELECT partition, total_buckets FROM `orders$partitions`") == [("day=x", 3), ("day=y", 2)]


def test_copies(rows: Any, catalog: Any) -> None:
    assert rows("""CALL sys.copy('orders', 'part', "day = 'x'")""") == [(True,)]
    assert rows("SELECT * FROM part ORDER BY id") == rows("SELECT * FROM orders WHERE day = 'x' ORDER BY id")
    assert rows("CALL sys.copy('orders', 'elsewhere.whole')") == [(True,)]
    assert rows("SELECT count(*) FROM elsewhere.whole") == rows("SELECT count(*) FROM orders")
    copied, source = catalog.get_table("shop.part").schema, catalog.get_table("shop.orders").schema
    assert (copied.fields, copied.primary_keys, copied.options) == (source.fields, source.primary_keys, source.options)
    with pytest.raises(InvalidExpression, match="only to partition columns"):
        rows("CALL sys.copy('orders', 'other', 'id = 1')")


def test_cleaning(rows: Any) -> None:
    call = "CALL sys.remove_orphan_files(table => 'shop.*', older_than => '2020-01-01 00:00:00', dry_run => true)"
    assert rows(call) == [(0, 0)]
    assert rows("CALL sys.remove_unexisting_files('orders', true)") == []
    assert rows("CALL sys.mark_partition_done('orders', 'day=x;day=y')") == [(True,)]
    assert rows("CALL sys.purge_files('orders')") == [("Success",)]
    assert rows("SELECT count(*) FROM orders") == [(0,)]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("CALL sys.nope('t')", InvalidRequest, "There is no procedure 'nope'"),
        ("CALL sys.compct('t')", InvalidRequest, "Did you mean 'compact'"),
        ("CALL sys.migrate_table('hive', 't')", Unsupported, "'filesystem' have no Hive tables to migrate"),
        ("CALL sys.migrate_database('hive', 'shop')", Unsupported, "'filesystem' have no Hive tables to migrate"),
        ("CALL sys.migrate_table('iceberg', 't')", InvalidRequest, "source_type => 'hive'"),
        ("CALL sys.migrate_table(table => 't')", InvalidRequest, "argument source_type of sys.migrate_table"),
        ("CALL sys.repair('shop.orders')", Unsupported, "'metastore' = 'filesystem' are not repaired"),
        ("CALL sys.repair('a.b.c')", InvalidRequest, "is not a database or a table"),
        ("CALL other.compact('t')", InvalidRequest, "CALL sys.compact"),
        ("CALL sys.create_tag('orders')", InvalidRequest, "argument tag of sys.create_tag is missing"),
        ("CALL sys.create_tag('orders', 'a', tag => 'b')", InvalidRequest, "passed twice"),
        ("CALL sys.create_tag(tag => 'b', 'orders')", InvalidExpression, "without a name come first"),
        ("CALL sys.create_tag('orders', 'a', 1, '1 d', 5)", InvalidRequest, "4 parameters.*5 arguments"),
        ("CALL sys.create_tag(table => 'orders', tg => 'b')", InvalidRequest, "Did you mean 'tag'"),
        (
            "CALL sys.expire_snapshots('orders', 'many')",
            InvalidRequest,
            "'many' is not a value",
        ),
        ("CALL sys.compact('orders', compact_strategy => 'ful')", InvalidRequest, "full"),
        ("CALL sys.remove_orphan_files('orders', mode => 'remote')", InvalidRequest, "local, distributed"),
        ("CALL sys.compact('orders', order_by => 'n')", InvalidRequest, "belong together"),
        ("CALL sys.compact('orders', partitions => 'day')", InvalidRequest, "'day' is not a partition"),
        ("CALL sys.compact('orders', 'day=x', where => 'true')", InvalidRequest, "mutually exclusive"),
        ("CALL sys.compact('orders'", InvalidExpression, "ends too early"),
    ],
)
def test_refusals(run: Any, text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(text)


def test_texts_of_partitions_and_options() -> None:
    assert options_of(" a = 1 , b=x=y ") == {"a": "1", "b": "x=y"}
    assert partitions_of("a=1,b=2; a=3") == [{"a": "1", "b": "2"}, {"a": "3"}]
    assert partition_condition("a=it's", None) == r"(`a` = 'it\'s')"
    assert partition_condition(None, "a = 1") == "a = 1"
    assert partition_condition("", "") is None


def test_a_procedure_from_outside_is_registered(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.sql.procedures import registry

    monkeypatch.setattr(registry, "_PROCEDURES", dict(registry._PROCEDURES))
    register_procedure(Procedure("hello", (), lambda _call: [(True,)]))
    assert rows("CALL sys.hello()") == [(True,)]
    assert "hello" in procedure_names()
    with pytest.raises(InvalidRequest, match="already"):
        register_procedure(procedure_named("hello"))


def test_the_documentation_lists_all_procedures() -> None:
    page = (Path(__file__).parents[4] / "docs" / "sql.md").read_text(encoding="utf-8")
    listed = page.partition("Procedures: ")[2].partition("\n\n")[0]
    assert tuple(sorted(re.findall(r"`(\w+)`", listed))) == procedure_names()
