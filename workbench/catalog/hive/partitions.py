"""The partitions in a Hive Metastore: registered when a commit writes them first, removed when they are empty."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.catalog.hive.client import client_for, thrift_types
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.hive.tables import set_location, table_location
from workbench.format.spec.partition_path import escape
from workbench.metadata.protocol import PartitionStatistics
from workbench.storage.file_io import join

_BATCH = 300
_DIRECTORY = "data-file.path-directory"

Spec = Mapping[str, str]


def new_partition(table: Any, spec: Spec, settings: HiveSettings, seconds: int) -> Any:
    """Return the Thrift value of a partition.

    Args:
        table: The Thrift value of its table. Its keys decide the order of the values: Java takes the order of the spec,
            and so registers swapped values when a caller passes the columns in another order.
        spec: The values by the names of the columns.
        settings: Where locations are kept.
        seconds: The time, in seconds since the epoch.
    """
    names = [each.name for each in table.partitionKeys]
    by_name = {name.lower(): value for name, value in spec.items()}
    ordered = {name: by_name[name.lower()] for name in names}
    directory = (table.parameters or {}).get(_DIRECTORY)
    base = table_location(table) if directory is None else join(table_location(table), directory)
    result = thrift_types().Partition(
        values=list(ordered.values()),
        dbName=table.dbName,
        tableName=table.tableName,
        createTime=seconds,
        lastAccessTime=seconds,
        sd=copy.deepcopy(table.sd),
        parameters={},
    )
    set_location(result, join(base, *(f"{escape(name)}={escape(value)}" for name, value in ordered.items())), settings)
    return result


def add_partitions(settings: HiveSettings, table: Any, specs: Iterable[Spec]) -> None:
    """Register partitions that are not registered yet.

    Raises:
        CatalogError: The metastore does not answer, or refuses.
    """
    seconds = int(time.time())
    partitions = [new_partition(table, spec, settings, seconds) for spec in specs]
    types, client = thrift_types(), client_for(settings)
    for start in range(0, len(partitions), _BATCH):
        request = types.AddPartitionsRequest(
            dbName=table.dbName,
            tblName=table.tableName,
            parts=partitions[start : start + _BATCH],
            ifNotExists=True,
            needResult=False,
        )
        client.call("add_partitions_req", request)


def mark_done(settings: HiveSettings, identifier: tuple[str, str], specs: Iterable[Spec]) -> None:
    """Mark partitions that are registered as done, as the event that Hive's tools wait for."""
    done = thrift_types().PartitionEventType.LOAD_DONE
    for spec in specs:
        client_for(settings).call("markPartitionForEvent", *identifier, dict(spec), done)


def drop_partitions(settings: HiveSettings, table: Any, specs: Iterable[Spec]) -> None:
    """Remove partitions that are registered; their files are kept."""
    for spec in specs:
        values = new_partition(table, spec, settings, 0).values
        client_for(settings).find("drop_partition", table.dbName, table.tableName, values, False)


def statistics_of(partition: Any, names: Iterable[str]) -> PartitionStatistics:
    """Return what the metastore has of a partition. As in Java, counts that it does not have are 1."""
    parameters = partition.parameters or {}
    return PartitionStatistics(
        dict(zip(names, partition.values, strict=True)),
        int(parameters.get("numRows", 1)),
        int(parameters.get("totalSize", 1)),
        int(parameters.get("numFiles", 1)),
        int(parameters.get("lastUpdateTime", partition.createTime)) * 1000,
        int(parameters.get("totalBuckets", 0)),
    )
