"""DELETE, UPDATE and MERGE compared with Java: it reads every state, writes, deletes and compacts, and we continue."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

pytestmark = pytest.mark.java

COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "INT", "s": "STRING"}
VECTORS = {"deletion-vectors.enabled": "true"}
IN_BUCKETS = {"bucket": "2", "bucket-key": "id"}
KINDS: dict[str, dict[str, str]] = {
    "append with vectors": VECTORS,
    "append": {},
    "key": {"bucket": "2"},
    "append in buckets": IN_BUCKETS,
    "append in buckets with vectors": {**IN_BUCKETS, **VECTORS},
    "append with wide vectors": {**VECTORS, "deletion-vectors.bitmap64": "true"},
    "append of small index files": {**VECTORS, "deletion-vector.index-file.target-size": "60 b"},
}

State = Counter[tuple[Any, ...]]


def data(first: int, count: int) -> pa.Table:
    chance = random.Random(first)
    ids = list(range(first, first + count))
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "p": [f"p{each % 3}" for each in ids],
            "v": pa.array([chance.choice([None, 1, 5, 9]) for _ in ids], pa.int32()),
            "s": [chance.choice([None, "x", "y"]) for _ in ids],
        }
    )


def source(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": each, "p": f"p{each % 3}", "w": each % 4} for each in range(first, first + count, 3)]


CLAUSES = [
    wb.WhenMatched(delete=True, condition="s.w = 3"),
    wb.WhenMatched(update={"v": "t.v + s.w", "s": "concat(t.s, '+')"}),
    wb.WhenNotMatched({"id": "id", "p": "p", "v": "w"}),
    wb.WhenNotMatchedBySource(update={"s": "'alone'"}, condition="t.v = 9"),
]


def state_of(table: Table) -> State:
    return Counter(tuple(row.values()) for row in table.to_arrow().to_pylist())


def agree(java: Any, warehouse: Path) -> State:
    """Check that Java and our library read the same rows of the newest version, and return them."""
    ours = our_table(warehouse)
    assert_same_rows(from_arrow(ours.to_arrow()), java.read(warehouse, TABLE))
    return state_of(ours)


def changed(state: State, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> State:
    result = (change(dict(zip(COLUMNS, row, strict=True))) for row in state.elements())
    return Counter(tuple(row.values()) for row in result if row is not None)


def merged(state: State, rows: list[dict[str, Any]]) -> State:
    by_key = {(row["id"], row["p"]): row["w"] for row in rows}

    def of(row: dict[str, Any]) -> dict[str, Any] | None:
        w = by_key.get((row["id"], row["p"]))
        if w is None:
            return {**row, "s": "alone"} if row["v"] == 9 else row
        if w == 3:
            return None
        return {**row, "v": None if row["v"] is None else row["v"] + w, "s": row["s"] and row["s"] + "+"}

    known = {(row[0], row[1]) for row in state}
    new = Counter((key[0], key[1], w, None) for key, w in by_key.items() if key not in known)
    return changed(state, of) + new


def without(turn: int) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    return lambda row: None if row["id"] % 7 == turn or row["v"] == turn else row


def doubled(turn: int) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    def of(row: dict[str, Any]) -> dict[str, Any]:
        if row["id"] % 5 != turn:
            return row
        return {**row, "v": None if row["v"] is None else row["v"] * 2 + 1, "s": row["s"] or "none"}

    return of


@pytest.mark.parametrize("kind", sampled(KINDS, 9))
def test_both_change_rows_in_turn(kind: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, options = referee("java-2.0.0"), KINDS[kind]
    java.create(tmp_path, TABLE, COLUMNS, ["id", "p"] if kind == "key" else [], ["p"], options)
    java.write(tmp_path, TABLE, data(0, 200))
    our_table(tmp_path).write(data(200, 100))
    for turn in range(3):
        state = agree(java, tmp_path)
        our_table(tmp_path).delete(f"id % 7 = {turn} OR v = {turn}")
        expected = changed(state, without(turn))
        assert agree(java, tmp_path) == expected

        our_table(tmp_path).update({"v": "v * 2 + 1", "s": "coalesce(s, 'none')"}, where=f"id % 5 = {turn}")
        expected = changed(expected, doubled(turn))
        assert agree(java, tmp_path) == expected

        rows = source(40 * turn, 320)
        our_table(tmp_path).merge(rows, ["id", "p"], CLAUSES)
        assert agree(java, tmp_path) == merged(expected, rows)

        # Java continues with the result.
        java.write(tmp_path, TABLE, data(1000 * (turn + 1), 50))
        if "vectors" in kind or "index files" in kind:
            java.erase(tmp_path, TABLE, turn, 4)
        agree(java, tmp_path)
        if turn % 2 == 0:
            java.compact(tmp_path, TABLE)
        agree(java, tmp_path)
    our_table(tmp_path).delete("p = 'p1'")
    assert {row[1] for row in agree(java, tmp_path)} == {"p0", "p2"}
    assert our_table(tmp_path).version.commit_kind == "OVERWRITE"


ENGINES: dict[str, dict[str, str]] = {
    "removing": {"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"},
    "groups": {
        "merge-engine": "partial-update",
        "fields.v.sequence-group": "s",
        "partial-update.remove-record-on-sequence-group": "v",
    },
    "aggregation": {
        "merge-engine": "aggregation",
        "aggregation.remove-record-on-delete": "true",
        "fields.v.aggregate-function": "sum",
    },
    "sequence": {"sequence.field": "v"},
    "input": {"changelog-producer": "input"},
    "assigned": {"bucket": "-1", "dynamic-bucket.target-row-num": "50"},
}


@pytest.mark.long
@pytest.mark.parametrize("name", ENGINES)
def test_merge_engines(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """The rows after a delete and an update are those that Java merges, before and after its compaction."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, ["id", "p"], ["p"], {"bucket": "2", **ENGINES[name]})
    table = our_table(tmp_path)
    table.write(data(0, 200))
    table.write(data(100, 200))
    state = agree(java, tmp_path)
    our_table(tmp_path).delete("id % 7 = 1 AND v IS NOT NULL")
    expected = changed(state, lambda row: None if row["id"] % 7 == 1 and row["v"] is not None else row)
    assert agree(java, tmp_path) == expected
    if name != "aggregation":
        our_table(tmp_path).update({"s": "concat(s, '!')"}, where="s = 'x' AND v IS NOT NULL")
        hit = changed(expected, lambda row: {**row, "s": "x!"} if row["s"] == "x" and row["v"] is not None else row)
        assert agree(java, tmp_path) == hit
        expected = hit
    if name != "assigned":
        java.compact(tmp_path, TABLE)
        assert agree(java, tmp_path) == expected


