"""Tags, branches, rollback and consumers: Java accepts the versions that we create, and we accept those of Java."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled

pytestmark = pytest.mark.java
COLUMNS = {"id": "BIGINT NOT NULL", "v": "STRING"}
KINDS = {
    "changelog": (["id"], {"bucket": "1", "changelog-producer": "input"}),
    "key": (["id"], {"bucket": "1"}),
    "append": ([], {}),
}


ENGINES = ("java-2.0.0", "java-1.4.2")


def combined(every: int, *parts: Sequence[Any]) -> list[Any]:
    """All combinations, one of ``every`` of them in each run."""
    return [pytest.param(*case.values[0], marks=case.marks) for case in sampled(product(*parts), every)]


def data(number: int) -> pa.Table:
    """Return ten rows, of which five have a key of the previous number."""
    ids = range(number * 5, number * 5 + 10)
    return pa.table({"id": pa.array(ids, pa.int64()), "v": [f"{number}-{each}" for each in ids]})


def make(java: Any, warehouse: Path, kind: str, commits: int = 5) -> Any:
    keys, options = KINDS[kind]
    java.create(warehouse, TABLE, COLUMNS, keys, [], {**options, "write-only": "true"})
    for number in range(commits):
        java.write(warehouse, TABLE, data(number))
    return our_table(warehouse)


def agree(java: Any, warehouse: Path, table: str = TABLE, **options: str) -> Rows:
    """Check that Java and our library read the same rows, and return them."""
    expected: Rows = java.read(
        warehouse, table, options={name.replace("_", "-"): text for name, text in options.items()}
    )
    opened = wb.connect(str(warehouse)).get_table(table)
    if "scan.tag_name" in options:
        opened = opened.at(tag=options["scan.tag_name"])
    assert_same_rows(from_arrow(opened.to_arrow()), expected)
    return expected


def lists_agree(java: Any, warehouse: Path) -> None:
    """Check that Java and our library list the same versions in system tables."""
    for name in ("snapshots", "schemas", "tags", "branches", "consumers"):
        table = f"{TABLE}${name}"
        # Java 1.4.2 has fewer columns.
        expected = in_millis(java.read(warehouse, table))
        ours = wb.connect(str(warehouse)).open(table).to_arrow(columns=list(expected.columns))
        assert_same_rows(in_millis(from_arrow(ours)), expected)


def in_millis(rows: Rows) -> Rows:
    """Return rows with times of tags in milliseconds, because Java returns nanoseconds in such a column."""
    if "create_time" not in rows.columns:
        return rows
    position = rows.columns.index("create_time")
    cut = [(*row[:position], row[position] and str(row[position])[:-6], *row[position + 1 :]) for row in rows.rows]
    return Rows(rows.columns, tuple(cut))


def lives_on(java: Any, warehouse: Path, number: int = 50) -> None:
    """Append in Java and, without a changelog, in our library; compact and expire in Java; check that both agree."""
    java.write(warehouse, TABLE, data(number))
    agree(java, warehouse)
    if our_table(warehouse).options.get("changelog-producer") is None:
        our_table(warehouse).write(data(number + 1))
        agree(java, warehouse)
    java.compact(warehouse, TABLE)
    before = agree(java, warehouse)
    java.expire(warehouse, TABLE, 1)
    assert_same_rows(agree(java, warehouse), before)
    for name in our_table(warehouse).tags():
        agree(java, warehouse, **{"scan.tag_name": name})
    lists_agree(java, warehouse)


def versions_of(warehouse: Path) -> dict[str, Any]:
    """Return the content of every file that defines versions, except for hints of the oldest snapshot: Java leaves a
    hint that is too late, or copies one from a branch."""
    root = Path(warehouse, "db.db", "t")
    return {
        str(path.relative_to(root)): json.loads(path.read_text())
        for part in ("snapshot", "schema", "tag", "changelog", "branch")
        for path in Path(root, part).rglob("*")
        if path.is_file() and path.name != "EARLIEST" and not path.name.endswith(".crc")
    }


@pytest.mark.parametrize(("engine", "kind"), combined(4, ENGINES, KINDS))
def test_our_tags(engine: str, kind: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee(engine)
    table = make(java, tmp_path, kind)
    table.create_tag("plain", 1)
    table.create_tag("kept", 2, "36 h")
    table.create_tag("short", 3, "1500 ms")
    table.create_tag("2026-11-01")
    table.rename_tag("short", "renamed")
    table.replace_tag("2026-11-01", 4)
    lists_agree(java, tmp_path)
    java.expire(tmp_path, TABLE, 1)
    sizes = {name: len(agree(java, tmp_path, **{"scan.tag_name": name})) for name in table.tags()}
    step = 10 if kind == "append" else 5
    assert sizes == {name: 10 + step * number for number, name in enumerate(("plain", "kept", "renamed", "2026-11-01"))}
    java.ask("version", tmp_path, TABLE, what="rename-tag", name="kept", to="theirs")
    java.ask("version", tmp_path, TABLE, what="replace-tag", name="renamed", snapshot=5, retained="PT1M")
    # Java also removes files that only this tag needs, and finds in our files what the other tags need.
    java.ask("version", tmp_path, TABLE, what="delete-tag", name="plain")
    assert list(table.tags()) == ["theirs", "2026-11-01", "renamed"]
    table.delete_tag("2026-11-01")
    lives_on(java, tmp_path)


@pytest.mark.parametrize(("engine", "kind"), combined(4, ENGINES, KINDS))
def test_our_branches(engine: str, kind: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee(engine)
    table = make(java, tmp_path, kind)
    table.create_tag("v2", 2, "1 d")
    java.expire(tmp_path, TABLE, 2)
    table.create_branch("tagged", tag="v2")
    table.create_branch("late", snapshot=4)
    table.create_branch("empty")
    table.create_branch("gone")
    table.rename_branch("late", "renamed")
    table.delete_branch("gone")
    lists_agree(java, tmp_path)
    for number, name in enumerate(("tagged", "renamed", "empty")):
        agree(java, tmp_path, f"{TABLE}$branch_{name}")
        java.write(tmp_path, f"{TABLE}$branch_{name}", data(20 + number))
        wb.connect(str(tmp_path)).get_table(f"{TABLE}$branch_{name}").write(data(40 + number))
        agree(java, tmp_path, f"{TABLE}$branch_{name}")
    agree(java, tmp_path, f"{TABLE}$branch_tagged", **{"scan.tag_name": "v2"})
    java.ask("version", tmp_path, TABLE, what="delete-branch", name="renamed")
    assert table.branches() == ["empty", "tagged"]
    lives_on(java, tmp_path)


def forwarded(java: Any, warehouse: Path, kind: str) -> None:
    """Create a table and a branch that have each continued with a different schema."""
    table = make(java, warehouse, kind)
    for name, number in (("v1", 1), ("v3", 3), ("v5", 5)):
        table.create_tag(name, number)
    table.create_branch("dev", tag="v3")
    branch = f"{TABLE}$branch_dev"
    java.write(warehouse, branch, data(20))
    java.alter(warehouse, branch, ("add", "branched", "INT"))
    more = data(21).append_column("branched", pa.array(range(10), pa.int32()))
    java.write(warehouse, branch, more)
    java.ask("tag", warehouse, branch, tag="done", snapshot=5)
    java.alter(warehouse, TABLE, ("add", "own", "STRING"))
    java.alter(warehouse, TABLE, ("add", "more", "STRING"))
    java.write(warehouse, TABLE, data(6).append_column("own", data(6)["v"]).append_column("more", data(6)["v"]))


@pytest.mark.parametrize(("engine", "kind"), combined(6, ENGINES, tuple(KINDS)))
def test_fast_forward(engine: str, kind: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """A fast-forward leaves the same files as in Java, and a table that can be used further."""
    java = referee(engine)
    forwarded(java, tmp_path / "ours", kind)
    copytree(tmp_path / "ours", tmp_path / "theirs")
    branch = agree(java, tmp_path / "ours", f"{TABLE}$branch_dev")
    our_table(tmp_path / "ours").fast_forward("dev")
    java.ask("maintain", tmp_path / "theirs", TABLE, what="fast-forward", subject="dev")
    assert versions_of(tmp_path / "ours") == versions_of(tmp_path / "theirs")
    assert_same_rows(agree(java, tmp_path / "ours"), branch)
    lists_agree(java, tmp_path / "ours")
    more = data(30).append_column("branched", pa.array(range(10), pa.int32()))
    java.write(tmp_path / "ours", TABLE, more)
    agree(java, tmp_path / "ours")
    agree(java, tmp_path / "ours", **{"scan.tag_name": "v1"})


TARGETS = ({"tag": "v2"}, {"snapshot": 4}, {"tag": "v5"}, {"snapshot": 2})


@pytest.mark.parametrize(("engine", "kind", "to"), combined(24, ENGINES, tuple(KINDS), TARGETS))
def test_rollback(engine: str, kind: str, to: dict[str, Any], referee: Callable[[str], Any], tmp_path: Path) -> None:
    """A rollback leaves the same files as in Java, and a table that can be used further."""
    java = referee(engine)
    table = make(java, tmp_path / "ours", kind, 6)
    for number in (2, 3, 5):
        table.create_tag(f"v{number}", number)
    java.expire(tmp_path / "ours", TABLE, 3, 5)
    copytree(tmp_path / "ours", tmp_path / "theirs")
    expected = agree(java, tmp_path / "ours", **{"scan.tag_name": to.get("tag", "v2")} if to != {"snapshot": 4} else {})
    table.rollback_to(**to)
    if "tag" in to:
        java.ask("version", tmp_path / "theirs", TABLE, what="roll-back", name=to["tag"])
    else:
        java.ask("rollback", tmp_path / "theirs", TABLE, **to)
    assert versions_of(tmp_path / "ours") == versions_of(tmp_path / "theirs")
    if to != {"snapshot": 4}:
        assert_same_rows(agree(java, tmp_path / "ours"), expected)
    lists_agree(java, tmp_path / "ours")
    lives_on(java, tmp_path / "ours")


TOLD = ("id", "schema_id", "commit_kind", "total_record_count", "delta_record_count", "changelog_record_count")
TOLD += ("watermark", "statistics", "index_manifest", "next_row_id", "changelog_manifest_list", "operation")


@pytest.mark.parametrize(("kind", "number"), combined(3, tuple(KINDS), (2, 4, 6)))
def test_rollback_as_latest(kind: str, number: int, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """The version is that of Java, and the table can be used further: expiry by Java keeps the restored rows."""
    java = referee("java-2.0.0")
    table = make(java, tmp_path / "ours", kind, 6)
    table.create_tag("target", number)
    java.compact(tmp_path / "ours", TABLE)
    table.analyze()
    copytree(tmp_path / "ours", tmp_path / "theirs")
    expected = agree(java, tmp_path / "ours", **{"scan.tag_name": "target"})
    done = table.rollback_to(snapshot=number, as_latest=True)
    java.ask("keep", tmp_path / "theirs", TABLE, what="roll-back-as-latest", subject="target")
    mine, his = our_table(tmp_path / "ours").snapshot(), our_table(tmp_path / "theirs").snapshot()
    assert {name: getattr(mine, name) for name in TOLD} == {name: getattr(his, name) for name in TOLD}
    for side in ("ours", "theirs"):
        assert_same_rows(agree(java, tmp_path / side), expected)
    files = [
        {file.file_name for split in our_table(tmp_path / side).scan().plan() for file in split.files}
        for side in ("ours", "theirs")
    ]
    assert files[0] == files[1]
    table.delete_tag("target")
    assert java.expire(tmp_path / "ours", TABLE, 1) == mine.id - 1
    assert_same_rows(agree(java, tmp_path / "ours"), expected)
    assert list(table.tags()) == [done.kept_by]
    lists_agree(java, tmp_path / "ours")
    lives_on(java, tmp_path / "ours")


OPERATIONS: dict[str, Callable[[Any], object]] = {
    "WRITE": lambda table: table.write(data(1)),
    "UPDATE": lambda table: table.update({"v": "concat(v, '+')"}, where="id < 8"),
    "MERGE": lambda table: table.merge(data(2), ["id"], [wb.WhenMatched("*"), wb.WhenNotMatched("*")]),
    "DELETE": lambda table: table.delete("id = 7"),
    "OVERWRITE": lambda table: table.write(data(3), mode="overwrite"),
    "TRUNCATE": lambda table: table.truncate(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", [*ENGINES, "pypaimon", "rust"])
def test_snapshots_record_their_statement(
    engine: str, kind: str, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    """Snapshots record the operation of their statement; every engine reads them, and Java shows the operation."""
    peer, (keys, options) = referee(engine), KINDS[kind]
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table(TABLE, COLUMNS, primary_key=keys, options=options)
    for operation, run in OPERATIONS.items():
        run(table)
        stored = json.loads(Path(table.location, "snapshot", f"snapshot-{table.snapshot().id}").read_text())
        assert stored["operation"] == operation
        version = {"scan.snapshot-id": str(table.snapshot().id)}
        assert_same_rows(peer.read(tmp_path, TABLE, options=version), from_arrow(table.to_arrow()))
    if engine == "java-2.0.0":
        shown = peer.read(tmp_path, f"{TABLE}$snapshots", columns=["operation"])
        assert [row[0] for row in shown.rows] == list(OPERATIONS)
    if engine in ENGINES:
        lists_agree(peer, tmp_path)
        lives_on(peer, tmp_path)


def test_versions_of_times_and_watermarks(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """A rollback to a watermark and a tag of a time select the same version as in Java."""
    java = referee("java-2.0.0")
    table = make(java, tmp_path, "append", 2)
    for watermark in (100, 100, 250, 300):
        java.ask("maintain", tmp_path, TABLE, what="watermark", subject="", snapshot=watermark)
    times = [each.time_millis for each in table.snapshots()]
    for number, millis in enumerate(sorted({*times, times[0] - 1, *(each + 1 for each in times[:-1])})):
        expected = java.ask("keep", tmp_path, TABLE, what="later-time", at=millis)["snapshot"]
        result = table.create_tag_from_timestamp(f"t{number}", millis).snapshot
        assert times[result - 1] == times[expected - 1]
    for watermark in (1000, 300, 299, 251, 250, 249, 101):
        expected = java.ask("keep", tmp_path, TABLE, what="earlier-watermark", at=watermark)["snapshot"]
        copytree(tmp_path, tmp_path.with_name(f"back-{watermark}"))
        assert our_table(tmp_path.with_name(f"back-{watermark}")).rollback_to(watermark=watermark).snapshot == expected


def test_repair_of_the_oldest_snapshot(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    make(java, tmp_path / "ours", "append")
    Path(tmp_path, "ours", "db.db", "t", "snapshot", "snapshot-3").unlink()
    copytree(tmp_path / "ours", tmp_path / "theirs")
    done = our_table(tmp_path / "ours").repair_earliest_snapshot()
    assert java.ask("keep", tmp_path / "theirs", TABLE, what="repair-earliest", at=4)["before"] == done.before
    hints = [Path(tmp_path, side, "db.db", "t", "snapshot", "EARLIEST").read_text() for side in ("ours", "theirs")]
    assert hints == ["4", "4"]
    agree(java, tmp_path / "ours")


def test_merge(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Merging a branch adds the same files as in Java."""
    java = referee("java-2.0.0")
    make(java, tmp_path / "ours", "append", 2).create_tag("v1", 1)
    our_table(tmp_path / "ours").create_branch("dev", tag="v1")
    java.write(tmp_path / "ours", f"{TABLE}$branch_dev", data(20))
    wb.connect(str(tmp_path / "ours")).get_table(f"{TABLE}$branch_dev").write(data(21))
    copytree(tmp_path / "ours", tmp_path / "theirs")
    assert our_table(tmp_path / "ours").merge_branch("dev").rows == 20
    java.ask("version", tmp_path / "theirs", TABLE, what="merge-branch", name="dev")
    assert_same_rows(agree(java, tmp_path / "ours"), agree(java, tmp_path / "theirs"))
    files = f"{TABLE}$files"
    columns = ["file_path", "schema_id", "record_count", "min_sequence_number", "max_sequence_number", "file_source"]
    kept = [java.read(tmp_path / side, files, columns=columns) for side in ("ours", "theirs")]
    reported = [
        {tuple(str(value).replace(f"/{side}/", "/") for value in row) for row in rows.rows}
        for side, rows in zip(("ours", "theirs"), kept, strict=True)
    ]
    assert reported[0] == reported[1]
    assert len(reported[0]) == 4
    lives_on(java, tmp_path / "ours")


def test_consumers(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Java's expiry keeps the snapshots that our consumers need."""
    java = referee("java-2.0.0")
    table = make(java, tmp_path, "append")
    table.set_consumer("job", 3)
    table.set_consumer("other", 6)
    lists_agree(java, tmp_path)
    assert java.expire(tmp_path, TABLE, 1) == 2
    java.ask("maintain", tmp_path, TABLE, what="consumer", subject="job", snapshot=4)
    assert table.consumers() == {"job": 4, "other": 6}
    table.delete_consumer("job")
    assert java.expire(tmp_path, TABLE, 1) == 2
    lists_agree(java, tmp_path)


def test_consumers_by_their_names(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    table = make(java, tmp_path / "ours", "append", 2)
    for name in ("job-1", "job-2", "etl", "test-job-1"):
        table.set_consumer(name, 2)
    copytree(tmp_path / "ours", tmp_path / "theirs")
    table.clear_consumers("job-.*|e.*", ".*2")
    java.ask("keep", tmp_path / "theirs", TABLE, what="clear-consumers", subject="job-.*|e.*", without=".*2")
    assert table.consumers() == our_table(tmp_path / "theirs").consumers() == {"job-2": 2, "test-job-1": 2}
