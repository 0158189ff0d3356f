"""The Python function behind Spark's catalog: it answers the requests of ``PaimonCatalog.java``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark

from workbench.base.errors import (
    AlreadyExists,
    DatabaseNotFound,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.base.zones import evaluating_in
from workbench.catalog.default_database import (
    create_if_default,
    create_with_properties,
    databases_with_default,
    is_unwritten_default,
    properties_of,
)
from workbench.catalog.tables import schema_of_new_table
from workbench.expr.dialect import tokens_of
from workbench.metadata.definition.fixed_options import check_fixed_options
from workbench.metadata.schemas import identity_of
from workbench.spark.guest_session import GuestSession
from workbench.spark.jvm import metadata_answers, reads
from workbench.spark.jvm.changes import schema_change
from workbench.spark.jvm.definitions import OF_SPARK, table_definition
from workbench.spark.jvm.incremental import is_incremental
from workbench.spark.jvm.options import (
    BY_PATH,
    CASTS,
    CATALOG,
    IDENTITY,
    KEEPS_COLUMNS,
    MERGE_SCHEMA,
    OVERWRITES,
    PATH,
    PINNED,
    SAVES,
    check_session,
    check_types,
    given_options,
    is_set,
    named_table,
    selects_version,
    settings_of,
    table_options,
    table_to_write,
)
from workbench.spark.jvm.row_changes import begin_change, change_rows
from workbench.spark.jvm.writes import write_rows
from workbench.spark.max_pt import max_partition
from workbench.spark.reading.metadata_columns import NOT_NULL, metadata_columns
from workbench.spark.streaming.sink import SinkOptions, write_batch
from workbench.spark.types import declared_schema
from workbench.table.read_options import open_for_read
from workbench.table.schema_changes.replace import replace_schema, restore_schema
from workbench.table.system.system_table import ReadOnlyTable

if TYPE_CHECKING:
    from pyspark import SparkContext

    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable

_Request = Mapping[str, Any]


@dataclass(frozen=True)
class Bridge:
    """A ``java.util.function.BiFunction`` that maps the JSON text of a request, and a session or rows, to the answer.

    The answer is either rows or the JSON text of an object. An object with ``error`` says why there is no result:
    'missing', 'exists', 'not empty' or 'failed', with a ``message``.

    Args:
        catalog: The catalog.
        name: The name of the catalog in the session.
        format: The name of the Python data source, which reads and writes streams.
        context: The Spark context.
    """

    catalog: Catalog
    name: str
    format: str
    context: SparkContext
    _replaced: dict[str, int | None] = field(default_factory=dict)

    class Java:
        """What Py4J needs to know."""

        implements: ClassVar[list[str]] = ["java.util.function.BiFunction"]

    def apply(self, text: str, value: Any) -> Any:
        """Return the answer to a request; ``value`` is Spark's session for a read, and the rows of a write."""
        request = json.loads(text)
        try:
            with evaluating_in(request["zone"]):
                answer = _OPERATIONS[request["operation"]](self, request, value)
            if isinstance(answer, DataFrame):
                return answer._jdf
        except (TableNotFound, DatabaseNotFound) as error:
            answer = {"error": "missing", "message": str(error)}
        except AlreadyExists as error:
            answer = {"error": "exists", "message": str(error)}
        except (WorkbenchError, OSError, PySparkException, Py4JError) as error:
            answer = {"error": "failed", "message": str(error)}
        return json.dumps(answer)

    def _session(self, java_session: Any) -> SparkSession:
        return GuestSession(self.context, java_session)

    def _read(self, request: _Request) -> _Request:
        """Return the request of a read; the query of REPLACE TABLE reads the rows that the replaced table had."""
        reading = request["reading"]
        name = reading.get(PATH)
        if name not in self._replaced or selects_version(reading):
            return request
        snapshot = self._replaced[name]
        if snapshot is None:
            raise Unsupported(f"Table {name} has no rows that could replace it.", "Name its columns instead.")
        return {**request, "reading": {**reading, "scan.snapshot-id": str(snapshot)}}

    def _plan(self, request: _Request, value: Any) -> dict[str, Any]:
        return reads.plan(self.catalog, self._read(request), None if value is None else self._session(value))

    def _rows(self, request: _Request, value: Any) -> DataFrame:
        return reads.rows(self.catalog, self._read(request), self._session(value))

    def _aggregate(self, request: _Request, _value: Any) -> dict[str, Any]:
        return metadata_answers.aggregate(self.catalog, self._read(request))

    def _partitions(self, request: _Request, _value: Any) -> dict[str, Any]:
        return metadata_answers.partition_rows(self.catalog, self._read(request))

    def _max_pt(self, request: _Request, value: Any) -> dict[str, Any]:
        named = self._session(value).catalog
        parts = [str(token.text) for token in tokens_of(request["table"]) if token.token_type.name != "DOT"]
        if len(parts) == 3 and parts[0] == self.name:
            parts = parts[1:]
        database = named.currentDatabase() if named.currentCatalog() == self.name else ""
        name = ".".join([database, *parts] if len(parts) == 1 and database else parts)
        return {"value": max_partition(self.catalog.open(name))}

    def _write(self, request: _Request, value: Any) -> dict[str, Any]:
        frame = DataFrame(value, self._session(value.sparkSession()))
        write_rows(self.catalog, request, frame)
        return {}

    def _begin_change(self, request: _Request, _value: Any) -> dict[str, Any]:
        return begin_change(self.catalog, request)

    def _change(self, request: _Request, value: Any) -> dict[str, Any]:
        change_rows(self.catalog, request, DataFrame(value, self._session(value.sparkSession())))
        return {}

    def _list_databases(self, _request: _Request, _value: Any) -> dict[str, Any]:
        return {"names": databases_with_default(self.catalog)}

    def _describe_database(self, request: _Request, _value: Any) -> dict[str, Any]:
        return {"properties": properties_of(self.catalog, request["database"])}

    def _create_database(self, request: _Request, _value: Any) -> dict[str, Any]:
        given = {key: value for key, value in request["properties"].items() if key not in (*OF_SPARK, "owner")}
        create_with_properties(self.catalog, request["database"], given, exist_ok=False)
        return {}

    def _alter_database(self, request: _Request, _value: Any) -> dict[str, Any]:
        create_if_default(self.catalog, request["database"])
        self.catalog.alter_database(request["database"], request["properties"])
        return {}

    def _drop_database(self, request: _Request, _value: Any) -> dict[str, Any]:
        if is_unwritten_default(self.catalog, request["database"]):
            return {}
        database = request["database"]
        if not request["cascade"] and (self.catalog.list_tables(database) or self.catalog.list_views(database)):
            return {"error": "not empty"}
        self.catalog.drop_database(database, cascade=request["cascade"])
        return {}

    def _list_tables(self, request: _Request, _value: Any) -> dict[str, Any]:
        if is_unwritten_default(self.catalog, request["database"]):
            return {"names": []}
        return {"names": self.catalog.list_tables(request["database"])}

    def _load_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        options = {}
        if "version" in request:
            options["scan.version"] = request["version"]
        if "micros" in request:
            options["scan.timestamp-millis"] = str(request["micros"] // 1000)
        return self._described(_name(request), options, request["settings"])

    def _load_path(self, request: _Request, _value: Any) -> dict[str, Any]:
        options = request["options"]
        given = given_options(options)
        try:
            found = self._described(options.get(PATH, ""), given, request["settings"], pins=True)
        except SnapshotNotFound:
            # A stream may start at a version that does not exist yet or has expired. A batch fails when it is planned.
            found = self._described(options.get(PATH, ""), {}, request["settings"])
        found["reading"][BY_PATH] = "true"
        # The sink writes the batches of streams.
        return {**found, "capabilities": [each for each in found["capabilities"] if each != "STREAMING_WRITE"]}

    def _write_batch(self, request: _Request, value: Any) -> dict[str, Any]:
        options = request["writing"]
        sink = SinkOptions.of(table_options(options))
        frame = DataFrame(value, self._session(value.sparkSession()))
        table = table_to_write(self.catalog, options)
        write_batch(frame, table, sink, request["query"], request["batch"], complete=request["complete"])
        return {}

    def _create_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        create_if_default(self.catalog, request["database"])
        self.catalog.create_table(_name(request), **table_definition(request))
        return self._described(_name(request), {}, request["settings"])

    def _replace_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        if is_set(request["settings"], SAVES):
            return {**self._overwritten(request), "undo": None}
        table = self.catalog.get_table(_name(request))
        given = table_definition(request)
        newest = table.scan().snapshot
        undo = {"schema": table.schema.id, "snapshot": None if newest is None else newest.id}
        definition = schema_of_new_table(
            given["schema"],
            given["primary_key"],
            given["partition_by"],
            given["options"],
            given["comment"],
            self.catalog.options,
            table.store.clock.now_millis(),
        )
        table.truncate()
        replace_schema(table.store, definition)
        self._replaced[_name(request)] = undo["snapshot"]
        return {**self._described(_name(request), {}, request["settings"]), "undo": undo}

    def _overwritten(self, request: _Request) -> dict[str, Any]:
        """Describe a table for a writer that replaces its rows but keeps its definition."""
        found = self._described(_name(request), {}, request["settings"])
        # The columns of the rows are matched by name when they are written.
        capabilities = {*found["capabilities"], "ACCEPT_ANY_SCHEMA"}
        return {**found, "capabilities": sorted(capabilities), "writing": {**found["writing"], OVERWRITES: "true"}}

    def _commit_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        self._replaced.pop(_name(request), None)
        return {}

    def _restore_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        self._replaced.pop(_name(request), None)
        undo = request["undo"]
        if undo is None:
            return {}
        table = self.catalog.get_table(_name(request))
        restore_schema(table.store, undo["schema"])
        if undo["snapshot"] is not None:
            table.rollback_to(snapshot=undo["snapshot"])
        return {}

    def _alter_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        schema = self.catalog.get_table(_name(request)).schema
        changes = [made for change in request["changes"] if (made := schema_change(change, schema)) is not None]
        if changes:
            self.catalog.alter_table(_name(request), *changes)
        return self._described(_name(request), {}, request["settings"])

    def _drop_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        self.catalog.drop_table(_name(request))
        return {}

    def _rename_table(self, request: _Request, _value: Any) -> dict[str, Any]:
        to = request["to"]
        self.catalog.rename_table(_name(request), f"{to['database'] or request['database']}.{to['table']}")
        return {}

    def _described(
        self, name: str, version: dict[str, str], settings: Mapping[str, str], *, pins: bool = False
    ) -> dict[str, Any]:
        """Describe a table at a version.

        With ``pins``, if no version is selected, all queries of the table read the version that is the newest now.
        """
        given = settings_of(settings, self.name, name)
        if selects_version(version):
            # The version that a query names takes precedence over a version in the settings.
            given = {key: text for key, text in given.items() if not selects_version({key: text})}
        options = {**given, **version}
        if is_set(options, KEEPS_COLUMNS):
            options.pop(MERGE_SCHEMA, None)
        check_types(options)
        stored = named_table(self.catalog, {PATH: name, **options})
        check_fixed_options(stored.store.schema, version)
        check_session({key: text for key, text in options.items() if key not in version}, stored.store.schema)
        reading = {PATH: name, CATALOG: self.name, IDENTITY: identity_of(stored.store), **options}
        if is_incremental(options):
            fields = stored.schema.fields
        else:
            given = table_options(options)
            try:
                table = open_for_read(stored, given) if given else stored
            except SnapshotNotFound:
                if selects_version(version):
                    raise
                # Creating or writing a table does not need the version from the session's settings; only a scan fails.
                table = stored
            fields = table.schema.fields
            chosen = selects_version(options) or selects_version(stored.options)
            if pins and not chosen and not table.is_pinned and (snapshot := table.scan().snapshot) is not None:
                reading[PINNED] = str(snapshot.id)
        known = {} if isinstance(stored, ReadOnlyTable) else metadata_columns(stored.schema)
        places = [spark.StructField(key, kind, key not in NOT_NULL) for key, kind in known.items()]
        written = {key: each for key, each in options.items() if not key.startswith("scan.")}
        properties = dict(stored.options)
        if stored.primary_key:
            properties["primary-key"] = ",".join(stored.primary_key)
        if stored.schema.comment:
            properties["comment"] = stored.schema.comment
        return {
            "format": self.format,
            "columns": declared_schema(fields).json(),
            "partitions": list(stored.partition_keys),
            "metadata_columns": spark.StructType(places).json(),
            "properties": {**properties, "provider": "paimon", "location": stored.location, "path": stored.location},
            "capabilities": _capabilities(stored, options),
            "reading": reading,
            "writing": {PATH: name, CATALOG: self.name, **written},
        }


_READS = ("BATCH_READ", "MICRO_BATCH_READ")
# Spark requires BATCH_WRITE for dynamic overwrites.
_WRITES = ("BATCH_WRITE", "V1_BATCH_WRITE", "STREAMING_WRITE", "TRUNCATE", "OVERWRITE_BY_FILTER", "OVERWRITE_DYNAMIC")


def _capabilities(table: ReadableTable, options: Mapping[str, str]) -> list[str]:
    """Return the names of the Spark capabilities that a table has; system tables are read-only."""
    if isinstance(table, ReadOnlyTable):
        return list(_READS)
    takes_any = is_set(options, MERGE_SCHEMA) or is_set(options, CASTS)
    return [*_READS, *_WRITES, *(["ACCEPT_ANY_SCHEMA"] if takes_any else [])]


_OPERATIONS: Mapping[str, Callable[[Bridge, _Request, Any], dict[str, Any] | DataFrame]] = {
    "plan": Bridge._plan,
    "rows": Bridge._rows,
    "aggregate": Bridge._aggregate,
    "partitions": Bridge._partitions,
    "max_pt": Bridge._max_pt,
    "write": Bridge._write,
    "begin_change": Bridge._begin_change,
    "change": Bridge._change,
    "list_databases": Bridge._list_databases,
    "describe_database": Bridge._describe_database,
    "create_database": Bridge._create_database,
    "alter_database": Bridge._alter_database,
    "drop_database": Bridge._drop_database,
    "list_tables": Bridge._list_tables,
    "load_table": Bridge._load_table,
    "load_path": Bridge._load_path,
    "write_batch": Bridge._write_batch,
    "create_table": Bridge._create_table,
    "replace_table": Bridge._replace_table,
    "commit_table": Bridge._commit_table,
    "restore_table": Bridge._restore_table,
    "alter_table": Bridge._alter_table,
    "drop_table": Bridge._drop_table,
    "rename_table": Bridge._rename_table,
}


def _name(request: _Request) -> str:
    return f"{request['database']}.{request['table']}"
