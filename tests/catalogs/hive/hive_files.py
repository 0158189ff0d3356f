"""Tables of Hive's own formats: files as Hive names them, registered in a metastore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet

from tests.catalogs.hive.metastores import RunningMetastore
from workbench.catalog.hive.client import thrift_types

_QL = "org.apache.hadoop.hive.ql.io"
_CLASSES = {
    "parquet": (
        f"{_QL}.parquet.MapredParquetInputFormat",
        f"{_QL}.parquet.MapredParquetOutputFormat",
        f"{_QL}.parquet.serde.ParquetHiveSerDe",
    ),
    "orc": (f"{_QL}.orc.OrcInputFormat", f"{_QL}.orc.OrcOutputFormat", f"{_QL}.orc.OrcSerde"),
    "avro": (
        f"{_QL}.avro.AvroContainerInputFormat",
        f"{_QL}.avro.AvroContainerOutputFormat",
        "org.apache.hadoop.hive.serde2.avro.AvroSerDe",
    ),
    "text": (
        "org.apache.hadoop.mapred.TextInputFormat",
        f"{_QL}.HiveIgnoreKeyTextOutputFormat",
        "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
    ),
}
_AVRO = {"bigint": "long", "int": "int", "string": "string", "double": "double"}
_ARROW = {"bigint": pa.int64(), "int": pa.int32(), "string": pa.string(), "double": pa.float64(), "date": pa.date32()}

Row = Mapping[str, Any]

COLUMNS = {"id": "bigint", "name": "string", "price": "double"}


class HiveTable:
    """A table in the warehouse of a metastore.

    Args:
        metastore: The metastore.
        database: Its database.
        name: Its name.
        format: The name of its format.
        columns: The types of its columns in Hive.
        keys: The types of its partition columns.
        parameters: Its properties.
        external: Whether its files are kept when it is dropped.
    """

    def __init__(
        self,
        metastore: RunningMetastore,
        database: str,
        name: str,
        format: str,
        columns: Mapping[str, str],
        keys: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        external: bool = False,
    ) -> None:
        self._client, self._database, self.name = metastore.client, database, name
        self._format, self._columns, self._keys = format, dict(columns), dict(keys or {})
        # The metastore requires it.
        self._bucketed = "transactional" in (parameters or {})
        self.directory = metastore.warehouse / f"{database}.db" / name
        types = thrift_types()
        table = types.Table(
            tableName=name,
            dbName=database,
            owner="hive",
            sd=self._descriptor(self.directory),
            partitionKeys=[types.FieldSchema(key, kind) for key, kind in self._keys.items()],
            parameters={**(parameters or {}), **({"EXTERNAL": "TRUE"} if external else {})},
            tableType="EXTERNAL_TABLE" if external else "MANAGED_TABLE",
        )
        self._client.call("create_table", table)

    def add(self, file: str, rows: Sequence[Row], partition: Sequence[str] = (), place: Path | None = None) -> Path:
        """Write a file, after registering its partition."""
        names = [f"{key}={value}" for key, value in zip(self._keys, partition, strict=True)]
        directory = place or self.directory.joinpath(*names)
        directory.mkdir(parents=True, exist_ok=True)
        if partition:
            types = thrift_types()
            request = types.AddPartitionsRequest(
                dbName=self._database,
                tblName=self.name,
                parts=[
                    types.Partition(
                        values=list(partition),
                        dbName=self._database,
                        tableName=self.name,
                        sd=self._descriptor(directory),
                        parameters={},
                    )
                ],
                ifNotExists=True,
                needResult=False,
            )
            self._client.call("add_partitions_req", request)
        path = directory / file
        self._write(path, rows)
        return path

    def _write(self, path: Path, rows: Sequence[Row]) -> None:
        if self._format == "avro":
            fields = [{"name": key, "type": ["null", _AVRO[kind]]} for key, kind in self._columns.items()]
            schema = fastavro.parse_schema({"type": "record", "name": "row", "fields": fields})
            with path.open("wb") as out:
                fastavro.writer(out, schema, rows, codec="deflate")
            return
        schema = pa.schema([(key, _ARROW[kind]) for key, kind in self._columns.items()])
        table = pa.Table.from_pylist(list(rows), schema)
        if self._format == "orc":
            pa.orc.write_table(table, str(path))
        else:
            pa.parquet.write_table(table, str(path), row_group_size=2)

    def _descriptor(self, directory: Path) -> Any:
        types = thrift_types()
        reader, writer, serde = _CLASSES[self._format]
        return types.StorageDescriptor(
            cols=[types.FieldSchema(key, kind, f"the {key}") for key, kind in self._columns.items()],
            location=f"file:{directory}",
            inputFormat=reader,
            outputFormat=writer,
            compressed=False,
            numBuckets=1 if self._bucketed else -1,
            serdeInfo=types.SerDeInfo(serializationLib=serde, parameters={"serialization.format": "1"}),
            bucketCols=list(self._columns)[:1] if self._bucketed else [],
            sortCols=[],
            parameters={},
        )


def rows(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": each, "name": None if each % 5 == 0 else f"n{each}", "price": each / 2} for each in numbers]


def files_below(directory: Path) -> list[Path]:
    return sorted(each for each in directory.rglob("*") if each.is_file() and not each.name.startswith("."))


def partitioned(metastore: RunningMetastore, database: str, name: str, kind: str) -> HiveTable:
    table = HiveTable(metastore, database, name, kind, COLUMNS, {"dt": "string", "hh": "int"}, {"comment": "sold"})
    table.add("000000_0", rows(1, 2, 3), ("2026-11-01", "1"))
    table.add("000001_0", rows(4, 5), ("2026-11-01", "1"))
    table.add("000000_0", rows(6), ("a b", "22"))
    table.add("000000_0", rows(7), ("__HIVE_DEFAULT_PARTITION__", "3"))
    return table


def plain(metastore: RunningMetastore, database: str, name: str = "t", kind: str = "parquet", **more: Any) -> HiveTable:
    table = HiveTable(metastore, database, name, kind, COLUMNS, **more)
    for number in range(3):
        table.add(f"00000{number}_0", rows(2 * number, 2 * number + 1))
    return table