def remains(warehouse: Path) -> tuple[Any, ...]:
    """Return the names of live data files and of index files, the kind of the newest commit, and its row counts."""
    table = our_table(warehouse)
    snapshot = table.version
    live = ManifestFiles(table.store).live_files(snapshot)
    indexes = index_entries(table.store, snapshot)
    return (
        sorted(entry.file.file_name for entry in live),
        sorted(entry.file_name for entry in indexes),
        str(snapshot.commit_kind),
        snapshot.total_record_count,
        snapshot.delta_record_count,
        snapshot.changelog_record_count,
    )


DROPS: dict[str, tuple[list[dict[str, str]], Callable[[Table], object]]] = {
    "all": ([], lambda table: table.truncate()),
    "one": ([{"p": "p1"}], lambda table: table.drop_partitions({"p": "p1"})),
    "some": ([{"p": "p0"}, {"p": "p2"}], lambda table: table.delete("p <> 'p1'")),
    "none": ([{"p": "p7"}], lambda table: table.truncate({"p": "p7"})),
}


@pytest.mark.parametrize("drop", sampled(DROPS, 2))
@pytest.mark.parametrize("kind", sampled(("vectors", "key", "changelog"), 3))
def test_partitions_are_dropped_as_by_java(kind: str, drop: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """The remaining data files and index files, the kind of the commit and its counts are the same as in Java."""
    java = referee("java-2.0.0")
    options = {"vectors": VECTORS, "key": {"bucket": "1"}, "changelog": {"bucket": "1", "changelog-producer": "input"}}
    ours = tmp_path / "ours"
    java.create(ours, TABLE, COLUMNS, [] if kind == "vectors" else ["id", "p"], ["p"], options[kind])
    java.write(ours, TABLE, data(0, 60))
    java.write(ours, TABLE, data(60, 60))
    if kind == "vectors":
        java.erase(ours, TABLE, 0, 3)
    copytree(ours, tmp_path / "java")
    partitions, act = DROPS[drop]
    java.ask("truncate", tmp_path / "java", TABLE, partitions=partitions)
    act(our_table(ours))
    assert remains(ours) == remains(tmp_path / "java")
    agree(java, ours)
    java.write(ours, TABLE, data(500, 20))
    agree(java, ours)


def test_an_overwrite_removes_the_vectors(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Vectors of replaced partitions are removed from the index manifest; those of others are kept."""
    java = referee("java-2.0.0")
    java.create(tmp_path / "ours", TABLE, COLUMNS, [], ["p"], VECTORS)
    java.write(tmp_path / "ours", TABLE, data(0, 60))
    java.erase(tmp_path / "ours", TABLE, 0, 3)
    copytree(tmp_path / "ours", tmp_path / "java")
    only = data(600, 30).filter(pa.array([each % 3 == 1 for each in range(600, 630)]))
    java.write(tmp_path / "java", TABLE, only, overwrite=True)
    our_table(tmp_path / "ours").write(only, mode="overwrite")
    assert remains(tmp_path / "ours")[1:] == remains(tmp_path / "java")[1:]
    assert_same_rows(from_arrow(our_table(tmp_path / "ours").to_arrow()), java.read(tmp_path / "java", TABLE))
    assert isinstance(agree(java, tmp_path / "ours"), Counter)


def test_rows_keep_their_order_in_buckets(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """A bucket is read in the order in which it was written, also by Java, even after deletes in the middle."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, [], [], {"bucket": "1", "bucket-key": "id"})
    for number in range(3):
        java.write(tmp_path, TABLE, data(number * 20, 20))
    our_table(tmp_path).delete("id % 4 = 1 AND id BETWEEN 20 AND 39")
    result: Rows = java.read(tmp_path, TABLE)
    expected = [str(each) for each in range(60) if not (each % 4 == 1 and 20 <= each <= 39)]
    assert [row[0] for row in result.rows] == expected
    assert our_table(tmp_path).to_arrow(["id"]).column(0).to_pylist() == [int(each) for each in expected]


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, VECTORS], ids=["rewritten", "vectors"])
def test_row_ids_are_kept(options: dict[str, str], referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Rows keep their ids when any rows change; the sequence number of a changed row is the id of its snapshot."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, [], ["p"], {**options, "row-tracking.enabled": "true"})
    java.write(tmp_path, TABLE, data(0, 60))
    our_table(tmp_path).write(data(60, 60))
    known = tracked(java, tmp_path)
    our_table(tmp_path).delete("id % 7 = 1")
    known = {key: each for key, each in known.items() if int(key) % 7 != 1}
    assert tracked(java, tmp_path) == known
    done = our_table(tmp_path).update({"s": "'new'"}, where="id % 5 = 2")
    version = str(done.snapshots[0].id)
    known = {key: (each[0], version if int(key) % 5 == 2 else each[1]) for key, each in known.items()}
    assert tracked(java, tmp_path) == known
    clauses = [wb.WhenMatched(delete=True, condition="s.w = 3"), wb.WhenNotMatched({"id": "id", "p": "p", "v": "w"})]
    our_table(tmp_path).merge(source(0, 150), ["id", "p"], clauses)
    state = agree(java, tmp_path)
    result = tracked(java, tmp_path)
    assert set(result) == {str(row[0]) for row in state}
    assert all(result[key] == each for key, each in known.items() if key in result)
    assert len({each[0] for each in result.values()}) == len(result)
    java.write(tmp_path, TABLE, data(500, 20))
    agree(java, tmp_path)
    with pytest.raises(wb.Unsupported, match=r"row-tracking\.enabled"):
        our_table(tmp_path).update({"p": "'elsewhere'"})


def tracked(java: Any, warehouse: Path) -> dict[str, tuple[str, str]]:
    """Return the row id and sequence number of each row by its key, after checking that both read the same."""
    result = java.read(warehouse, f"{TABLE}$row_tracking")
    assert_same_rows(from_arrow(wb.connect(warehouse).open(f"{TABLE}$row_tracking").to_arrow()), result)
    positions = [result.columns.index(name) for name in ("id", "_ROW_ID", "_SEQUENCE_NUMBER")]
    return {row[positions[0]]: (row[positions[1]], row[positions[2]]) for row in result.rows}
