"""Writes of an attached session of Spark Connect: INSERT, and the commands of a DataFrame's writers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.base.errors import AlreadyExists, InvalidRequest, SchemaMismatch, TableNotFound, WorkbenchError
from workbench.base.modules import exp
from workbench.base.zones import statement_zone_name
from workbench.spark.jvm.bridge import Bridge
from workbench.spark.jvm.options import MERGE_SCHEMA, PATH, check_session, settings_of
from workbench.spark.jvm.writes import write_rows
from workbench.spark.storing.assignment import by_name, by_position
from workbench.sql.statements import InsertInto, Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table

_Filters = list[list[Any]]
EVERYTHING: _Filters = [["true", None, None]]
_DYNAMIC = "dynamic"


@dataclass(frozen=True)
class Target:
    """A table to write or to create: its catalog, its name, and the session's settings."""

    catalog: Catalog
    catalog_name: str
    name: str
    settings: Mapping[str, str]

    def table(self) -> Table | None:
        """Return the table; None if it does not exist."""
        try:
            return self.catalog.get_table(self.name)
        except TableNotFound:
            return None

    def existing(self) -> Table:
        """Return the table. Raises TableNotFound if it does not exist."""
        return self.catalog.get_table(self.name)

    def write(
        self, frame: DataFrame, mode: str, filters: _Filters | None = None, options: Mapping[str, str] | None = None
    ) -> None:
        """Write rows that have the columns of the table.

        Args:
            frame: The rows.
            mode: 'append', 'overwrite', or 'dynamic', which overwrites only the partitions that the rows are in.
            filters: What an overwrite replaces, as the catalog in the JVM describes it.
            options: The options of the writer.
        """
        settings = settings_of(self.settings, self.catalog_name, self.name)
        check_session(settings, self.existing().schema)
        writing = {PATH: self.name, **settings, **(options or {})}
        write_rows(self.catalog, {"writing": writing, "mode": mode, "filters": filters or []}, frame)

    def create(
        self, frame: DataFrame, partitions: Sequence[str], properties: Mapping[str, str], *, replace: bool = False
    ) -> None:
        """Create a table with the columns of a DataFrame, or give an existing one these columns, and write the rows."""
        made = self.define(frame.schema.json(), partitions, properties, replace=replace)
        is_written = False
        try:
            self.write(by_name(frame, self.existing().schema.fields), "append")
            is_written = True
        finally:
            # Without its rows it is not the requested table.
            if not is_written:
                undo = {"operation": "restore_table", **made} if replace else {"operation": "drop_table"}
                send_to_bridge(self.catalog, self.catalog_name, {**self._named, **undo})

    def define(
        self, schema: str, partitions: Sequence[str], properties: Mapping[str, str], *, replace: bool = False
    ) -> Mapping[str, Any]:
        """Create a table, or replace the columns and properties of an existing table, which becomes empty.

        Returns the information that restores a replaced table.

        Args:
            schema: The columns as the JSON text of a schema of Spark.
            partitions: The partition columns.
            properties: The properties, with the keys and the comment.
            replace: Whether the table exists.
        """
        names = [field["name"].lower() for field in json.loads(schema)["fields"]]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise AlreadyExists(f"Column '{twice}' already exists in {self.name}.", "Rename one of the columns.")
        request = {
            **self._named,
            "operation": "replace_table" if replace else "create_table",
            "schema": schema,
            "partitions": list(partitions),
            "properties": dict(properties),
        }
        return send_to_bridge(self.catalog, self.catalog_name, request)

    @property
    def _named(self) -> dict[str, str]:
        database, _, table = self.name.partition(".")
        return {"database": database, "table": table}

    def merges_schema(self, options: Mapping[str, str] | None = None) -> bool:
        """Return whether a setting, or an option of the writer, lets a write add columns to the table."""
        found = {**settings_of(self.settings, self.catalog_name, self.name), **(options or {})}
        return found.get(MERGE_SCHEMA, "").lower() == "true"


