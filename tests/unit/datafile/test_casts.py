"""Old rows of columns whose types, fields or positions were altered; tests/interop compares all casts with Java."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import workbench as wb
from workbench.datafile.casts.rules import can_cast, cast_values
from workbench.datafile.casts.values import CastError
from workbench.datafile.readers.schema_evolution import evolved
from workbench.format.types import ArrayType, DataField, DataType, RowType, parse_type


def altered(table: Any, types: Mapping[str, str], options: Mapping[str, str] | None = None) -> Any:
    """Store a schema with other types and options, as another engine would, and return the reopened table."""
    fields = [replace(each, type=parse_type(types.get(each.name, str(each.type)))) for each in table.schema.fields]
    schema = replace(
        table.schema,
        id=table.schema.id + 1,
        fields=tuple(fields),
        options={**table.schema.options, **(options or {})},
    )
    Path(table.location, "schema", f"schema-{schema.id}").write_text(schema.to_json())
    return wb.connect(str(Path(table.location).parent.parent)).get_table("db.t")


def created(warehouse: Path, columns: Mapping[str, str], **more: Any) -> Any:
    catalog = wb.connect(str(warehouse))
    catalog.create_database("db")
    return catalog.create_table("db.t", columns, **more)


def cast(values: Sequence[Any], kind: pa.DataType, source: str, target: str) -> list[Any]:
    rows: list[Any] = cast_values(pa.array(values, kind), parse_type(source), parse_type(target)).to_pylist()
    return rows


def test_numbers_wrap_end_and_round_as_in_java() -> None:
    assert cast([300, -129, None], pa.int64(), "BIGINT", "TINYINT") == [44, 127, None]
    assert cast([1e20, -1e20, float("nan"), 2.9], pa.float64(), "DOUBLE", "INT") == [2**31 - 1, -(2**31), 0, 2]
    assert cast([3e9], pa.float64(), "DOUBLE", "SMALLINT") == [-1]
    decimals = [Decimal("2.345"), Decimal("-2.345"), Decimal("99.999")]
    rounded = [Decimal("2.35"), Decimal("-2.35"), None]
    assert cast(decimals, pa.decimal128(6, 3), "DECIMAL(6, 3)", "DECIMAL(4, 2)") == rounded
    assert cast([1.005, 1e30], pa.float64(), "DOUBLE", "DECIMAL(5, 2)") == [Decimal("1.01"), None]


@pytest.mark.parametrize(
    ("source", "kind", "tick"),
    [
        ("TIMESTAMP(0)", "ms", 1000),
        ("TIMESTAMP(3)", "ms", 1),
        ("TIMESTAMP(6)", "us", 1),
        ("TIMESTAMP(9)", "ns", 1),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", "us", 1),
    ],
)
def test_times_before_1970_are_rounded_down(source: str, kind: str, tick: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", "UTC")
    zoned = "ZONE" in source
    arrow_type = pa.timestamp(kind, "UTC" if zoned else None)
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[kind]
    values = [-tick, 0, -86_400 * per_second, -86_400 * per_second - tick, None]
    seconds = [-1, 0, -86_400, -86_401, None]
    assert cast(values, arrow_type, source, "BIGINT") == seconds
    assert cast(values, arrow_type, source, "INT") == seconds
    days = [date(1969, 12, 31), date(1970, 1, 1), date(1969, 12, 31), date(1969, 12, 30), None]
    assert cast(values, arrow_type, source, "DATE") == days
    target = "TIMESTAMP(0) WITH LOCAL TIME ZONE" if zoned else "TIMESTAMP(0)"
    whole = cast_values(pa.array(values, arrow_type), parse_type(source), parse_type(target)).cast(pa.int64())
    assert whole.to_pylist() == [None if each is None else each * 1000 for each in seconds]


@pytest.mark.parametrize(("digits", "floor"), [(0, -2000), (1, -1300), (2, -1240), (3, -1235)])
def test_digits_of_times_before_1970_are_rounded_down(digits: int, floor: int) -> None:
    source, target = parse_type("TIMESTAMP(6)"), parse_type(f"TIMESTAMP({digits})")
    values = pa.array([-1_234_567], pa.timestamp("us"))
    assert cast_values(values, source, target).cast(pa.int64()).to_pylist() == [floor]


def test_texts_of_floats_are_those_of_java() -> None:
    values = [1e10, 0.001, 1e-4, 100.0, -0.0, 123456.789, float("-inf"), None]
    texts = ["1.0E10", "0.001", "1.0E-4", "100.0", "-0.0", "123456.789", "-Infinity", None]
    assert cast(values, pa.float64(), "DOUBLE", "STRING") == texts
    assert cast([5e-324, 1e-323], pa.float64(), "DOUBLE", "STRING") == ["4.9E-324", "9.9E-324"]
    assert cast([2.0**-149], pa.float32(), "FLOAT", "STRING") == ["1.4E-45"]


def test_nested_values_are_cast_to_text() -> None:
    lists = pa.array([[1, None], [], None], pa.list_(pa.int32()))
    kind = parse_type("ARRAY<INT>")
    assert cast_values(lists, kind, parse_type("STRING")).to_pylist() == ["[1, null]", "[]", None]
    assert cast_values(lists.slice(1), kind, parse_type("CHAR(1)")).to_pylist() == ["[]", None]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("", "INT"),
        ("9e9", "BIGINT"),
        ("128", "TINYINT"),
        ("maybe", "BOOLEAN"),
        ("2021-02-29", "DATE"),
        ("x", "DECIMAL(9)"),
    ],
)
def test_texts_that_do_not_fit_are_quoted(text: str, target: str) -> None:
    with pytest.raises(CastError, match=parse_type(target).root):
        cast(["1", text], pa.string(), "STRING", target)


@pytest.mark.parametrize(
    ("source", "target"),
    [("DATE", "INT"), ("BOOLEAN", "DATE"), ("DECIMAL(9, 2)", "BOOLEAN"), ("TIME(3)", "TIME(0)"), ("DATE", "CHAR(10)")],
)
def test_pairs_without_a_rule_are_refused(source: str, target: str) -> None:
    assert not can_cast(parse_type(source), parse_type(target))
    with pytest.raises(wb.Unsupported, match="cannot be read as"):
        cast([], pa.null(), source, target)


def test_years_after_2037_have_summer_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", "Europe/Berlin")
    source, target = parse_type("TIMESTAMP(0) WITH LOCAL TIME ZONE"), parse_type("STRING")
    ends = ["2038-03-28 00:59:59", "2038-03-28 01:00:00", "2038-10-31 00:59:59", "2038-10-31 01:00:00"]
    others = ["2037-12-31 23:30:00", "2100-02-28 23:30:00", "2128-02-29 12:00:00", "2128-06-10 00:00:00"]
    moments = [int(datetime.fromisoformat(f"{text}+00:00").timestamp()) for text in (*ends, *others)]
    texts = cast_values(pa.array(moments, pa.timestamp("s", "UTC")).cast(pa.timestamp("ms", "UTC")), source, target)
    zone = ZoneInfo("Europe/Berlin")
    assert texts.to_pylist() == [f"{datetime.fromtimestamp(each, zone):%Y-%m-%d %H:%M:%S}" for each in moments]
    back = cast_values(texts, target, source).cast(pa.timestamp("s", "UTC")).cast(pa.int64()).to_pylist()
    # 02:00 occurs twice when summer time ends, and is read as the earlier time.
    assert [one - two for one, two in zip(moments, back, strict=True)] == [0, 0, 0, 3600, 0, 0, 0, 0]


def test_values_that_do_not_fit_name_file_and_column(tmp_path: Path) -> None:
    table = created(tmp_path, {"id": "INT", "word": "STRING"})
    table.write(pa.table({"id": pa.array([1, 2], pa.int32()), "word": ["7", "seven"]}))
    changed = altered(table, {"word": "INT"})
    with pytest.raises(wb.SchemaMismatch, match=r"'word' has values of type STRING in .*: 'seven' is not a valid INT"):
        changed.to_arrow()
    assert changed.to_arrow(columns=["id"]).num_rows == 2
    with pytest.raises(wb.Unsupported, match=r"'id' has values of type INT in .*data-.*cannot be read as BYTES"):
        altered(changed, {"id": "BYTES"}).to_arrow()


def test_filters_see_the_cast_values(tmp_path: Path) -> None:
    table = created(tmp_path, {"n": "BIGINT", "x": "DOUBLE", "d": "DECIMAL(9, 2)", "t": "TIMESTAMP(3)"})
    rows = {
        "n": pa.array([300, 301], pa.int64()),
        "x": [float("nan"), 2.5],
        "d": pa.array([Decimal("100.00"), Decimal("200.50")], pa.decimal128(9, 2)),
        "t": pa.array([-43_200_000, -43_200_001], pa.timestamp("ms")),
    }
    table.write(pa.table(rows))
    changed = altered(table, {"n": "TINYINT", "x": "INT", "d": "DECIMAL(3, 1)", "t": "DATE"})
    # 300 loses its high bits, NaN becomes 0, neither decimal fits, and half a day before 1970 is on the day before.
    assert changed.to_arrow(where="n = 44").num_rows == 1
    assert changed.to_arrow(where="x = 0").num_rows == 1
    assert changed.to_arrow(where="d IS NULL").num_rows == 2
    assert changed.to_arrow(where="t = DATE '1969-12-31'").num_rows == 2
    assert changed.to_arrow(where="t >= DATE '1970-01-01'").num_rows == 0


def test_bucket_keys_of_another_type_have_other_hashes(tmp_path: Path) -> None:
    table = created(tmp_path, {"k": "INT", "v": "INT"}, options={"bucket": "4", "bucket-key": "k"})
    numbers = pa.array(range(-20, 20), pa.int32())
    table.write(pa.table({"k": numbers, "v": numbers}))
    changed = altered(table, {"k": "BIGINT"})
    for number in range(-20, 20):
        assert changed.to_arrow(where=f"k = {number}")["v"].to_pylist() == [number]


def test_keys_of_another_type_are_refused(tmp_path: Path) -> None:
    table = created(tmp_path, {"k": "INT", "v": "INT"}, primary_key=["k"], options={"bucket": "1"})
    numbers = pa.array(range(4), pa.int32())
    table.write(pa.table({"k": numbers, "v": numbers}))
    changed = altered(table, {"k": "BIGINT NOT NULL"})
    for read in (changed.to_arrow, lambda: changed.to_arrow(columns=["v"]), lambda: changed.compact(full=True)):
        with pytest.raises(wb.Unsupported, match="keys of type INT in column 'k', which is now BIGINT"):
            read()


def test_nulls_in_columns_that_became_not_null_are_kept(tmp_path: Path) -> None:
    table = created(tmp_path, {"id": "INT", "v": "INT"})
    table.write(pa.table({"id": pa.array([1, 2], pa.int32()), "v": pa.array([None, 5], pa.int32())}))
    changed = altered(table, {"v": "INT NOT NULL"})
    assert changed.to_arrow()["v"].to_pylist() == [None, 5]
    assert changed.to_batches().read_all()["v"].to_pylist() == [None, 5]
    assert changed.to_arrow(where="v IS NULL")["id"].to_pylist() == [1]


def test_defaults_are_for_writes_alone(tmp_path: Path) -> None:
    """Unlike 0.9, Paimon 2.0 has no option for defaults on read; it applies a schema's default on write."""
    table = created(tmp_path, {"id": "INT", "v": "STRING"})
    table.write(pa.table({"id": pa.array([1], pa.int32()), "v": pa.nulls(1, pa.string())}))
    changed = altered(table, {}, {"fields.v.default-value": "x"})
    text = json.loads(Path(table.location, "schema", "schema-1").read_text())
    text["fields"][1]["defaultValue"] = "y"
    Path(table.location, "schema", "schema-1").write_text(json.dumps(text))
    changed = wb.connect(str(tmp_path)).get_table("db.t")
    changed.write(pa.table({"id": pa.array([2], pa.int32()), "v": pa.nulls(1, pa.string())}))
    assert changed.to_arrow()["v"].to_pylist() == [None, "y"]


def row(*fields: tuple[int, str, DataType]) -> DataType:
    return RowType(tuple(DataField(number, name, kind) for number, name, kind in fields))


def test_fields_are_found_by_id_in_parts_of_arrays() -> None:
    number, text = parse_type("INT"), parse_type("STRING")
    written = ArrayType(row((1, "a", number), (2, "b", text)))
    declared = ArrayType(row((2, "a", text), (3, "b", number), (1, "c", parse_type("BIGINT"))))
    stored = [[{"a": 1, "b": "x"}], None, [None, {"a": 2, "b": None}], []]
    column = pa.chunked_array([pa.array(stored, pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())])))])
    expected = [[{"a": "x", "b": None, "c": 1}], None, [None, {"a": None, "b": None, "c": 2}], []]
    assert evolved(column, written, declared).to_pylist() == expected
    assert evolved(column.slice(2), written, declared).to_pylist() == expected[2:]
    # If no field of the rows is left, Java returns null, also in place of the array or map that contains them.
    removed = ArrayType(row((4, "a", number)))
    assert evolved(column, written, removed).to_pylist() == [None] * 4
