"""Deletion vectors of both kinds, on tables with and without a key, written by Java and read as Java reads them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.format_cases import FORMATS, agree
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled

pytestmark = pytest.mark.java

COLUMNS = {"id": "BIGINT NOT NULL", "part": "STRING NOT NULL", "v": "BIGINT", "s": "STRING"}
KINDS = {"bitmap32": "false", "bitmap64": "true"}
ENGINES = {
    "deduplicate": {},
    "partial-update": {"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"},
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": "sum",
        "fields.s.aggregate-function": "last_value",
    },
}


def rows_of(number: int, keys: int, count: int) -> tuple[pa.Table, tuple[str, ...]]:
    chance = random.Random(number)
    ids = sorted(chance.sample(range(keys), count))
    data = pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "part": pa.array([f"p{each % 2}" for each in ids]),
            "v": pa.array([None if chance.random() < 0.2 else chance.randrange(100) for _ in ids], pa.int64()),
            "s": pa.array([None if chance.random() < 0.2 else f"{number}-{each}" for each in ids]),
        }
    )
    return data, tuple(chance.choice(("+I", "+U", "-D")) for _ in ids)


def filters_agree(warehouse: Path, expected: Rows) -> None:
    table = our_table(warehouse)
    conditions: dict[str, Callable[[tuple[Any, ...]], bool]] = {
        "id BETWEEN 200 AND 320": lambda row: 200 <= int(row[0]) <= 320,
        "part = 'p1' AND v > 50": lambda row: row[1] == "p1" and row[2] is not None and int(row[2]) > 50,
        "s IS NULL": lambda row: row[3] is None,
        "id = 333": lambda row: row[0] == "333",
    }
    for where, test in conditions.items():
        kept = Rows(expected.columns, tuple(filter(test, expected.rows)))
        assert_same_rows(from_arrow(table.to_arrow(where=where)), kept)
        streamed = from_arrow(table.to_batches(columns=["s", "id"], where=where).read_all())
        assert_same_rows(streamed, Rows(("s", "id"), tuple((row[3], row[0]) for row in kept.rows)))


def check_changes(table: Any, states: dict[int, Rows]) -> None:
    """Check that the difference between two versions leads from one to the other."""
    versions = sorted(states)
    for start in versions[::2]:
        for end in (version for version in versions if version > start):
            changes = from_arrow(table.changes(start, end, mode="diff"))
            state = Counter(states[start].rows)
            state.subtract(row[1:] for row in changes.rows if row[0] in ("-U", "-D"))
            state.update(row[1:] for row in changes.rows if row[0] in ("+I", "+U"))
            assert +state == Counter(states[end].rows)
            assert min(state.values(), default=0) >= 0


def vectors_of(warehouse: Path) -> int:
    return sum(path.stat().st_size > 1 for path in Path(warehouse, "db.db", "t", "index").glob("index-*"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", sampled(KINDS, 4))
@pytest.mark.parametrize("name", sampled(FORMATS, 3))
def test_keyed(name: str, kind: str, engine: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Every commit is compacted by Java immediately, so that older rows are marked and not merged."""
    java = referee("java-2.0.0")
    options = {"bucket": "1", "file.format": name, "deletion-vectors.enabled": "true", **ENGINES[engine]}
    options["deletion-vectors.bitmap64"] = KINDS[kind]
    java.create(tmp_path, TABLE, COLUMNS, ["part", "id"], ["part"], options)
    states = {}
    for number in range(6):
        data, kinds = rows_of(number, 1000, 700 if number == 0 else 90)
        java.write(tmp_path, TABLE, data, kinds if number else None)
        agree(java, tmp_path, {})
    for snapshot in our_table(tmp_path).snapshots():
        states[snapshot.id] = agree(java, tmp_path, {}, snapshot.id)
    assert vectors_of(tmp_path)
    filters_agree(tmp_path, agree(java, tmp_path, {}))
    check_changes(our_table(tmp_path), states)


@pytest.mark.parametrize("merged", ["true", "false"], ids=["merge-on-read", "read-optimized"])
def test_level_0(merged: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Rows that no compaction has processed are hidden, or merged if an option requires it."""
    java = referee("java-2.0.0")
    options = {"bucket": "1", "deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": merged}
    java.create(tmp_path, TABLE, COLUMNS, ["part", "id"], ["part"], options)
    sizes = []
    for number in range(6):
        if number == 3:
            java.alter(tmp_path, TABLE, ("set", "write-only", "true"))
        data, kinds = rows_of(number, 1000, 700 if number == 0 else 90)
        java.write(tmp_path, TABLE, data, kinds if number else None)
        sizes.append(agree(java, tmp_path, {}).rows)
    assert vectors_of(tmp_path)
    assert (sizes[2] == sizes[5]) == (merged == "false")
    rules = our_table(tmp_path).scan().explain().files_pruned
    assert ("level 0" in rules) == (merged == "false")
    filters_agree(tmp_path, agree(java, tmp_path, {}))
    java.compact(tmp_path, TABLE)
    agree(java, tmp_path, {})


@pytest.mark.parametrize("bucket", ["-1", "2"], ids=["unaware", "bucketed"])
@pytest.mark.parametrize("kind", sampled(KINDS, 2))
@pytest.mark.parametrize("name", sampled(FORMATS, 3))
def test_append(name: str, kind: str, bucket: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"file.format": name, "deletion-vectors.enabled": "true", "bucket": bucket, "write-only": "true"}
    options["deletion-vectors.bitmap64"] = KINDS[kind]
    options.update({} if bucket == "-1" else {"bucket-key": "id"})
    java.create(tmp_path, TABLE, COLUMNS, [], ["part"], options)
    states = {}
    for number in range(3):
        java.write(tmp_path, TABLE, rows_of(number, 1000, 500)[0])
        states[len(states) + 1] = agree(java, tmp_path, {})
        assert java.erase(tmp_path, TABLE, number, 3 + number) == len(states) + 1
        states[len(states) + 1] = agree(java, tmp_path, {})
    assert vectors_of(tmp_path)
    filters_agree(tmp_path, states[6])
    for snapshot, expected in states.items():
        assert_same_rows(agree(java, tmp_path, {}, snapshot), expected)
    check_changes(our_table(tmp_path), states)


@pytest.mark.long
def test_large_files_in_row_groups(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Positions refer to the whole file, regardless of the row groups that a filter selects."""
    java = referee("java-2.0.0")
    options = {"deletion-vectors.enabled": "true", "file.block-size": "64 kb", "write-only": "true"}
    java.create(tmp_path, TABLE, {"id": "BIGINT", "s": "STRING"}, [], [], options)
    ids = range(200_000)
    java.write(tmp_path, TABLE, pa.table({"id": pa.array(ids, pa.int64()), "s": [f"row {each}" for each in ids]}))
    java.erase(tmp_path, TABLE, 1, 7)
    java.erase(tmp_path, TABLE, 100_000, 2)
    left = [each for each in ids if each % 7 != 1 and (each < 100_000 or each % 2)]
    table = our_table(tmp_path)
    assert table.to_arrow()["id"].to_pylist() == left
    assert table.to_batches().read_all()["id"].to_pylist() == left
    selected = table.to_arrow(where="id BETWEEN 150000 AND 150999")
    assert selected["id"].to_pylist() == [each for each in left if 150_000 <= each < 151_000]
    assert len(java.read(tmp_path, TABLE)) == len(left)
