"""Statistics of every shape, rescaled buckets and indexes that a reader may ignore, in tables that Java wrote: pruned
files never contain a matching row."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.format_cases import FORMATS, all_types, all_values, filters_agree, wide_case
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.metadata.index_files import index_entries

pytestmark = pytest.mark.java

STATISTICS: dict[str, dict[str, str]] = {
    "full": {"metadata.stats-mode": "full"},
    "short": {"metadata.stats-mode": "truncate(1)"},
    "counts": {"metadata.stats-mode": "counts"},
    "none": {"metadata.stats-mode": "none"},
    "some": {
        "metadata.stats-mode": "none",
        "fields.c_int.stats-mode": "full",
        "fields.c_string.stats-mode": "truncate(2)",
    },
    "first": {"metadata.stats-keep-first-n-columns": "5"},
    "a place for each": {"metadata.stats-dense-store": "false", "metadata.stats-keep-first-n-columns": "9"},
}


@pytest.mark.parametrize("case", sampled(itertools.product(STATISTICS, FORMATS), 11), ids=str)
def test_statistics_of_every_shape(case: tuple[str, str], tmp_path: Path, referee: Any) -> None:
    shape, file_format = case
    java = referee("java-2.0.0")
    options = {**STATISTICS[shape], "file.format": file_format, "bucket": "-1"}
    java.create(tmp_path, TABLE, all_types(), options=options)
    # Few rows to a file, so that most values are in some files only.
    data = [all_values(first, first, rows=3) for first in range(0, 30, 3)]
    for rows in data:
        java.write(tmp_path, TABLE, rows)
    expected = from_arrow(our_table(tmp_path).to_arrow())
    assert len(expected) == 30
    filters_agree(tmp_path, wide_case(shape, data, options, keyed=False), expected)


def test_partitions_with_other_numbers_of_buckets(tmp_path: Path, referee: Any) -> None:
    """Java hashes a key among as many buckets as its partition had when it was written."""
    java = referee("java-2.0.0")
    columns = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "INT"}
    java.create(tmp_path, TABLE, columns, primary_key=["p", "id"], partition_by=["p"], options={"bucket": "3"})

    def rows_of(partition: str) -> pa.Table:
        ids = list(range(40))
        return pa.table({"id": pa.array(ids, pa.int64()), "p": [partition] * 40, "v": pa.array(ids, pa.int32())})

    for partition in "ab":
        java.write(tmp_path, TABLE, rows_of(partition))
    java.alter(tmp_path, TABLE, ("set", "bucket", "7"))
    java.write(tmp_path, TABLE, rows_of("b"), overwrite=True)
    table = our_table(tmp_path)
    totals = {(split.partition, split.total_buckets) for split in table.scan().plan()}
    assert sorted(total for _, total in totals) == [3, 7]
    for key in range(40):
        scan = table.scan(where=f"id = {key}")
        rows = from_arrow(scan.to_arrow())
        assert_same_rows(rows, Rows(("id", "p", "v"), tuple((str(key), partition, str(key)) for partition in "ab")))
        assert scan.explain().files_read == 2
        assert scan.explain().files_pruned["bucket"] == 8


@pytest.mark.parametrize("kind", sampled(["pk-btree", "pk-bitmap"], 2))
def test_indexes_of_a_primary_key_table_are_ignored(kind: str, tmp_path: Path, referee: Any) -> None:
    """Rows that are not compacted yet, and rows that vectors hide, are read as without the index."""
    java = referee("java-2.0.0")
    columns = {"id": "BIGINT NOT NULL", "v": "INT", "s": "STRING"}
    options = {"bucket": "2", "deletion-vectors.enabled": "true", f"{kind}.index.columns": "v"}
    java.create(tmp_path, TABLE, columns, primary_key=["id"], options=options)
    for shift in range(4):
        ids = list(range(shift * 30, shift * 30 + 60))
        values = [None if each % 9 == 2 else (each + shift) % 5 for each in ids]
        data = {"id": pa.array(ids, pa.int64()), "v": pa.array(values, pa.int32()), "s": [f"{shift}" for _ in ids]}
        java.write(tmp_path, TABLE, pa.table(data))
    table = our_table(tmp_path)
    types = {entry.index_type for entry in index_entries(table.store, table.version)}
    assert types > {"DELETION_VECTORS"}, types
    everything = java.read(tmp_path, TABLE)
    assert_same_rows(from_arrow(table.to_arrow()), everything)
    for value in range(5):
        kept = tuple(row for row in everything.rows if row[1] == str(value))
        assert_same_rows(from_arrow(table.to_arrow(where=f"v = {value}")), Rows(everything.columns, kept))
    nothing = tuple(row for row in everything.rows if row[1] is None)
    assert_same_rows(from_arrow(table.to_arrow(where="v IS NULL")), Rows(everything.columns, nothing))
