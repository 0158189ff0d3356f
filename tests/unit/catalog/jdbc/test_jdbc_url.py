"""JDBC URLs, and the arguments that drivers get for them."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import CatalogError, Unsupported
from workbench.catalog.jdbc.dialects import MySql, PostgreSql, Sqlite, dialect_of
from workbench.catalog.jdbc.url import parse_url


class Driver:
    """Keeps the arguments of a connection."""

    class OperationalError(Exception):
        """The driver's error."""

    class constants:  # noqa: N801 - as in PyMySQL
        class CLIENT:
            FOUND_ROWS = 2

    def connect(self, **arguments: Any) -> dict[str, Any]:
        return arguments


@pytest.fixture
def arguments(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the arguments of the driver for the options of a catalog."""
    for dialect in (PostgreSql, MySql):
        monkeypatch.setattr(dialect, "driver", lambda _: Driver())

    def of(uri: str, **properties: str) -> dict[str, Any]:
        url = parse_url({"uri": uri, **{f"jdbc.{key}": value for key, value in properties.items()}})
        return dict(dialect_of(url).connect(url, is_read_only=False))

    return of


@pytest.mark.parametrize(
    ("uri", "hosts", "database", "address"),
    [
        ("jdbc:sqlite:/data/c.db", (), "/data/c.db", "jdbc:sqlite:/data/c.db"),
        ("jdbc:postgresql://h/db", (("h", None),), "db", "jdbc:postgresql://h/db"),
        ("jdbc:postgresql://h:6432/db?ssl=true", (("h", 6432),), "db", "jdbc:postgresql://h:6432/db"),
        ("jdbc:postgresql://a:1,b:2/db", (("a", 1), ("b", 2)), "db", "jdbc:postgresql://a:1,b:2/db"),
        ("jdbc:postgresql://[::1]:5432/my%20db", (("::1", 5432),), "my db", "jdbc:postgresql://::1:5432/my db"),
        ("jdbc:postgresql:db", (), "db", "jdbc:postgresql:db"),
        ("jdbc:mysql://ada:s3cret@h:3307/db?a=b", (("h", 3307),), "db", "jdbc:mysql://h:3307/db"),
        ("JDBC:MARIADB://h/db", (("h", None),), "db", "jdbc:mariadb://h/db"),
    ],
)
def test_parts_of_urls(uri: str, hosts: object, database: str, address: str) -> None:
    url = parse_url({"uri": uri})
    assert (url.hosts, url.database, url.address) == (hosts, database, address)
    assert "s3cret" not in repr(url)


def test_options_replace_the_properties_of_the_url() -> None:
    url = parse_url({"uri": "jdbc:mysql://ada:one@h/db?useSSL=false", "jdbc.password": "two", "other": "x"})
    assert dict(url.properties) == {"user": "ada", "password": "two", "useSSL": "false"}
    assert parse_url({"uri": "jdbc:postgresql://h/db?user=ada&password=a%26b"}).password == "a&b"


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("postgresql://ada:s3cret@h/db", r"is not a JDBC URL\. Write jdbc:postgresql://"),
        ("jdbc:postgresql", "is not a JDBC URL"),
        ("jdbc:mysql://ada:s3cret@h:port/db", "is not a JDBC URL"),
        ("jdbc:oracle:thin:@h", r"A catalog cannot be in 'jdbc:oracle:.* Known are: jdbc:mariadb:, jdbc:mysql:"),
    ],
)
def test_other_urls_are_refused_without_their_password(uri: str, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as refused:
        wb.connect({"metastore": "jdbc", "uri": uri, "warehouse": "memory://lake"})
    assert "s3cret" not in str(refused.value)


def test_missing_options_are_named() -> None:
    with pytest.raises(CatalogError, match="option 'uri' is missing"):
        wb.connect({"metastore": "jdbc", "warehouse": "memory://lake"})
    with pytest.raises(CatalogError, match="No warehouse is given"):
        wb.connect({"metastore": "jdbc", "uri": "jdbc:sqlite:/c.db"})


def test_a_catalog_in_memory_is_refused() -> None:
    url = parse_url({"uri": "jdbc:sqlite::memory:"})
    with pytest.raises(Unsupported, match="other processes would not see it"):
        Sqlite().connect(url, is_read_only=False)


def test_arguments_of_postgresql(arguments: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    found = arguments(
        "jdbc:postgresql://a:1,b/db?currentSchema=lake", user="ada", sslmode="require", prepareThreshold="0"
    )
    assert (found["host"], found["port"], found["dbname"], found["user"]) == ("a,b", "1,5432", "db", "ada")
    assert found["options"] == "-c TimeZone=Europe/Berlin -c search_path=lake"
    assert found["sslmode"] == "require"
    assert "prepareThreshold" not in found
    assert arguments("jdbc:postgresql:db", ssl="true")["sslmode"] == "verify-full"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"sslMode": "VERIFY_IDENTITY"}, {"ssl_verify_cert": True, "ssl_verify_identity": True}),
        ({"sslMode": "verify-ca", "serverSslCert": "/ca.pem"}, {"ssl_verify_cert": True, "ssl_ca": "/ca.pem"}),
        ({"sslMode": "trust"}, {"ssl": {"check_hostname": False, "verify_mode": "none"}}),
        ({"useSSL": "false"}, {"ssl_disabled": True}),
        ({"connectTimeout": "2500", "rewriteBatchedStatements": "true"}, {"connect_timeout": 2}),
    ],
)
def test_arguments_of_mysql(arguments: Any, properties: dict[str, str], expected: dict[str, Any]) -> None:
    found = arguments("jdbc:mysql://h/db", **properties)
    assert {key: found[key] for key in expected} == expected
    assert (found["host"], found["port"], found["database"]) == ("h", 3306, "db")


@pytest.mark.parametrize(
    "uri",
    ["jdbc:postgresql://h/db?sslfactory=com.example.F", "jdbc:mysql://h/db?trustCertificateKeyStoreUrl=file:/k"],
)
def test_properties_that_make_a_connection_secure_are_not_ignored(arguments: Any, uri: str) -> None:
    with pytest.raises(Unsupported, match="is not supported"):
        arguments(uri)


def test_other_kinds_of_urls_of_mysql_are_refused(arguments: Any) -> None:
    with pytest.raises(Unsupported, match="cannot be used"):
        arguments("jdbc:mysql:replication://a,b/db")
