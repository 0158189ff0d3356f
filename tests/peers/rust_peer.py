"""pypaimon-rust behind the request loop."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pypaimon_rust.datafusion import PaimonCatalog, SQLContext
from serve import filters, read_rows, serve, sums, write_rows

METHODS = {
    "equal": "equal",
    "greater_or_equal": "greaterOrEqual",
    "less_than": "lessThan",
    "between": "between",
    "in": "in",
    "is_null": "isNull",
    "is_not_null": "isNotNull",
}


def table(request: dict[str, Any]) -> Any:
    return PaimonCatalog({"warehouse": request["warehouse"]}).get_table(request["table"])


def sql(request: dict[str, Any], statement: str) -> list[pa.RecordBatch]:
    context = SQLContext()
    context.register_catalog("paimon", {"warehouse": request["warehouse"]}, "")
    context.set_current_catalog("paimon")
    return context.sql(statement)


def list_tables(request: dict[str, Any]) -> dict[str, Any]:
    return {"tables": PaimonCatalog({"warehouse": request["warehouse"]}).list_tables(request["database"])}


def create(request: dict[str, Any]) -> dict[str, Any]:
    database, name = request["table"].split(".")
    columns = [f'"{column}" {type_text}' for column, type_text in request["columns"]]
    if request["primary_key"]:
        columns.append("PRIMARY KEY ({})".format(", ".join(f'"{key}"' for key in request["primary_key"])))
    partitions = ", ".join(f'"{key}"' for key in request["partition_by"])
    options = ", ".join(f"'{key}' = '{value}'" for key, value in request["options"].items())
    sql(request, f"CREATE SCHEMA IF NOT EXISTS paimon.{database}")
    sql(
        request,
        f"CREATE TABLE paimon.{database}.{name} ({', '.join(columns)})"
        + (f" PARTITIONED BY ({partitions})" if partitions else "")
        + (f" WITH ({options})" if options else ""),
    )
    return {}


def batches(request: dict[str, Any]) -> list[pa.RecordBatch]:
    builder = table(request).new_read_builder(request.get("options") or None)
    if request.get("columns"):
        builder = builder.with_projection(request["columns"])
    for column, operation, literals in filters(request):
        builder = builder.with_filter({"method": METHODS[operation], "field": column, "literals": literals})
    if request.get("between"):
        scan = builder.new_incremental_scan(*request["between"])
    else:
        scan = builder.new_scan()
    return list(builder.new_read().read(scan.plan().splits()))


def rows(request: dict[str, Any]) -> pa.Table:
    result = batches(request)
    if result:
        return pa.Table.from_batches(result)
    names = request.get("columns") or [field.name() for field in table(request).schema().fields()]
    return pa.table({name: pa.array([], pa.string()) for name in names})  # an empty read carries no types


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
        builder = builder.with_overwrite()
    writer, committer = builder.new_write(), builder.new_commit()
    data = read_rows(request["rows"])
    for position, field in enumerate(target.schema().fields()):
        if field.field_type().startswith("TIMESTAMP(0)"):  # the peer expects whole seconds there
            data = data.set_column(position, field.name(), data.column(position).cast(pa.timestamp("s")))
    for batch in data.to_batches():
        writer.write_arrow(batch)
    committer.commit(writer.prepare_commit())
    writer.close()
    committer.close()
    return {"snapshot": target.latest_snapshot().id()}


if __name__ == "__main__":
    serve({"list": list_tables, "create": create, "read": read, "aggregate": aggregate, "write": write})
