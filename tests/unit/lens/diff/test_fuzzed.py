"""Comparisons of versions of random tables of every kind: each changed row is one that two plain reads give."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.fuzz.kinds import KEYS, KINDS, Kind, create, random_rows
from tests.fuzz.operations import Operations
from tests.support.diff_counter import count_differences, same
from workbench.catalog.connect import connect
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import End, end_at, end_of
from workbench.scan import section_reader
from workbench.scan.incremental import shared_files, state_diff
from workbench.table.schema_changes.changes import AddColumn, RenameColumn
from workbench.table.table import Table

_STEPS = 16
_QUICK = ("vectors-sequence",)

Rows = list[tuple[Any, ...]]


@pytest.fixture(params=["whole", "sliced"])
def slices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read sections whole, or in slices of a few rows, of which few may wait for the reader of the other state."""
    if request.param == "sliced":
        monkeypatch.setattr(section_reader, "_SLICE_ROWS", 8)
        monkeypatch.setattr(section_reader, "_MIN_BATCH_ROWS", 2)
        monkeypatch.setattr(shared_files, "_MOST_BYTES", 300)


@pytest.mark.parametrize("kind", [each for each in KINDS if each.name in _QUICK], ids=str)
def test_some_comparisons_equal_those_of_two_reads(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section_reader, "_SLICE_ROWS", 8)
    monkeypatch.setattr(section_reader, "_MIN_BATCH_ROWS", 2)
    check_history(kind, tmp_path, random.Random(kind.name), monkeypatch, pairs=1)


@pytest.mark.long
@pytest.mark.usefixtures("slices")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_comparisons_equal_those_of_two_reads(
    kind: Kind, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_history(kind, tmp_path, random.Random(f"{kind.name} {seed}"), monkeypatch, pairs=6)


def check_history(
    kind: Kind, tmp_path: Path, chance: random.Random, monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    catalog = connect(tmp_path / "warehouse")
    table = create(catalog, kind, chance)
    operations = Operations(kind, bool(table.partition_keys))
    branch: Table | None = None
    for step in range(_STEPS):
        operation = operations.any(chance, list(KEYS), 0.7)
        with suppress(*operation.conflicts):
            operation.run(table)
        if step == _STEPS // 2 and table.version is not None:
            table.create_tag("half")
            table.create_branch("dev", "half")
            branch = table.branch("dev")
        if branch is not None and chance.random() < 0.4:
            operations.write(chance, list(KEYS)).run(branch)
    compared = some_pairs(table, chance, pairs)
    if branch is not None:
        compared += [
            (end_at(table, "half"), end_of(table)),
            (end_of(branch), end_of(table)),
            (end_of(table), end_of(branch)),
        ]
    catalog.alter_table("db.t", AddColumn("x", "INT"), RenameColumn("s", "text"))
    table = catalog.get_table("db.t")
    for _ in range(2):
        rows = random_rows(chance, kind, list(KEYS))
        names = ("p", "k", "n", "text", "x")
        table.write([dict(zip(names, (*row, chance.choice([None, 7])), strict=True)) for row in rows])
    for before, after in compared + some_pairs(table, chance, pairs):
        # If few keys changed, only rows with these keys are compared; if many did, all rows are.
        monkeypatch.setattr(state_diff, "_SHARE_OF_KEYS", chance.choice([0.0, 0.3, 1.0]))
        check_pair(table, before, after)


def some_pairs(table: Table, chance: random.Random, pairs: int) -> list[tuple[End, End]]:
    """Return neighbors among the newest versions, and random pairs, in which the first may be the empty table."""
    ids = [each.id for each in table.snapshots()]
    chosen = [*pairwise(ids[-3:]), *((chance.choice([0, *ids]), chance.choice(ids)) for _ in range(pairs))]
    return [(end_at(table, one), end_at(table, other)) for one, other in chosen]


def check_pair(table: Table, before: End, after: End) -> None:
    source = Comparison(before, after).source()
    old, new = (read(table, each, after) for each in (before, after))
    keys = list(table.primary_key)
    assert changes_of(source.stream(), source.arrow_schema) == differences(old, new, keys), (before.text, after.text)
    same(collect_counts(source), count_differences(old, new, keys, list(table.partition_keys)))


def read(table: Table, end: End, newest: End) -> pa.Table:
    """Return the rows of a version, with the columns of ``newest`` if it is of the same branch."""
    store = newest.store if end.store.branch == newest.store.branch else end.store
    rows = table.with_store(store, end.snapshot).to_arrow()
    return rows if end.snapshot else rows.slice(0, 0)


def changes_of(stream: Iterable[Any], schema: pa.Schema) -> Counter[tuple[Any, ...]]:
    return Counter(row for each in stream for row in rows_of(each.to_table(schema)))


def rows_of(table: pa.Table) -> Rows:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def differences(old: pa.Table, new: pa.Table, keys: list[str]) -> Counter[tuple[Any, ...]]:
    """Return how often each changed row occurs, with its row kind."""
    olds, news = rows_of(old), rows_of(new)
    if not keys:
        gone, come = Counter(olds) - Counter(news), Counter(news) - Counter(olds)
        return Counter([*(("-D", *row) for row in gone.elements()), *(("+I", *row) for row in come.elements())])
    places = [old.schema.names.index(name) for name in keys]
    before, after = ({tuple(row[place] for place in places): row for row in rows} for rows in (olds, news))
    assert (len(before), len(after)) == (len(olds), len(news))
    found: Counter[tuple[Any, ...]] = Counter()
    for key in before.keys() | after.keys():
        one, other = before.get(key), after.get(key)
        if one is None and other is not None:
            found["+I", *other] += 1
        elif other is None and one is not None:
            found["-D", *one] += 1
        elif one != other and one is not None and other is not None:
            found["-U", *one] += 1
            found["+U", *other] += 1
    return found
