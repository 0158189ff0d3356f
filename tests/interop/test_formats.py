"""Data files of every format and compression, written by Java and read as Java itself reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.format_cases import CODECS, agree, all_types, all_values, files_of, filters_agree, wide_case
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import JavaPaimon
from tests.interop.rows import assert_same_rows, from_arrow

# The matrix checks a sample of the features in every run.
pytestmark = [pytest.mark.java, pytest.mark.long]

FIRST = {name: codecs[0] for name, codecs in CODECS.items()}


@pytest.mark.parametrize("keyed", [False, True], ids=["append", "keyed"])
@pytest.mark.parametrize(("name", "codec"), FIRST.items())
def test_every_type(name: str, codec: str, keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"file.format": name, "file.compression": codec, "bucket": "2", "write-only": "true"}
    options.update({} if keyed else {"bucket-key": "id"})
    columns = all_types()
    java.create(tmp_path, TABLE, columns, ["id"] if keyed else [], [], options)
    data = [all_values(0, 1), all_values(40, 2), all_values(60, 3, 30)]
    snapshots = [java.write(tmp_path, TABLE, each) for each in data]
    expected = agree(java, tmp_path, columns)
    assert len(expected) == (120 if keyed else 190)
    assert {path.suffix for path in files_of(tmp_path)} == {f".{name}"}
    filters_agree(tmp_path, wide_case(name, data, options, keyed), expected)
    agree(java, tmp_path, columns, snapshots[0])
    java.compact(tmp_path, TABLE)
    assert_same_rows(agree(java, tmp_path, columns), expected)


@pytest.mark.long
@pytest.mark.parametrize(("name", "codec"), [(name, codec) for name, codecs in CODECS.items() for codec in codecs[1:]])
def test_every_compression(name: str, codec: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"file.format": name, "file.compression": codec, "file.block-size": "64 kb"}
    columns = all_types()
    java.create(tmp_path, TABLE, columns, [], [], options)
    java.write(tmp_path, TABLE, all_values(0, 1, 2000))
    agree(java, tmp_path, columns)


def test_formats_by_level(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"bucket": "1", "file.format": "parquet", "file.format.per.level": "0:avro,5:orc", "num-levels": "6"}
    columns = all_types()
    java.create(tmp_path, TABLE, columns, ["id"], [], {**options, "write-only": "true"})
    for shift in (1, 2):
        java.write(tmp_path, TABLE, all_values(0, shift))
    java.compact(tmp_path, TABLE)
    for number in range(1, 4):
        java.write(tmp_path, TABLE, all_values(number * 20, number), ("+I", "-D") * 40)
        expected = agree(java, tmp_path, columns)
    assert {path.suffix for path in files_of(tmp_path)} == {".avro", ".orc"}
    filters_agree(tmp_path, wide_case("levels", [all_values(0, 1)], options, True), expected)


def test_schemas_and_formats_change(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Columns added, dropped, renamed, added again and widened while the formats alternate."""
    java = referee("java-2.0.0")
    columns = {"id": "BIGINT NOT NULL", "a": "INT", "b": "STRING", "c": "DECIMAL(9, 2)", "d": "FLOAT"}
    java.create(tmp_path, TABLE, columns, [], [], {"file.format": "orc"})
    numbers = pa.array(range(5), pa.int64())
    texts = pa.array(["x", None, "y", "", "z"])

    def typed(*kinds: pa.DataType) -> list[pa.Array]:
        return [pa.array([None, *map(Decimal, range(1, 5))], pa.decimal128(12, 2)).cast(kind) for kind in kinds]

    def write(*arrays: pa.Array) -> None:
        names = our_table(tmp_path).schema.field_names
        java.write(tmp_path, TABLE, pa.table(dict(zip(names, [numbers, *arrays], strict=True))))

    small, wide = pa.decimal128(9, 2), pa.decimal128(20, 2)
    (a, c, d) = typed(pa.int32(), small, pa.float32())
    write(a, texts, c, d)
    java.alter(tmp_path, TABLE, ("set", "file.format", "avro"), ("rename", "b", "text"), ("drop", "d"))
    write(a, texts, c)
    java.alter(tmp_path, TABLE, ("set", "file.format", "parquet"), ("type", "a", "BIGINT"), ("add", "d", "DOUBLE"))
    write(*typed(pa.int64()), texts, c, *typed(pa.float64()))
    java.alter(tmp_path, TABLE, ("set", "file.format", "orc"), ("type", "c", "DECIMAL(20, 2)"), ("drop", "text"))
    write(*typed(pa.int64(), wide, pa.float64()))
    java.alter(tmp_path, TABLE, ("set", "file.format", "avro"), ("rename", "a", "text"), ("add", "a", "STRING"))
    write(*typed(pa.int64(), wide, pa.float64()), texts)
    expected = agree(java, tmp_path, {})
    assert {path.suffix for path in files_of(tmp_path)} == {".orc", ".avro", ".parquet"}
    assert len(expected) == 25
    rows = our_table(tmp_path).to_arrow(columns=["id", "text"], where="text > 2 AND a IS NULL")
    assert rows.num_rows == 8
    for snapshot in range(1, 6):
        agree(java, tmp_path, {}, snapshot)


def zoned(zone: str, monkeypatch: pytest.MonkeyPatch) -> JavaPaimon:
    from tests.interop import referees

    flags = [flag for flag in referees.JVM_FLAGS if "timezone" not in flag]
    monkeypatch.setattr(referees, "JVM_FLAGS", [*flags, f"-Duser.timezone={zone}"])
    return JavaPaimon("java-2.0.0")


