"""The whole history in bins: what it counts, that it is read in steps and once, and that rollbacks are noticed."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.long_history import RARE_STATEMENT, long_history
from workbench.base.errors import InvalidRequest
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.history.facts import current_facts
from workbench.lens.history.history import bin_edges, collect_history
from workbench.lens.history.search import search_snapshots
from workbench.lens.timeline import collect_snapshots, collect_timeline
from workbench.metadata.snapshots import Snapshots
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read."""
    result: list[str] = []
    original = LocalFileIO.read_bytes

    def counted(self: LocalFileIO, path: str) -> bytes:
        result.append(Path(path).name)
        return original(self, path)

    monkeypatch.setattr(LocalFileIO, "read_bytes", counted)
    return result


@pytest.fixture
def long_table(catalog: FileSystemCatalog) -> Table:
    table: Table = long_history(catalog, "d.long", 3000)
    return table


def snapshot_file(table: Table, number: int) -> Path:
    return Path(table.location, "snapshot", f"snapshot-{number}")


# --- bins ---------------------------------------------------------------------------------------------------------


def test_a_table_never_written(table: Table) -> None:
    value = collect_history(table)
    assert (value.first, value.last, value.total, value.read, value.complete) == (None, None, 0, 0, True)
    assert value.bins.ids == value.marks == ()


