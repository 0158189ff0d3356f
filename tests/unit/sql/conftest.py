"""A catalog in memory with the few methods that SQL calls: what is tested here is the SQL, not the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import AlreadyExists, DatabaseNotFound, TableNotFound
from workbench.expr.evaluate import filter_mask
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve_predicate
from workbench.format.schema import TableSchema, new_table_schema


@dataclass
class MemoryTable:
    name: str
    schema: TableSchema
    versions: list[pa.Table] = field(default_factory=list)
    reads: list[dict[str, Any]] = field(default_factory=list)

    @property
    def arrow_schema(self) -> pa.Schema:
        return self.schema.arrow_schema

    def snapshot(self) -> Any:
        if not self.versions:
            return None
        return SimpleNamespace(
            id=len(self.versions), total_record_count=self.versions[-1].num_rows, commit_kind="APPEND"
        )

    def at(self, snapshot: int | None = None, tag: str | None = None, timestamp: str | None = None) -> MemoryTable:
        assert tag is None
        assert timestamp is None
        return replace(self, versions=self.versions[:snapshot])

    def to_arrow(self, columns: Any = None, where: str | None = None, limit: int | None = None) -> pa.Table:
        self.reads.append({"columns": columns, "where": where, "limit": limit})
        rows = self.versions[-1] if self.versions else self.arrow_schema.empty_table()
        if where is not None:
            rows = rows.filter(filter_mask(resolve_predicate(parse(where), self.schema.fields), rows))
        return rows.select(columns).slice(0, limit)

    def write(self, data: pa.Table, mode: str = "append", partition: Mapping[str, Any] | None = None) -> Any:
        columns = [
            data.column(each.name).cast(each.type)
            if each.name in data.schema.names
            else pa.nulls(data.num_rows, each.type)
            for each in self.arrow_schema
        ]
        rows = pa.table(columns, schema=self.arrow_schema)
        if data.num_rows == 0:
            return SimpleNamespace(snapshots=(), rows=0)
        if mode == "append" and self.versions:
            rows = pa.concat_tables([self.versions[-1], rows])
        self.versions.append(rows)
        return SimpleNamespace(snapshots=(self.snapshot(),), rows=data.num_rows)


class MemoryCatalog:
    def __init__(self) -> None:
        self.databases: dict[str, dict[str, MemoryTable]] = {}

    def list_databases(self) -> list[str]:
        return sorted(self.databases)

    def create_database(self, name: str, exist_ok: bool = False) -> None:
        if name in self.databases and not exist_ok:
            raise AlreadyExists(f"Database '{name}' exists.")
        self.databases.setdefault(name, {})

    def drop_database(self, name: str, cascade: bool = False) -> None:
        del self.databases[name]

    def list_tables(self, database: str) -> list[str]:
        if database not in self.databases:
            raise DatabaseNotFound(f"There is no database '{database}'.")
        return sorted(self.databases[database])

    def create_table(self, name: str, columns: Any, comment: str | None = None, **given: Any) -> MemoryTable:
        database, table = name.split(".", 1)
        if table in self.databases[database]:
            raise AlreadyExists(f"Table '{name}' exists.")
        schema = new_table_schema(columns, time_millis=0, comment=comment, **given)
        self.databases[database][table] = MemoryTable(name, schema)
        return self.databases[database][table]

    def get_table(self, name: str) -> MemoryTable:
        database, table = name.split(".", 1)
        if table not in self.databases.get(database, {}):
            raise TableNotFound(f"There is no table '{name}'.")
        return self.databases[database][table]

    def drop_table(self, name: str) -> None:
        database, table = name.split(".", 1)
        del self.databases[database][table]


@pytest.fixture
def catalog() -> MemoryCatalog:
    made = MemoryCatalog()
    made.create_database("shop")
    return made
