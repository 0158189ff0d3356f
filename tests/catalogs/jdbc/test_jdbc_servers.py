"""Servers of databases that are down, refuse a user, close connections or have no room for a value."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import PASSWORD, Place
from tests.catalogs.relay import relay
from workbench.base.errors import CatalogError, NoAnswer

pytestmark = pytest.mark.parametrize("new_place", KINDS[1:], indirect=True)


def _refusal(options: dict[str, str]) -> str:
    """Return the message with which a catalog cannot be listed, which is shown soon and contains no password."""
    began = time.monotonic()
    with pytest.raises(CatalogError) as refused:
        wb.connect(options).list_databases()
    assert time.monotonic() - began < 10
    assert PASSWORD not in str(refused.value)
    assert "wrong-secret" not in str(refused.value)
    return str(refused.value)


def test_failures_to_connect_name_the_host_and_the_cause(options: dict[str, str]) -> None:
    server, _, name = options["uri"].rpartition("/")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    down = _refusal({**options, "uri": f"jdbc:{server.split(':')[1]}://127.0.0.1:{port}/{name}"})
    assert f"127.0.0.1:{port}" in down
    assert "Check that the server runs" in down
    assert "refused" in down
    wrong = _refusal({**options, "jdbc.password": "wrong-secret"})
    assert "Check the options 'jdbc.user' and 'jdbc.password'." in wrong
    missing = _refusal({**options, "uri": f"{server}/no_such_database"})
    assert "no_such_database" in missing
    assert "Create the database, or correct the option 'uri'." in missing


@pytest.mark.long
def test_a_server_that_accepts_and_says_nothing_is_given_up(options: dict[str, str]) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        uri = f"{options['uri'].rpartition('//')[0]}//127.0.0.1:{silent.getsockname()[1]}/lake"
        assert "Cannot connect to" in _refusal({**options, "uri": uri})


@pytest.mark.long
def test_a_server_that_falls_silent_is_given_up(catalog: wb.Catalog, options: dict[str, str]) -> None:
    port = int(options["uri"].rpartition("/")[0].rpartition(":")[2])
    with relay(port) as between:
        behind = wb.connect({**options, "uri": options["uri"].replace(f":{port}/", f":{between.port}/")})
        assert behind.list_databases() == ["shop"]
        with between.silent():
            for change in (lambda: behind.list_databases(), lambda: behind.create_database("lost")):
                began = time.monotonic()
                with pytest.raises(NoAnswer, match=f"127.0.0.1:{between.port}"):
                    change()
                assert time.monotonic() - began < 10
        assert behind.list_databases() == catalog.list_databases() == ["shop"]


def test_connections_that_the_server_closed_are_replaced(catalog: wb.Catalog, place: Place) -> None:
    catalog.create_table("shop.t", {"n": "INT"})
    catalog.list_tables("shop")
    _close_others(place)
    assert catalog.list_tables("shop") == ["t"]
    _close_others(place)
    catalog.create_table("shop.u", {"n": "INT"})
    assert catalog.list_tables("shop") == ["t", "u"]


def _close_others(place: Place) -> None:
    if place.kind == "postgresql":
        place.run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return
    others = "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
    for (number,) in place.rows(others):
        place.run(f"KILL {number}")


def test_no_transaction_is_left_open(catalog: wb.Catalog, place: Place) -> None:
    catalog.create_table("shop.t", {"n": "INT"}, options={"bucket": 1, "bucket-key": "n"})
    catalog.alter_table("shop.t", wb.SetOption("owner", "ada"))
    with pytest.raises(CatalogError):
        catalog.create_table("shop.u", {"n": "INT"}, options={"owner": "x" * 1001})
    catalog.rename_table("shop.t", "shop.v")
    if place.kind == "postgresql":
        states = place.rows(
            "SELECT DISTINCT state FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        assert states == [("idle",)]
    else:
        assert place.rows("SELECT * FROM information_schema.innodb_trx") == []


def test_values_that_do_not_fit_are_refused_before_anything_is_written(catalog: wb.Catalog, place: Place) -> None:
    with pytest.raises(CatalogError, match="the value of 'owner' has 1,001 characters"):
        catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ü" * 1001})
    assert not (Path(catalog.warehouse) / "shop.db").exists()
    table = catalog.create_table("shop.t", {"n": "INT"}, options={"owner": "ü" * 1000})
    with pytest.raises(CatalogError, match="the value of 'region' has 2,000 characters"):
        catalog.alter_table("shop.t", wb.SetOption("region", "x" * 2000))
    with pytest.raises(CatalogError, match="the value of 'comment'"):
        catalog.alter_database("shop", {"comment": "x" * 1001})
    assert catalog.get_table("shop.t").schema == table.schema
    assert place.rows("SELECT DISTINCT table_name, property_key FROM paimon_table_properties") == [("t", "owner")]
    unsynced = wb.connect({**catalog.options, "sync-all-properties": "false"})
    unsynced.create_table("shop.u", {"n": "INT"}, options={"owner": "x" * 1001})
    assert place.rows("SELECT DISTINCT table_name FROM paimon_table_properties") == [("t",)]
