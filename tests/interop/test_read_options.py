"""Options for the places of files and for the version that is read mean the same as in Java."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import RefereeError
from tests.interop.rows import assert_same_rows, from_arrow
from tests.interop.tiers import JAVA
from workbench.table.read_options import open_for_read

pytestmark = pytest.mark.java

COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "INT"}


def rows(ids: range, value: int) -> pa.Table:
    values = pa.array([value] * len(ids), pa.int32())
    return pa.table({"id": pa.array(ids, pa.int64()), "p": [f"p{each % 2}" for each in ids], "v": values})


@pytest.mark.parametrize("engine", JAVA)
def test_other_roots_are_read_when_the_user_allows_them(
    engine: str, referee: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, warehouse, outside = referee(engine), tmp_path / "warehouse", tmp_path / "out side"
    options = {
        "bucket": "2",
        "data-file.external-paths": outside.as_uri().replace("%20", " "),
        "data-file.external-paths.strategy": "round-robin",
        "deletion-vectors.enabled": "true",
    }
    java.create(warehouse, TABLE, COLUMNS, ["p", "id"], ["p"], options)
    for number in range(3):
        java.write(warehouse, TABLE, rows(range(number, 9), number))
    java.compact(warehouse, TABLE)
    table = our_table(warehouse)
    for read in (table.to_arrow, table.to_batches, table.scan().plan):
        with pytest.raises(wb.Unsupported, match=f"refers to the file .*{outside.name}.*outside of its warehouse"):
            read()
    assert table.scan(where="p = 'none'").to_arrow().num_rows == 0
    monkeypatch.setattr(wb.options, "allowed_roots", [str(tmp_path / "other"), str(outside)])
    assert_same_rows(from_arrow(table.to_arrow()), java.read(warehouse, TABLE))
    assert table.to_arrow().num_rows == 9
    table.write(rows(range(2), 5))
    before = len(list(outside.glob("**/data-*.parquet")))
    table.compact(full=True)
    assert len(list(outside.glob("**/data-*.parquet"))) > before
    assert not list(warehouse.glob("**/data-*.parquet"))
    assert_same_rows(from_arrow(table.to_arrow()), java.read(warehouse, TABLE))
    monkeypatch.setattr(wb.options, "allowed_roots", [])
    with pytest.raises(wb.Unsupported, match="outside of its warehouse"):
        table.write(rows(range(2), 5))


def test_directories_and_names_of_files_are_those_of_the_options(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"bucket": "2", "data-file.path-directory": "some/data", "data-file.prefix": "part-"}
    with_vectors = {**options, "index-file-in-data-file-dir": "true", "deletion-vectors.enabled": "true"}
    java.create(tmp_path, TABLE, COLUMNS, ["p", "id"], ["p"], with_vectors)
    for number in range(3):
        java.write(tmp_path, TABLE, rows(range(number, 9), number))
        java.compact(tmp_path, TABLE)
        assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))
    assert list(tmp_path.glob("db.db/t/some/data/p=p1/bucket-*/index-*"))
    catalog = wb.connect(str(tmp_path))
    ours = catalog.create_table("db.ours", COLUMNS, primary_key=["p", "id"], partition_by=["p"], options=options)
    ours.write(rows(range(9), 1))
    assert list(tmp_path.glob("db.db/ours/some/data/p=p1/bucket-*/part-*"))
    assert_same_rows(java.read(tmp_path, "db.ours"), from_arrow(ours.to_arrow()))


FOREVER = "9999999999999"
READS: list[dict[str, str]] = [
    {"scan.snapshot-id": "1"},
    {"scan.tag-name": "one"},
    {"scan.version": "one"},
    {"scan.version": "2"},
    {"scan.timestamp-millis": FOREVER},
    {"scan.timestamp": "2999-01-01 00:00:00"},
    {"scan.bucket": "1"},
    {"scan.bucket": "17"},
    {"scan.bucket": "0", "scan.snapshot-id": "2"},
    *({"scan.mode": mode} for mode in ("default", "latest-full", "full", "latest", "compacted-full")),
    {"scan.mode": "from-snapshot-full", "scan.snapshot-id": "2"},
    {"scan.mode": "from-snapshot", "scan.tag-name": "one"},
    {"scan.mode": "from-timestamp", "scan.timestamp-millis": FOREVER},
    {"scan.file-creation-time-millis": "1"},
    {"scan.file-creation-time-millis": FOREVER},
    {"scan.creation-time-millis": "1"},
    {"scan.creation-time-millis": FOREVER},
]
REFUSED: list[dict[str, str]] = [
    {"scan.snapshot-id": "9"},
    {"scan.tag-name": "nope"},
    {"scan.version": "nope"},
    {"scan.watermark": "5"},
    {"scan.timestamp-millis": "1"},
    {"scan.snapshot-id": "1", "scan.tag-name": "one"},
    {"scan.mode": "latest", "scan.snapshot-id": "1"},
    {"scan.mode": "from-snapshot"},
    {"scan.mode": "from-timestamp"},
    {"scan.mode": "from-snapshot-full", "scan.tag-name": "one"},
    {"scan.mode": "sometime"},
    {"merge-engine": "aggregation"},
    {"scan.snapshot-id": "x"},
]


def test_read_options_mean_the_same_as_in_java(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, ["p", "id"], ["p"], {"bucket": "2", "write-only": "true"})
    java.write(tmp_path, TABLE, rows(range(20), 1))
    java.compact(tmp_path, TABLE)
    java.alter(tmp_path, TABLE, ("add", "w", "INT"))
    java.write(tmp_path, TABLE, rows(range(10, 30), 2).append_column("w", pa.array(range(20), pa.int32())))
    java.ask("tag", tmp_path, TABLE, tag="one", snapshot=1)
    table = our_table(tmp_path)
    for options in READS:
        expected = java.read(tmp_path, TABLE, options=options)
        assert_same_rows(from_arrow(open_for_read(table, options).to_arrow()), expected)
    for options in REFUSED:
        with pytest.raises(RefereeError):
            java.read(tmp_path, TABLE, options=options)
        with pytest.raises(wb.WorkbenchError):
            open_for_read(table, options).to_arrow()
    # As options of the table, they mean the same.
    for options in ({"scan.mode": "compacted-full"}, {"scan.mode": "from-snapshot", "scan.tag-name": "one"}):
        java.alter(tmp_path, TABLE, *(("set", *option) for option in options.items()))
        assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))
