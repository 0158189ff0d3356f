"""A kind of catalogs whose service runs while a file exists, for tests of the server and of the panel.

It is registered where this module is imported, as by ``c.PaimonWorkbench.endpoint_modules``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tests.support.memory_catalog import MemoryMetastore
from workbench.base.errors import CatalogError
from workbench.catalog.catalog import Catalog
from workbench.catalog.descriptions import Database, Function, View
from workbench.catalog.identifier import Identifier
from workbench.catalog.kinds import WAREHOUSE, CatalogKind, CatalogOption, register_kind
from workbench.format.types import DataField, parse_type
from workbench.metadata.definition.new_schema import new_table_schema

PASSWORD = "0pen-sesame"
# The variable of the environment that tests set to the password.
VARIABLE = "TOY_PASSWORD"
LONG_NAME = "hive_table_with_a_long_name"


class ToyMetastore(MemoryMetastore):
    """Refuses everything while the file at ``uri`` does not exist. Every service starts with a database ``toys``."""

    kind = "toy-service"

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.address = options["uri"]
        self._password = options.get("password", "")
        self._file = Path(options["uri"].removeprefix("toy:"))
        self.create_database(Database("toys"))

    def list_databases(self) -> list[str]:
        self._check()
        return super().list_databases()

    def list_tables(self, database: str) -> list[str]:
        self._check()
        return super().list_tables(database)

    def list_other_tables(self, database: str) -> list[str]:
        return [LONG_NAME] if database == "toys" else []

    def list_functions(self, database: str) -> list[str]:
        return ["area"] if database == "toys" else []

    def get_function(self, identifier: Identifier) -> Function | None:
        sides = tuple(DataField(at, name, parse_type("DOUBLE")) for at, name in enumerate(("length", "width")))
        body = {"type": "sql", "definition": "length * width"}
        area = Function("area", sides, (DataField(2, "area", parse_type("DOUBLE")),), definitions={"spark": body})
        return area if identifier.table == "area" else None

    def _check(self) -> None:
        """Raises CatalogError, with what it was given as drivers do."""
        if not self._file.exists():
            raise CatalogError(
                f"The service {self.address} does not answer (password={self._password}).", "Start the service."
            )
        if self._file.read_text() == "slow":
            time.sleep(60)
        if self._password != PASSWORD:
            raise CatalogError(f"The service refused the password {self._password}.", "Check the password.")


def open_toy(options: Mapping[str, str]) -> Catalog:
    """Open the catalog of a toy service, with a table and a view."""
    metastore = ToyMetastore(options)
    schema = new_table_schema({"id": "BIGINT NOT NULL", "price": "DOUBLE"}, time_millis=0)
    metastore.create_table(Identifier("toys", "dolls"), schema)
    dialects = {"spark": "SELECT id FROM toys.dolls WHERE price < 5D"}
    view = View(schema.fields[:1], "SELECT id FROM dolls WHERE price < 5", dialects, "Dolls for less than 5")
    metastore.create_view(Identifier("toys", "cheap"), view)
    return Catalog(metastore, options["warehouse"], options)


register_kind(
    CatalogKind(
        "toy-service",
        "Toy service",
        open_toy,
        (
            CatalogOption("uri", "Where the service is", "toy:/tmp/service", is_required=True),
            WAREHOUSE,
            CatalogOption("password", "The password of the user", is_secret=True),
            CatalogOption("mode", "How it is used", choices=("fast", "careful")),
        ),
    )
)
