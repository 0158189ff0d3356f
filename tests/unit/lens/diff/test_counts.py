"""Every count of a comparison equals one counted row by row."""

from __future__ import annotations

import random
import tarfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.golden.stored import MAKERS, archive
from tests.support.diff_counter import count_differences, same
from tests.support.sampling import sampled
from workbench.base.errors import Unsupported, WorkbenchError
from workbench.catalog.connect import connect
from workbench.lens.diff.collect import Comparison, collect_diff
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import end_at, end_of
from workbench.scan.incremental import state_diff
from workbench.table.table import Table

_ENGINES: dict[str, tuple[dict[str, str], bool]] = {
    "deduplicate": ({}, True),
    "partial-update": ({"partial-update.remove-record-on-delete": "true"}, True),
    "aggregation": ({"fields.n.aggregate-function": "sum"}, False),
    "first-row": ({}, False),
}


def compare(before: Any, after: Any) -> Any:
    return collect_counts(Comparison(before, after).source())


def check(table: Table, first: int, second: int) -> None:
    """Check the counts of a comparison against rows of both states, read with the columns of the second."""
    after = end_at(table, second)
    counts = compare(end_at(table, first), after)
    tables = []
    for snapshot in (end_at(table, each).snapshot for each in (first, second)):
        rows = table.with_store(after.store, snapshot).to_arrow()
        tables.append(rows if snapshot else rows.slice(0, 0))
    same(counts, count_differences(*tables, list(after.store.schema.primary_keys), table.partition_keys))
    # Partitions and buckets with few rows are compared together; the counts are the same if each is compared alone.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_diff, "_ROWS_TOGETHER", -1)
        alone = compare(end_at(table, first), after)
    assert replace(alone, counted=counts.counted, parts=counts.parts) == counts


