"""pypaimon-rust, as the tasks use it. Runs in a separate environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pypaimon_rust.datafusion import PaimonCatalog, SQLContext

from tests.benchmarks.specs import TableSpec


def create(connection: Mapping[str, str], name: str, spec: TableSpec) -> Any:
    context = SQLContext()
    context.register_catalog("paimon", dict(connection), "")
    columns = [f"{column} {kind}" for column, kind in spec.columns]
    if spec.keys:
        columns.append(f"PRIMARY KEY ({', '.join(spec.keys)})")
    options = ", ".join(f"'{key}' = '{value}'" for key, value in spec.options.items())
    context.sql("CREATE SCHEMA IF NOT EXISTS paimon.db")
    context.sql(f'CREATE TABLE paimon.db."{name}" ({", ".join(columns)})' + (f" WITH ({options})" if options else ""))
    return open_table(connection, name)


def open_table(connection: Mapping[str, str], name: str) -> Any:
    return PaimonCatalog(dict(connection)).get_table(f"db.{name}")


def append(table: Any, rows: pa.Table) -> None:
    builder = table.new_batch_write_builder()
    writer = builder.new_write()
    for batch in rows.to_batches():
        writer.write_arrow(batch)
    builder.new_commit().commit(writer.prepare_commit())


def read(
    table: Any,
    columns: Sequence[str] | None,
    between: tuple[str, Any, Any] | None,
    options: dict[str, str] | None = None,
) -> pa.Table:
    return pa.Table.from_batches(list(_batches(table, columns, between, options)))


def stream(table: Any) -> Iterator[pa.RecordBatch]:
    return iter(_batches(table, None, None, None))


def files(table: Any) -> int:
    return len(table.new_read_builder().new_scan().plan())


def newest_snapshot(table: Any) -> int:
    return int(table.latest_snapshot().id())


def snapshots(table: Any) -> int:
    return len(table.list_snapshots())


def difference(table: Any, start: int, end: int) -> pa.Table:
    """Read both states and join them, as an Arrow user would; the peer has no call for changes."""
    before, after = (read(table, None, None, {"scan.snapshot-id": str(snapshot)}) for snapshot in (start, end))
    both = after.join(before, "id", join_type="full outer", right_suffix="_before", coalesce_keys=False)
    same = pc.equal(both["id"], both["id_before"])
    for name in before.column_names[1:]:
        same = pc.and_(same, pc.equal(both[name], both[f"{name}_before"]))
    changed = both.filter(pc.invert(pc.fill_null(same, False)))
    old = changed.filter(pc.is_valid(changed["id_before"])).select([f"{name}_before" for name in before.column_names])
    new = changed.filter(pc.is_valid(changed["id"])).select(before.column_names)
    return pa.concat_tables([old.rename_columns(before.column_names), new])


def _batches(
    table: Any,
    columns: Sequence[str] | None,
    between: tuple[str, Any, Any] | None,
    options: dict[str, str] | None,
) -> Any:
    builder = table.new_read_builder(options)
    if columns:
        builder = builder.with_projection(list(columns))
    if between is not None:
        name, low, high = between
        method, literals = ("equal", [low]) if low == high else ("between", [low, high])
        builder = builder.with_filter({"method": method, "field": name, "literals": literals})
    return builder.new_read().read_arrow(builder.new_scan().plan().splits())
