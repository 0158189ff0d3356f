"""The store dies at every single operation of every kind of change: afterwards the table is as before or as after."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any, Literal

import pyarrow as pa
import pytest

from tests.support.file_ios import FaultInjected, FaultyFileIO
from workbench.base.errors import CorruptFile, WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.dml.clauses import WhenMatched, WhenNotMatched, WhenNotMatchedBySource
from workbench.table.table import Table

Mode = Literal["before", "after", "torn"]
Rows = list[tuple[Any, ...]]
# When Arrow's writer is garbage-collected, it tries again to finish its file in the dead store.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
MODES: tuple[Mode, ...] = ("before", "after", "torn")
COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "STRING"}


@dataclass(frozen=True)
class Change:
    """A change to a table. ``keyed``: the table has a primary key. ``act`` receives the table and prepared messages."""

    act: Callable[[Table, Sequence[bytes]], object]
    keyed: bool
    options: tuple[tuple[str, str], ...] = ()


def data(first: int, count: int = 12, value: str = "x") -> pa.Table:
    ids = list(range(first, first + count))
    return pa.table({"id": ids, "p": ["ab"[number % 2] for number in ids], "v": [value] * count})


def write_pieces(table: Table) -> None:
    with table.writer() as writer:
        for piece in range(3):
            writer.write(data(piece, value=str(piece)))
        table.commit(writer.prepare())


BUSY = (("num-sorted-run.compaction-trigger", "2"),)
TINY_MANIFESTS = (("manifest.merge-min-count", "2"), ("manifest.target-file-size", "1 mb"))
VECTORS = (("deletion-vectors.enabled", "true"),)
ASSIGNED = (("bucket", "-1"), ("dynamic-bucket.target-row-num", "4"))
POSTPONED = (("bucket", "-2"), ("postpone.default-bucket-num", "2"))
INDEXED = (
    ("file-index.bitmap.columns", "v"),
    ("file-index.in-manifest-threshold", "1 b"),
    ("row-tracking.enabled", "true"),
)
FORMATS = (("file.format", "orc"), ("file.format.per.level", "0:avro"), ("data-file.thin-mode", "true"))
CHANGES = {
    "append": Change(lambda table, _: table.write(data(100)), keyed=False),
    "append indexed rows with ids": Change(lambda table, _: table.write(data(100)), keyed=False, options=INDEXED),
    "upsert in other formats": Change(lambda table, _: table.write(data(5)), keyed=True, options=(*BUSY, *FORMATS)),
    "append and merge manifests": Change(lambda table, _: table.write(data(100)), keyed=False, options=TINY_MANIFESTS),
    "upsert and compact": Change(lambda table, _: table.write(data(5, value="new")), keyed=True, options=BUSY),
    "upsert more than the memory takes": Change(
        lambda table, _: write_pieces(table),
        keyed=True,
        options=(("changelog-producer", "input"), ("write-buffer-size", "1 b"), ("merge-engine", "partial-update")),
    ),
    "upsert with a changelog": Change(
        lambda table, _: table.write(data(5, value="new")), keyed=True, options=(("changelog-producer", "lookup"),)
    ),
    "upsert and mark what was there": Change(
        lambda table, _: table.write(data(5, value="new")),
        keyed=True,
        # Otherwise, rows are invisible until they are compacted.
        options=(*VECTORS, ("deletion-vectors.merge-on-read", "true")),
    ),
    "overwrite": Change(lambda table, _: table.write(data(7, 1), mode="overwrite"), keyed=True),
    "overwrite all": Change(
        lambda table, _: table.write(data(7, 3), mode="overwrite"),
        keyed=False,
        options=(("dynamic-partition-overwrite", "false"),),
    ),
    "full compaction": Change(lambda table, _: table.compact(full=True), keyed=True),
    "compact small files": Change(lambda table, _: table.compact(full=True), keyed=False),
    "compact marked files": Change(
        lambda table, _: [table.delete("id = 2"), table.compact(full=True)], keyed=False, options=VECTORS
    ),
    "append and compact": Change(
        lambda table, _: table.write(data(100)),
        keyed=False,
        options=(("bucket", "1"), ("bucket-key", "id"), ("compaction.min.file-num", "4")),
    ),
    "sort": Change(lambda table, _: table.compact(order_by=["v", "id"], strategy="zorder"), keyed=False),
    "compact manifests": Change(lambda table, _: table.compact_manifest(), keyed=False),
    "commit": Change(lambda table, messages: table.commit(messages, 5, "job"), keyed=True, options=BUSY),
    "expire partitions": Change(
        lambda table, _: table.expire_partitions("1 d", timestamp_pattern="2020-01-01"), keyed=True
    ),
    "analyze": Change(lambda table, _: table.analyze(), keyed=True),
    "assign buckets": Change(lambda table, _: table.write(data(8, value="new")), keyed=True, options=ASSIGNED),
    "overwrite assigned buckets": Change(
        lambda table, _: table.write(data(7, 3), mode="overwrite"), keyed=True, options=ASSIGNED
    ),
    "give buckets to waiting rows": Change(
        lambda table, messages: [table.commit(messages, 5, "job"), table.compact()], keyed=True, options=POSTPONED
    ),
    "rescale": Change(lambda table, _: table.rescale({"p": "a"}, bucket=3), keyed=True, options=POSTPONED),
    "delete partitions": Change(lambda table, _: table.delete("p = 'a'"), keyed=True),
    "truncate": Change(lambda table, _: table.truncate(), keyed=False, options=VECTORS),
    "delete rows of a key": Change(lambda table, _: table.delete("id < 5"), keyed=True, options=BUSY),
    "delete rows": Change(lambda table, _: table.delete("id IN (2, 3, 4)"), keyed=False),
    "delete rows by vectors": Change(lambda table, _: table.delete("id IN (2, 3, 4)"), keyed=False, options=VECTORS),
    "update rows by vectors": Change(
        lambda table, _: table.update({"v": "concat(v, '+')"}, where="id % 3 = 0"), keyed=False, options=VECTORS
    ),
    "merge": Change(
        lambda table, _: table.merge(
            data(10),
            ["id", "p"],
            [WhenMatched(update={"v": "s.v"}), WhenNotMatched(), WhenNotMatchedBySource(delete=True)],
        ),
        keyed=False,
    ),
}

# Only for long runs: the remaining changes cover the same steps.
LONG = (
    "compact small files",
    "expire partitions",
    "upsert with a changelog",
    "append indexed rows with ids",
    "delete partitions",
    "upsert in other formats",
    "upsert more than the memory takes",
    "overwrite assigned buckets",
    "give buckets to waiting rows",
    "compact marked files",
    "analyze",
    "update rows by vectors",
    "delete rows of a key",
    "merge",
    "truncate",
    "delete rows",
    "delete rows by vectors",
    "append and compact",
    "sort",
    "upsert and compact",
    "upsert and mark what was there",
    "assign buckets",
    "overwrite all",
    "rescale",
    "full compaction",
    "append and merge manifests",
)


def make(warehouse: Path, change: Change) -> list[bytes]:
    """A table with three commits, and messages for one more."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    keys = ["id", "p"] if change.keyed else []
    options = {"write-only": "true", **({"bucket": "1"} if change.keyed else {})}
    table = catalog.create_table("db.t", COLUMNS, keys, ["p"], {**options, **dict(change.options)})
    for number in range(3):
        table.write(data(number * 4, value=str(number)))
    path = Path(table.location, "schema", "schema-0")
    schema = json.loads(path.read_text())
    del schema["options"]["write-only"]
    path.write_text(json.dumps(schema))
    with connect(warehouse).get_table("db.t").writer("job") as writer:
        writer.write(data(5, value="prepared"))
        return writer.prepare()