@pytest.mark.parametrize("legacy", ["true", "false"])
@pytest.mark.parametrize("plain", [True, False], ids=["with-plain-times", "zoned-times-alone"])
def test_zoned_times_of_orc(plain: bool, legacy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The legacy layout stores wall clock times of the writer's zone, which the file names only if it also has
    timestamps without a zone."""
    java = zoned("Asia/Shanghai", monkeypatch)
    columns = {"z": "TIMESTAMP(6) WITH LOCAL TIME ZONE", **({"t": "TIMESTAMP(6)"} if plain else {})}
    java.create(tmp_path, TABLE, columns, [], [], {"file.format": "orc", "orc.timestamp-ltz.legacy.type": legacy})
    moments = pa.array([0, 10**15 * 2 + 456, -86_400_000_000, None], pa.int64())
    data = pa.table({"z": moments.cast(pa.timestamp("us", "UTC")), "t": moments.cast(pa.timestamp("us"))})
    java.write(tmp_path, TABLE, data.select(list(columns)))
    try:
        expected = java.read(tmp_path, TABLE)
    finally:
        java.close()
    if not plain:
        # Nothing else reveals the zone, not even to Java.
        monkeypatch.setattr(wb.options, "timezone", "Asia/Shanghai")
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), expected)
    assert_same_rows(from_arrow(data.select(list(columns))), expected)


@pytest.mark.parametrize("name", [*CODECS, "mixed"])
def test_names_and_files_with_and_without_keys(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Columns with names that need quotes are read, and files in thin mode next to files with key columns."""
    java = referee("java-2.0.0")
    nested = {
        "type": "ROW",
        "fields": [{"id": 9, "name": "d", "type": "INT"}, {"id": 10, "name": "x", "type": "STRING"}],
    }
    columns = {"id": "INT NOT NULL", "k_2": "STRING NOT NULL", "c": nested, "value": "BIGINT"}
    if name == "parquet" or name == "orc":
        columns |= {"c.e": "INT", "ünï côdé 日本": "STRING", "a b": "STRING"}
    formats = {"file.format.per.level": "0:avro,5:orc"} if name == "mixed" else {"file.format": name}
    java.create(tmp_path, TABLE, columns, ["k_2", "id"], [], {"bucket": "1", "write-only": "true", **formats})
    for shift, thin in enumerate(("false", "true", "true", "false")):
        java.alter(tmp_path, TABLE, ("set", "data-file.thin-mode", thin))
        count = 30
        values = {
            "id": pa.array(range(count), pa.int32()),
            "k_2": pa.array([f"k{number % 3}" for number in range(count)]),
            "c": pa.array([{"d": number * 100, "x": None} for number in range(count)]),
            "value": pa.array([number * shift for number in range(count)], pa.int64()),
            "c.e": pa.array([-number for number in range(count)], pa.int32()),
            "ünï côdé 日本": pa.array(["é"] * count),
            "a b": pa.array([None, "x"] * (count // 2)),
        }
        java.write(tmp_path, TABLE, pa.table({column: values[column] for column in columns}).slice(shift * 5))
    expected = agree(java, tmp_path, columns)
    assert len(expected) == 30
    table = our_table(tmp_path)
    assert table.to_arrow(where="id = 20", columns=["value", "id"]).to_pylist() == [{"value": 60, "id": 20}]
    if "c.e" in columns:
        assert table.to_arrow(where="`c.e` = -20", columns=["c.e"]).to_pylist() == [{"c.e": -20}]
    java.compact(tmp_path, TABLE)
    assert_same_rows(agree(java, tmp_path, columns), expected)


@pytest.mark.parametrize("name", ["row", "csv", "json", "text", "lance", "vortex", "mosaic"])
def test_other_formats_are_refused_by_name(name: str, tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table(TABLE, {"id": "INT"})
    table.write(pa.table({"id": pa.array([1], pa.int32())}))
    schema = tmp_path / "db.db" / "t" / "schema" / "schema-0"
    reported = json.loads(schema.read_text())
    schema.write_text(json.dumps({**reported, "options": {**reported["options"], "file.format": name}}))
    with pytest.raises(wb.Unsupported, match=f"'file.format' = '{name}'"):
        our_table(tmp_path).to_arrow()


@pytest.mark.parametrize("name", CODECS)
def test_sums_beyond_their_precision(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Parquet keeps sums that exceed their precision; ORC's writer and Avro's reader turn them into nulls."""
    java = referee("java-2.0.0")
    options = {"bucket": "1", "file.format": name, "write-only": "true", "merge-engine": "aggregation"}
    columns = {"id": "INT NOT NULL", "short": "DECIMAL(4, 2)", "long": "DECIMAL(20, 2)"}
    java.create(tmp_path, TABLE, columns, ["id"], [], {**options, "fields.default-aggregate-function": "sum"})
    short, long = Decimal("99.99"), Decimal("999999999999999999.99")
    kinds = [pa.int32(), pa.decimal128(4, 2), pa.decimal128(20, 2)]
    values = ([1, 2, 3], [short, -short, Decimal(1)], [long, Decimal(2), None])
    arrays = [pa.array(each, kind) for each, kind in zip(values, kinds, strict=True)]
    for _ in range(4):
        java.write(tmp_path, TABLE, pa.table(arrays, list(columns)))
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))
    java.compact(tmp_path, TABLE)
    expected = java.read(tmp_path, TABLE)
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), expected)
    assert [row[1] for row in expected.rows] == (
        ["399.96", "-399.96", "4.00"] if name == "parquet" else [None, None, "4.00"]
    )
