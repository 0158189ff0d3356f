"""Data files that we write in every format: Java reads them, continues with them, and records the same metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import workbench as wb
from tests.interop.format_cases import CODECS, agree, all_types, all_values, files_of, sorted_maps
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows
from tests.support.sampling import sampled
from workbench.format.spec.data_file import DataFileMeta

pytestmark = pytest.mark.java

OTHERS = [(name, codec) for name, codecs in CODECS.items() for codec in codecs[1:]]
# Java stores bounds of columns with NaN; our library does not.
WITHOUT_BOUNDS = {"fields.c_float.stats-mode": "counts", "fields.c_double.stats-mode": "counts"}


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the time zone of the referees."""
    monkeypatch.setattr(wb.options, "timezone", "UTC")


def values(first: int, shift: int, name: str, rows: int = 80) -> pa.Table:
    """Return rows of all types; for ORC with whole seconds, because it has fractions only from 1970 onward."""
    table = all_values(first, shift, rows)
    for position, field in enumerate(table.schema):
        if name == "orc" and pa.types.is_timestamp(field.type):
            whole = pc.floor_temporal(table.column(position), unit="second").cast(field.type)
            table = table.set_column(position, field, whole)
    return table


def metas(warehouse: Path) -> list[DataFileMeta]:
    """The metadata of the files."""
    return [file for split in our_table(warehouse).scan().plan() for file in split.files]


def told(file: DataFileMeta) -> dict[str, Any]:
    """The metadata that does not depend on the writer and the time."""
    names = ("row_count", "min_key", "max_key", "key_stats", "value_stats", "value_stats_cols", "schema_id", "level")
    more = (
        "min_sequence_number",
        "max_sequence_number",
        "delete_row_count",
        "file_source",
        "write_cols",
        "extra_files",
    )
    return {name: getattr(file, name) for name in (*names, *more)}


def twins(
    java: Any, home: Path, columns: Mapping[str, Any], keyed: bool, options: Mapping[str, str]
) -> tuple[Path, Path]:
    """Two warehouses with the same empty table: one for us and one for Java."""
    bucket = {"bucket": "1", **({} if keyed else {"bucket-key": "id"})}
    for each in ("ours", "javas"):
        java.create(home / each, TABLE, columns, ["id"] if keyed else [], [], {**bucket, **options})
    return home / "ours", home / "javas"


@pytest.mark.parametrize("case", sampled(product(CODECS, ("append", "keyed", "thin")), 4), ids="-".join)
def test_every_type(case: tuple[str, str], referee: Callable[[str], Any], tmp_path: Path) -> None:
    name, shape = case
    java = referee("java-2.0.0")
    keyed = shape != "append"
    columns = all_types()
    options = {
        "file.format": name,
        "file.compression": CODECS[name][0],
        "metadata.stats-dense-store": "true",
        **WITHOUT_BOUNDS,
    }
    options |= {"data-file.thin-mode": "true"} if shape == "thin" else {}
    ours, javas = twins(java, tmp_path, columns, keyed, {**options, "write-only": "true"})
    data = values(0, 1, name)
    our_table(ours).write(data)
    java.write(javas, TABLE, data)
    expected = sorted_maps(java.read(javas, TABLE), columns)
    assert_same_rows(sorted_maps(java.read(ours, TABLE), columns), expected)
    assert {path.suffix for path in files_of(ours)} == {f".{name}"}
    assert [told(file) for file in metas(ours)] == [told(file) for file in metas(javas)]
    our_table(ours).write(values(40, 2, name))
    java.write(ours, TABLE, values(60, 3, name))
    agree(java, ours, columns)
    java.compact(ours, TABLE)
    agree(java, ours, columns)


@pytest.mark.parametrize("case", sampled(OTHERS, len(OTHERS)), ids="-".join)
def test_every_compression(case: tuple[str, str], referee: Callable[[str], Any], tmp_path: Path) -> None:
    name, codec = case
    java = referee("java-2.0.0")
    columns = all_types()
    java.create(tmp_path, TABLE, columns, [], [], {"file.format": name, "file.compression": codec})
    our_table(tmp_path).write(values(0, 1, name, 2000))
    agree(java, tmp_path, columns)


def test_formats_by_level(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {
        "bucket": "1",
        "num-levels": "6",
        "file.format": "parquet",
        "file.format.per.level": "0:avro,5:orc",
        "file.compression.per.level": "5:snappy",
        "metadata.stats-mode.per.level": "0:none",
        "file.suffix.include.compression": "true",
    }
    columns = all_types()
    java.create(tmp_path, TABLE, columns, ["id"], [], options)
    for shift in (1, 2):
        our_table(tmp_path).write(values(0, shift, "orc"))
    our_table(tmp_path).compact(full=True)
    our_table(tmp_path).write(values(20, 3, "orc"))
    agree(java, tmp_path, columns)
    live = {file.level: file for file in metas(tmp_path)}
    assert {level: file.file_name.split(".", 1)[1] for level, file in live.items()} == {0: "zst.avro", 5: "snappy.orc"}
    assert live[0].value_stats.null_counts == (None,) * len(columns)
    assert live[5].value_stats.null_counts is not None
    assert live[5].value_stats.null_counts[0] == 0
    java.compact(tmp_path, TABLE)
    agree(java, tmp_path, columns)
