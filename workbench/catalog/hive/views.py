"""Views in a Hive Metastore, as Java's ``HiveCatalog`` writes them, beside those of other engines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from workbench.base.errors import AlreadyExists, CatalogError, Unsupported
from workbench.catalog.descriptions import View
from workbench.catalog.hive.client import HiveClient, thrift_types
from workbench.catalog.hive.tables import COMMENT, VIEW, column_of, is_view
from workbench.catalog.hive.types import TIMESTAMP, paimon_type
from workbench.catalog.identifier import Identifier
from workbench.catalog.metastore import Metastore
from workbench.format.types import DataField

_BATCH = 300
_SERDE = "org.apache.hadoop.hive.serde2.MetadataTypedColumnsetSerDe"
_FOREIGN = ("spark.sql.", "view.", "presto_", "trino_")
"""Prefixes of properties that other engines give their views."""


class HiveViews(Metastore):
    """What a Hive Metastore has of views."""

    @property
    def client(self) -> HiveClient:
        """The client of this process."""
        raise NotImplementedError

    def list_views(self, database: str) -> list[str]:
        """Return the names of all views of a database."""
        return list(self.client.find("get_tables_by_type", database, "*", VIEW) or [])

    def get_view(self, identifier: Identifier) -> View | None:
        """Return a view, or None if it does not exist. The metastore keeps one query for all dialects."""
        found = self.client.find("get_table", identifier.database, identifier.table)
        return read_view(found) if found is not None and is_view(found) else None

    def create_view(self, identifier: Identifier, view: View) -> None:
        """Create a view. Raises Unsupported if it has other queries in dialects, which the metastore does not keep."""
        check_lower_case(identifier.table)
        _check_dialects(view)
        self.check_free(identifier)
        self.client.call("create_table", new_view(identifier, view, int(time.time())))

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:  # noqa: ARG002
        """Replace a view."""
        _check_dialects(new)
        stored = self.client.call("get_table", identifier.database, identifier.table)
        table = new_view(identifier, new, stored.createTime)
        table.owner = stored.owner
        self.client.call("alter_table", identifier.database, identifier.table, table)

    def rename_view(self, old: Identifier, new: Identifier) -> None:
        """Rename a view."""
        check_lower_case(new.table)
        self.rename_entry(old, new)

    def drop_view(self, identifier: Identifier) -> None:
        """Remove a view."""
        self.client.call("drop_table", identifier.database, identifier.table, False)

    def list_other_views(self, database: str) -> list[str]:
        """Return the names of the views of other engines."""
        return [
            each.tableName for each in self.objects(database, self.list_views(database)) if not is_paimon_view(each)
        ]

    # --- inside ---------------------------------------------------------------------------------------------------

    def objects(self, database: str, names: list[str]) -> Iterator[Any]:
        """Yield the Thrift values of tables and views of a database."""
        for start in range(0, len(names), _BATCH):
            yield from self.client.call("get_table_objects_by_name", database, names[start : start + _BATCH])

    def check_free(self, identifier: Identifier) -> None:
        """Raise AlreadyExists if there is anything of a name."""
        found = self.client.find("get_table", identifier.database, identifier.table)
        if found is not None:
            what = "a view" if is_view(found) else f"a table of format {format_name(found)}"
            raise AlreadyExists(f"{identifier} already exists in Hive Metastore: {what}.", "Choose another name.")

    def rename_entry(self, old: Identifier, new: Identifier) -> None:
        """Rename a table or a view in the metastore."""
        table = self.client.call("get_table", old.database, old.table)
        table.dbName, table.tableName = new.database, new.table
        self.client.call("alter_table", old.database, old.table, table)


def is_paimon_view(table: Any) -> bool:
    """Return whether a view is one of Paimon's: no other engine gives views this SerDe, the default of Java's class."""
    info = None if table.sd is None else table.sd.serdeInfo
    foreign = any(each.startswith(_FOREIGN) for each in table.parameters or ())
    return info is not None and info.serializationLib == _SERDE and not foreign


def check_lower_case(name: str) -> None:
    """Raise CatalogError if the metastore would change a name."""
    if name != name.lower():
        raise CatalogError(
            f"Hive Metastore keeps names in lower case, so '{name}' would change.", f"Write '{name.lower()}'."
        )


def _check_dialects(view: View) -> None:
    if any(query != view.query for query in view.dialects.values()):
        raise Unsupported(
            "Hive Metastore keeps one query of a view, not other queries in dialects.",
            "Pass no dialects, or use a catalog of kind jdbc or rest.",
        )


def format_name(table: Any) -> str:
    """Return the format of a table, for messages."""
    parameters = table.parameters or {}
    known = parameters.get("table_type") or parameters.get("spark.sql.sources.provider")
    if known:
        return str(known)
    return str(table.sd.inputFormat).rpartition(".")[2] if table.sd is not None else "unknown"


def new_view(identifier: Identifier, view: View, seconds: int) -> Any:
    """Return the Thrift value of a view. The metastore has one query for all engines."""
    types = thrift_types()
    properties = dict(view.options)
    if view.comment is not None:
        properties[COMMENT] = view.comment
    return types.Table(
        tableName=identifier.table,
        dbName=identifier.database,
        createTime=seconds,
        lastAccessTime=0,
        retention=0,
        sd=types.StorageDescriptor(
            cols=[column_of(each, TIMESTAMP) for each in view.fields],
            inputFormat="org.apache.hadoop.mapred.SequenceFileInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
            compressed=False,
            numBuckets=-1,
            serdeInfo=types.SerDeInfo(
                serializationLib=_SERDE,
                parameters={"serialization.format": "1"},
            ),
            bucketCols=[],
            sortCols=[],
            parameters={},
        ),
        partitionKeys=[],
        parameters=properties,
        viewOriginalText=view.query,
        viewExpandedText=view.query,
        tableType=VIEW,
    )


def read_view(table: Any) -> View:
    """Return a view of the metastore. Raises Unsupported if Paimon has no type for a column."""
    options = dict(table.parameters or {})
    comment = options.pop(COMMENT, None)
    columns = [*table.sd.cols, *(table.partitionKeys or ())]
    fields = tuple(
        DataField(index, each.name, paimon_type(each.type), each.comment) for index, each in enumerate(columns)
    )
    return View(fields, table.viewExpandedText, {}, comment, options)