def rows(table: Table) -> Rows:
    actual_rows = sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())
    assert actual_rows == sorted(tuple(row.values()) for row in table.to_batches().read_all().to_pylist())
    return actual_rows


def opened(
    warehouse: Path, fail_at: int | None = None, mode: Mode = "before"
) -> tuple[FaultyFileIO, Callable[[], Table]]:
    faulty = FaultyFileIO(LocalFileIO(), fail_at, mode)
    return faulty, lambda: FileSystemCatalog(str(warehouse), faulty).get_table("db.t")


def states(table: Table) -> list[tuple[str, Rows]]:
    """Return the kind of commit and the rows of every version, each of which must be readable."""
    return [(str(each.commit_kind), rows(table.at(snapshot=each.id))) for each in table.snapshots()]


def crash_everywhere(tmp_path: Path, name: str, modes_at: Callable[[int], Sequence[Mode]]) -> None:
    change = CHANGES[name]
    messages = make(tmp_path / "start", change)
    before = states(connect(tmp_path / "start").get_table("db.t"))
    copytree(tmp_path / "start", tmp_path / "whole")
    faulty, open_table = opened(tmp_path / "whole")
    change.act(open_table(), messages)
    after = states(connect(tmp_path / "whole").get_table("db.t"))
    assert len(after) > len(before)
    assert after[: len(before)] == before
    for point in range(1, len(faulty.log) + 1):
        for mode in modes_at(point):
            position = tmp_path / f"{mode}-{point}"
            copytree(tmp_path / "start", position)
            crash(position, change, messages, point, mode, (before, after))


