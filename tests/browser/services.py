"""Services of catalogs for the panel, one of each kind. Each may die, and come back."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import Request, urlopen

import workbench as wb
from tests.catalogs.hive.metastores import HIVE_2
from tests.catalogs.hive.metastores import running as running_metastore
from tests.catalogs.jdbc.servers import PASSWORD, postgresql
from tests.catalogs.relay import relay
from tests.catalogs.rest.servers import TOKEN, WAREHOUSE, rest_server
from tests.interop.provision import unavailable

# Nothing listens on a port that the system never gives to a program.
CLOSED_PORT = 1
PASSWORD_VARIABLE, TOKEN_VARIABLE = "LAKE_PASSWORD", "LAKE_TOKEN"
VARIABLES = {PASSWORD_VARIABLE: PASSWORD, TOKEN_VARIABLE: TOKEN}
"""What the environment of the server has."""

DATABASE = "mall"


@dataclass(frozen=True)
class Service:
    """A service with the database ``mall``: the tables ``orders`` and ``returns``, and the view ``new_orders``."""

    title: str
    """What the form calls its kind."""

    near: wb.Catalog
    """A catalog that reaches the service even while the panel does not."""

    options: Mapping[str, str]
    """What a user enters, by the names of the options; a secret as the name of a variable."""

    address: str
    """What messages call the service."""

    dead: Callable[[], AbstractContextManager[None]]
    """Stops the service until the end of a block."""

    silent: Callable[[], AbstractContextManager[None]]
    """Lets the service answer nothing until the end of a block."""

    wrong_address: str
    """An address where nothing answers."""

    secret: str = ""
    """The option with the secret."""

    more: str = ""
    """Options that the form has no field for."""

    groups: Mapping[str, str] = field(default_factory=lambda: {"Views (1)": "new_orders, view"})
    """What the database has besides tables: an entry of each list."""


@contextmanager
def sqlite(directory: Path) -> Iterator[Service]:
    """A catalog in a file, which another program may lock."""
    file = directory / "catalog.db"
    options = {"uri": f"jdbc:sqlite:{file}", "warehouse": str(_new(directory / "warehouse"))}
    near = wb.connect(metastore="jdbc", **options)
    _fill(near)

    @contextmanager
    def locked() -> Iterator[None]:
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()

    missing = f"jdbc:sqlite:{directory}/missing/catalog.db"
    more = "jdbc.busy_timeout = 500"
    yield Service("JDBC database", near, options, options["uri"], locked, locked, missing, more=more)


@contextmanager
def postgres(directory: Path) -> Iterator[Service]:
    """A catalog in PostgreSQL."""
    if importlib.util.find_spec("psycopg") is None:
        unavailable("psycopg is not installed")
    warehouse = str(_new(directory / "warehouse"))
    with postgresql() as server, relay(server.port) as between:
        place = server.new_place()
        near = wb.connect({**place.options, "warehouse": warehouse})
        _fill(near)
        uri, wrong = (place.uri.replace(f":{server.port}/", f":{port}/") for port in (between.port, CLOSED_PORT))
        options = {
            "uri": uri,
            "warehouse": warehouse,
            "jdbc.user": place.options["jdbc.user"],
            "jdbc.password": PASSWORD_VARIABLE,
        }
        yield Service("JDBC database", near, options, uri, between.dead, between.silent, wrong, "jdbc.password")


@contextmanager
def hive(directory: Path) -> Iterator[Service]:
    """A Hive Metastore, with a table of Hive."""
    if importlib.util.find_spec("pymetastore") is None:
        unavailable("pymetastore is not installed")
    warehouse = f"file:{_new(directory / 'warehouse')}"
    with running_metastore(HIVE_2) as metastore, relay(metastore.port) as between:
        near = wb.connect(metastore="hive", uri=metastore.uri, warehouse=warehouse)
        _fill(near)
        from workbench.catalog.hive.client import thrift_types

        types = thrift_types()
        descriptor = types.StorageDescriptor(
            cols=[types.FieldSchema("a", "int")],
            location=f"{warehouse}/{DATABASE}.db/visitors",
            inputFormat="org.apache.hadoop.mapred.TextInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            serdeInfo=types.SerDeInfo(serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"),
        )
        visitors = types.Table("visitors", DATABASE, "me", 1, 1, 0, descriptor, [], {}, None, None, "MANAGED_TABLE")
        metastore.client.call("create_table", visitors)
        options = {"uri": f"thrift://127.0.0.1:{between.port}", "warehouse": warehouse}
        groups = {"Views (1)": "new_orders, view", "Other tables (1)": "visitors, Not a Paimon table"}
        wrong = f"thrift://127.0.0.1:{CLOSED_PORT}"
        yield Service(
            "Hive Metastore", near, options, options["uri"], between.dead, between.silent, wrong, groups=groups
        )


@contextmanager
def rest(directory: Path) -> Iterator[Service]:
    """A REST service, with a function."""
    if importlib.util.find_spec("requests") is None:
        unavailable("requests is not installed")
    with rest_server(_new(directory / "data"), {"prefix": "paimon"}) as port, relay(port) as between:
        near = wb.connect(_rest_options(port))
        _fill(near)
        number = [{"id": 0, "name": "amount", "type": "DOUBLE"}]
        function = {
            "name": "tax",
            "inputParams": number,
            "returnParams": number,
            "deterministic": True,
            "definitions": {"flink": {"type": "sql", "definition": "amount * 0.2"}},
            "comment": "The tax of an amount",
            "options": {},
        }
        url = f"http://127.0.0.1:{port}/v1/paimon/databases/{DATABASE}/functions"
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        urlopen(Request(url, json.dumps(function).encode(), headers)).close()
        options = {
            "uri": f"http://127.0.0.1:{between.port}",
            "warehouse": WAREHOUSE,
            "token.provider": "bear",
            "token": TOKEN_VARIABLE,
        }
        groups = {"Views (1)": "new_orders, view", "Functions (1)": "tax, function"}
        wrong = f"http://127.0.0.1:{CLOSED_PORT}"
        yield Service(
            "REST service", near, options, options["uri"], between.dead, between.silent, wrong, "token", groups=groups
        )


SERVICES: Mapping[str, Callable[[Path], AbstractContextManager[Service]]] = {
    "sqlite": sqlite,
    "postgresql": postgres,
    "hive": hive,
    "rest": rest,
}
"""The services by their names."""


class Services:
    """Starts services when they are first needed.

    Args:
        directory: Where their files are.
        stack: Ends the services.
    """

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self._directory, self._stack = directory, stack
        self._running: dict[str, Service] = {}

    def get(self, name: str) -> Service:
        """Return a running service."""
        if name not in self._running:
            self._running[name] = self._stack.enter_context(SERVICES[name](_new(self._directory / name)))
        return self._running[name]


def _fill(catalog: wb.Catalog) -> None:
    """Create what every service has."""
    catalog.create_database(DATABASE)
    columns = {"id": "BIGINT NOT NULL", "state": "STRING"}
    for name in ("orders", "returns"):
        table = catalog.create_table(f"{DATABASE}.{name}", columns, primary_key="id", options={"bucket": "2"})
        table.write([{"id": each, "state": f"word {each}"} for each in range(12)])
        table.write([{"id": 3, "state": uuid.uuid4().hex}])
    catalog.create_view(
        f"{DATABASE}.new_orders", f"SELECT id FROM {DATABASE}.orders WHERE state = 'new'", {"id": "BIGINT NOT NULL"}
    )


def _rest_options(port: int) -> dict[str, str]:
    address = {"metastore": "rest", "uri": f"http://127.0.0.1:{port}", "warehouse": WAREHOUSE}
    return {**address, "token.provider": "bear", "token": TOKEN}


def _new(directory: Path) -> Path:
    directory.mkdir(parents=True)
    return directory
