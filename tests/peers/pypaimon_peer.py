"""pypaimon behind the request loop."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.common.predicate_builder import PredicateBuilder
from pypaimon.schema.data_types import DataField, DataTypeParser, PyarrowFieldParser
from pypaimon_evolution import evolve
from serve import filters, read_rows, serve, sums, write_rows

PREDICATES = {
    "equal": PredicateBuilder.equal,
    "greater_or_equal": PredicateBuilder.greater_or_equal,
    "less_than": PredicateBuilder.less_than,
    "between": PredicateBuilder.between,
    "in": lambda builder, column, *literals: builder.is_in(column, list(literals)),
    "is_null": PredicateBuilder.is_null,
    "is_not_null": PredicateBuilder.is_not_null,
}


def catalog(request: dict[str, Any]) -> Any:
    return CatalogFactory.create({"warehouse": request["warehouse"]})


def table(request: dict[str, Any]) -> Any:
    result = catalog(request).get_table(request["table"])
    return result.copy(request["options"]) if request.get("options") else result


def list_tables(request: dict[str, Any]) -> dict[str, Any]:
    return {"tables": catalog(request).list_tables(request["database"])}


def create(request: dict[str, Any]) -> dict[str, Any]:
    fields = [
        DataField(number, name, DataTypeParser.parse_data_type(type_json))
        for number, (name, type_json) in enumerate(request["columns"])
    ]
    schema = Schema(fields, request["partition_by"], request["primary_key"], request["options"])
    home = catalog(request)
    home.create_database(request["table"].split(".")[0], True)
    home.create_table(request["table"], schema, False)
    return {}


def rows(request: dict[str, Any]) -> pa.Table:
    builder = table(request).new_read_builder()
    predicates = builder.new_predicate_builder()
    conditions = [
        PREDICATES[operation](predicates, column, *literals) for column, operation, literals in filters(request)
    ]
    if conditions:
        builder = builder.with_filter(predicates.and_predicates(conditions))
    if request.get("columns"):
        builder = builder.with_projection(request["columns"])
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


def read(request: dict[str, Any]) -> dict[str, Any]:
    result = rows(request)
    write_rows(result, request["out"])
    return {"rows": result.num_rows}


def aggregate(request: dict[str, Any]) -> dict[str, Any]:
    return sums(rows(request))


def write(request: dict[str, Any]) -> dict[str, Any]:
    target = table(request)
    builder = target.new_batch_write_builder()
    if request.get("overwrite"):
        builder = builder.overwrite()
    writer, committer = builder.new_write(), builder.new_commit()
    writer.write_arrow(read_rows(request["rows"]).cast(PyarrowFieldParser.from_paimon_schema(target.fields)))
    committer.commit(writer.prepare_commit())
    writer.close()
    committer.close()
    return {"snapshot": target.snapshot_manager().get_latest_snapshot().id}


if __name__ == "__main__":
    serve(
        {
            "list": list_tables,
            "create": create,
            "read": read,
            "aggregate": aggregate,
            "write": write,
            "evolve": lambda request: evolve(table(request), request),
        }
    )
