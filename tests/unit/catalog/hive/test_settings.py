from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import CatalogError, InvalidSchema, Unsupported
from workbench.catalog.hive.catalog import uses_locks
from workbench.catalog.hive.settings import read_settings
from workbench.storage.lock import UnsupportedLock

URI = "thrift://a:9083"


def site(directory: Path, name: str, **values: str) -> Path:
    properties = "".join(
        f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items()
    )
    (directory / name).write_text(f"<?xml version='1.0'?><configuration>{properties}</configuration>")
    return directory


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HIVE_CONF_DIR", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_defaults_are_those_of_java() -> None:
    found = read_settings({"uri": "thrift://a:1, thrift://b"})
    assert found.hosts == (("a", 1), ("b", 9083))
    assert found.address == "thrift://a:1,thrift://b:9083"
    assert (found.sync_all_properties, found.location_in_properties, found.cascade) == (True, False, True)
    assert (found.pool_size, found.lock_max_sleep, found.lock_timeout) == (2, 8.0, 480.0)
    assert found.warehouse is None


def test_options() -> None:
    found = read_settings(
        {
            "uri": URI,
            "warehouse": "s3://lake/wh",
            "sync-all-properties": "false",
            "location-in-properties": "true",
            "client-pool-size": "5",
            "lock-check-max-sleep": "2 s",
            "lock-acquire-timeout": "1 min",
            "table.type": "external",
            "alter-table-cascade": "false",
            "hive.metastore.client.socket.timeout": "90",
        }
    )
    assert (found.sync_all_properties, found.location_in_properties, found.external_by_default) == (False, True, True)
    assert (found.pool_size, found.lock_max_sleep, found.lock_timeout, found.timeout) == (5, 2.0, 60.0, 90.0)
    assert (found.warehouse, found.cascade) == ("s3://lake/wh", False)


def test_hive_site_is_read_and_options_take_precedence(tmp_path: Path) -> None:
    values = {"hive.metastore.uris": "thrift://site:7", "hive.metastore.warehouse.dir": "/site/wh"}
    site(tmp_path, "hive-site.xml", **values)
    found = read_settings({"hive-conf-dir": str(tmp_path)})
    assert (found.hosts, found.warehouse) == ((("site", 7),), "/site/wh")
    mixed = read_settings({"hive-conf-dir": str(tmp_path), "uri": URI, "warehouse": "/mine"})
    assert (mixed.hosts, mixed.warehouse) == ((("a", 9083),), "/mine")


def test_directories_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(site(tmp_path, "core-site.xml", **{"hive.metastore.uris": "thrift://c"})))
    # It has no hive-site.xml, which is only an error in the directory of an option.
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    assert read_settings({}).hosts == (("c", 9083),)
    with pytest.raises(CatalogError, match=r"There is no file .*hive-site\.xml"):
        read_settings({"hive-conf-dir": str(tmp_path)})
    (tmp_path / "hive-site.xml").write_text("<configuration>")
    with pytest.raises(CatalogError, match="cannot be read"):
        read_settings({"hive-conf-dir": str(tmp_path)})


@pytest.mark.parametrize("uri", ["http://a:1", "a:9083", "thrift://", "thrift://a:port", "thrift://a:99999"])
def test_addresses_are_checked(uri: str) -> None:
    with pytest.raises(CatalogError, match="is not the address"):
        read_settings({"uri": uri})


def test_an_address_is_required() -> None:
    with pytest.raises(CatalogError, match="no address of a Hive Metastore"):
        read_settings({})
    with pytest.raises(InvalidSchema, match="lock-acquire-timeout"):
        read_settings({"uri": URI, "lock-acquire-timeout": "soon"})


@pytest.mark.parametrize(
    "option",
    [
        {"metastore.client.class": "org.example.Client"},
        {"security.kerberos.login.principal": "me"},
        {"hive.metastore.sasl.enabled": "true"},
        {"hive.metastore.use.SSL": "TRUE"},
        {"hive.metastore.thrift.framed.transport.enabled": "true"},
        {"hive.metastore.thrift.compact.protocol.enabled": "true"},
    ],
)
def test_what_the_client_lacks_is_refused_by_name(option: dict[str, str], tmp_path: Path) -> None:
    (name,) = option
    with pytest.raises(Unsupported, match=f"'{name}'.* is not supported"):
        read_settings({"uri": URI, **option})
    site(tmp_path, "hive-site.xml", **option)
    with pytest.raises(Unsupported, match=f"'{name}'.* is not supported"):
        read_settings({"uri": URI, "hive-conf-dir": str(tmp_path)})
    assert read_settings({"uri": URI, "hive.metastore.sasl.enabled": "false"}).hosts


@pytest.mark.parametrize(
    ("options", "warehouse", "expected"),
    [
        ({}, "/data/wh", False),
        ({}, "hdfs://a/wh", False),
        ({}, "s3://lake/wh", True),
        ({}, "abfss://c@a.dfs.core.windows.net/wh", True),
        ({"lock.enabled": "false"}, "s3://lake/wh", False),
        ({"lock.enabled": "true"}, "/data/wh", True),
        ({"lock.enabled": "true", "lock.type": "hive"}, "/data/wh", True),
        ({"lock.enabled": "true", "lock.type": "zookeeper"}, "/data/wh", False),
    ],
)
def test_locks_are_on_by_default_where_java_replaces_snapshots(
    options: dict[str, str], warehouse: str, expected: bool
) -> None:
    assert uses_locks(options, warehouse) is expected


def test_another_lock_is_that_of_the_options() -> None:
    from workbench.catalog.hive.environment import HiveEnvironment
    from workbench.catalog.hive.lock import HiveLock

    settings = read_settings({"uri": URI})
    given = {"lock.enabled": "true", "lock.type": "zookeeper"}
    assert isinstance(HiveEnvironment(settings, uses_locks(given, "/wh")).lock(given), UnsupportedLock)
    assert isinstance(HiveEnvironment(settings, True).lock({}), HiveLock)
