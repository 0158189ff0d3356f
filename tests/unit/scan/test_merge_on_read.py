"""Tables of the other merge engines, read through the whole stack. Their files are those of a deduplicate table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import InvalidSchema, MergeError, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile.formats.parquet_reader import ParquetDataFile
from workbench.expr.expressions import col
from workbench.format.types.data_types import AtomicType
from workbench.lsm.aggregates import functions
from workbench.scan import section_reader as sections
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "g": "INT", "a": "INT", "b": "STRING", "c": "BIGINT"}
ROWS = [
    [(1, 1, 10, "x", 1), (2, 1, 20, "y", 2), (3, None, 30, None, 3)],
    [(1, 2, None, "z", 10), (2, 0, 21, None, 20), (4, 5, 40, "w", 30)],
    [(1, 1, 12, None, 100), (2, 1, None, "v", 200), (5, 6, None, None, 300)],
]
AGGREGATION = {
    "merge-engine": "aggregation",
    "fields.c.aggregate-function": "sum",
    "fields.a.aggregate-function": "max",
}
GROUP = {"merge-engine": "partial-update", "fields.g.sequence-group": "a,b"}


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def make(
    catalog: FileSystemCatalog, options: Mapping[str, str], kinds: Mapping[tuple[int, int], str] | None = None
) -> Table:
    """Create a table with the commits of ROWS; ``kinds`` has the row kinds other than +I, by (commit, position)."""
    created = catalog.create_table("db.t", COLUMNS, primary_key="id", options={"bucket": "1", "write-only": "true"})
    for number, commit in enumerate(ROWS):
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in commit]
        for position, row in enumerate(rows):
            row["kind"] = (kinds or {}).get((number, position), "+I")
        created.write(rows, row_kind="kind")
    path = f"{created.location}/schema/schema-0"
    with open(path) as file:
        schema = json.load(file)
    schema["options"].update(options)
    with open(path, "w") as file:
        json.dump(schema, file)
    return catalog.get_table("db.t")


MERGED = {
    "partial-update": (
        {"merge-engine": "partial-update"},
        [
            (1, 1, 12, "z", 100),
            (2, 1, 21, "v", 200),
            (3, None, 30, None, 3),
            (4, 5, 40, "w", 30),
            (5, 6, None, None, 300),
        ],
    ),
    "groups": (
        GROUP,
        [
            (1, 2, None, "z", 100),
            (2, 1, None, "v", 200),
            (3, None, 30, None, 3),
            (4, 5, 40, "w", 30),
            (5, 6, None, None, 300),
        ],
    ),
    "aggregation": (
        AGGREGATION,
        [
            (1, 1, 12, "z", 111),
            (2, 1, 21, "v", 222),
            (3, None, 30, None, 3),
            (4, 5, 40, "w", 30),
            (5, 6, None, None, 300),
        ],
    ),
    "sequence.field": (
        {"sequence.field": "g"},
        [
            (1, 2, None, "z", 10),
            (2, 1, None, "v", 200),
            (3, None, 30, None, 3),
            (4, 5, 40, "w", 30),
            (5, 6, None, None, 300),
        ],
    ),
    "descending": (
        {"sequence.field": "g", "sequence.field.sort-order": "descending"},
        [
            (1, 1, 12, None, 100),
            (2, 0, 21, None, 20),
            (3, None, 30, None, 3),
            (4, 5, 40, "w", 30),
            (5, 6, None, None, 300),
        ],
    ),
}


@pytest.mark.parametrize("name", MERGED)
def test_merged_rows_complete_streamed_and_projected(
    name: str, catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, expected = MERGED[name]
    table = make(catalog, options)
    assert rows_of(table.to_arrow()) == expected
    assert table.to_arrow().schema == table.arrow_schema
    for position, column in enumerate(COLUMNS):
        alone = sorted(((row[position],) for row in expected), key=repr)
        assert rows_of(table.to_arrow(columns=[column])) == alone
    monkeypatch.setattr(sections, "_SLICE_ROWS", 1)
    monkeypatch.setattr(sections, "_MIN_BATCH_ROWS", 1)
    assert rows_of(table.to_batches().read_all()) == expected


@pytest.mark.parametrize("name", MERGED)
def test_predicates_look_at_merged_values(name: str, catalog: FileSystemCatalog) -> None:
    """Predicates apply to merged rows, even if no file contains their values, or only one that another overrides."""
    options, expected = MERGED[name]
    table = make(catalog, options)
    for position, column in enumerate(COLUMNS):
        for value in {row[position] for row in [*expected, *(row for commit in ROWS for row in commit)]}:
            where = col(column).is_null() if value is None else col(column) == value
            assert rows_of(table.to_arrow(where=where)) == [row for row in expected if row[position] == value]


def test_value_statistics_do_not_prune_combined_rows(catalog: FileSystemCatalog) -> None:
    scan = make(catalog, AGGREGATION).scan(where=col("c") == 222)
    assert scan.explain().files_pruned == {}
    assert rows_of(scan.to_arrow()) == [(2, 1, 21, "v", 222)]


def test_only_columns_that_the_merge_needs_are_read(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    original = ParquetDataFile.read

    def spy(reader: ParquetDataFile, columns: list[str]) -> pa.Table:
        read.update(columns)
        return original(reader, columns)

    monkeypatch.setattr(ParquetDataFile, "read", spy)
    table = make(catalog, GROUP)
    table.to_arrow(columns=["id", "c"])
    assert read == {"id", "c"}
    read.clear()
    table.to_arrow(columns=["a"])
    assert read == {"id", "g", "a"}


def test_deletes_of_a_group_are_seen_by_columns_outside_of_it(catalog: FileSystemCatalog) -> None:
    options = {**GROUP, "partial-update.remove-record-on-sequence-group": "g"}
    table = make(catalog, options, {(1, 0): "-D"})
    left = sorted(((row[4],) for row in rows_of(table.to_arrow())), key=repr)
    assert rows_of(table.to_arrow(columns=["c"])) == left


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"merge-engine": "partial-update"}, "remove-record-on-delete"),
        ({"merge-engine": "aggregation", "fields.a.aggregate-function": "max"}, "'fields.a.ignore-retract'"),
    ],
)
def test_deletes_that_an_engine_does_not_accept(
    options: dict[str, str], message: str, catalog: FileSystemCatalog
) -> None:
    table = make(catalog, options, {(1, 0): "-D"})
    with pytest.raises(MergeError, match=message):
        table.to_arrow()


def test_products(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"merge-engine": "aggregation", "fields.a.aggregate-function": "product"})
    assert rows_of(table.to_arrow(columns=["id", "a"]))[:2] == [(1, 120), (2, 420)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"fields.a.aggregate-function": "my_own"}, Unsupported, "Column 'a' is aggregated by 'my_own'"),
        ({"fields.b.aggregate-function": "sum"}, InvalidSchema, "'b' of type STRING cannot be aggregated by 'sum'"),
    ],
)
def test_invalid_functions(
    options: dict[str, str], error: type[Exception], message: str, catalog: FileSystemCatalog
) -> None:
    table = make(catalog, {"merge-engine": "aggregation", **options})
    with pytest.raises(error, match=message):
        table.to_arrow()
    assert table.to_arrow(columns=["id", "c"]).num_rows == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fields.g.sequence-group": "nope"}, "names 'nope', which is not a column"),
        ({"fields.g.sequence-group": "id"}, "'id' of a sequence group is also in the primary key"),
        ({"fields.g.sequence-group": "a", "fields.c.sequence-group": "a"}, "'a' .* is also in another"),
        ({"fields.a.aggregate-function": "sum"}, "'a' is aggregated by 'sum', which requires a sequence group"),
    ],
)
def test_invalid_sequence_groups(options: dict[str, str], message: str, catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"merge-engine": "partial-update", **options})
    with pytest.raises(InvalidSchema, match=message):
        table.to_arrow()


def test_first_row_returns_compacted_rows(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    table.compact(full=True)
    table.write([dict(zip(COLUMNS, (9, 9, 9, "9", 9), strict=True))])
    path = f"{table.location}/schema/schema-0"
    with open(path) as file:
        schema = json.load(file)
    schema["options"]["merge-engine"] = "first-row"
    with open(path, "w") as file:
        json.dump(schema, file)
    table = catalog.get_table("db.t")
    assert [row[0] for row in rows_of(table.to_arrow())] == [1, 2, 3, 4, 5]
    assert table.scan().explain().files_pruned == {"level 0": 1}
    assert rows_of(table.to_arrow(where=col("id") == 9)) == []
    changed = table.changes(0, mode="diff")
    assert sorted(changed.column("id").to_pylist()) == [1, 2, 3, 4, 5]


def test_columns_without_order_cannot_be_sequence_fields(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table(
        "db.lists", {"id": "BIGINT NOT NULL", "list": "ARRAY<INT>"}, primary_key="id", options={"bucket": "1"}
    )
    for _ in range(2):
        created.write([{"id": 1, "list": [1]}])
    for options in (
        {"sequence.field": "list"},
        {"merge-engine": "partial-update", "fields.list.sequence-group": "list"},
    ):
        path = f"{created.location}/schema/schema-0"
        with open(path) as file:
            schema = json.load(file)
        with open(path, "w") as file:
            json.dump({**schema, "options": {"bucket": "1", **options}}, file)
        with pytest.raises((Unsupported, InvalidSchema), match="'list'"):
            catalog.get_table("db.lists").to_arrow()


def test_sketches_need_their_package(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(catalog, {"merge-engine": "aggregation", "fields.b.aggregate-function": "hll_sketch"})
    field = replace(table.schema.field("b"), type=AtomicType("BYTES"))
    monkeypatch.setattr(functions, "find_spec", lambda _: None)
    with pytest.raises(Unsupported, match="requires the package 'datasketches'"):
        functions.aggregate_of(field, "hll_sketch", table.schema.core)
