"""A cell that deletes data for good needs ``--yes``, in terminals and jobs too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from workbench.base.errors import ConfirmationRequired, InvalidExpression, SnapshotNotFound, WorkbenchError
from workbench.catalog.descriptions import TableDescription
from workbench.catalog.identifier import Identifier
from workbench.sql.execute import execute


@pytest.fixture
def asked(shell: Any) -> Any:
    """A shell with a table of two snapshots."""
    shell.run_cell_magic("paimon", "", "INSERT INTO orders VALUES (4, 'cap')")
    return shell


def tables(shell: Any) -> list[str]:
    return shell.run_line_magic("paimon", "tables").to_arrow()["table"].to_pylist()  # type: ignore[no-any-return]


def test_a_table_is_dropped_only_after_a_yes(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table = asked.find_cell_magic("paimon").__self__.session.table("orders")
    table.create_tag("v1")
    table.create_branch("dev")
    with pytest.raises(ConfirmationRequired) as refused:
        asked.run_cell_magic("paimon", "--engine duckdb", "SELECT 1; DROP TABLE orders")
    message = str(refused.value)
    assert message.startswith("This would delete table shop.orders with 4 stored rows in 2 files of ")
    assert ", snapshots 1 to 2, 1 tag (v1), 1 branch (dev); this cannot be undone. Run this cell" in message
    assert refused.value.cell == "%%paimon --engine duckdb --yes\nSELECT 1;\nDROP TABLE orders"
    # Nothing ran, not even the statement before it.
    assert capsys.readouterr().out == ""
    assert tables(asked) == ["orders"]
    shown = refused.value._render_traceback_()  # type: ignore[attr-defined]
    assert shown[-3:] == refused.value.cell.splitlines()

    first, _, rest = refused.value.cell.partition("\n")
    asked.run_cell_magic("paimon", first.removeprefix("%%paimon "), rest)
    assert tables(asked) == []


def test_a_database_names_its_tables(asked: Any) -> None:
    with pytest.raises(
        ConfirmationRequired, match=r"database shop with all data of 1 table: orders; this cannot be undone\."
    ):
        asked.run_cell_magic("paimon", "", "DROP DATABASE shop CASCADE")
    asked.run_cell_magic("paimon", "", "CREATE DATABASE empty; DROP DATABASE empty")


def test_a_view_is_dropped_only_after_a_yes(asked: Any, tmp_path: Path) -> None:
    session = asked.find_cell_magic("paimon").__self__.session
    session.catalog = wb.connect(metastore="jdbc", uri=f"jdbc:sqlite:{tmp_path}/c.db", warehouse=str(tmp_path))
    asked.run_cell_magic("paimon", "", "CREATE DATABASE lake; CREATE VIEW lake.one AS SELECT 1 AS a")
    with pytest.raises(ConfirmationRequired, match=r"view lake\.one with its query; this cannot be undone\."):
        asked.run_cell_magic("paimon", "", "DROP VIEW lake.one")
    with pytest.raises(ConfirmationRequired, match=r"database lake with 1 view: one; this cannot be undone\."):
        asked.run_cell_magic("paimon", "", "DROP DATABASE lake CASCADE")
    asked.run_cell_magic("paimon", "--yes", "DROP VIEW lake.one")
    asked.run_cell_magic("paimon", "", "DROP VIEW IF EXISTS lake.one; DROP DATABASE lake CASCADE")


def test_files_of_external_tables_are_kept(asked: Any, tmp_path: Path) -> None:
    catalog = MemoryCatalog({"warehouse": str(tmp_path / "memory")})
    asked.find_cell_magic("paimon").__self__.session.catalog = catalog
    asked.run_cell_magic("paimon", "", "CREATE DATABASE lake; CREATE TABLE lake.a (i INT); CREATE TABLE lake.b (i INT)")
    metastore = catalog.metastore
    metastore.has_external_tables = True
    describe = metastore.get_table

    def described(identifier: Identifier) -> TableDescription | None:
        found = describe(identifier)
        return None if found is None else replace(found, is_external=identifier.table == "b")

    metastore.get_table = described  # type: ignore[method-assign]
    with pytest.raises(ConfirmationRequired) as refused:
        asked.run_cell_magic("paimon", "", "DROP TABLE lake.b")
    location = catalog.get_table("lake.b").location
    kept = f"This would delete external table lake.b from the catalog; its files in {location} are kept."
    assert refused.value.message == kept
    with pytest.raises(ConfirmationRequired, match=r"table lake\.a with no rows; this cannot be undone\."):
        asked.run_cell_magic("paimon", "", "DROP TABLE lake.a")
    with pytest.raises(ConfirmationRequired) as refused:
        asked.run_cell_magic("paimon", "", "DROP DATABASE lake CASCADE")
    assert "with all data of 1 table: a and 1 external table: b, whose files are kept;" in refused.value.message


def test_nothing_to_lose_is_not_asked(asked: Any) -> None:
    asked.run_cell_magic("paimon", "", "DROP TABLE IF EXISTS nothing; CREATE TABLE t (a INT); DROP TABLE t")
    asked.run_line_magic("paimon", "rollback orders@2")


STATEMENTS = [
    ("TRUNCATE TABLE orders", "all rows of shop.orders"),
    ("DELETE FROM orders", "all rows of shop.orders"),
    ("DELETE FROM orders WHERE TRUE", "all rows of shop.orders"),
    ("TRUNCATE TABLE days PARTITION (day = 'x')", "all rows of shop.days in day=x"),
    ("ALTER TABLE days DROP IF EXISTS PARTITION (day = 'x'), PARTITION (day = 'y')", "in day=x, day=y"),
    ("ALTER TABLE orders DROP COLUMN item", r"all values of 1 column \(item\) of shop.orders"),
    ("ALTER TABLE orders DELETE TAG v1", r"1 tag \(v1\) of shop.orders"),
    ("CALL sys.rollback('orders', '1')", "snapshots and tags of orders that are newer"),
    ("CALL sys.rollback_to_timestamp('orders', 9999999999999)", "snapshots and tags of orders that are newer"),
    (
        "CALL sys.expire_snapshots('orders', retain_max => 1, retain_min => 1)",
        "the expired snapshots of orders, with the files",
    ),
    (
        "CALL sys.expire_partitions('days', expiration_time => '1 d', timestamp_formatter => 'yyyy-MM-dd')",
        "all rows of the expired partitions of days",
    ),
    ("CALL sys.expire_tags('orders')", "the expired tags of orders"),
    ("CALL sys.delete_tag('orders', 'v1')", "tag v1 of orders"),
    ("CALL sys.delete_branch('orders', 'dev')", "branch dev of orders with its snapshots"),
    ("CALL sys.fast_forward('orders', 'dev')", "the snapshots of orders since branch dev was created"),
    ("CALL sys.reset_consumer('orders', 'c')", "consumer c of orders"),
    ("CALL sys.clear_consumers('orders')", "consumers of orders"),
    ("CALL sys.remove_orphan_files('orders')", "the files that no version of orders uses"),
    ("CALL sys.remove_unexisting_files('orders')", "the entries of orders for files that do not exist"),
    ("CALL sys.purge_files('orders')", "all files of orders"),
]


@pytest.fixture
def held(asked: Any) -> Any:
    """The shell, with a partitioned table, a tag, a branch and a consumer."""
    asked.run_cell_magic("paimon", "", "CREATE TABLE days (a INT, day STRING) PARTITIONED BY (day)")
    table = asked.find_cell_magic("paimon").__self__.session.table("orders")
    table.create_tag("v1")
    table.create_branch("dev", "v1")
    table.set_consumer("c", 1)
    return asked


@pytest.mark.parametrize(("statement", "loss"), STATEMENTS)
def test_statements_that_lose_rows_or_snapshots(held: Any, statement: str, loss: str) -> None:
    with pytest.raises(ConfirmationRequired, match=loss):
        held.run_cell_magic("paimon", "", statement)
    held.run_cell_magic("paimon", "--yes", statement)


KEPT = [
    "DELETE FROM orders WHERE id = 1",
    "UPDATE orders SET item = 'x'",
    "INSERT OVERWRITE orders VALUES (9, 'cup')",
    "ALTER TABLE orders DROP COLUMNS IF EXISTS (nothing)",
    "ALTER TABLE orders DELETE TAG nothing",
    "CALL sys.remove_orphan_files('orders', dry_run => true)",
    "CALL sys.remove_unexisting_files('orders', dry_run => true)",
    "CALL sys.reset_consumer('orders', 'c', 2)",
    "CALL sys.compact('orders')",
]


@pytest.mark.parametrize("statement", KEPT)
def test_statements_that_keep_what_they_do_not_select(held: Any, statement: str) -> None:
    held.run_cell_magic("paimon", "", statement)


def test_a_table_of_the_database_that_the_cell_chooses(asked: Any) -> None:
    asked.run_cell_magic("paimon", "", "CREATE DATABASE other; USE DATABASE other")
    with pytest.raises(ConfirmationRequired, match=r"table shop\.orders"):
        asked.run_cell_magic("paimon", "", "USE shop; DROP TABLE orders")


def test_a_table_that_cannot_be_read(asked: Any) -> None:
    table = asked.find_cell_magic("paimon").__self__.session.table("orders")
    Path(table.location, "snapshot", "snapshot-2").write_text("{")
    for statement in ("TRUNCATE TABLE orders", "DELETE FROM orders", "DROP TABLE orders"):
        with pytest.raises(ConfirmationRequired, match=r"cannot be read|contents are unknown"):
            asked.run_cell_magic("paimon", "", statement)


def test_sessions_and_python_do_not_ask(asked: Any) -> None:
    catalog = asked.find_cell_magic("paimon").__self__.session.catalog
    catalog.get_table("shop.orders").truncate()
    execute("DROP TABLE shop.orders", catalog)
    assert tables(asked) == []


def test_truncate_and_rollback(asked: Any) -> None:
    with pytest.raises(ConfirmationRequired, match=r"snapshot 2 of shop.orders; this") as refused:
        asked.run_line_magic("paimon", "rollback orders@1")
    assert refused.value.cell == "%paimon rollback orders@1 --yes"
    done = asked.run_line_magic("paimon", "rollback orders@1 --yes")
    assert repr(done) == "Rolled back shop.orders to snapshot 1: 1 snapshot and 0 tags removed."
    with pytest.raises(ConfirmationRequired, match=r"all rows of shop.orders \(3 stored rows in 1 file"):
        asked.run_line_magic("paimon", "truncate orders")
    assert repr(asked.run_line_magic("paimon", "truncate orders -y")).startswith("Deleted all rows of shop.orders")
    assert asked.run_cell_magic("paimon", "", "SELECT * FROM orders").to_arrow().num_rows == 0


def test_mistakes(asked: Any) -> None:
    for word in ("orders", "@1", "orders@x"):
        with pytest.raises(InvalidExpression, match="does not name a snapshot"):
            asked.run_line_magic("paimon", f"rollback {word}")
    with pytest.raises(SnapshotNotFound):
        asked.run_line_magic("paimon", "rollback orders@99 --yes")


@pytest.mark.parametrize("kernel", [None, SimpleNamespace(_allow_stdin=False), SimpleNamespace(_allow_stdin=True)])
def test_terminals_and_tools_that_run_notebooks_are_asked(shell: Any, kernel: Any) -> None:
    if kernel is not None:
        shell.kernel = kernel
    with pytest.raises(ConfirmationRequired):
        shell.run_cell_magic("paimon", "", "DROP TABLE orders")
    with pytest.raises(ConfirmationRequired):
        shell.run_line_magic("paimon", "truncate orders")
    with pytest.raises(ConfirmationRequired):
        shell.run_cell_magic("paimon", "--background", "DROP TABLE orders")
    assert tables(shell) == ["orders"]


def test_the_environment_stands_for_the_flag(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIMON_YES", "0")
    with pytest.raises(ConfirmationRequired, match="jobs may set PAIMON_YES=1"):
        shell.run_line_magic("paimon", "truncate orders")
    monkeypatch.setenv("PAIMON_YES", "1")
    shell.run_line_magic("paimon", "truncate orders")
    shell.run_cell_magic("paimon", "", "DROP TABLE orders")
    assert tables(shell) == []


def test_the_connector_deletes_what_the_statement_names(asked: Any) -> None:
    with pytest.raises(ConfirmationRequired, match=r"delete what this statement names: DROP TABLE a\.b\.c"):
        asked.run_cell_magic("paimon", "--engine jar", "DROP TABLE\na.b.c")
    with pytest.raises(ConfirmationRequired, match=r"delete what this statement names: DROP VIEW v"):
        asked.run_cell_magic("paimon", "--engine jar", "DROP VIEW v")
    with pytest.raises(WorkbenchError) as other:
        asked.run_cell_magic("paimon", "--engine jar", "CALL sys.create_tag('a.b', 'v1')")
    assert not isinstance(other.value, ConfirmationRequired)
