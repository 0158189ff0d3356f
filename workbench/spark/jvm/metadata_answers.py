"""Queries that the metadata answers: aggregates, optionally grouped by partition, and the values of partitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from workbench.format.types import AtomicType, char_length
from workbench.scan.counts import count_by_metadata
from workbench.spark.jvm.incremental import is_incremental
from workbench.spark.jvm.reads import open_table
from workbench.table.system.system_table import ComputedScan

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.metadata.store import TableStore
    from workbench.scan.scan import Scan
    from workbench.scan.split import Split
    from workbench.table.readable_table import ReadableTable

Request = Mapping[str, Any]
# The types whose values have the same form in Spark, in JSON and in partitions.
_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "CHAR", "VARCHAR", "DATE")


def aggregate(catalog: Catalog, request: Request) -> dict[str, Any]:
    """Return the rows of aggregates (counts, minima and maxima) if the metadata determines all of them.

    Rows of grouped aggregates begin with the values of the partition columns; only counts can be grouped.
    """
    if is_incremental(request["reading"]):
        return {}
    wanted: Sequence[Mapping[str, Any]] = request["aggregates"]
    table = open_table(catalog, request["reading"])
    scan = table.scan()
    if isinstance(scan, ComputedScan) or not scan.has_plan:
        return {}
    if any(each["kind"] == "count" and not _counts_rows(table, each) for each in wanted):
        return {}
    if request["groups"]:
        return _counts_by_group(scan, request["groups"], wanted)
    values: list[Any] = []
    for each in wanted:
        value = _row_count(scan) if each["kind"] == "count" else _bound(scan, each)
        if value is None:
            return {}
        values.append(value[0])
    return {"rows": [values]}


def partition_rows(catalog: Catalog, request: Request) -> dict[str, Any]:
    """Return the distinct values of partition columns; nothing if they are unknown or their types are not plain."""
    if is_incremental(request["reading"]):
        return {}
    scan = open_table(catalog, request["reading"]).scan()
    if isinstance(scan, ComputedScan) or not scan.has_plan or not _are_plain(scan.store, request["columns"]):
        return {}
    lengths = [char_length(scan.store.schema.field(name).type) for name in request["columns"]]
    found = _by_values(scan.store, request["columns"], scan.plan())
    return {"rows": [[_padded(*part) for part in zip(each, lengths, strict=True)] for each in found]}


def _padded(value: Any, length: int | None) -> Any:
    """Return a value of a partition as conditions see it."""
    return value.ljust(length) if length is not None and value is not None else value


def _counts_by_group(scan: Scan, groups: Sequence[str], wanted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not _are_plain(scan.store, groups) or any(each["kind"] != "count" for each in wanted):
        return {}
    rows = []
    for values, splits in _by_values(scan.store, groups, scan.plan()).items():
        certain, uncertain = count_by_metadata(scan.store, splits, every_row_matches=True)
        if uncertain:
            return {}
        if certain:
            rows.append([*values, *[certain] * len(wanted)])
    return {"rows": rows}


def _by_values(store: TableStore, names: Iterable[str], splits: Iterable[Split]) -> dict[tuple[Any, ...], list[Split]]:
    """Group splits by their values of partition columns; dates are days since 1970."""
    positions = [[field.name for field in store.partition_fields].index(name) for name in names]
    by_partition: dict[bytes, list[Split]] = defaultdict(list)
    for split in splits:
        by_partition[split.partition].append(split)
    found: dict[tuple[Any, ...], list[Split]] = defaultdict(list)
    for partition, members in by_partition.items():
        values = store.partition_values(partition)
        found[tuple(values[position] for position in positions)] += members
    return found


def _are_plain(store: TableStore, names: Iterable[str]) -> bool:
    kinds = [store.schema.field(name).type for name in names]
    return all(isinstance(kind, AtomicType) and kind.root in _PLAIN for kind in kinds)


def _counts_rows(table: ReadableTable, wanted: Mapping[str, Any]) -> bool:
    """Return whether a count counts all rows: it has no column, or a column that is never NULL."""
    return "column" not in wanted or not table.schema.field(wanted["column"]).type.nullable


def _row_count(scan: Scan) -> tuple[int] | None:
    certain, uncertain = count_by_metadata(scan.store, scan.plan(), every_row_matches=True)
    return None if uncertain else (certain,)


def _bound(scan: Scan, wanted: Mapping[str, Any]) -> tuple[Any] | None:
    bounds = scan.known_bounds(wanted["column"])
    if bounds is None:
        return None
    value = bounds[0 if wanted["kind"] == "min" else 1].as_py()
    return ((value - date(1970, 1, 1)).days if isinstance(value, date) else value,)
