"""Lengths of text and bytes, the precision of decimals, and text in UTF-8, at the door of every write."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from tests.support.wide_decimals import wide_decimals
from workbench.base.errors import SchemaMismatch

_COLUMNS = {
    "id": "INT",
    "c": "CHAR(3)",
    "v": "VARCHAR(3)",
    "b": "BINARY(2)",
    "x": "VARBINARY(2)",
    "r": "ROW<a VARCHAR(3), l ARRAY<CHAR(2)>>",
    "m": "MAP<VARCHAR(2), VARBINARY(2)>",
    "s": "MULTISET<VARCHAR(2)>",
    "t": "STRING",
    "deep": "ARRAY<MAP<STRING, ROW<t STRING>>>",
}
# The text is "a" and a byte that never occurs in UTF-8.
_BROKEN = pa.StringArray.from_buffers(2, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff"))


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    return catalog.create_table("db.t", _COLUMNS)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"c": "abcd"}, r"'c' is CHAR\(3\), but the value in row 2 has 4 characters"),
        ({"v": " äöü "}, r"'v' is VARCHAR\(3\), but the value in row 2 has 4 characters"),
        ({"v": "abc\t"}, r"'v' is VARCHAR\(3\), but the value in row 2 has 4 characters"),
        ({"v": "😀😀😀😀"}, r"'v' is VARCHAR\(3\), but the value in row 2 has 4 characters"),
        ({"b": b"ab "}, r"'b' is BINARY\(2\), but the value in row 2 has 3 bytes"),
        ({"x": b"abc"}, r"'x' is VARBINARY\(2\), but the value in row 2 has 3 bytes"),
        ({"r": {"a": "abcd"}}, r"'r.a' is VARCHAR\(3\), but the value in row 2"),
        ({"r": {"a": "abc", "l": ["a", None, "bcd"]}}, r"'r.l.element' is CHAR\(2\), but the value in row 2"),
        ({"m": {"ab ": b"", "abc": b""}}, r"'m.key' is VARCHAR\(2\), but the value in row 2"),
        ({"m": {"a": b"abc"}}, r"'m.value' is VARBINARY\(2\), but the value in row 2 has 3 bytes"),
        ({"s": {"abc": 1}}, r"'s.key' is VARCHAR\(2\), but the value in row 2"),
    ],
)
def test_values_that_are_too_long_are_refused(table: Any, row: dict[str, Any], message: str) -> None:
    rows = [{"id": 1, "c": None, **dict.fromkeys(row)}, {"id": 2, **row}]
    with pytest.raises(SchemaMismatch, match=message):
        table.write(rows)
    with pytest.raises(SchemaMismatch, match=message), table.writer() as writer:
        writer.write(rows)
    assert table.to_arrow().num_rows == 0


DECIMALS = {
    "d": ("DECIMAL(5, 2)", "d"),
    "r": ("ROW<d DECIMAL(5, 2)>", "r.d"),
    "l": ("ARRAY<DECIMAL(5, 2)>", "l.element"),
    "m": ("MAP<STRING, DECIMAL(5, 2)>", "m.value"),
}


def decimals(name: str, values: list[Decimal | None]) -> pa.Array:
    """Return each value in a value of the type."""
    wide, offsets = wide_decimals(values, 5, 2), pa.array(range(len(values) + 1), pa.int32())
    match name:
        case "r":
            return pa.StructArray.from_arrays([wide], ["d"])
        case "l":
            return pa.ListArray.from_arrays(offsets, wide)
        case "m":
            return pa.MapArray.from_arrays(offsets, pa.array(["k"] * len(values)), wide)
    return wide


@pytest.mark.parametrize("number", ["1000.00", "-1000.00", "1999.98"])
@pytest.mark.parametrize("name", DECIMALS)
def test_decimals_with_more_digits_than_their_type_are_refused(name: str, number: str, tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    kind, path = DECIMALS[name]
    table = catalog.create_table("db.t", {name: kind})
    largest = [Decimal("999.99"), Decimal("-999.99"), None]
    table.write(pa.table({name: decimals(name, largest)}))
    with pytest.raises(SchemaMismatch, match=rf"'{path}' is DECIMAL\(5, 2\), but the value in row 3 is {number}\."):
        table.write(pa.table({name: decimals(name, [*largest[1:], Decimal(number)])}))
    assert table.to_arrow().num_rows == 3
    wider = catalog.create_table("db.wider", {name: kind.replace("5", "6")})
    wider.write(pa.table({name: decimals(name, [Decimal(number)])}))
    assert number in str(wider.to_arrow().to_pylist())


@pytest.mark.parametrize(("precision", "scale"), [(38, 0), (38, 38), (29, 3), (18, 2), (1, 0)])
def test_the_largest_decimals_fit(precision: int, scale: int, tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"d": f"DECIMAL({precision}, {scale})"})
    largest = Decimal((0, (9,) * precision, -scale))
    for number in (largest, largest.copy_negate()):
        table.write(pa.table({"d": pa.array([number], pa.decimal128(precision, scale))}))
        table.write([{"d": number}])
    assert set(table.to_arrow()["d"].to_pylist()) == {largest, largest.copy_negate()}


def test_a_copy_of_a_total_that_overflows_is_refused(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    options = {"merge-engine": "aggregation", "fields.d.aggregate-function": "sum", "write-only": "true"}
    columns = {"id": "INT", "d": "DECIMAL(5, 2)"}
    totals = catalog.create_table("db.totals", columns, ["id"], options={"bucket": "1", **options})
    for _ in range(2):
        totals.write([{"id": 1, "d": Decimal("999.99")}])
    copy = catalog.create_table("db.copy", columns)
    with pytest.warns(UserWarning, match="overflows"):
        rows = totals.to_arrow()
    for each in (rows, rows.combine_chunks().to_batches()[0], rows.to_pylist(), rows.to_pandas()):
        with pytest.raises(SchemaMismatch, match=r"'d' is DECIMAL\(5, 2\)"):
            copy.write(each)
    assert copy.to_arrow().num_rows == 0


def test_the_row_is_that_of_the_whole_input(table: Any) -> None:
    batches = [pa.record_batch({"v": pa.array(["abc"] * 9 + ["abcd" if last else "a"])}) for last in (False, True)]
    with pytest.raises(SchemaMismatch, match="row 20 has 4 characters"):
        table.write(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    lists = pa.table({"r": pa.array([{"l": ["a", "b"]}, None, {"l": []}, {"l": ["c", "def"]}])})
    with pytest.raises(SchemaMismatch, match="row 3 has 3 characters"):
        table.write(lists.slice(1))


def test_only_blanks_beyond_the_length_are_dropped(table: Any) -> None:
    table.write(
        [
            {"id": 1, "c": "a", "v": "a ", "b": b"a", "x": b"", "r": None, "m": None},
            {"id": 2, "c": "a    ", "v": "äöü  ", "b": None, "x": None, "r": {"a": "abc ", "l": ["a   ", None]}},
            {"id": 3, "r": {"a": None, "l": None}, "m": {"ab  ": b"ab", "c": None}, "s": {"ab ": 2}},
        ]
    )
    first, second, third = table.to_arrow().to_pylist()
    assert (first["c"], first["v"], first["b"], first["x"], first["r"]) == ("a", "a ", b"a", b"", None)
    assert (second["c"], second["v"], second["r"]) == ("a  ", "äöü", {"a": "abc", "l": ["a ", None]})
    assert (third["r"], third["m"], third["s"]) == ({"a": None, "l": None}, [("ab", b"ab"), ("c", None)], [("ab", 2)])


def test_keys_are_compared_without_the_dropped_blanks(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.k", {"k": "VARCHAR(2)", "n": "INT"}, ["k"], options={"bucket": "4"})
    table.write([{"k": "ab", "n": 1}])
    table.write([{"k": "ab   ", "n": 2}])
    assert table.to_arrow().to_pylist() == [{"k": "ab", "n": 2}]


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"t": "\ud800"}, "t"),
        ({"r": {"a": "\ud800"}}, "r.a"),
        ({"r": {"l": ["a", "\udfff"]}}, "r.l.element"),
        ({"m": {"\ud800": b""}}, "m.key"),
        ({"deep": [{"k": {"t": "\ud800"}}]}, "deep.element.k.t"),
    ],
)
def test_surrogates_are_refused(table: Any, row: dict[str, Any], path: str) -> None:
    with pytest.raises(SchemaMismatch, match=f"'{path}' is text, but the value in row 2 is not valid UTF-8"):
        table.write([{"id": 1}, {"id": 2, **row}])
    frame = pd.DataFrame({name: pd.Series([None, value], dtype=object) for name, value in row.items()})
    with pytest.raises(SchemaMismatch, match=f"'{path}' is text, but the value in row 2 is not valid UTF-8"):
        table.write(frame)


_TWICE = [("a", 1), ("b", 1), ("a", 2)]
_MANY = [(f"k{number}", number) for number in range(40)]


@pytest.mark.parametrize(
    ("columns", "data", "path"),
    [
        ({"m": "MAP<STRING, INT>"}, [{"m": {"a": 1}}, {"m": _TWICE}], "m"),
        ({"m": "MAP<STRING, INT>"}, [{"m": _MANY}, {"m": [*_MANY, ("k3", 1)]}], "m"),
        ({"m": "MULTISET<STRING>"}, [{"m": None}, {"m": _TWICE}], "m"),
        ({"m": "MAP<ROW<k INT>, INT>"}, [{"m": []}, {"m": [({"k": 1}, 1), ({"k": 1}, 2)]}], "m"),
        ({"l": "ARRAY<MAP<INT, MAP<STRING, INT>>>"}, [{"l": []}, {"l": [{}, {7: {}, 8: _TWICE}]}], "l.element.value"),
        ({"m": "MAP<STRING, INT>"}, [{"m": None}, {"m": {"a": 1, b"a": 2}}], "m"),
        (
            {"m": "MAP<STRING, INT>"},
            pd.DataFrame({"m": [[], [{"key": key, "value": value} for key, value in _TWICE]]}),
            "m",
        ),
        (
            {"m": "MAP<STRING, INT>"},
            pa.table({"m": pa.array([None, _TWICE], pa.map_(pa.string(), pa.int32()))}),
            "m",
        ),
    ],
)
def test_maps_with_a_key_twice_are_refused(tmp_path: Path, columns: dict[str, str], data: Any, path: str) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", columns)
    with pytest.raises(SchemaMismatch, match=rf"The map '{path}' in row 2 has the key .* twice"):
        table.write(data)


def test_maps_may_share_keys(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"m": "MAP<STRING, INT>"})
    maps = [_TWICE, [("a", 1), ("b", 2)], None, _MANY, _MANY[::-1], [("b", 1)]]
    rows = pa.table({"m": pa.array(maps, pa.map_(pa.string(), pa.int32()))})
    table.write(rows.slice(1))
    assert table.to_arrow().column("m").to_pylist() == maps[1:]


def test_text_of_ascii_and_of_other_characters_is_kept(table: Any) -> None:
    texts = ["a", "", None, "ä😀", "z"]
    for part in (slice(0, 3), slice(1, 4), slice(3, 5), slice(2, 3)):
        table.write(pa.table({"t": pa.array(texts)[part]}), mode="overwrite")
        assert table.to_arrow().column("t").to_pylist() == texts[part]
    table.write(pa.table({"t": pa.concat_arrays([_BROKEN, pa.array(["b", None])]).slice(2)}), mode="overwrite")
    assert table.to_arrow().column("t").to_pylist() == ["b", None]


def test_broken_buffers_are_refused_at_every_depth(table: Any) -> None:
    nested = pa.StructArray.from_arrays([_BROKEN], ["t"])
    pairs = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["k", "l"]), nested)
    deep = pa.ListArray.from_arrays(pa.array([0, 0, 2], pa.int32()), pairs)
    columns = {
        "t": _BROKEN,
        "v": _BROKEN,
        "r.a": pa.StructArray.from_arrays([_BROKEN], ["a"]),
        "m.key": pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), _BROKEN, pa.array([b"", b""])),
        "deep.element.value.t": deep,
    }
    for path, values in columns.items():
        with pytest.raises(SchemaMismatch, match=f"'{path}' is text, but the value in row 2 is not valid UTF-8"):
            table.write(pa.table({path.partition(".")[0]: values}))
    with pytest.raises(SchemaMismatch, match="'t' is text, but the value in row 2"):
        table.write(pa.table({"t": _BROKEN.dictionary_encode()}))
    table.write(pa.table({"t": _BROKEN.slice(0, 1)}))
    assert table.to_arrow(columns=["t"]).to_pylist() == [{"t": "a"}]


def test_upsert_and_merge_obey_the_lengths(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.u", {"id": "INT", "v": "VARCHAR(3)", "b": "BINARY(2)"}, ["id"])
    table.write([{"id": 1, "v": "abc", "b": b"a"}])
    with pytest.raises(SchemaMismatch, match=r"'v' is VARCHAR\(3\), but the value in row 1 has 4 characters"):
        table.update({"v": "'abcd'"}, where="id = 1")
    with pytest.raises(SchemaMismatch, match=r"'b' is BINARY\(2\), but the value in row 1 has 3 bytes"):
        table.update({"b": "X'010203'"}, where="id = 1")
    with pytest.raises(SchemaMismatch, match=r"'v' is VARCHAR\(3\)"):
        table.merge([{"id": 2, "v": "abcd", "b": b"a"}], on=["id"], clauses=[wb.WhenNotMatched(insert="*")])
    table.update({"v": "'abc   '"}, where="id = 1")
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": "abc", "b": b"a"}]
