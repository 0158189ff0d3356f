"""What a catalog in a Hive Metastore is configured with: its own options, and those of ``hive-site.xml``."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.base.errors import CatalogError, Unsupported
from workbench.format.options.values import parse_option
from workbench.storage.file_io import join

URIS = "hive.metastore.uris"
_WAREHOUSE = "hive.metastore.warehouse.dir"
_TIMEOUT = "hive.metastore.client.socket.timeout"
_DEFAULT_PORT = 9083
_CONFIGURATIONS = (
    ("hadoop-conf-dir", "HADOOP_CONF_DIR", "core-site.xml"),
    ("hive-conf-dir", "HIVE_CONF_DIR", "hive-site.xml"),
)
_ANONYMOUS = "Connect to a metastore without authentication, or use an engine that supports it."
_PLAIN = "Connect to a port of the metastore that speaks plain Thrift."
_REFUSED = {
    "hive.metastore.sasl.enabled": _ANONYMOUS,
    "hive.metastore.use.SSL": _PLAIN,
    "hive.metastore.thrift.framed.transport.enabled": _PLAIN,
    "hive.metastore.thrift.compact.protocol.enabled": _PLAIN,
}
"""Options that change how clients talk to the metastore; with them, a plain connection would fail or hang."""


@dataclass(frozen=True)
class HiveSettings:
    """What a catalog in a Hive Metastore is configured with, as plain values."""

    hosts: tuple[tuple[str, int], ...]
    """The servers of the metastore, in the order in which they are tried."""

    warehouse: str | None = None
    """The directory of new databases; None for that of the metastore."""

    location_in_properties: bool = False
    """Whether directories are kept in the property ``paimon_location``, so that the metastore does not open them."""

    sync_all_properties: bool = True
    """Whether all options of tables are kept in the metastore, not only those with the prefix ``hive.``."""

    external_by_default: bool = False
    """Whether the files of new tables are kept when they are dropped."""

    cascade: bool = True
    """Whether changes of columns apply to the partitions in the metastore, too."""

    skip_update_stats: bool = False
    """Whether the metastore keeps its statistics of a table that is altered."""

    pool_size: int = 2
    """How many connections are open at a time."""

    timeout: float = 60.0
    """How many seconds a request may take."""

    lock_max_sleep: float = 8.0
    """The longest pause, in seconds, between two questions whether a lock is free."""

    lock_timeout: float = 480.0
    """How many seconds a writer waits for a lock."""

    @property
    def address(self) -> str:
        """The servers, for messages."""
        return ",".join(f"thrift://{host}:{port}" for host, port in self.hosts)


def read_settings(options: Mapping[str, str]) -> HiveSettings:
    """Return the settings in the options of a catalog, which take precedence over those of configuration files.

    Raises:
        CatalogError: There is no address of a metastore, or an address or a value is invalid.
        Unsupported: An option requires what this client does not have, such as Kerberos.
    """
    merged = {**_configured(options), **options}
    _check_supported(merged)
    uris = options.get("uri") or merged.get(URIS, "")
    if not uris.strip():
        raise CatalogError(
            "There is no address of a Hive Metastore.",
            f"Set the option 'uri' to thrift://host:{_DEFAULT_PORT}, or 'hive-conf-dir' to the directory of a "
            f"hive-site.xml with '{URIS}'.",
        )

    def value(name: str, kind: str, default: str) -> int:
        return int(parse_option(name, kind, merged.get(name, default)))

    return HiveSettings(
        hosts=tuple(_host(each.strip()) for each in uris.split(",") if each.strip()),
        warehouse=merged.get("warehouse") or merged.get(_WAREHOUSE),
        location_in_properties=bool(value("location-in-properties", "bool", "false")),
        sync_all_properties=bool(value("sync-all-properties", "bool", "true")),
        external_by_default=merged.get("table.type", "managed").strip().lower() == "external",
        cascade=bool(value("alter-table-cascade", "bool", "true")),
        skip_update_stats=bool(value("hive.skip-update-stats", "bool", "false")),
        pool_size=max(1, value("client-pool-size", "int", "2")),
        timeout=_seconds(merged.get(_TIMEOUT, "60 s")),
        lock_max_sleep=value("lock-check-max-sleep", "duration", "8 s") / 1000,
        lock_timeout=value("lock-acquire-timeout", "duration", "8 min") / 1000,
    )


def _seconds(text: str) -> float:
    """Return the seconds of a duration; a number without a unit is one of seconds, as in Hive."""
    plain = text.strip()
    return float(parse_option(_TIMEOUT, "duration", f"{plain} s" if plain.isdigit() else plain)) / 1000


def _host(uri: str) -> tuple[str, int]:
    parts = urlsplit(uri)
    try:
        port = parts.port or _DEFAULT_PORT
    except ValueError:
        port = 0
    if parts.scheme != "thrift" or not parts.hostname or not port:
        raise CatalogError(
            f"'{uri}' is not the address of a Hive Metastore.",
            f"Write thrift://host:{_DEFAULT_PORT}, and several addresses separated by commas.",
        )
    return parts.hostname, port


def _check_supported(options: Mapping[str, str]) -> None:
    if "metastore.client.class" in options:
        raise Unsupported(
            "Option 'metastore.client.class' is not supported: it names a class of Java.",
            "Remove it to use the Thrift service of the metastore; for a REST service, use 'metastore' = 'rest'.",
        )
    kerberos = sorted(name for name in options if name.startswith("security.kerberos."))
    if kerberos:
        raise Unsupported(f"Option '{kerberos[0]}' is not supported: there is no Kerberos client.", _ANONYMOUS)
    for name, hint in _REFUSED.items():
        if options.get(name, "false").strip().lower() == "true":
            raise Unsupported(f"Option '{name}' = 'true' is not supported.", hint)


def _configured(options: Mapping[str, str]) -> dict[str, str]:
    """Return the values in the configuration files of Hadoop and Hive."""
    found: dict[str, str] = {}
    for option, variable, name in _CONFIGURATIONS:
        directory = options.get(option) or os.environ.get(variable)
        if directory:
            path = join(directory, name)
            # A directory from the environment is one of the machine; that of an option is meant for this catalog.
            found |= _site(path, required=option in options and name == "hive-site.xml")
    return found


def _site(path: str, required: bool) -> dict[str, str]:
    try:
        root = ElementTree.parse(path).getroot()
    except FileNotFoundError as error:
        if not required:
            return {}
        raise CatalogError(f"There is no file {path}.", "Set 'hive-conf-dir' to the directory that has it.") from error
    except (ElementTree.ParseError, OSError) as error:
        raise CatalogError(f"{path} cannot be read: {error}", "Correct the file, or set the option 'uri'.") from error
    values = ((each.findtext("name"), each.findtext("value")) for each in root.iter("property"))
    return {name.strip(): value.strip() for name, value in values if name and value is not None}
