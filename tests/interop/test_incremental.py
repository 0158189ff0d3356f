"""Incremental reads, `$audit_log` and `$binlog` compared with Java 2.0.0 and the same options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.interop.flink import FlinkSql
from tests.interop.incremental_cases import CASES, COLUMNS, Changing, producer, with_kinds
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow, from_json_lines
from tests.support.sampling import sampled

pytestmark = pytest.mark.java
DECOUPLED = {"changelog.num-retained.max": "100", "changelog.num-retained.min": "50", "changelog.time-retained": "99 d"}


def java_changes(java: Any, warehouse: Path, options: Mapping[str, str], keyed: bool = True) -> Rows:
    """Return the rows that Java reads, with kinds; `$audit_log` must have the same."""
    result = with_kinds(java.read(warehouse, TABLE, options=options))
    if keyed:
        assert_same_rows(java.read(warehouse, f"{TABLE}$audit_log", options=options), result)
    return result


def between(start: Any, end: Any, mode: str) -> dict[str, str]:
    return {"incremental-between": f"{start},{end}", "incremental-between-scan-mode": mode}


@pytest.mark.parametrize("case", sampled(CASES, 14))
def test_stored_changes(case: Changing, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    case.live(java, tmp_path, TABLE)
    table = our_table(tmp_path)
    ids = [0, *(snapshot.id for snapshot in table.snapshots())]
    modes = ("auto", "delta", "changelog") if case.has_producer else ("auto", "delta")
    rows = 0
    for start, end in [*pairwise(ids), (0, ids[-1]), (2, ids[-2])]:
        for mode in modes:
            result = from_arrow(table.changes(start, end, mode))
            assert_same_rows(result, java_changes(java, tmp_path, between(start, end, mode), case.keyed))
            rows += len(result)
    assert rows > 500
    packed = java.read(tmp_path, f"{TABLE}$binlog", options=between(0, ids[-1], "auto"))
    assert_same_rows(from_arrow(wb.connect(str(tmp_path)).open(f"{TABLE}$binlog").changes()), packed)
    if not case.has_producer:
        assert not len(java_changes(java, tmp_path, between(0, ids[-1], "changelog"), case.keyed))
        with pytest.raises(wb.Unsupported, match="'changelog-producer' is 'none'"):
            table.changes(0, ids[-1], "changelog")


def parts_of(changes: Rows, before: Counter[Any]) -> tuple[Counter[Any], Counter[Any]]:
    """Return new and changed rows, and the keys of removed ones. Java also returns unchanged rows, and deletes of keys
    that did not exist."""
    added = Counter(row[1:] for row in changes.rows if row[0] in ("+I", "+U") and row[1:] not in before)
    known = {row[:2] for row in before}
    return added, Counter(row[1:3] for row in changes.rows if row[0] == "-D" and row[1:3] in known)


@pytest.mark.parametrize("case", sampled([each for each in CASES if each.keyed], 99))
def test_difference_of_states(case: Changing, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """The difference leads from one version to the other, as reads of both return them. Java compares the files that
    only one of them has, including level 0: the result is the same if the newest file of a key contains its row, and no
    file is hidden."""
    java = referee("java-2.0.0")
    case.live(java, tmp_path, TABLE)
    table = our_table(tmp_path)
    newest = table.snapshot().id
    states = {number: Counter(from_arrow(table.at(snapshot=number).to_arrow()).rows) for number in range(1, newest + 1)}
    for start, end in [*pairwise(states), (1, newest), (2, newest - 1)]:
        result = from_arrow(table.changes(start, end, "diff"))
        if case.newest_file_tells:
            theirs = java.read(tmp_path, f"{TABLE}$audit_log", options=between(start, end, "diff"))
            assert parts_of(result, states[start]) == parts_of(theirs, states[start])
        state = states[start].copy()
        state.subtract(row[1:] for row in result.rows if row[0] in ("-U", "-D"))
        state.update(row[1:] for row in result.rows if row[0] in ("+I", "+U"))
        assert +state == states[end]
        assert min(state.values(), default=0) >= 0


@pytest.mark.parametrize("option", ["false", "true"], ids=["plain", "sequence"])
@pytest.mark.parametrize("case", sampled(CASES, 99))
def test_rows_with_their_kinds(case: Changing, option: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    if not case.keyed and option == "true":
        pytest.skip("rows without a key have no sequence numbers")
    sequence = {"table-read.sequence-number.enabled": option} if option == "true" else {}
    changed = Changing(case.name, {**case.options, **sequence}, case.kinds, case.keyed, case.steps)
    changed.live(java, tmp_path, TABLE)
    catalog = wb.connect(str(tmp_path))
    for name in (f"{TABLE}$audit_log", f"{TABLE}$binlog"):
        table = catalog.open(name)
        for snapshot in our_table(tmp_path).snapshots():
            expected = java.read(tmp_path, name, options={"scan.snapshot-id": str(snapshot.id)})
            assert_same_rows(from_arrow(table.at(snapshot=snapshot.id).to_arrow()), expected)
        expected = java.read(tmp_path, name)
        assert_same_rows(from_arrow(table.to_arrow()), expected)
        assert_same_rows(from_arrow(table.to_batches().read_all()), expected)
        for column in expected.columns:
            position = expected.columns.index(column)
            alone = Rows((column,), tuple((row[position],) for row in expected.rows))
            assert_same_rows(from_arrow(table.to_arrow([column])), alone)


LIFE = ("write", "write", "compact", "write", "write")


def test_between_tags(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Two tags are compared, regardless of the mode in Java, and remain comparable when their snapshots have
    expired."""
    java = referee("java-2.0.0")
    Changing("tags", producer("lookup"), steps=LIFE).live(java, tmp_path, TABLE)
    table = our_table(tmp_path)
    newest = table.snapshot().id
    for tag, snapshot in (("old", 2), ("new", newest - 1)):
        java.ask("tag", tmp_path, TABLE, tag=tag, snapshot=snapshot)
    states = {number: Counter(from_arrow(table.at(snapshot=number).to_arrow()).rows) for number in (2, newest - 1)}
    as_snapshots = {"incremental-between-tag-to-snapshot": "true"}
    for mode in ("delta", "changelog"):
        result = from_arrow(table.changes("old", "new", mode))
        assert_same_rows(result, java_changes(java, tmp_path, {**between("old", "new", mode), **as_snapshots}))
        assert_same_rows(result, from_arrow(table.changes("2", "new", mode)))
    for expired in (False, True):
        if expired:
            java.expire(tmp_path, TABLE, 1)
            with pytest.raises(wb.SnapshotNotFound, match=f"3 has expired.*earliest available snapshot is {newest}"):
                table.changes("old", "new", "delta")
        for mode in ("auto", "diff"):
            result = from_arrow(table.changes("old", "new", mode))
            theirs = java.read(tmp_path, f"{TABLE}$audit_log", options=between("old", "new", mode))
            assert parts_of(result, states[2]) == parts_of(theirs, states[2])
            assert len(result) > 20


