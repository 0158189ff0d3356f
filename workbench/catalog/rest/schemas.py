"""The schemas of the tables of a REST service: the service says which is the newest one, and its file is exact."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.base.errors import CorruptFile, DatabaseNotFound, TableNotFound
from workbench.catalog.rest.changes import change_to_json, schema_to_json
from workbench.catalog.rest.table import Json, RestTable
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import SchemaStore, TableBranch


class RestSchemaStore(SchemaStore):
    """The schemas of one branch.

    Args:
        table: The table in the service.
        branch: The branch.
    """

    def __init__(self, table: RestTable, branch: TableBranch) -> None:
        self._table = table
        self._branch = branch
        self._name = table.object_of(branch.branch)
        self._files = FileSystemSchemaStore(branch)

    def latest_id(self) -> int | None:
        """Return the id of the newest schema, None if the table does not exist."""
        answer = self._answer()
        return None if answer is None else int(answer["schemaId"])

    def latest(self) -> TableSchema | None:
        """Return the newest schema, None if the table does not exist."""
        answer = self._answer()
        return None if answer is None else self.of_answer(answer)

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        newest = self.latest_id()
        if newest is None:
            return []
        return sorted({newest, *(each for each in self._files.ids() if each < newest)})

    def get(self, schema_id: int) -> TableSchema:
        """Return a schema. Raises CorruptFile if its file is missing or invalid, and it is not the newest one."""
        try:
            return self._files.get(schema_id)
        except CorruptFile:
            answer = None if self._has_file(schema_id) else self._answer()
            if answer is None or answer["schemaId"] != schema_id:
                raise
            return schema_of_answer(answer)

    def has(self, schema: TableSchema) -> bool:
        """Return whether this is still the table that was opened, and has this schema under its id."""
        return self.newest_id_with(schema) is not None

    def newest_id_with(self, schema: TableSchema) -> int | None:
        """Return the id of the newest schema if the branch `has` this one; None otherwise. Sends one request."""
        answer = self._answer()
        if answer is None or not self._is_same(answer):
            return None
        newest = int(answer["schemaId"])
        if schema.id == newest and not self._has_file(newest):
            return newest if schema_of_answer(answer) == schema else None
        return newest if self._files.has(schema) else None

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:
        """Let the service apply the changes to its newest schema. Without changes, replace the definition."""
        if changes:
            documents = [change_to_json(each) for each in changes]
            self._table.api.alter_object("tables", self._table.database, self._name, documents)
        else:
            self._table.api.replace_table(self._table.database, self._name, schema_to_json(schema))
        return True

    def published(self, schema: TableSchema) -> TableSchema:
        """Return the newest schema, which the service made: it may be later than the one that was expected."""
        return self.latest() or schema

    def of_answer(self, answer: Json) -> TableSchema:
        """Return the schema that an answer is about: its file, or what the answer contains if there is none."""
        number = int(answer["schemaId"])
        return self._files.get(number) if self._has_file(number) else schema_of_answer(answer)

    def _has_file(self, schema_id: int) -> bool:
        return self._branch.file_io.exists(self._files.path(schema_id))

    def _is_same(self, answer: Json) -> bool:
        # A branch is opened by its name each time.
        return self._branch.branch != paths.MAIN_BRANCH or answer.get("id") == self._table.uuid

    def _answer(self) -> Json | None:
        try:
            return self._table.api.object("tables", self._table.database, self._name)
        except (TableNotFound, DatabaseNotFound):
            return None


def schema_of_answer(answer: Json) -> TableSchema:
    """Return the schema in the answer about a table, which lacks the time and the highest id that was ever used."""
    schema = answer["schema"]
    document = {
        "version": 3,
        "id": answer["schemaId"],
        "fields": schema["fields"],
        "highestFieldId": max(_ids(schema["fields"]), default=-1),
        "partitionKeys": schema.get("partitionKeys") or [],
        "primaryKeys": schema.get("primaryKeys") or [],
        "options": schema.get("options") or {},
        "comment": schema.get("comment"),
    }
    return TableSchema.from_json(json.dumps(document), f"the schema of {answer.get('name')}")


def _ids(value: Any) -> Iterator[int]:
    """Find the ids of the fields, including those of nested types."""
    if isinstance(value, list):
        for each in value:
            yield from _ids(each)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), int):
            yield value["id"]
        for each in value.values():
            yield from _ids(each)
