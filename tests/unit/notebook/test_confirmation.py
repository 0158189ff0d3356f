"""A cell that deletes data for good needs ``--yes`` where a person runs it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workbench.base.errors import ConfirmationRequired, InvalidExpression, SnapshotNotFound


@pytest.fixture
def asked(shell: Any) -> Any:
    """A shell of a kernel whose front end can answer, as that of JupyterLab can."""
    shell.kernel = SimpleNamespace(_allow_stdin=True)
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


def test_nothing_to_lose_is_not_asked(asked: Any) -> None:
    asked.run_cell_magic("paimon", "", "DROP TABLE IF EXISTS nothing; CREATE TABLE t (a INT); DROP TABLE t")
    asked.run_line_magic("paimon", "rollback orders@2")


STATEMENTS = [
    ("TRUNCATE TABLE orders", "all rows of shop.orders"),
    ("TRUNCATE TABLE days PARTITION (day = 'x')", "all rows of shop.days in day=x"),
    ("ALTER TABLE days DROP IF EXISTS PARTITION (day = 'x'), PARTITION (day = 'y')", "in day=x, day=y"),
    ("CALL sys.rollback('orders', '1')", "snapshots and tags of orders that are newer"),
    ("CALL sys.purge_files('orders')", "all files of orders"),
]


@pytest.mark.parametrize(("statement", "loss"), STATEMENTS)
def test_statements_that_lose_rows_or_snapshots(asked: Any, statement: str, loss: str) -> None:
    asked.run_cell_magic("paimon", "", "CREATE TABLE days (a INT, day STRING) PARTITIONED BY (day)")
    with pytest.raises(ConfirmationRequired, match=loss):
        asked.run_cell_magic("paimon", "", statement)
    asked.run_cell_magic("paimon", "--yes", statement)


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


@pytest.mark.parametrize("kernel", [None, SimpleNamespace(_allow_stdin=False)])
def test_tools_that_run_notebooks_are_not_asked(shell: Any, kernel: Any) -> None:
    if kernel is not None:
        shell.kernel = kernel
    shell.run_cell_magic("paimon", "", "DROP TABLE orders")
    assert tables(shell) == []


def test_the_connector_deletes_what_the_statement_names(asked: Any) -> None:
    with pytest.raises(ConfirmationRequired, match=r"delete what this statement names: DROP TABLE a\.b\.c"):
        asked.run_cell_magic("paimon", "--engine jar", "DROP TABLE\na.b.c")
