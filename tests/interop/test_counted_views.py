"""Health, comparisons and biographies of tables that Java wrote, compacted, altered and branched: each number equals
one that Java, or a reader of the files alone, counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.compaction_histories import SHAPES, Shape, write_history
from tests.interop.lives import TABLE
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.biography_counter import Found, count
from tests.unit.lens.diff.test_fuzzed import check_pair
from tests.unit.lens.health.test_counted import check_numbers
from workbench.lens.biography.collect import collect_biography
from workbench.lens.diff.ends import end_at, end_of

pytestmark = [pytest.mark.java, pytest.mark.long]
BRANCH = f"{TABLE}$branch_dev"
KEYS = 12


def rows(chance: random.Random, **more: Any) -> pa.Table:
    """Return rows with keys from a small range, so that commits have keys in common."""
    keys = [chance.randrange(100_000, 100_040) for _ in range(30)]
    columns = {"p": [chance.choice("ab") for _ in keys], "k": keys, "n": pa.array(keys, pa.int32())}
    return pa.table({**columns, "s": [f"{chance.getrandbits(64):x}" for _ in keys], **more})


def branched(java: Any, warehouse: Path, shape: Shape, chance: random.Random) -> Any:
    """Write a history in Java with a branch, an added column and deletes, and return the table."""
    write_history(java, warehouse, shape, 3, commits=30)
    catalog = wb.connect(str(warehouse))
    catalog.get_table(TABLE).create_branch("dev")
    java.write(warehouse, BRANCH, rows(chance))
    java.alter(warehouse, TABLE, ("add", "more", "INT"))
    for number in range(4):
        kinds = [chance.choice(["+I", "+I", "-D"]) for _ in range(30)] if shape.keyed else None
        java.write(warehouse, TABLE, rows(chance, more=pa.array([number] * 30, pa.int32())), kinds)
    java.compact(warehouse, TABLE)
    return catalog.get_table(TABLE)


@pytest.mark.parametrize("shape", [each for each in SHAPES if each.options["bucket"] != "-1"], ids=str)
def test_tables_of_java(referee: Callable[[str], Any], shape: Shape, tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(shape.name)
    table = branched(java, tmp_path, shape, chance)
    check_numbers(table)
    ids = [each.id for each in table.snapshots()]
    for number in (ids[0], ids[len(ids) // 2], ids[-3], ids[-1]):
        read = java.read(tmp_path, TABLE, options={"scan.snapshot-id": str(number)})
        assert_same_rows(from_arrow(table.at(snapshot=number).to_arrow()), read)
    pairs = [*pairwise(ids[-4:]), (ids[0], ids[-1]), (ids[-1], ids[len(ids) // 2])]
    for one, other in pairs:
        check_pair(table, end_at(table, one), end_at(table, other))
    if shape.keyed:
        check_biographies(table, chance)


@pytest.mark.parametrize("shape", SHAPES[:1], ids=str)
def test_branches_of_java(referee: Callable[[str], Any], shape: Shape, tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(shape.name)
    write_history(java, tmp_path, shape, 4, commits=20)
    table = wb.connect(str(tmp_path)).get_table(TABLE)
    table.create_branch("dev")
    java.write(tmp_path, BRANCH, rows(chance))
    java.write(tmp_path, TABLE, rows(chance))
    branch = table.branch("dev")
    for each, name in ((table, TABLE), (branch, BRANCH)):
        assert_same_rows(from_arrow(each.to_arrow()), java.read(tmp_path, name))
    check_pair(table, end_of(branch), end_of(table))
    check_pair(table, end_of(table), end_of(branch))


def check_biographies(table: Any, chance: random.Random) -> None:
    """Compare the versions of some keys with those in the files, and the explained row with the one that Java reads."""
    found = table.to_arrow(table.primary_key).to_pylist()
    deleted = {**found[0], "k": 100_000 + chance.randrange(40)}
    for key in [*chance.sample(found, min(KEYS, len(found))), deleted]:
        value = collect_biography(table, key)
        where = " AND ".join(f"{name} = {each!r}" for name, each in key.items())
        read = table.to_arrow(where=where).to_pylist()
        assert value.agrees
        assert (value.state == "present") == bool(read)
        if read:
            shown = [None if each is None else str(each) for each in read[0].values()]
            assert [each.value for each in value.fields] == shown
        stored = {
            Found(each.file, each.position, each.kind, each.sequence or 0, each.commit) for each in value.versions
        }
        assert stored == count(Path(table.location), key), key
