"""Slices of any size, down to one row, give the same table, for every merge engine and every file format."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.other_formats import FORMATS, set_options, turn_into
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile.formats import orc_reader as orc
from workbench.scan import section_reader as sections
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "g": "INT", "v": "BIGINT", "s": "STRING", "many": "ARRAY<BIGINT>"}
ENGINES: dict[str, Mapping[str, str]] = {
    "deduplicate": {},
    "sequence field": {"sequence.field": "g,v"},
    "partial-update": {"merge-engine": "partial-update", "ignore-delete": "true"},
    "removing partial-update": {"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"},
    "sequence groups": {
        "merge-engine": "partial-update",
        "fields.g.sequence-group": "v,s",
        "fields.v.aggregate-function": "sum",
    },
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": "sum",
        "fields.s.aggregate-function": "listagg",
        "fields.s.ignore-retract": "true",
        "fields.g.ignore-retract": "true",
        "fields.many.aggregate-function": "collect",
    },
}
# The merge does not depend on the format: every engine is tested with one format, other formats with one engine.
SHORT = [*((engine, "parquet") for engine in ENGINES), ("aggregation", "orc"), ("sequence groups", "avro")]
SLICE_ROWS = (1, 7)
RUNS = 5


def history(catalog: FileSystemCatalog, seed: int, rows: int) -> Table:
    """Overlapping runs with retracts, nulls and ties; the oldest on a separate level."""
    chance = random.Random(seed)
    table = catalog.create_table("db.t", COLUMNS, "id", (), {"bucket": "1", "write-only": "true"})
    for run in range(RUNS):
        ids = sorted(chance.sample(range(2 * rows), rows))
        table.write([row_of(each, chance, retracts=run > 0) for each in ids], row_kind="kind")
        if run == 0:
            table.compact(full=True)
    return table


def row_of(number: int, chance: random.Random, *, retracts: bool) -> dict[str, object]:
    values = {
        "g": chance.randrange(3),
        "v": chance.randrange(5),
        "s": chance.choice(["a", "b", ""]),
        "many": [chance.randrange(3) for _ in range(chance.randrange(3))],
    }
    kind = chance.choice(("+I", "+U", "-U", "-D")) if retracts and chance.random() < 0.4 else "+I"
    return {
        "id": number,
        **{name: None if chance.random() < 0.3 else value for name, value in values.items()},
        "kind": kind,
    }


def rows_of(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def check(source_table: Table, monkeypatch: pytest.MonkeyPatch) -> int:
    """Check that all ways of reading the rows agree, and return how many rows there are."""
    # A separate catalog has no cached files.
    table = connect(Path(source_table.location).parents[1]).get_table("db.t")
    whole = table.to_arrow()
    narrow = ["s", "v"]
    for slice_rows, batch_rows in product(SLICE_ROWS, (1, 4096)):
        monkeypatch.setattr(sections, "_SLICE_ROWS", slice_rows)
        monkeypatch.setattr(sections, "_MIN_BATCH_ROWS", batch_rows)
        assert rows_of(table.to_batches().read_all()) == rows_of(whole), (slice_rows, batch_rows)
    assert rows_of(table.to_batches(columns=narrow).read_all()) == rows_of(whole.select(narrow))
    where = table.to_batches(where="v > 1 AND id > 3").read_all()
    assert rows_of(where) == rows_of(table.to_arrow(where="v > 1 AND id > 3"))
    return int(whole.num_rows)


@pytest.mark.parametrize(("engine", "file_format"), SHORT)
def test_slices(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch, engine: str, file_format: str) -> None:
    # Large ORC files are read differently from small ones.
    monkeypatch.setattr(orc, "_LARGE_BYTES", 0)
    table = history(catalog, 1, 20)
    turn_into(table, file_format)
    set_options(table, ENGINES[engine])
    assert check(table, monkeypatch) > 5


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("engine", ENGINES)
def test_slices_of_more_histories(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch, engine: str, file_format: str, seed: int
) -> None:
    monkeypatch.setattr(orc, "_LARGE_BYTES", 0 if seed % 2 else 1 << 20)
    table = history(catalog, seed, 10 * seed)
    turn_into(table, file_format)
    set_options(table, ENGINES[engine])
    assert check(table, monkeypatch)