def test_each_of_a_few_snapshots_has_a_bin(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    snapshots = list(reversed(collect_timeline(table).snapshots))
    value = collect_history(table)
    assert value.complete
    assert value.bins.ids == tuple(each.id for each in snapshots)
    assert value.bins.times == tuple(each.time_millis for each in snapshots)
    assert value.bins.rows == tuple(each.rows_total for each in snapshots)
    assert value.bins.added == tuple(each.rows_added for each in snapshots)
    assert value.bins.appends == tuple(int(each.kind == "APPEND") for each in snapshots)
    assert value.bins.files == (1, 2, 3, 4)[: len(snapshots)]
    assert value.bins.runs == value.bins.files
    assert all(size and size > 0 for size in value.bins.bytes)


def test_bins_count_all_commits(long_table: Table) -> None:
    snapshots = Snapshots(long_table.store).all()
    value = collect_history(long_table, bins=100)
    bins = value.bins
    assert (value.first, value.last, value.total, value.read) == (1, 3000, 3000, 3000)
    assert bins.ids == tuple(range(30, 3001, 30))
    for kind, counts in (("APPEND", bins.appends), ("COMPACT", bins.compacts), ("OVERWRITE", bins.overwrites)):
        for index, count in enumerate(counts):
            part = snapshots[index * 30 : (index + 1) * 30]
            assert count == sum(1 for each in part if each.commit_kind == kind)
    assert bins.added[0] == sum(each.delta_record_count or 0 for each in snapshots[:30])
    assert bins.rows[-1] == snapshots[-1].total_record_count
    assert sum(files is not None for files in bins.files) == 64


def test_a_part_of_the_history(long_table: Table) -> None:
    value = collect_history(long_table, 1000, 1099)
    assert (value.start, value.end, value.first, value.last) == (1000, 1099, 1, 3000)
    assert value.bins.ids == tuple(range(1000, 1100))
    assert value.since_millis == value.bins.times[0]
    assert value.marks == ()
    beyond = collect_history(long_table, 2995, 9000)
    assert beyond.bins.ids == (2995, 2996, 2997, 2998, 2999, 3000)


@pytest.mark.parametrize(("low", "high", "bins"), [(1, 1, 5), (1, 10, 3), (7, 1006, 999), (5, 100_004, 1000)])
def test_bins_are_of_about_equal_size(low: int, high: int, bins: int) -> None:
    edges = [low - 1, *bin_edges(low, high, bins).tolist()]
    sizes = [end - start for start, end in pairwise(edges)]
    assert edges[-1] == high
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1


# --- steps and the cache --------------------------------------------------------------------------------------------


def test_it_is_read_in_steps(long_table: Table, reads: list[str]) -> None:
    first = collect_history(long_table, bins=50, seconds=0)
    assert not first.complete
    assert 50 <= first.read < 3000
    # The first step already returns the times and rows of all bins.
    assert None not in first.bins.times + first.bins.rows
    steps = [first.read]
    for _ in range(200):
        value = collect_history(long_table, bins=50, seconds=0)
        steps.append(value.read)
        if value.complete:
            break
    assert value.complete
    assert steps == sorted(steps)
    assert value.read == 3000
    names = [name for name in reads if name.startswith("snapshot-")]
    assert len(set(names)) == 3000
    # Only the newest one, and those that are measured, are read again.
    assert len(names) < 3000 + 200


def test_what_was_read_is_kept(long_table: Table, reads: list[str]) -> None:
    collect_history(long_table)
    reads.clear()
    collect_history(long_table)
    assert len([name for name in reads if name.startswith("snapshot-")]) < 70
    reads.clear()
    search_snapshots(long_table, "needle", 10)
    assert len([name for name in reads if name.startswith("snapshot-")]) < 5


def test_new_snapshots_are_added(table: Table, write: Any, reads: list[str]) -> None:
    for key in range(3):
        write("a", [key], "x")
    before = collect_history(table)
    write("b", [9], "x")
    reads.clear()
    after = collect_history(table)
    assert after.bins.ids == (*before.bins.ids, 4)
    assert after.bins.rows[:3] == before.bins.rows


def test_a_rollback_is_noticed(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    collect_history(table)
    table.rollback_to(snapshot=2)
    assert collect_history(table).bins.ids == (1, 2)
    write("a", [1, 2, 3], "y")
    write("b", [1, 2, 3], "y")
    value = collect_history(table)
    assert value.bins.ids == (1, 2, 3, 4)
    assert value.bins.added == (1, 1, 3, 3)


def test_a_rollback_that_was_overtaken_is_noticed(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    collect_history(table)
    table.rollback_to(snapshot=2)
    for part in ("b", "c", "d"):
        write(part, [1, 2, 3], "y")
    value = collect_history(table)
    assert value.bins.ids == (1, 2, 3, 4, 5)
    assert value.bins.added == (1, 1, 3, 3, 3)


def test_expired_snapshots_are_forgotten(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    collect_history(table)
    table.expire_snapshots(retain_max=2, retain_min=1)
    value = collect_history(table)
    assert (value.first, value.bins.ids) == (3, (3, 4))
    write("b", [7], "x")
    assert collect_history(table).bins.ids == (3, 4, 5)


def test_a_missing_snapshot_is_a_gap(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    snapshot_file(table, 2).unlink()
    value = collect_history(table)
    assert value.complete
    assert value.bins.times[1] is None
    assert value.bins.appends == (1, 0, 1, 1)


def test_damaged_manifests_leave_the_rest(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    lists = json.loads(snapshot_file(table, 2).read_text())
    Path(table.location, "manifest", lists["deltaManifestList"]).write_bytes(b"")
    value = collect_history(connect(Path(table.location).parents[1]).get_table("d.t"))
    assert value.complete
    assert value.bins.files[1] is None
    assert value.bins.rows == (1, 2, 3)


def test_damaged_numbers_are_limited(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    for number in (1, 2):
        stored = json.loads(snapshot_file(table, number).read_text())
        snapshot_file(table, number).write_text(json.dumps(stored | {"deltaRecordCount": 10**30}))
    assert collect_history(table, bins=1).bins.added == (2 * (2**63 - 1) + 1,)


def test_facts_of_a_branch_are_its_own(table: Table, write: Any) -> None:
    write("a", [1], "x")
    table.create_tag("v1")
    table.create_branch("dev", tag="v1")
    collect_history(table)
    branch = table.branch("dev")
    assert current_facts(branch.store).last == 1
    assert collect_history(branch).bins.ids == (1,)


# --- marks --------------------------------------------------------------------------------------------------------


def test_marks(table: Table, write: Any, catalog: FileSystemCatalog) -> None:
    write("a", [1], "x")
    table.create_tag("v1")
    table.create_branch("dev", tag="v1")
    write("a", [2], "x")
    schemas = Path(table.location, "schema")
    schema = json.loads((schemas / "schema-0").read_text())
    (schemas / "schema-1").write_text(json.dumps(schema | {"id": 1, "comment": "other"}))
    catalog.get_table("d.t").write([{"dt": "a", "k": 3, "v": "x"}])
    consumers = Path(table.location, "consumer")
    consumers.mkdir()
    (consumers / "consumer-late").write_text('{"nextSnapshot": 2}')
    (consumers / "consumer-done").write_text('{"nextSnapshot": 4}')
    marks = collect_history(table).marks
    assert [(mark.kind, mark.name, mark.snapshot) for mark in marks] == [
        ("branch", "dev", 1),
        ("tag", "v1", 1),
        ("consumer", "late", 2),
        ("schema", "1", 3),
        ("consumer", "done", 4),
    ]
    assert marks[-1].time_millis is None
    assert None not in [mark.time_millis for mark in marks[:-1]]


def test_a_tag_of_an_expired_snapshot_has_no_time(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    table.create_tag("old", snapshot=1)
    table.expire_snapshots(retain_max=1, retain_min=1)
    (mark,) = collect_history(table).marks
    assert (mark.name, mark.snapshot, mark.time_millis) == ("old", 1, None)


# --- search and details ---------------------------------------------------------------------------------------------


def test_search(long_table: Table) -> None:
    (hit,) = search_snapshots(long_table, "NEEDLE", 10).hits
    assert (hit.id, hit.field, hit.text) == (1000, "statement", RARE_STATEMENT)
    compactor = search_snapshots(long_table, "compactor", 5)
    compactions = sum(each.commit_kind == "COMPACT" for each in Snapshots(long_table.store).all())
    assert (len(compactor.hits), compactor.found) == (5, compactions)
    assert [each.id for each in compactor.hits] == sorted((each.id for each in compactor.hits), reverse=True)
    by_id = search_snapshots(long_table, "77", 5)
    assert (by_id.hits[0].id, by_id.hits[0].field) == (77, "id")
    overwrite = search_snapshots(long_table, "overwrite", 5)
    assert [each.id for each in overwrite.hits] == [2991, 1994, 997]
    assert search_snapshots(long_table, " ", 5).hits == search_snapshots(long_table, "nothing like it", 5).hits == ()


def test_search_by_time(long_table: Table) -> None:
    times = {each.id: each.time_millis for each in Snapshots(long_table.store).all()}
    from workbench.base.texts import time_text

    hits = search_snapshots(long_table, time_text(times[500] + 999), 5).hits
    assert hits[0].id in (500, 501)
    assert hits[1].id == hits[0].id + 1
    assert {each.field for each in hits} == {"time"}
    assert search_snapshots(long_table, "2026-99-99", 5).hits == ()
    (last,) = search_snapshots(long_table, "2099-01-01", 5).hits
    assert last.id == 3000


def test_search_goes_on(long_table: Table) -> None:
    first = search_snapshots(long_table, "needle", 5, seconds=0)
    assert first.read < first.total
    assert first.hits == ()
    for _ in range(10):
        value = search_snapshots(long_table, "needle", 5, seconds=0)
    assert value.read == value.total
    assert [each.id for each in value.hits] == [1000]


def test_long_statements_are_shortened(table: Table, write: Any) -> None:
    write("a", [1], "x")
    stored = json.loads(snapshot_file(table, 1).read_text())
    statement = "x" * 500 + "needle" + "y" * 500
    snapshot_file(table, 1).write_text(json.dumps(stored | {"properties": {"workbench.statement": statement}}))
    (hit,) = search_snapshots(table, "needle", 5).hits
    assert "needle" in hit.text
    assert len(hit.text) <= 122


def test_snapshots_of_a_range(table: Table, write: Any, reads: list[str]) -> None:
    for key in range(4):
        write("a", [key], "x")
    reads.clear()
    value = collect_snapshots(table, 2, 3)
    assert sorted(reads) == ["snapshot-2", "snapshot-3"]
    assert value.snapshots == collect_timeline(table).snapshots[1:3]
    assert [each.id for each in collect_snapshots(table, 3, 900).snapshots] == [4, 3]
    with pytest.raises(InvalidRequest, match="too many"):
        collect_snapshots(table, 1, 1001)