def test_between_times(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    Changing("times", producer("lookup"), steps=LIFE).live(java, tmp_path, TABLE)
    table = our_table(tmp_path)
    times = [snapshot.time_millis for snapshot in table.snapshots()]
    compared = 0
    for start, end in [
        *pairwise(times),
        (times[0] - 9, times[-1] + 9),
        (times[1] + 1, times[3] - 1),
        (1, times[0] - 1),
    ]:
        for mode in ("auto", "delta", "changelog"):
            options = {"incremental-between-timestamp": f"{start},{end}", "incremental-between-scan-mode": mode}
            expected = java_changes(java, tmp_path, options)
            moments = [datetime.fromtimestamp(each / 1000, UTC) for each in (start, end)]
            assert_same_rows(from_arrow(table.changes(*moments, mode)), expected)
            assert_same_rows(from_arrow(table.changes(*map(str, moments), mode)), expected)
            compared += len(expected)
    assert compared > 300


@pytest.mark.parametrize("name", sampled(["lookup", "input", "none"], 3))
def test_changelogs_that_outlive_snapshots(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Changes are the rows of a Java stream from the first snapshot, although only the newest snapshots remain."""
    java = referee("java-2.0.0")
    case = Changing("outliving", {**producer(name), "write-only": "false"}, steps=LIFE)
    case.live(java, tmp_path, TABLE)
    table = our_table(tmp_path)
    newest = table.snapshot().id
    before = from_arrow(table.changes())
    assert len(before) > 50
    assert java.expire(tmp_path, TABLE, 2, changelogs=50) == newest - 2
    options = {**DECOUPLED, "scan.mode": "from-snapshot", "scan.snapshot-id": "1"}
    out = java.path("json")
    java.ask("follow", tmp_path, TABLE, options=options, out=str(out))
    streamed = with_kinds(from_json_lines(out, list(COLUMNS), []))
    assert_same_rows(from_arrow(table.changes()), streamed)
    assert_same_rows(streamed, before)
    first = datetime.fromtimestamp(table.snapshots()[0].time_millis / 1000, UTC)
    assert_same_rows(from_arrow(table.changes(end=first)), from_arrow(table.changes(0, newest - 1)))
    with pytest.raises(wb.SnapshotNotFound, match=f"{newest - 1} to {newest}"):
        table.changes(1, newest, "diff")
    if name != "none":
        with pytest.raises(wb.SnapshotNotFound, match=r"1 has expired.* Its changelog is kept: use mode 'changelog'"):
            table.changes(0, newest, "delta")


@pytest.mark.long
def test_flink_agrees(tmp_path: Path) -> None:
    """Changelogs that Flink packs into one file for several buckets are read as its SQL reads them."""
    sql = FlinkSql(tmp_path)
    try:
        sql.execute("CREATE DATABASE db")
        sql.execute(
            "CREATE TABLE db.t (part STRING, id BIGINT, v INT, s STRING, PRIMARY KEY (part, id) NOT ENFORCED) "
            "PARTITIONED BY (part) WITH ('bucket' = '3', 'changelog-producer' = 'lookup', "
            "'precommit-compact' = 'true', 'merge-engine' = 'partial-update')"
        )
        for step in range(1, 4):
            texts = {number: f"'{step}-{number}'" for number in range(step, 30, 3)}
            rows = [
                f"('p{number % 2}', {number}, {number * step % 7}, {texts.get(number, 'CAST(NULL AS STRING)')})"
                for number in range(0, 30, step)
            ]
            sql.execute(f"INSERT INTO db.t VALUES {', '.join(rows)}", limit=0)
        assert any("-" in path.stem.partition("$")[2] for path in tmp_path.glob("**/compacted-changelog-*.cc-parquet"))
        table = our_table(tmp_path)
        for start, end, mode in ((0, 6, "auto"), (0, 6, "delta"), (2, 4, "changelog")):
            options = ", ".join(f"'{name}' = '{value}'" for name, value in between(start, end, mode).items())
            result = from_arrow(table.changes(start, end, mode))
            assert_same_rows(result, with_kinds(sql.query(f"SELECT * FROM db.t /*+ OPTIONS({options}) */")))
            assert_same_rows(result, sql.query(f"SELECT * FROM db.`t$audit_log` /*+ OPTIONS({options}) */"))
            packed = sql.query(f"SELECT * FROM db.`t$binlog` /*+ OPTIONS({options}) */")
            log = wb.connect(str(tmp_path)).open("db.t$binlog")
            assert_same_rows(from_arrow(log.changes(start, end, mode)), packed)
            assert len(result) > 10
    finally:
        sql.close()
