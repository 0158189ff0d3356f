"""ORC and Avro data files as columns of a table: shapes that other writers use, several stripes and blocks, damage."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyarrow import orc

from workbench.base.errors import CorruptFile, Unsupported, WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile.open import open_data_file
from workbench.datafile.protocol import DataFile
from workbench.format.avro.columns import column_of
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import DataFileMeta, SimpleStats
from workbench.format.types import AtomicType
from workbench.table.table import Table

COLUMNS = {
    "id": "BIGINT NOT NULL",
    "c": "CHAR(3)",
    "m": "DECIMAL(20, 2)",
    "day": "DATE",
    "at": "TIME(3)",
    "t": "TIMESTAMP(3)",
    "z": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "list": "ARRAY<INT NOT NULL>",
    "by_text": "MAP<STRING, BIGINT>",
    "by_number": "MAP<INT, ROW<x INT NOT NULL, y STRING>>",
    "counts": "MULTISET<STRING>",
    "b": "VARBINARY(9)",
}
ROWS = 1200
FLIPS = 80
Make = Callable[[Table, Path, int], Path]


def values(number: int) -> dict[str, Any]:
    """One row as Avro's plain values; every third value is null."""
    row = {
        "id": number,
        "c": f"{number % 100}",
        "m": (number * 100 - 250_000).to_bytes(4, "big", signed=True),
        "day": number - 20,
        "at": number,
        "t": number * 1000 - 5,
        "z": number * 7,
        "list": list(range(number % 4)),
        "by_text": {"a": number, "b": None},
        "by_number": [{"key": number, "value": {"x": 1, "y": None}}, {"key": 5, "value": None}][: number % 3],
        "counts": {"n": number % 5},
        "b": bytes([number % 256]),
    }
    nulls = {name for position, name in enumerate(row) if position and (number + position) % 3 == 0}
    return {name: None if name in nulls else each for name, each in row.items()}


def logical(kind: str, name: str, **more: Any) -> Any:
    return ["null", {"type": kind, "logicalType": name, **more}]


PAIR = {
    "type": "record",
    "name": "pair",
    "fields": [
        {"name": "key", "type": "int"},
        {
            "name": "value",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "xy",
                    "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": ["null", "string"]}],
                },
            ],
        },
    ],
}
AVRO_TYPES = {
    "id": "long",
    "c": ["null", "string"],
    "m": logical("bytes", "decimal", precision=20, scale=2),
    "day": logical("int", "date"),
    "at": logical("int", "time-millis"),
    "t": logical("long", "timestamp-millis"),
    "z": logical("long", "local-timestamp-micros"),
    "list": ["null", {"type": "array", "items": "int"}],
    "by_text": ["null", {"type": "map", "values": ["null", "long"]}],
    "by_number": ["null", {"type": "array", "logicalType": "map", "items": PAIR}],
    "counts": ["null", {"type": "map", "values": "int"}],
    "b": ["null", "bytes"],
}


def avro_schema(types: dict[str, Any]) -> dict[str, Any]:
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    return {"type": "record", "name": "org.apache.paimon.avro.generated.record", "fields": fields}


def plain(kind: Any) -> Any:
    """Return the type without logical types, so that fastavro writes plain numbers instead of datetimes."""
    if isinstance(kind, list):
        return [plain(each) for each in kind]
    return {key: plain(each) for key, each in kind.items() if key != "logicalType"} if isinstance(kind, dict) else kind


def write_avro(path: Path, codec: str = "deflate", in_union: bool = False, rows: int = ROWS, **types: Any) -> Path:
    import json

    schema = avro_schema({**AVRO_TYPES, **types})
    stored = plain(schema)
    root = ["null", stored] if in_union else stored
    with path.open("wb") as out:
        fastavro.writer(out, fastavro.parse_schema(root), map(values, range(rows)), codec=codec, sync_interval=8000)
    # Replace the schema in the header with the one that has the logical types.
    with path.open("rb") as written:
        reader = fastavro.reader(written)
        header = dict(reader.metadata)
    data = path.read_bytes()
    old = json_bytes(header["avro.schema"])
    new = json_bytes(json.dumps(["null", schema] if in_union else schema))
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))
    return path