def crash(position: Path, change: Change, messages: Sequence[bytes], point: int, mode: Mode, states_: Any) -> None:
    before, after = states_
    faulty, open_table = opened(position, point, mode)
    told_success = True
    try:
        change.act(open_table(), messages)
    except (FaultInjected, WorkbenchError):
        told_success = False
    assert faulty.dead
    where = f"{mode} operation {point}: {faulty.log[-1].name} of {faulty.log[-1].path}"
    table = connect(position).get_table("db.t")
    result = states(table)
    assert before == result[: len(before)], where
    assert result == after[: len(result)], where
    # The snapshot of the compaction, the second one, may be missing; what was reported as committed must exist.
    written = [state for state in after[len(before) :] if state[0] != "COMPACT"] or after[len(before) :]
    if told_success:
        assert len(result) >= len(before) + len(written), where
    if change is CHANGES["commit"]:
        table.commit(messages, 5, "job")
        again = table.commit(messages, 5, "job")
        assert not again.snapshots, where
        result = states(table)
        assert result == after[: len(result)], where
        assert len(result) >= len(before) + 1, where
    table.write(data(1000, 2))
    expected = result[-1][1] + [tuple(row.values()) for row in data(1000, 2).to_pylist()]
    assert rows(table) == sorted(expected), where


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.long if each in LONG else ()) for each in CHANGES]
)
def test_one_mode_at_every_point(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    crash_everywhere(tmp_path, name, lambda _: [chance.choice(MODES)])


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CHANGES)
def test_every_mode_at_every_point(tmp_path: Path, name: str, mode: Mode) -> None:
    crash_everywhere(tmp_path, name, lambda _: [mode])


@pytest.mark.parametrize("mode", MODES)
def test_create_table(tmp_path: Path, mode: Mode) -> None:
    healthy = FaultyFileIO(LocalFileIO(), None)
    create(tmp_path / "whole", healthy)
    for point in range(1, len(healthy.log) + 1):
        warehouse = tmp_path / f"{mode}-{point}"
        with pytest.raises(FaultInjected):
            create(warehouse, FaultyFileIO(LocalFileIO(), point, mode))
        catalog = connect(warehouse)
        catalog.create_database("db", exist_ok=True)
        assert catalog.list_tables("db") in ([], ["t"])
        table = catalog.create_table("db.t", COLUMNS, ["id", "p"], ["p"], {"bucket": "1"}, exist_ok=True)
        table.write(data(0, 3))
        assert len(rows(table)) == 3
        assert catalog.list_tables("db") == ["t"]


def create(warehouse: Path, file_io: FaultyFileIO) -> None:
    catalog = FileSystemCatalog(str(warehouse), file_io)
    catalog.create_database("db")
    catalog.create_table("db.t", COLUMNS, ["id", "p"], ["p"], {"bucket": "1"})


@pytest.mark.parametrize("name", ["append", "full compaction"])
def test_reading_from_a_dying_store(tmp_path: Path, name: str) -> None:
    """A read fails as a whole: rows read before the failure are never returned as the complete result."""
    make(tmp_path / "wh", CHANGES[name])
    for read in (
        Table.to_arrow,
        lambda table: table.to_batches().read_all(),
        lambda table: table.changes(0, 1),
        lambda table: table.changes(1, mode="diff"),
    ):
        faulty, open_table = opened(tmp_path / "wh")
        assert read(open_table()).num_rows > 0
        for point in range(1, len(faulty.log) + 1):
            _, open_table = opened(tmp_path / "wh", point)
            with pytest.raises((FaultInjected, CorruptFile)):
                read(open_table())
