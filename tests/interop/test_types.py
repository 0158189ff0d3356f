"""Every type at its limits in every file format, written by Java and read as Java itself reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.format_cases import files_of, sorted_maps
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import JavaPaimon
from tests.interop.rows import assert_same_rows, from_arrow
from tests.interop.tiers import JAVA
from tests.interop.type_cases import (
    ATOMIC,
    FAR,
    FORMATS,
    NESTED,
    UNKNOWN_TO,
    VECTORS,
    YEAR_1,
    YEAR_9999,
    ZONED,
    array,
    compare,
    make,
    mapped,
    row,
    texts,
    variant_rows,
    write_lines,
)
from tests.support.sampling import sampled

pytestmark = pytest.mark.java


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the time zone of the referees."""
    monkeypatch.setattr(wb.options, "timezone", "UTC")


@pytest.mark.parametrize(
    "keyed", [pytest.param(False, id="append"), pytest.param(True, id="keyed", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", sampled(FORMATS, 2))
@pytest.mark.parametrize("engine", JAVA)
def test_types(engine: str, name: str, keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    old = engine == "java-1.4.2"
    unknown = (*UNKNOWN_TO[name], *(VECTORS if keyed or old else ()), *(("row_bag",) if old else ()))
    columns = {column: case for column, case in {**ATOMIC, **NESTED}.items() if column not in unknown}
    make(referee(engine), tmp_path, columns, file_format=name, **({"bucket": "2"} if keyed else {}))
    assert len(compare(referee(engine), tmp_path)) >= 10


@pytest.mark.parametrize(
    "kind", sampled(["TIMESTAMP(9)", ZONED.format(7), array("TIMESTAMP(9)"), row(("t", "TIMESTAMP(8)"))], 3), ids=str
)
@pytest.mark.parametrize("name", sampled(["parquet", "orc"], 2))
def test_times_beyond_nanoseconds_are_refused(
    name: str, kind: Any, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java = referee("java-2.0.0")
    for number, moment in enumerate((YEAR_1, YEAR_9999, 9_300_000_000 * 10**9, 20_000_000_000 * 10**9)):
        home = tmp_path / str(number)
        value = str(moment) if isinstance(kind, str) else [str(moment)]
        make(java, home, {"t": (kind, [value, None])}, file_format=name)
        table = our_table(home)
        for read in (table.to_arrow, lambda table=table: table.to_batches().read_all()):
            with pytest.raises(wb.Unsupported, match="1677"):
                read()
        assert table.to_arrow(columns=["id"]).num_rows == 2


def times_of_all_years(far: bool) -> list[str | None]:
    """Times before standard time, in summers after 2037, and, with ``far``, beyond nanoseconds."""
    old = [-2_500_000_000 * 10**9, -3_900_000_000 * 10**9]
    summers = [seconds * 10**9 for seconds in (2_224_972_800, 4_118_083_200, 9_182_376_000)]
    return texts([*old, *summers, 0, -1_500_000_000, 1_700_000_000 * 10**9, *(FAR if far else [None])])


@pytest.mark.parametrize("legacy", sampled(["true", "false"], 2))
@pytest.mark.parametrize(
    "zone", [pytest.param("Asia/Shanghai"), pytest.param("America/New_York", marks=pytest.mark.long)]
)
def test_orc_times_of_another_zone(zone: str, legacy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.interop import referees

    flags = [flag for flag in referees.JVM_FLAGS if "timezone" not in flag]
    monkeypatch.setattr(referees, "JVM_FLAGS", [*flags, f"-Duser.timezone={zone}"])
    java = JavaPaimon("java-2.0.0")
    try:
        for far in (True, False):
            values = times_of_all_years(far)
            columns = {
                "t": ("TIMESTAMP(6)", values),
                "z": (ZONED.format(6), values),
                "a": (array("TIMESTAMP(3)"), [values]),
            }
            make(java, tmp_path / str(far), columns, file_format="orc", orc_timestamp__ltz_legacy_type=legacy)
            compare(java, tmp_path / str(far))
    finally:
        java.close()


def shredded(*fields: tuple[str, Any]) -> str:
    """Return the value of the option that shreds column v into these fields."""
    return json.dumps(row(("v", row(*fields))))


DOCUMENTS = [
    '{"a":1,"b":"x","c":[1,2],"d":{"e":1.25,"f":1e300,"é":true},"g":[{"h":1.5},{"z":1}]}',
    '{"a":"no","b":null,"c":[1,"x"],"d":[1],"other":{"k":[{"deep":1}]}}',
    '{"b":"' + "y" * 100 + '","a":12345678901,"zz":0.1,"d":{"e":123456789.123,"f":1,"q":{"w":1}}}',
    '{"c":[null,1.0,2.5]}',
    '{"c":[],"g":[]}',
    *("{}", "[]", "1", "null", '"text"', '{"d":{}}', "[[[1]],{}]", "-0.5", "true", "123456789012345678901234567891"),
    None,
]
UNIFORM = [
    json.dumps({"a": number, "b": f"text {number}", "c": [number], "d": {"e": number / 4}}) for number in range(30)
]
SHAPE = (
    ("a", "BIGINT"),
    ("b", "STRING"),
    ("c", array("INT")),
    ("d", row(("e", "DECIMAL(10, 2)"), ("f", "DOUBLE"), ("é", "BOOLEAN"))),
    ("g", array(row(("h", "FLOAT"), ("i", "VARIANT")))),
)
SHREDDING: dict[str, dict[str, str]] = {
    "plain": {},
    "declared": {"variant.shreddingSchema": shredded(*SHAPE)},
    "inferred": {"variant.inferShreddingSchema": "true"},
}


def raw(value: bytes) -> list[str]:
    """A VARIANT of these bytes, without names."""
    return [value.hex(), "010000"]


# Values of types that JSON does not have: date, both kinds of time, float, binary, UUID.
SCALARS = [
    raw(bytes([11 << 2]) + (19_000).to_bytes(4, "little")),
    raw(bytes([12 << 2]) + (1_700_000_000_123_400).to_bytes(8, "little")),
    raw(bytes([13 << 2]) + (-1_500_000).to_bytes(8, "little", signed=True)),
    raw(bytes([14 << 2]) + b"\x00\x00\xc0\x3f"),
    raw(bytes([15 << 2]) + b"\x02\x00\x00\x00\x01\xff"),
    raw(bytes([20 << 2]) + bytes(range(16))),
    raw(bytes([10 << 2, 4]) + (-(10**37) - 1).to_bytes(16, "little", signed=True)),
]


@pytest.mark.parametrize(
    "keyed", [pytest.param(False, id="append"), pytest.param(True, id="keyed", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("way", SHREDDING)
def test_variants(way: str, keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    kinds = {"id": "INT NOT NULL", "v": "VARIANT", "n": row(("v", "VARIANT"), ("i", "INT")), "l": array("VARIANT")}
    java.create(
        tmp_path, TABLE, kinds, ["id"] if keyed else [], [], {**SHREDDING[way], **({"bucket": "1"} if keyed else {})}
    )
    batches: list[list[Any]] = [DOCUMENTS, UNIFORM, SCALARS]
    for shift, documents in enumerate(batches):
        rows = [
            [str(100 * shift + position), value, None if value is None else [value, "3"], [value, None]]
            for position, value in enumerate(documents)
        ]
        write_lines(java, tmp_path, rows)
    if keyed:
        java.compact(tmp_path, TABLE)
    expected = java.read(tmp_path, TABLE)
    table = our_table(tmp_path)
    for actual_rows in (table.to_arrow(), table.to_batches().read_all()):
        numbers = [str(number) for number in actual_rows["id"].to_pylist()]
        inner = pa.chunked_array([chunk.flatten()[0] for chunk in actual_rows["n"].chunks])
        items = variant_rows(pa.chunked_array([chunk.flatten() for chunk in actual_rows["l"].chunks]))
        alone = dict(zip(numbers, variant_rows(actual_rows["v"]), strict=True))
        in_rows = dict(zip(numbers, variant_rows(inner), strict=True))
        in_lists = {number: tuple(items[2 * position : 2 * position + 2]) for position, number in enumerate(numbers)}
        assert alone == {each[0]: each[1] for each in expected.rows}
        assert in_rows == {each[0]: each[2] and each[2][0] for each in expected.rows}
        assert in_lists == {each[0]: each[3] for each in expected.rows}
    parts = {"typed_value" in str(_file_schema(path).field("v").type) for path in files_of(tmp_path)}
    assert parts >= {"plain": {False}, "declared": {True}, "inferred": {True}}[way]
    if not keyed:
        # Our library writes values unshredded, which every option allows.
        table.write(actual_rows.slice(0, 20).set_column(0, "id", pa.array(range(1000, 1020), pa.int32())))
        ours = {each[0]: each[1:] for each in java.read(tmp_path, TABLE).rows if int(each[0]) >= 1000}
        theirs = {str(1000 + position): each[1:] for position, each in enumerate(_of_java(expected, numbers[:20]))}
        assert ours == theirs


def _of_java(expected: Any, numbers: list[str]) -> list[Any]:
    rows = {each[0]: each for each in expected.rows}
    return [rows[number] for number in numbers]


def _file_schema(path: Path) -> pa.Schema:
    from pyarrow import parquet

    return parquet.read_schema(path)


@pytest.mark.parametrize("policy", sampled(["plain", "sequential", "lru"], 3))
@pytest.mark.parametrize("name", ["parquet", "orc"])
def test_maps_stored_as_rows(name: str, policy: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    key = "STRING NOT NULL"
    kinds = {"id": "INT NOT NULL", "m": mapped(key, "DECIMAL(10, 2)"), "n": mapped(key, array("STRING"))}
    options = {"file.format": name, "bucket": "1", "write-only": "true"}
    for column in ("m", "n"):
        options[f"fields.{column}.map.storage-layout"] = "shared-shredding"
        options[f"fields.{column}.map.shared-shredding.max-columns"] = "2"
        options[f"fields.{column}.map.shared-shredding.column-placement-policy"] = policy
    java.create(tmp_path, TABLE, kinds, ["id"], [], options)
    for shift in range(3):
        names = [f"key {number}" for number in range(shift, shift + 5)]
        rows = []
        for number in range(40):
            pairs = [[each, f"{number}.{position}0"] for position, each in enumerate(names) if number >> position & 1]
            lists = [[each, [each, None]] for each, _ in pairs]
            rows.append([str(number + 10 * shift), None if number == 7 else pairs, None if number % 9 == 0 else lists])
        write_lines(java, tmp_path, rows)
    expected = sorted_maps(java.read(tmp_path, TABLE), kinds)
    table = our_table(tmp_path)
    assert_same_rows(from_arrow(table.to_arrow()), expected)
    assert_same_rows(from_arrow(table.to_batches().read_all()), expected)
    with pytest.raises(wb.Unsupported, match=r"map\.storage-layout"):
        table.write(table.to_arrow())