def send_to_bridge(catalog: Catalog, name: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer to a request in the form that the catalog in the JVM uses.

    Raises:
        AlreadyExists: If what the request creates exists.
        WorkbenchError: If the request fails for another reason.
    """
    bridge = Bridge(catalog, name, "", None)  # type: ignore[arg-type]
    whole = {**request, "settings": {}, "zone": statement_zone_name()}
    answer: Mapping[str, Any] = json.loads(bridge.apply(json.dumps(whole), None))
    if answer.get("error") == "exists":
        raise AlreadyExists(answer["message"])
    if "error" in answer:
        raise WorkbenchError(answer["message"])
    return answer


def insert(target: Target, statement: InsertInto, frame: DataFrame, *, dynamic: bool) -> None:
    """Store the rows of an INSERT statement, as Spark does.

    Args:
        target: The table.
        statement: The statement.
        frame: The rows of its source.
        dynamic: Whether an overwrite replaces only the partitions that the rows are in.

    Raises:
        SchemaMismatch: If the rows do not fit the table.
    """
    from pyspark.sql import functions

    from workbench.spark.types import to_spark

    table = target.existing()
    known = {field.name.lower(): field for field in table.schema.fields}
    for name in (*statement.columns, *statement.partition, *statement.partition_from_rows):
        if name.lower() not in known:
            raise SchemaMismatch(f"Table {table.name} has no column '{name}'.", f"Columns: {', '.join(known)}.")
    fixed = {known[name.lower()].name: value for name, value in statement.partition.items()}
    last = [known[name.lower()] for name in statement.partition_from_rows]
    fields = [field for field in table.schema.fields if field.name not in fixed and field not in last] + last
    if statement.columns:
        fields = [known[name.lower()] for name in statement.columns]
    if not target.merges_schema():
        frame = _by(statement)(frame, fields, casts=True)
    for name, value in fixed.items():
        frame = frame.withColumn(name, functions.lit(value).cast(to_spark(table.schema.field(name).type)))
    if not statement.overwrite:
        target.write(frame, "append")
        return
    filters = [equal_to(name, value) for name, value in fixed.items()] or EVERYTHING
    target.write(frame, _DYNAMIC if dynamic else "overwrite", filters)


def _by(statement: InsertInto) -> Callable[..., DataFrame]:
    return by_name if statement.by_name else by_position


def source_text(statement: InsertInto) -> str:
    """Return the query for the rows of an INSERT statement. DEFAULT becomes NULL, which is stored as the default."""
    if not isinstance(statement.source, Rows):
        return statement.source.text
    rows = []
    for row in statement.source.rows:
        values = ["NULL" if _is_default(value) else value.sql(dialect="spark") for value in row]
        rows.append(f"({', '.join(values)})")
    return f"SELECT * FROM VALUES {', '.join(rows)}"


def _is_default(value: Any) -> bool:
    is_name = isinstance(value, exp.Column) and len(value.parts) == 1 and not value.this.args.get("quoted")
    return (is_name or isinstance(value, exp.Var)) and value.name.upper() == "DEFAULT"


def equal_to(column: str, value: Any) -> list[Any]:
    """Return the filter that selects a value of a column, as the catalog in the JVM describes it.

    Raises:
        InvalidRequest: If the value is a time, whose meaning depends on time zones.
    """
    if value is None:
        return ["null", column, None]
    if isinstance(value, datetime):
        raise InvalidRequest(f"The partition of '{value}' cannot be named.", "Use INSERT OVERWRITE with a query.")
    if isinstance(value, Decimal):
        return ["=", column, {"kind": "decimal", "value": str(value)}]
    if isinstance(value, date):
        return ["=", column, {"kind": "date", "value": value.isoformat()}]
    return ["=", column, {"kind": "plain", "value": value}]
