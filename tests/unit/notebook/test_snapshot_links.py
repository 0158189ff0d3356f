"""A write in a cell names its snapshot, and carries what a front end needs to open it."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.base.version import VERSION
from workbench.notebook.links import SNAPSHOT_MIME


def line(shell: Any, text: str) -> Any:
    return shell.run_line_magic("paimon", text)


def cell(shell: Any, text: str, flags: str = "") -> Any:
    return shell.run_cell_magic("paimon", flags, text)


def test_an_insert_links_its_snapshot(shell: Any, tmp_path: Path) -> None:
    bundle = cell(shell, "INSERT INTO orders VALUES (3, 'cap'), (4, 'nib')")._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", SNAPSHOT_MIME}
    link = bundle[SNAPSHOT_MIME]
    message = link.pop("message")
    assert message.startswith("Inserted 2 rows into shop.orders: snapshot 2.")
    assert message == bundle["text/plain"]
    assert message in bundle["text/html"]
    assert link == {
        "warehouse": str(tmp_path / "warehouse"),
        "catalog": None,
        "database": "shop",
        "table": "orders",
        "snapshot": "2",
        "environment": {
            "version": VERSION,
            "python": sys.executable,
            "prefix": sys.prefix,
            "host": socket.gethostname(),
        },
    }


def test_a_commit_of_two_snapshots_names_both_and_links_the_last(shell: Any) -> None:
    cell(
        shell,
        "CREATE TABLE busy (id BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
        " TBLPROPERTIES ('bucket' = '1', 'num-sorted-run.compaction-trigger' = '2')",
    )
    cell(shell, "INSERT INTO busy VALUES (1)")
    done = cell(shell, "INSERT INTO busy VALUES (2)")
    assert repr(done).startswith("Inserted 1 row into shop.busy: snapshots 2 (APPEND) and 3 (COMPACT).")
    assert done._repr_mimebundle_()[SNAPSHOT_MIME]["snapshot"] == "3"


def test_every_write_is_linked_and_nothing_else(shell: Any) -> None:
    copied = cell(shell, "CREATE TABLE copy AS SELECT * FROM orders")
    replaced = cell(shell, "INSERT OVERWRITE copy VALUES (1, 'pen')")
    assert repr(copied).startswith("Created shop.copy with 3 rows: snapshot 1.")
    assert repr(replaced).startswith("Overwrote shop.copy with 1 row: snapshot 2.")
    assert [done._repr_mimebundle_()[SNAPSHOT_MIME]["snapshot"] for done in (copied, replaced)] == ["1", "2"]
    nothing = cell(shell, "INSERT INTO copy SELECT * FROM orders WHERE id > 99")
    assert repr(nothing).startswith("Inserted no rows into shop.copy: no snapshot.")
    dropped = shell.run_cell_magic("paimon", "--yes", "DROP TABLE copy")
    others = ("SELECT * FROM orders", "DESCRIBE orders", "USE shop")
    for done in (nothing, dropped, *(cell(shell, text) for text in others)):
        assert SNAPSHOT_MIME not in done._repr_mimebundle_()


def test_each_statement_of_a_cell_has_its_own_line(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("workbench.notebook.magics.display", shown.append)
    last = cell(shell, "INSERT INTO orders VALUES (5, 'a'); INSERT INTO orders VALUES (6, 'b')")
    links = [done._repr_mimebundle_()[SNAPSHOT_MIME] for done in (*shown, last)]
    assert [link["snapshot"] for link in links] == ["2", "3"]


def test_a_catalog_opened_by_its_name_keeps_it(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    warehouse = tmp_path / "warehouse"
    (tmp_path / "paimon_catalogs.toml").write_text(f"[demo]\nwarehouse = {json.dumps(str(warehouse))}\n")
    line(shell, "connect demo")
    link = cell(shell, "INSERT INTO shop.orders VALUES (5, 'a')")._repr_mimebundle_()[SNAPSHOT_MIME]
    assert (link["catalog"], link["warehouse"]) == ("demo", str(warehouse))
    line(shell, f"connect demo warehouse={warehouse}")
    link = cell(shell, "INSERT INTO shop.orders VALUES (6, 'b')")._repr_mimebundle_()[SNAPSHOT_MIME]
    assert link["catalog"] is None


def test_credentials_and_names_with_dots(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = shell.magics_manager.registry["PaimonMagic"].session
    cell(shell, "CREATE TABLE `a.b` (id BIGINT)")
    write = "INSERT INTO `a.b` VALUES (1)"
    done = cell(shell, write)
    monkeypatch.setattr(session.catalog, "warehouse", "s3://me:secret@lake/wh")
    from workbench.notebook.links import linked

    link: Any = linked(done, session.catalog, None).forms[SNAPSHOT_MIME]
    assert (link["database"], link["table"]) == ("shop", "a.b")
    assert "secret" not in json.dumps(link)
