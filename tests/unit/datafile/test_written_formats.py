"""Tables written in every file format: read back completely, with names, codecs and statistics according to their
options."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.sampling import sampled
from tests.support.wide_decimals import wide_decimals
from workbench.base.errors import MergeError
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.decimal_overflow import check_decimals
from workbench.datafile.open import open_data_file
from workbench.datafile.writer_protocol import FileShape
from workbench.format.file_formats.registry import find_traits
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.types import DataField
from workbench.format.types.type_parser import parse_type
from workbench.table.table import Table

FORMATS = ("parquet", "orc", "avro")
COLUMNS = {"id": "INT NOT NULL", "t": "STRING", "at": "TIMESTAMP(3)", "l": "ARRAY<STRING>", "z": "TIME(3)"}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Table]:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")

    def table(columns: dict[str, str], keyed: bool = False, **options: str) -> Table:
        result = {name.replace("__", "-").replace("_", "."): value for name, value in options.items()}
        key = ["id"] if keyed else []
        return catalog.create_table(
            "d.t", columns, primary_key=key, options={"bucket": "1" if keyed else "-1", **result}
        )

    return table


def some(rows: int = 20) -> pa.Table:
    ids = list(range(rows))
    return pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "t": [None if each % 3 == 0 else f"text {each % 7}" for each in ids],
            "at": pa.array([each * 10**9 + 5 for each in ids], pa.timestamp("ms")),
            "l": [None, [], ["a", None]] * (rows // 3) + [None] * (rows % 3),
            "z": pa.array([each * 1000 for each in ids], pa.time32("ms")),
        }
    )


def files(table: Table) -> list[DataFileMeta]:
    return [file for split in table.scan().plan() for file in split.files]


@pytest.mark.parametrize("keyed", [False, True], ids=["append", "keyed"])
@pytest.mark.parametrize("name", FORMATS)
def test_rows_round_trip(name: str, keyed: bool, make: Callable[..., Table]) -> None:
    table = make(COLUMNS, keyed, file_format=name, data__file_thin__mode="true")
    table.write(some())
    table.write(some().slice(5, 3))
    assert table.to_arrow().num_rows == (20 if keyed else 23)
    assert table.to_arrow(where="id = 4").to_pylist() == some().slice(4, 1).to_pylist()
    for file in files(table):
        assert file.file_name.endswith(f".{name}")
        assert file.value_stats.null_counts is not None
        assert file.value_stats.null_counts[3] is (None if name == "parquet" else file.value_stats.null_counts[3])
    if keyed:
        table.compact(full=True)
        assert table.to_arrow().sort_by("id").select(COLUMNS).to_pylist() == some().to_pylist()


@pytest.mark.parametrize(
    ("name", "codec", "known"),
    [("parquet", "lzo", "zstd, snappy"), ("orc", "gzip", "zstd, snappy"), ("avro", "none", "zstd, snappy")],
)
def test_codecs_that_a_format_does_not_have(name: str, codec: str, known: str, make: Callable[..., Table]) -> None:
    table = make(COLUMNS, file_format=name, file_compression=codec)
    with pytest.raises(wb.Unsupported, match=f"'{codec}'.*{known}"):
        table.write(some())
    assert not list(Path(table.location).glob("bucket-0/*"))


@pytest.mark.parametrize("name", sampled(FORMATS, 2))
@pytest.mark.parametrize("limit", ["target__file__size", "target__file__row__num"])
def test_files_are_closed_in_time(limit: str, name: str, make: Callable[..., Table]) -> None:
    options: dict[str, str] = {limit: "200 kb" if limit.endswith("size") else "150000"}
    table = make({"id": "BIGINT NOT NULL"}, file_format=name, file_compression="snappy", **options)
    table.write(
        pa.table({"id": pa.array((each * each * 2_654_435_761 % (1 << 62) for each in range(400_000)), pa.int64())})
    )
    counts = [file.row_count for file in files(table)]
    assert counts == [150_000, 150_000, 100_000] if limit.endswith("num") else len(counts) > 2
    assert table.to_arrow().num_rows == 400_000


@pytest.mark.parametrize("name", FORMATS)
def test_wide_decimals_are_refused_where_a_format_loses_them(name: str) -> None:
    field, traits = DataField(0, "s", parse_type("DECIMAL(2, 0)")), find_traits(name)
    assert traits is not None
    shape = FileShape(traits, (field,), "none", CoreOptions({}))
    rows = pa.table({"s": pa.array([None, 90, -99], pa.decimal128(2, 0))})
    check_decimals(rows, shape)
    wide = pa.table({"s": wide_decimals([None, Decimal(180)], 2, 0)})
    if name == "parquet":
        check_decimals(wide, shape)
        return
    with pytest.raises(MergeError, match="'s' holds 180, which exceeds DECIMAL"):
        check_decimals(wide, shape)


def test_times_that_arrow_writes_wrong_to_orc(make: Callable[..., Table], monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"id": "INT NOT NULL", "l": "ARRAY<TIMESTAMP(3)>", "z": "TIMESTAMP(3) WITH LOCAL TIME ZONE"}
    table = make(columns, file_format="orc")

    def rows(moment: int) -> pa.Table:
        moments = pa.array([[moment, None]], pa.list_(pa.timestamp("ms")))
        return pa.table({"id": pa.array([1], pa.int32()), "l": moments, "z": pa.array([5], pa.timestamp("ms", "UTC"))})

    monkeypatch.setattr(wb.options, "timezone", "UTC")
    table.write(rows(-5000))
    with pytest.raises(wb.Unsupported, match="'l' has times before 1970 with parts of a second"):
        table.write(rows(-1))
    monkeypatch.setattr(wb.options, "timezone", "Asia/Shanghai")
    with pytest.raises(wb.Unsupported, match=r"'z'.*Asia/Shanghai.*orc\.timestamp-ltz\.legacy\.type"):
        table.write(rows(1))
    assert table.to_arrow().column("l").to_pylist() == rows(-5000).column("l").to_pylist()
    assert len(list(Path(table.location).glob("bucket-0/*"))) == 1


@pytest.mark.parametrize("name", FORMATS)
def test_changelog_files(name: str, make: Callable[..., Table]) -> None:
    options: dict[str, str] = {"changelog__file_format": name, "changelog__file_stats__mode": "none"}
    options |= {"changelog__file_prefix": "cl-", "file__index_bitmap_columns": "id"}
    table = make(COLUMNS, True, file_suffix_include_compression="true", **options)
    rows = some().append_column(SEQUENCE_NUMBER, pa.array(range(20), pa.int64()))
    rows = rows.append_column(VALUE_KIND, pa.array([1] * 20, pa.int8()))
    names = FileNames("u")
    result = []
    for is_changelog in (True, False):
        writer = DataFileWriter(table.store, bytes(12), 0, names, is_changelog=is_changelog)
        writer.write(rows)
        result += writer.close()
    changelog, data = result
    assert (changelog.file_name, data.file_name) == (f"cl-u-0.zst.{name}", "data-u-1.zst.parquet")
    assert set(changelog.value_stats.null_counts or ()) == {None}
    assert (data.value_stats.null_counts or ())[:2] == (0, 7)
    assert (changelog.embedded_index, changelog.delete_row_count) == (None, 20)
    assert data.embedded_index
    path = f"{table.location}/bucket-0/{changelog.file_name}"
    assert open_data_file(table.store, path, changelog, table.schema).read(["id", VALUE_KIND]).num_rows == 20


def test_index_files_are_removed_with_their_data_files(make: Callable[..., Table]) -> None:
    options: dict[str, Any] = {"file__index_bitmap_columns": "id", "file__index_in__manifest__threshold": "1 b"}
    table = make(COLUMNS, **options)
    with table.writer() as writer:
        writer.write(some())
        messages = writer.prepare()
    left = list(Path(table.location).glob("bucket-0/*"))
    assert {path.suffix for path in left} == {".parquet", ".index"}
    table.commit(messages)
    assert table.to_arrow(where="id = 3").num_rows == 1
    data = DataFileWriter(table.store, bytes(12), 0, FileNames("gone"))
    data.write(some())
    data.close()
    data.abort()
    assert sorted(Path(table.location).glob("bucket-0/*")) == sorted(left)


def test_rows_have_ids(make: Callable[..., Table]) -> None:
    options: dict[str, str] = {"row__tracking_enabled": "true"}
    table = make(COLUMNS, **options)
    for _ in range(2):
        table.write(some())
    ids = table.to_arrow(columns=["_ROW_ID", "_SEQUENCE_NUMBER"])
    assert ids.column("_ROW_ID").to_pylist() == list(range(40))
    assert ids.column("_SEQUENCE_NUMBER").to_pylist() == [1] * 20 + [2] * 20
    table.compact(full=True)
    assert len(files(table)) == 1
    assert table.to_arrow(columns=["_ROW_ID", "_SEQUENCE_NUMBER"]).equals(ids)
    table.write(some())
    assert table.to_arrow(columns=["_ROW_ID"]).column(0).to_pylist()[40:] == list(range(40, 60))
    table.update({"t": "'x'"}, where="id = 3")
    assert sorted(table.to_arrow(columns=["_ROW_ID"]).column(0).to_pylist()) == list(range(60))


ROWS = {
    "id": "INT NOT NULL",
    "r": "ROW<a STRING, b ROW<c SMALLINT>>",
    "l": "ARRAY<ROW<a INT>>",
    "m": "MAP<INT, ROW<a INT>>",
}


def some_rows(count: int) -> pa.Table:
    """Return nested rows with nulls at every depth, in every combination."""

    def maybe(place: int, every: int, value: Any) -> Any:
        return None if place % every == 0 else value

    ids, row = range(1, count + 1), pa.struct([("a", pa.int32())])
    inner = [maybe(each, 3, {"c": maybe(each, 4, -each)}) for each in ids]
    outer = [maybe(each, 5, {"a": maybe(each, 2, "x"), "b": value}) for each, value in zip(ids, inner, strict=True)]
    elements = [[maybe(each + k, 3, {"a": maybe(each, 2, each)}) for k in range(each % 4)] for each in ids]
    return pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "r": pa.array(outer, pa.struct([("a", pa.string()), ("b", pa.struct([("c", pa.int16())]))])),
            "l": pa.array(elements, pa.list_(row)),
            "m": pa.array([list(enumerate(each)) for each in elements], pa.map_(pa.int32(), row)),
        }
    )


@pytest.mark.parametrize("keyed", [False, True], ids=["append", "keyed"])
@pytest.mark.parametrize("name", FORMATS)
def test_rows_of_rows_keep_their_values(name: str, keyed: bool, make: Callable[..., Table]) -> None:
    """Nested rows keep their values, although Arrow's ORC writer shifts values inside null rows and in later slices."""
    table = make(ROWS, keyed, file_format=name, target__file__size="1 b")
    given = some_rows(120)
    for start, rows in ((0, 1), (1, 4), (5, 40), (45, 75)):
        table.write(given.slice(start, rows))
    assert table.to_arrow().sort_by("id").to_pylist() == given.to_pylist()
    table.compact(full=True)
    assert table.to_arrow().sort_by("id").to_pylist() == given.to_pylist()