@pytest.mark.parametrize("engine", sampled(_ENGINES, 3))
@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("bucket", ["2", "-1"])
def test_all_engines(catalog: Any, engine: str, vectors: str, bucket: str) -> None:
    options, deletes = _ENGINES[engine]
    if engine == "first-row" and vectors == "true":
        pytest.skip("Paimon does not combine them.")
    table = catalog.create_table(
        "d.engines",
        {"p": "STRING NOT NULL", "k": "BIGINT NOT NULL", "n": "INT", "x": "DOUBLE", "a": "ARRAY<INT>"},
        ["p", "k"],
        ["p"],
        options={"bucket": bucket, "merge-engine": engine, "deletion-vectors.enabled": vectors, **options},
    )
    chance = random.Random(7)
    for number in range(6):
        table.write(
            [
                {
                    "p": chance.choice("ab"),
                    "k": key,
                    "n": chance.choice([None, 1, 2]),
                    "x": chance.choice([0.5, float("nan"), None]),
                    "a": chance.choice([None, [], [1, None]]),
                }
                for key in chance.sample(range(60), 25)
            ]
        )
        if deletes and number % 2:
            table.delete(f"k % 7 = {number}")
        if number == 3:
            table.compact(full=True)
    ids = [snapshot.id for snapshot in table.snapshots()]
    for first in (0, ids[0], ids[len(ids) // 2], ids[-1]):
        for second in (ids[1], ids[-2], ids[-1]):
            check(table, first, second)


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_append_tables_cancel_equal_rows(catalog: Any, vectors: str) -> None:
    table = catalog.create_table(
        "d.log", {"p": "STRING", "v": "STRING", "n": "INT"}, (), ["p"], options={"deletion-vectors.enabled": vectors}
    )
    chance = random.Random(3)
    for _ in range(4):
        table.write([{"p": chance.choice("ab"), "v": "x", "n": chance.randrange(4)} for _ in range(30)])
    table.delete("n = 2")
    table.compact(full=True)
    newest = table.snapshot().id
    for first in range(newest + 1):
        check(table, first, newest)
    # If few rows fit in memory, the states are compared part by part.
    limit = state_diff._ROWS_IN_MEMORY
    state_diff._ROWS_IN_MEMORY = 16
    try:
        check(table, 2, newest)
    finally:
        state_diff._ROWS_IN_MEMORY = limit


def test_large_sections_are_compared_piece_by_piece(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.scan import section_reader

    monkeypatch.setattr(section_reader, "_SLICE_ROWS", 100)
    monkeypatch.setattr(section_reader, "_MIN_BATCH_ROWS", 10)
    chance = random.Random(5)
    for number in range(5):
        keys = sorted(chance.sample(range(3000), 1200))
        table.write(pa.table({"dt": ["a"] * 1200, "k": keys, "v": [f"{number}"] * 1200}))
    table.delete("k % 5 = 0")
    check(table, 2, 5)
    check(table, 5, 6)
    check(table, 6, 1)


def test_branches_are_aligned_by_field_id(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    table.create_tag("v1")
    table.create_branch("dev", "v1")
    branch = table.branch("dev")
    branch.write([{"dt": "a", "k": 2, "v": "dev"}, {"dt": "b", "k": 9, "v": "dev"}])
    write("a", [3, 4], "main")
    value = collect_diff(Comparison(end_of(branch), end_of(table)))
    assert value.counts is not None
    assert (value.counts.inserted, value.counts.updated, value.counts.deleted) == (1, 2, 1)
    assert [(each.kind, each.name) for each in value.refs] == []


def test_two_tables_are_aligned_by_name(catalog: Any) -> None:
    one = catalog.create_table(
        "d.one",
        {"k": "INT NOT NULL", "t": "STRING NOT NULL", "v": "FLOAT", "gone": "INT"},
        ["t", "k"],
        options={"bucket": "3"},
    )
    other = catalog.create_table(
        "d.other",
        {"v": "DOUBLE", "t": "STRING NOT NULL", "k": "BIGINT NOT NULL"},
        ["k", "t"],
        ["t"],
        options={"bucket": "-1"},
    )
    one.write([{"k": key, "t": "ab"[key % 2], "v": key / 2, "gone": 1} for key in range(40)])
    other.write([{"k": key, "t": "ab"[key % 2], "v": key / 2 if key < 30 else 0.0} for key in range(10, 50)])
    value = collect_diff(Comparison(end_of(one), end_of(other)))
    assert value.counts is not None
    assert (value.counts.inserted, value.counts.updated, value.counts.deleted) == (10, 10, 10)
    notes = " ".join(value.notes)
    assert "FLOAT in the first state, DOUBLE in the second" in notes
    assert "Column gone is only in the first state." in notes


def test_tables_with_different_keys_are_refused(catalog: Any, table: Table) -> None:
    other = catalog.create_table("d.other", {"k": "BIGINT NOT NULL", "v": "STRING"}, ["k"], options={"bucket": "1"})
    with pytest.raises(WorkbenchError, match="the first has k, the second dt, k"):
        compare(end_of(other), end_of(table))


def test_stored_changes(catalog: Any) -> None:
    table = catalog.create_table(
        "d.lookup", {"k": "INT NOT NULL", "v": "INT"}, ["k"], options={"bucket": "1", "changelog-producer": "lookup"}
    )
    table.write([{"k": key, "v": 1} for key in range(10)])
    table.write([{"k": key, "v": 2} for key in range(5, 12)])
    newest = table.snapshot().id
    changelog = collect_counts(Comparison(end_at(table, 2), end_at(table, newest), "auto").source())
    assert (changelog.inserted, changelog.updated, changelog.deleted) == (2, 5, 0)
    assert [(each.name, each.rows) for each in changelog.columns] == [("v", 5)]
    delta = collect_counts(Comparison(end_at(table, 2), end_at(table, newest), "delta").source())
    assert (delta.inserted, delta.updated) == (7, 0)
    with pytest.raises(WorkbenchError, match="older version first"):
        Comparison(end_at(table, newest), end_at(table, 1), "delta").source()


@pytest.mark.parametrize("maker", sampled(MAKERS, 2))
def test_some_tables_of_other_makers(maker: str, tmp_path: Path) -> None:
    check_tables_of(maker, tmp_path, every=4)


@pytest.mark.long
@pytest.mark.parametrize("maker", MAKERS)
def test_tables_of_other_makers(maker: str, tmp_path: Path) -> None:
    check_tables_of(maker, tmp_path, every=1)


def check_tables_of(maker: str, tmp_path: Path, every: int) -> None:
    with tarfile.open(archive(maker)) as packed:
        packed.extractall(tmp_path, filter="data")
    compared = 0
    for folder in sorted(each for each in tmp_path.iterdir() if (each / "db.db" / "t").is_dir())[::every]:
        table = connect(folder).get_table("db.t")
        ids = [snapshot.id for snapshot in table.snapshots()]
        for first, second in pairwise(ids):
            try:
                check(table, first, second)
            except Unsupported:
                continue
            compared += 1
    assert compared > 50 // every