def json_bytes(text: str) -> bytes:
    data = text.encode()
    size, out = len(data) << 1, bytearray()
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*out, size]) + data


def expected(rows: int = ROWS) -> list[dict[str, Any]]:
    result = []
    for number in range(rows):
        row = values(number)
        row["m"] = None if row["m"] is None else Decimal(number * 100 - 250_000).scaleb(-2)
        row["by_text"] = None if row["by_text"] is None else list(row["by_text"].items())
        row["counts"] = None if row["counts"] is None else list(row["counts"].items())
        pairs = row["by_number"]
        row["by_number"] = None if pairs is None else [(pair["key"], pair["value"]) for pair in pairs]
        result.append(row)
    return result


def write_orc(path: Path, table: Table) -> Path:
    """As Java stores it: CHAR padded, times of the day as numbers, everything nullable, small stripes."""
    rows = expected()
    kinds = {name: table.arrow_schema.field(name).type for name in COLUMNS}
    columns = {name: pa.array([row[name] for row in rows], integer(kinds[name])).cast(kinds[name]) for name in COLUMNS}
    columns["c"] = pa.array([None if row["c"] is None else row["c"].ljust(3) for row in rows])
    columns["at"] = columns["at"].cast(pa.int32())
    stored = pa.table(columns)
    with orc.ORCWriter(str(path), stripe_size=1024, row_index_stride=200, compression="uncompressed") as writer:
        for first in range(0, ROWS, 200):
            writer.write(stored.slice(first, 200))
    return path


