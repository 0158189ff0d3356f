"""The Python function behind Spark's catalog: it answers the requests of ``PaimonCatalog.java``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import types as spark

from workbench.base.errors import AlreadyExists, DatabaseNotFound, TableNotFound, Unsupported, WorkbenchError
from workbench.metadata.read_options import READ_OPTIONS
from workbench.spark.jvm.changes import schema_change
from workbench.spark.types import ddl_columns, paimon_columns
from workbench.table.read_options import open_for_read

if TYPE_CHECKING:
    from workbench.catalog.protocol import Catalog

_Request = Mapping[str, Any]
# Properties that Spark adds by itself.
_OF_SPARK = ("provider", "owner", "is_managed_location")


@dataclass(frozen=True)
class Bridge:
    """A ``java.util.function.Function`` from the JSON text of a request to that of its answer.

    An answer with ``error`` says why there is no result: 'missing', 'exists', 'not empty' or 'failed', with a
    ``message``.
    """

    catalog: Catalog
    format: str

    class Java:
        """What Py4J needs to know."""

        implements: ClassVar[list[str]] = ["java.util.function.Function"]

    def apply(self, text: str) -> str:
        """Return the answer to a request."""
        request = json.loads(text)
        try:
            answer = _OPERATIONS[request["operation"]](self, request)
        except (TableNotFound, DatabaseNotFound) as error:
            answer = {"error": "missing", "message": str(error)}
        except AlreadyExists as error:
            answer = {"error": "exists", "message": str(error)}
        except (WorkbenchError, OSError) as error:
            answer = {"error": "failed", "message": str(error)}
        return json.dumps(answer)

    def _list_databases(self, _request: _Request) -> dict[str, Any]:
        return {"names": self.catalog.list_databases()}

    def _describe_database(self, request: _Request) -> dict[str, Any]:
        self.catalog.list_tables(request["database"])
        return {"properties": {"location": f"{self.catalog.warehouse.rstrip('/')}/{request['database']}.db"}}

    def _create_database(self, request: _Request) -> dict[str, Any]:
        given = [key for key in request["properties"] if key not in _OF_SPARK]
        if given:
            raise Unsupported(
                f"A database with {', '.join(given)} is not supported: the catalog keeps no properties of databases.",
                "Remove COMMENT, LOCATION and DBPROPERTIES.",
            )
        self.catalog.create_database(request["database"])
        return {}

    def _drop_database(self, request: _Request) -> dict[str, Any]:
        if not request["cascade"] and self.catalog.list_tables(request["database"]):
            return {"error": "not empty"}
        self.catalog.drop_database(request["database"], cascade=request["cascade"])
        return {}

    def _list_tables(self, request: _Request) -> dict[str, Any]:
        return {"names": self.catalog.list_tables(request["database"])}

    def _load_table(self, request: _Request) -> dict[str, Any]:
        options = {}
        if "version" in request:
            options["scan.version"] = request["version"]
        if "micros" in request:
            options["scan.timestamp-millis"] = str(request["micros"] // 1000)
        return self._described(_name(request), options)

    def _create_table(self, request: _Request) -> dict[str, Any]:
        _check_kind(request["properties"])
        given = {key: value for key, value in request["properties"].items() if key not in _OF_SPARK}
        comment = given.pop("comment", None)
        key = [name.strip() for name in given.pop("primary-key", "").split(",") if name.strip()]
        partitions = [name.strip() for name in given.pop("partition", "").split(",") if name.strip()]
        columns = paimon_columns(spark.StructType.fromJson(json.loads(request["schema"])))
        self.catalog.create_table(
            _name(request), columns, key, request["partitions"] or partitions, options=given, comment=comment
        )
        return self._described(_name(request), {})

    def _alter_table(self, request: _Request) -> dict[str, Any]:
        schema = self.catalog.get_table(_name(request)).schema
        changes = [made for change in request["changes"] if (made := schema_change(change, schema)) is not None]
        if changes:
            self.catalog.alter_table(_name(request), *changes)
        return self._described(_name(request), {})

    def _drop_table(self, request: _Request) -> dict[str, Any]:
        self.catalog.drop_table(_name(request))
        return {}

    def _rename_table(self, request: _Request) -> dict[str, Any]:
        to = request["to"]
        self.catalog.rename_table(_name(request), f"{to['database'] or request['database']}.{to['table']}")
        return {}

    def _described(self, name: str, options: dict[str, str]) -> dict[str, Any]:
        """Describe a table at a version; without one, the newest is pinned for all that a query reads of it."""
        stored = self.catalog.get_table(name)
        table = open_for_read(stored, options) if options else stored
        chosen = any(key in stored.options for key in READ_OPTIONS)
        if not options and not chosen and table.version is None:
            snapshot = table.scan().snapshot
            options = {} if snapshot is None else {"scan.snapshot-id": str(snapshot.id)}
        properties = dict(stored.options)
        if stored.primary_key:
            properties["primary-key"] = ",".join(stored.primary_key)
        if stored.schema.comment:
            properties["comment"] = stored.schema.comment
        return {
            "format": self.format,
            "columns": ddl_columns(table.schema.fields),
            "partitions": list(stored.partition_keys),
            "properties": {**properties, "provider": "paimon", "location": stored.location},
            "reading": {"path": name, **options},
            "writing": {"path": name},
        }


_OPERATIONS: Mapping[str, Callable[[Bridge, _Request], dict[str, Any]]] = {
    "list_databases": Bridge._list_databases,
    "describe_database": Bridge._describe_database,
    "create_database": Bridge._create_database,
    "drop_database": Bridge._drop_database,
    "list_tables": Bridge._list_tables,
    "load_table": Bridge._load_table,
    "create_table": Bridge._create_table,
    "alter_table": Bridge._alter_table,
    "drop_table": Bridge._drop_table,
    "rename_table": Bridge._rename_table,
}


def _check_kind(properties: Mapping[str, str]) -> None:
    """Refuse tables of other formats and tables outside of the warehouse."""
    provider = properties.get("provider", "paimon")
    if provider.lower() != "paimon":
        raise Unsupported(
            f"Tables of the format '{provider}' are not supported.", "Write USING paimon, or df.writeTo(…).create()."
        )
    if "location" in properties or "external" in properties:
        raise Unsupported("External tables are not supported.", "Remove EXTERNAL and LOCATION.")


def _name(request: _Request) -> str:
    return f"{request['database']}.{request['table']}"
