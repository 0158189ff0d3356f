"""Random histories of every kind of table against a plain model."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.sampling import sampled
from tests.support.table_model import Life, Row, Shape, read
from tests.support.table_values import DOMAINS
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile import data_file_writer
from workbench.scan import section_reader as sections

FEW_RUNS = (("num-sorted-run.compaction-trigger", "2"),)
FILTERS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("n = 7", lambda row: row["n"] == 7),
    ("n > 50 AND s IS NOT NULL", lambda row: row["n"] is not None and row["n"] > 50 and row["s"] is not None),
    ("s = 'x' OR n < 0", lambda row: row["s"] == "x" or (row["n"] is not None and row["n"] < 0)),
    ("s IS NULL", lambda row: row["s"] is None),
    ("n IN (1, 2, 3, 7) AND NOT s = 'x'", lambda row: row["n"] in (1, 2, 3, 7) and row["s"] not in (None, "x")),
]
INT_KEY_FILTERS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("k0 = 3", lambda row: row["k0"] == 3),
    ("k0 IN (-5, 3) AND n IS NULL", lambda row: row["k0"] in (-5, 3) and row["n"] is None),
    ("k0 BETWEEN -3 AND 4", lambda row: -3 <= row["k0"] <= 4),
]
PARTITION_FILTERS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("p = 'a' AND n > 0", lambda row: row["p"] == "a" and row["n"] is not None and row["n"] > 0),
    ("p IS NULL OR k0 = 3", lambda row: row["p"] is None or row["k0"] == 3),
    ("p = ''", lambda row: row["p"] == ""),
]


def shape(*options: tuple[str, str], keys: tuple[str, ...] = ("INT",), partitioned: bool = False) -> Shape:
    return Shape(keys, partitioned, options)


SHAPES = {
    "inline": shape(("bucket", "1"), *FEW_RUNS),
    "default-runs-2-buckets": shape(("bucket", "2")),
    "partitioned-inline": shape(("bucket", "2"), *FEW_RUNS, partitioned=True),
    "partitioned-write-only": shape(("bucket", "1"), ("write-only", "true"), partitioned=True),
    "tiny-files": shape(("bucket", "1"), ("target-file-size", "1 kb"), ("num-levels", "3"), *FEW_RUNS),
    "tiny-buffer": shape(("bucket", "3"), ("write-buffer-size", "1 kb"), *FEW_RUNS),
    "tiny-manifests": shape(
        ("bucket", "1"),
        ("manifest.target-file-size", "3 kb"),
        ("manifest.merge-min-count", "3"),
        ("manifest.full-compaction-threshold-size", "9 kb"),
        *FEW_RUNS,
        partitioned=True,
    ),
    "append": shape(("bucket", "-1"), keys=()),
    "append-partitioned": shape(("bucket", "-1"), keys=(), partitioned=True),
    "append-bucketed": shape(("bucket", "3"), ("bucket-key", "k0"), keys=(), partitioned=True),
}


@contextmanager
def sizes(slice_bytes: int = 48 << 20, batch_rows: int = 4096, group_rows: int = 1 << 20) -> Iterator[None]:
    """Set the sizes of the slices of a merge, of batches and of row groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "_SLICE_BYTES", slice_bytes)
        patch.setattr(sections, "_MIN_BATCH_ROWS", batch_rows)
        patch.setattr(data_file_writer, "_ROW_GROUP_ROWS", group_rows)
        yield


def random_sizes(chance: random.Random) -> dict[str, int]:
    return {
        "slice_bytes": chance.choice([300, 48 << 20]),
        "batch_rows": chance.choice([1, 7, 4096]),
        "group_rows": chance.choice([4, 1 << 20]),
    }


@pytest.mark.parametrize("seed", sampled([1, 2], 2))
@pytest.mark.parametrize("name", sampled(SHAPES, 3))
def test_history(catalog: FileSystemCatalog, name: str, seed: int) -> None:
    chance = random.Random(f"{name} {seed}")
    life = Life(catalog, SHAPES[name], chance)
    for _ in range(12):
        with sizes(**random_sizes(chance)):
            done = life.step()
        assert read(life.table.to_arrow()) == life.rows, done
        life.check_files()
    check_reads(life)
    check_history(life)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", SHAPES)
def test_long_history(catalog: FileSystemCatalog, name: str, seed: int) -> None:
    chance = random.Random(f"long {name} {seed}")
    life = Life(catalog, SHAPES[name], chance, max_rows=60)
    for number in range(40):
        with sizes(**random_sizes(chance)):
            done = life.step()
        assert read(life.table.to_arrow()) == life.rows, done
        life.check_files()
        if number % 8 == 0:
            check_reads(life)
    check_history(life)


def check_reads(life: Life) -> None:
    filters = FILTERS + INT_KEY_FILTERS + (PARTITION_FILTERS if life.shape.partitioned else [])
    for text, holds in filters:
        expected = Counter({row: count for row, count in life.rows.items() if holds(named(life, row))})
        assert read(life.table.to_arrow(where=text)) == expected, text
        assert read(life.table.to_batches(where=text).read_all()) == expected, text
    for slice_bytes, batch_rows in ((1, 1), (500, 3), (5000, 16)):
        with sizes(slice_bytes, batch_rows):
            assert read(life.table.to_batches().read_all()) == life.rows
    names = list(life.shape.columns)
    chosen = life.chance.sample(names, life.chance.randint(1, len(names)))
    rows = life.table.to_arrow(chosen, where="n = 7 OR s = 'x'")
    assert rows.schema.names == chosen
    positions = [names.index(name) for name in chosen]
    matching = {row: count for row, count in life.rows.items() if FILTERS[0][1](named(life, row)) or row[-2] == "x"}
    expected = Counter()
    for row, count in matching.items():
        expected[tuple(row[position] for position in positions)] += count
    assert read(rows) == expected
    total = life.rows.total()
    for limit in (0, 1, total, total + 5):
        assert life.table.to_arrow(limit=limit).num_rows == min(limit, total)


def named(life: Life, row: Row) -> dict[str, Any]:
    return dict(zip(life.shape.columns, row, strict=True))


def check_history(life: Life) -> None:
    ids = [snapshot.id for snapshot in life.table.snapshots()]
    assert ids == list(range(1, max(life.states) + 1))
    for number in ids:
        assert read(life.table.at(snapshot=number).to_arrow()) == life.states[number]
        assert life.table.snapshot(number).total_record_count is not None
    for _ in range(10):
        start, end = sorted(life.chance.choices(list(life.states), k=2))
        life.check_changes(start, end)


KEY_TYPES = [(kind,) for kind in DOMAINS] + [
    ("INT", "STRING"),
    ("STRING", "BYTES"),
    ("STRING", "DECIMAL(30, 5)", "DATE"),
    ("DOUBLE", "BOOLEAN", "TIMESTAMP(9)"),
    ("BIGINT", "BIGINT", "BIGINT"),
]


@pytest.mark.parametrize("keys", sampled(KEY_TYPES, 3), ids=" ".join)
def test_every_key_type(catalog: FileSystemCatalog, keys: tuple[str, ...]) -> None:
    chance = random.Random(" ".join(keys))
    life = Life(catalog, shape(("bucket", "2"), *FEW_RUNS, keys=keys), chance)
    for _ in range(7):
        with sizes(200, 2, 3):
            done = life.step()
            assert read(life.table.to_batches().read_all()) == life.rows, done
    assert read(life.table.to_arrow()) == life.rows
    life.check_files()
    check_history(life)
