"""File indexes that we write: the bytes that Java writes for the same rows, and Java finds the same rows by them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.lives import TABLE, condition_of, our_table
from tests.interop.referees import Filter
from tests.interop.rows import assert_same_rows, from_arrow
from tests.interop.test_file_indexes import KINDS, columns_of, data_of, options_of, values_of
from tests.support.sampling import sampled
from workbench.datafile.open import open_data_file
from workbench.format.index.file_index.container import Bodies, read_file_index
from workbench.format.index.file_index.requests import index_requests

pytestmark = pytest.mark.java


def indexes_of(table: Any, embedded: bool) -> list[tuple[pa.Table, Bodies]]:
    """The rows and the indexes of each file."""
    result = []
    for split in table.scan().plan():
        for file in split.files:
            path = split.path(file)
            assert (file.embedded_index is not None) == embedded
            assert file.extra_files == (() if embedded else (f"{file.file_name}.index",))
            data = file.embedded_index if embedded else Path(f"{path}.index").read_bytes()
            rows = open_data_file(table.store, path, file, table.schema).read(table.schema.field_names)
            result.append((rows, read_file_index(data or b"") or {}))
    return result


@pytest.mark.parametrize("case", sampled(itertools.product(KINDS, (True, False)), 7), ids=str)
def test_indexes_of_every_type(case: tuple[str, bool], tmp_path: Path, referee: Any) -> None:
    index, embedded = case
    kind = index.removesuffix("-1")
    columns = columns_of(kind)
    names = list(columns)[1:]
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, columns, options=options_of(index, names, embedded))
    for shift in (0, 1):
        java.write(tmp_path, TABLE, data_of(kind, shift))
    ours = tmp_path / "ours"
    java.create(ours, TABLE, columns, options=options_of(index, names, embedded))
    for shift in (0, 1):
        our_table(ours).write(data_of(kind, shift))
    table = our_table(tmp_path)
    requests = {each.name: each.builder() for each in index_requests(table.schema)}
    for rows, bodies in indexes_of(table, embedded):
        for name, build in requests.items():
            result, javas = build(rows.column(name)), bodies[name][kind]
            assert javas is not None
            if kind == "bitmap":
                # Java writes values in the order of its hash map.
                assert len(result) == len(javas), columns[name]
            else:
                assert result == javas, columns[name]
    assert len(indexes_of(our_table(ours), embedded)) == 2
    for name in names:
        for value in values_of(columns[name], kind)[:3]:
            condition = Filter(name, "equal", pa.array([value], data_of(kind, 0).schema.field(name).type))
            expected = java.read(tmp_path, TABLE, filters=[condition])
            assert_same_rows(java.read(ours, TABLE, filters=[condition]), expected)
            actual_rows = our_table(ours).to_arrow(where=condition_of(condition))
            assert_same_rows(from_arrow(actual_rows), expected)


def test_files_are_left_out_by_indexes(tmp_path: Path, referee: Any) -> None:
    """Files are pruned by several indexes of one column and by many bitmaps; keys of maps have indexes too."""
    java = referee("java-2.0.0")
    columns = {"id": "BIGINT", "t": "STRING", "m": {"type": "MAP", "key": "STRING", "value": "INT"}}
    options = {
        "file-index.bitmap.columns": "id,m[a]",
        "file-index.bloom-filter.columns": "t, m[a], m[日本]",
        "file-index.bloom-filter.m.items": "100",
        "file-index.bloom-filter.m[a].fpp": "0.001",
        "file-index.range-bitmap.columns": "id,t",
        "metadata.stats-mode": "none",
    }
    java.create(tmp_path, TABLE, columns, options=options)
    rows = 150_000
    for shift in (0, 1):
        ids = pa.array([2 * (row % 70_000) + shift for row in range(rows)], pa.int64())
        texts = pa.array([f"{row % 9}-{shift}" + "x" * (row % 50) for row in range(rows)])
        maps = pa.array(
            [[("a", row % 5 + 10 * shift), ("日本", row)][: row % 3] for row in range(rows)],
            pa.map_(pa.string(), pa.int32()),
        )
        our_table(tmp_path).write(pa.table({"id": ids, "t": texts, "m": maps}))
    table = our_table(tmp_path)
    for where, name, value in (
        ("id = 139999", "id", pa.array([139_999], pa.int64())),
        ("t = '3-0xxx'", "t", pa.array(["3-0xxx"])),
        ("id = -1", "id", pa.array([-1], pa.int64())),
    ):
        scan = table.scan(where=where)
        assert sum(len(split.files) for split in scan.plan()) <= 1
        expected = java.read(tmp_path, TABLE, filters=[Filter(name, "equal", value)])
        assert_same_rows(from_arrow(table.to_arrow(where=where)), expected)
    assert set(indexes_of(table, embedded=False)[0][1]) == {"id", "t", "m[a]", "m[日本]"}