def integer(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.int64()
    return pa.int32() if pa.types.is_date(kind) or pa.types.is_time(kind) else kind


def texts(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows, with dates and times as their stored integers."""
    columns = {}
    for name in table.column_names:
        column = table[name]
        kind = integer(column.type)
        columns[name] = (column.cast(kind) if kind != column.type else column).to_pylist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    return catalog.create_table("db.t", COLUMNS)


def opened(table: Table, path: Path, rows: int = ROWS) -> DataFile:
    none = SimpleStats(encode_row([], []), encode_row([], []), ())
    meta = DataFileMeta(path.name, path.stat().st_size, rows, b"", b"", none, none, 0, 0, 0, 0, ())
    return open_data_file(table.store, str(path), meta, table.schema)


# fastavro needs an extra library to write snappy; the interoperability tests read snappy files of Java.
@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard", "bzip2", "xz"])
@pytest.mark.parametrize("in_union", [False, True])
def test_avro(table: Table, tmp_path: Path, codec: str, in_union: bool) -> None:
    file = opened(table, write_avro(tmp_path / "data-0.avro", codec, in_union))
    check(file, table)


def test_orc(table: Table, tmp_path: Path) -> None:
    path = write_orc(tmp_path / "data-0.orc", table)
    assert orc.ORCFile(str(path)).nstripes > 1
    check(opened(table, path), table)


def check(file: DataFile, table: Table) -> None:
    names = list(COLUMNS)
    whole = file.read(names)
    assert whole.schema.equals(table.arrow_schema)
    assert texts(whole) == expected()
    assert file.read_none(names).schema.equals(table.arrow_schema)
    assert file.read_none(names).num_rows == 0
    batches = list(file.batches(names[::-1], 200))
    assert max(batch.num_rows for batch in batches) <= 200
    assert pa.concat_tables(batches).select(names).equals(whole)
    assert file.read([]).num_rows == ROWS
    assert sum(batch.num_rows for batch in file.batches(["by_number"], 100)) == ROWS


def test_decimals_of_avro_beyond_their_precision_are_null() -> None:
    """Java, too, reads sums that it stored beyond the precision as null."""
    unscaled = [10**4, -(10**4), 10**4 - 1, 1 - 10**4, 1 << 200, 0]
    stored = [None, *(each.to_bytes(26, "big", signed=True) for each in unscaled)]
    schema = logical("bytes", "decimal", precision=4, scale=2)
    result = column_of(stored, schema, AtomicType("DECIMAL", precision=4, scale=2))
    assert result.to_pylist() == [None, None, None, Decimal("99.99"), Decimal("-99.99"), None, Decimal("0.00")]


def test_decimals_of_parquet_as_pypaimon_writes_them(catalog: FileSystemCatalog) -> None:
    """All precisions are fixed-length bytes, also in nested types; bounds still select the row groups."""
    import pyarrow.parquet as pq

    columns = {"id": "INT", "small": "DECIMAL(9, 2)", "large": "DECIMAL(38, 4)", "wide": "DECIMAL(18, 0)"}
    nested = {"list": "ARRAY<DECIMAL(9, 2)>", "row": "ROW<d DECIMAL(12, 1)>", "map": "MAP<STRING, DECIMAL(18, 3)>"}
    table = catalog.create_table("db.decimals", {**columns, **nested})
    result = [
        {
            "id": number,
            "small": None if number % 7 == 0 else Decimal(number - 500).scaleb(-2),
            "large": Decimal(number - 500) * 10**30,
            "wide": Decimal(number),
            "list": [Decimal(number).scaleb(-2), None],
            "row": {"d": Decimal(-number).scaleb(-1)},
            "map": [("k", Decimal(number).scaleb(-3))],
        }
        for number in range(1000)
    ]
    rows = pa.Table.from_pylist(result, table.arrow_schema)
    table.write(rows)
    path = table.scan().plan()[0].paths[0]
    pq.write_table(rows, path, row_group_size=100)
    footer = pq.ParquetFile(path)
    physical = {footer.schema.column(position).physical_type for position in range(len(footer.schema))}
    # The integer is the column id, and the byte array is the key of the map.
    assert physical == {"INT32", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
    assert table.to_arrow().equals(rows)
    assert table.to_batches().read_all().equals(rows)
    actual_rows = table.to_arrow(columns=["id"], where="small BETWEEN 1.01 AND 1.05")
    assert actual_rows["id"].to_pylist() == [each for each in range(601, 606) if each % 7]
    assert table.to_arrow(where="large = 0")["id"].to_pylist() == [500]


@pytest.mark.parametrize(
    ("column", "kind"),
    [("t", "long"), ("m", ["null", "bytes"]), ("day", "int"), ("list", ["null", "int", "string"]), ("at", "string")],
)
def test_unknown_avro_types_are_refused(table: Table, tmp_path: Path, column: str, kind: Any) -> None:
    def write(number: int) -> dict[str, Any]:
        return {name: each for name, each in values(number).items() if name != column}

    types = {**AVRO_TYPES, column: kind}
    path = tmp_path / "data-0.avro"
    fill = "" if kind == "string" else None if isinstance(kind, list) else 1
    with path.open("wb") as out:
        schema = fastavro.parse_schema(plain(avro_schema(types)))
        fastavro.writer(out, schema, [{**write(number), column: fill} for number in range(9)])
    file = opened(table, path, 9)
    with pytest.raises(Unsupported, match="Avro"):
        file.read([column])


def test_other_formats_and_codecs_are_refused_by_name(table: Table, tmp_path: Path) -> None:
    for name in ("data-0.lance", "data-0.row", "data-0.blob", "data-0"):
        path = tmp_path / name
        path.touch()
        with pytest.raises(Unsupported, match=name):
            opened(table, path)
    path = write_avro(tmp_path / "data-0.avro", "deflate")
    path.write_bytes(path.read_bytes().replace(b"deflate", b"deflat2"))
    with pytest.raises(Unsupported, match="deflat2"):
        opened(table, path).read(["id"])


MAKERS: dict[str, Callable[[Table, Path], Path]] = {
    "avro": lambda _, path: write_avro(path / "data-0.avro", "deflate", rows=ROWS),
    "orc": lambda table, path: write_orc(path / "data-0.orc", table),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_cut_and_missing(table: Table, tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](table, tmp_path)
    data = path.read_bytes()
    chance = random.Random(kind)
    meta = opened(table, path).file
    sizes = [0, 1, 3, len(data) // 2, len(data) - 1, *chance.choices(range(len(data)), k=12)]
    for size in sizes:
        path.write_bytes(data[:size])
        for columns in (list(COLUMNS), ["id"], []):
            file = open_data_file(table.store, str(path), meta, table.schema)
            with pytest.raises(CorruptFile, match=path.name):
                file.read(columns)
            with pytest.raises(CorruptFile, match=path.name):
                list(file.batches(columns, 100))
    path.unlink()
    with pytest.raises(CorruptFile, match=path.name):
        open_data_file(table.store, str(path), meta, table.schema).read(["id"])


@pytest.mark.parametrize("kind", MAKERS)
def test_changed_bytes_never_escape(table: Table, tmp_path: Path, kind: str) -> None:
    """Neither format has checksums, so a changed value may be undetected; all other damage is detected."""
    path = MAKERS[kind](table, tmp_path)
    data = path.read_bytes()
    chance = random.Random(kind)
    refused = whole = 0
    for _ in range(FLIPS):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= chance.choice([0x01, 0x80, 0xFF, 0x20])
        path.write_bytes(changed)
        try:
            result = opened(table, path).read(list(COLUMNS))
        except WorkbenchError as error:
            refused += path.name in str(error) or isinstance(error, Unsupported)
        else:
            whole += result.num_rows == ROWS and result.schema.equals(table.arrow_schema)
    assert refused > 20
    assert refused + whole == FLIPS


@pytest.mark.parametrize("kind", MAKERS)
def test_rows_missing_from_the_manifest(table: Table, tmp_path: Path, kind: str) -> None:
    path = MAKERS[kind](table, tmp_path)
    file = opened(table, path)
    for rows in (ROWS - 1, ROWS + 1):
        meta = replace(file.file, row_count=rows)
        with pytest.raises(CorruptFile, match=f"manifest says {rows}"):
            open_data_file(table.store, str(path), meta, table.schema).read(["id"])


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_partition_columns_that_only_the_directory_has(catalog: FileSystemCatalog, tmp_path: Path, kind: str) -> None:
    """Files that Java took over from Hive tables have none, and their entries do not say so."""
    whole = catalog.create_table("db.w", {"id": "BIGINT"}, options={"file.format": kind})
    whole.write([{"id": 1}, {"id": 2}])
    (file,) = Path(whole.location).rglob(f"data-*.{kind}")
    keys = {"dt": "STRING", "day": "DATE", "n": "DECIMAL(4, 1)"}
    table = catalog.create_table("db.p", {"id": "BIGINT", **keys}, partition_by=list(keys))

    def read(directory: str, columns: list[str]) -> list[dict[str, Any]]:
        path = tmp_path / directory / "bucket-0" / file.name
        path.parent.mkdir(parents=True)
        path.write_bytes(file.read_bytes())
        return opened(table, path, 2).read(columns).to_pylist()

    found = {"dt": "a b=c", "day": date(2026, 11, 1), "n": Decimal("1.5")}
    days = (date(2026, 11, 1) - date(1970, 1, 1)).days
    assert read(f"dt=a b%3Dc/day={days}/n=1.5", ["n", "day", "id", "dt"]) == [{"id": 1, **found}, {"id": 2, **found}]
    none = "__DEFAULT_PARTITION__"
    assert read(f"dt={none}/day={none}/n={none}", ["day", "dt"]) == [{"day": None, "dt": None}] * 2
    times = {"t": "TIMESTAMP(3)", "z": "TIMESTAMP(3) WITH LOCAL TIME ZONE"}
    table = catalog.create_table("db.q", {"id": "BIGINT", **times}, partition_by=list(times))
    at = datetime(2026, 11, 1, 10)
    (first, _) = read("t=2026-11-01T10%3A00/z=2026-11-01T10%3A00%3A00.500", ["t", "z"])
    assert first == {"t": at, "z": at.replace(microsecond=500_000, tzinfo=UTC)}
    table = catalog.get_table("db.p")
    with pytest.raises(CorruptFile, match=r"the value 'x' of partition column 'n' is not DECIMAL"):
        read(f"dt=a/day={days}/n=x", ["n"])
    with pytest.raises(CorruptFile, match="neither the file nor its directory has partition column 'dt'"):
        read("elsewhere", ["dt"])
