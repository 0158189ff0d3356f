"""JDBC URLs, the value of the option ``uri``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import unquote

from workbench.base.errors import CatalogError
from workbench.base.secrets import SecretText, names_a_secret, without_credentials

_PREFIX = "jdbc."
_URL = re.compile(r"jdbc:(?P<protocol>[a-z0-9]+):(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:(?P<user>[^@]*)@)?(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d+))?")
_EXAMPLES = "Write jdbc:postgresql://host:5432/database, jdbc:mysql://host:3306/database or jdbc:sqlite:/path/of/file."


@dataclass(frozen=True)
class JdbcUrl:
    """Where a database is, and the properties with which its driver connects."""

    protocol: str
    """The kind of the database, such as ``postgresql``."""

    hosts: tuple[tuple[str, int | None], ...]
    """Its servers, in the order in which they are tried, each with its port if the URL has one; none for a file."""

    database: str
    """The name of the database, or the path of its file."""

    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """The properties of the driver, such as ``user`` and ``password``: those of the URL, replaced by the options
    ``jdbc.*``."""

    @property
    def address(self) -> str:
        """The URL without properties, for messages."""
        if not self.hosts:
            return f"jdbc:{self.protocol}:{self.database}"
        hosts = ",".join(host if port is None else f"{host}:{port}" for host, port in self.hosts)
        return f"jdbc:{self.protocol}://{hosts}/{self.database}"

    @property
    def password(self) -> str:
        """The password, or an empty text."""
        return self.properties.get("password", "")


def parse_url(options: Mapping[str, str]) -> JdbcUrl:
    """Return the database that the option ``uri`` names, with the options ``jdbc.*`` as properties.

    Raises:
        CatalogError: There is no ``uri``, or it is not a JDBC URL.

    Example:
        >>> parse_url({"uri": "jdbc:postgresql://db.example.com/lake", "jdbc.user": "ada"}).address
        'jdbc:postgresql://db.example.com/lake'
    """
    if "uri" not in options:
        raise CatalogError("No database is given: option 'uri' is missing.", _EXAMPLES)
    text = options["uri"].strip()
    match = _URL.fullmatch(text)
    if match is None:
        raise CatalogError(f"'uri' = '{without_credentials(text)}' is not a JDBC URL.", _EXAMPLES)
    place, _, query = match["rest"].partition("?")
    properties = dict(_parameters(query))
    hosts: list[tuple[str, int | None]] = []
    database = place
    if place.startswith("//"):
        names, _, database = place[2:].partition("/")
        hosts.extend(_host(name, text, properties) for name in names.split(","))
    own = {key.removeprefix(_PREFIX): value for key, value in options.items() if key.startswith(_PREFIX)}
    given = {key: SecretText(value) if names_a_secret(key) else value for key, value in {**properties, **own}.items()}
    return JdbcUrl(match["protocol"].lower(), tuple(hosts), unquote(database), given)


def _parameters(query: str) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    return [(unquote(key), unquote(value)) for key, _, value in pairs]


def _host(name: str, text: str, properties: dict[str, str]) -> tuple[str, int | None]:
    """Return a host and its port. The user and the password before it become properties."""
    match = _HOST.fullmatch(name)
    if match is None:
        raise CatalogError(f"'uri' = '{without_credentials(text)}' is not a JDBC URL.", _EXAMPLES)
    if match["user"]:
        user, _, password = match["user"].partition(":")
        properties["user"] = unquote(user)
        if password:
            properties["password"] = unquote(password)
    host = match["host"].strip("[]") or "localhost"
    return host, int(match["port"]) if match["port"] else None
