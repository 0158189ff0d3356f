"""A metastore that is down, silent, or was started again; what is undone then, and what is not known."""

from __future__ import annotations

import pickle
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import RunningMetastore
from tests.catalogs.relay import Relay, relay
from workbench.catalog.hive import client as client_module
from workbench.catalog.hive.client import client_for

pytestmark = pytest.mark.java


def through(between: Relay, options: dict[str, str], **more: str) -> wb.Catalog:
    """A catalog whose metastore is reached through a relay."""
    return wb.connect({**options, "uri": f"thrift://127.0.0.1:{between.port}", **more})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_dead_metastore_is_named_with_the_cause(options: dict[str, str]) -> None:
    port = free_port()
    began = time.monotonic()
    catalog = wb.connect({**options, "uri": f"thrift://127.0.0.1:{port}"})
    with pytest.raises(wb.CatalogError, match=rf"does not answer: thrift://127\.0\.0\.1:{port}: .*[Rr]efused"):
        catalog.list_databases()
    assert time.monotonic() - began < 5


@pytest.mark.long
def test_a_silent_metastore_is_noticed_within_ten_seconds(options: dict[str, str]) -> None:
    # Connections are accepted by the system, and nothing ever answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        catalog = wb.connect({**options, "uri": f"thrift://127.0.0.1:{port}"})
        began = time.monotonic()
        with pytest.raises(wb.CatalogError, match=rf"does not answer: thrift://127\.0\.0\.1:{port}: .*time"):
            catalog.list_databases()
        assert time.monotonic() - began < 10


def test_the_next_server_of_the_list_is_used(
    options: dict[str, str], metastore: RunningMetastore, database: str
) -> None:
    uris = f"thrift://127.0.0.1:{free_port()},{metastore.uri}"
    catalog = wb.connect({**options, "uri": uris})
    catalog.create_database(database)
    assert database in catalog.list_databases()


def test_a_connection_that_the_server_closed_is_opened_again(
    options: dict[str, str], metastore: RunningMetastore
) -> None:
    with relay(metastore.port) as between:
        catalog = through(between, options)
        names = catalog.list_databases()
        for _ in range(3):
            between.close_connections()
            assert catalog.list_databases() == names
        assert between.connections == 4


@pytest.mark.long
def test_a_server_that_falls_silent_between_two_calls_is_noticed(
    options: dict[str, str], metastore: RunningMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_IDLE_SECONDS", 0.0)
    monkeypatch.setattr(client_module, "_PATIENCE_SECONDS", 1.0)
    with relay(metastore.port) as between:
        catalog = through(between, options)
        catalog.list_databases()
        between.is_silent = True
        began = time.monotonic()
        with pytest.raises(wb.CatalogError, match="does not answer"):
            catalog.list_databases()
        assert time.monotonic() - began < 4


def test_the_pool_has_its_size(options: dict[str, str], metastore: RunningMetastore, database: str) -> None:
    with relay(metastore.port) as between:
        catalog = through(between, options, **{"client-pool-size": "1"})
        catalog.create_database(database)
        catalog.create_table(f"{database}.t", {"k": "INT"})
        with ThreadPoolExecutor(8) as pool:
            opened = list(pool.map(catalog.get_table, [f"{database}.t"] * 16))
        assert {each.name for each in opened} == {f"{database}.t"}
        assert between.connections == 1


def losing_answers(catalog: wb.Catalog, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let calls of a function be carried out, and their answers be lost."""
    client = client_for(catalog.metastore.settings)  # type: ignore[attr-defined]
    call: Callable[..., Any] = client.call

    def losing(function: str, *arguments: Any) -> Any:
        result = call(function, *arguments)
        if function == name:
            raise wb.CatalogError("The answer was lost.")
        return result

    monkeypatch.setattr(client, "call", losing)


def test_a_created_table_whose_answer_was_lost_keeps_its_files(
    options: dict[str, str], catalog: wb.Catalog, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        losing_answers(catalog, "create_table", patch)
        with pytest.raises(wb.CatalogError, match="answer was lost"):
            catalog.create_table(f"{database}.t", {"k": "INT"})
    table = wb.connect(options).get_table(f"{database}.t")
    table.write([{"k": 1}])
    assert table.to_arrow().num_rows == 1


def test_an_alteration_whose_answer_was_lost_is_kept(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = catalog.create_table(f"{database}.t", {"k": "INT"})
    with monkeypatch.context() as patch:
        losing_answers(catalog, "alter_table_with_environment_context", patch)
        with pytest.raises(wb.CatalogError, match=rf"not known whether.*CALL sys\.repair\('{database}\.t'\)"):
            catalog.alter_table(f"{database}.t", wb.AddColumn("v", "INT"))
    assert Path(table.location, "schema", "schema-1").exists()
    assert [each.name for each in metastore.get(database, "t").sd.cols] == ["k", "v"]


def test_a_table_is_written_by_another_process(catalog: wb.Catalog, metastore: RunningMetastore, database: str) -> None:
    table = catalog.create_table(
        f"{database}.t",
        {"k": "INT", "dt": "STRING"},
        partition_by="dt",
        options={"metastore.partitioned-table": "true"},
    )
    store = pickle.loads(pickle.dumps(table.store))
    assert store.runtime.environment == table.store.runtime.environment
    wb.Table(store).write([{"k": 1, "dt": "a"}])
    assert [each.values for each in metastore.client.call("get_partitions", database, "t", -1)] == [["a"]]
