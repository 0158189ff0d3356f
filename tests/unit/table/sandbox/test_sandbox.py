"""Changes in a sandbox are real but leave the table unchanged; applying them changes the table, or says why not."""

from __future__ import annotations

import hashlib
import pickle
import random
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import copytree, rmtree
from time import sleep, time
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.file_ios import FaultInjected, FaultMode, FaultyFileIO
from workbench.base.errors import CommitConflict, TableNotFound, Unsupported, WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.file_io import FileIO
from workbench.storage.open import file_io_for
from workbench.storage.overlay import walk
from workbench.table.table import Sandbox, Table

COLUMNS = {"id": "BIGINT NOT NULL", "p": "INT NOT NULL", "v": "STRING"}
MODES: tuple[FaultMode, ...] = ("before", "after", "torn")
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def data(first: int, count: int = 6, value: str = "x") -> pa.Table:
    ids = range(first, first + count)
    partitions = pa.array([each % 2 for each in ids], pa.int32())
    return pa.table({"id": pa.array(ids, pa.int64()), "p": partitions, "v": [value] * count})


def make(warehouse: str) -> Table:
    """Create a table with five snapshots, a tag, a branch with a separate snapshot, a consumer, and an unreferenced
    file."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, ["p", "id"], ["p"], {"bucket": "1", "write-only": "true"})
    for number in range(5):
        table.write(data(number * 2, value=str(number)))
    table.create_tag("two", 2)
    table.create_branch("dev", snapshot=3)
    table.branch("dev").write(data(100, 2))
    table.set_consumer("reader", 5)
    table.store.file_io.write_bytes(table.store.path("manifest/manifest-x-0"), b"x")
    return table


@pytest.fixture(params=["local", pytest.param("memory", marks=pytest.mark.long)])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "wh") if request.param == "local" else f"memory://{uuid.uuid4()}"


def fingerprint(warehouse: str) -> dict[str, str]:
    store = file_io_for(warehouse)
    return {each.path: hashlib.sha256(store.read_bytes(each.path)).hexdigest() for each in walk(store, warehouse)}


def rows(table: Table) -> list[dict[str, Any]]:
    actual_rows = table.to_arrow()
    assert actual_rows.num_rows == table.to_batches().read_all().num_rows
    return sorted(actual_rows.to_pylist(), key=str)


def complete_branches(table: Table) -> Iterator[Table]:
    """Yield the branches of a table without those whose creation was interrupted."""
    for name in table.branches():
        with suppress(TableNotFound):
            yield table.branch(name)


def everything(table: Table) -> dict[Any, Any]:
    """Return the rows of every version of every branch."""
    result: dict[Any, Any] = {"consumers": table.consumers(), "options": table.options}
    for history in (table, *complete_branches(table)):
        result[history.name] = history.schema.field_names, rows(history)
        for snapshot in history.snapshots():
            result[history.name, snapshot.id] = snapshot, rows(history.at(snapshot=snapshot.id))
        for name, tag in history.tags().items():
            result[history.name, name] = tag, rows(history.at(tag=name))
    return result


def clean(table: Table) -> None:
    sleep(0.01)
    table.remove_orphan_files(int(time() * 1000), dry_run=False)


ACTIONS: dict[str, Callable[[Sandbox], object]] = {
    "write": lambda s: s.write(data(50)),
    "write for a column": lambda s: (s.alter_table(wb.AddColumn("w", "INT")), s.write([{"id": 1, "p": 1, "w": 7}])),
    "overwrite": lambda s: s.write(data(7, 1), mode="overwrite"),
    "two phases": lambda s: s.commit(prepared(s), 5, "job"),
    "compact": lambda s: s.compact(full=True),
    "compact and expire": lambda s: (s.compact(full=True), s.expire_snapshots(retain_max=1, retain_min=1)),
    "clean": clean,
    "tag": lambda s: (s.create_tag("new"), s.delete_tag("two"), s.rename_tag("new", "newer")),
    "branch": lambda s: (s.create_branch("b2", tag="two"), s.branch("b2").write(data(70)), s.rename_branch("b2", "b3")),
    "end a branch": lambda s: s.delete_branch("dev"),
    "write to a branch": lambda s: s.branch("dev").write(data(80)),
    "reader": lambda s: (s.set_consumer("reader", 6), s.set_consumer("other", 2), s.delete_consumer("other")),
}


def prepared(table: Table) -> list[bytes]:
    with table.writer("job") as writer:
        writer.write(data(60))
        return writer.prepare()


QUICK = ("write for a column", "compact and expire", "branch")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.long) for each in ACTIONS]
)
def test_nothing_happens_to_the_table_until_it_is_applied(warehouse: str, name: str) -> None:
    play(warehouse, name)


def test_a_store_that_is_not_a_local_file_system() -> None:
    play(f"memory://{uuid.uuid4()}", "compact and expire")


def play(warehouse: str, name: str) -> None:
    table = make(warehouse)
    before, seen = fingerprint(warehouse), everything(table)
    with table.sandbox() as s:
        assert everything(s) == seen
        ACTIONS[name](s)
        shown = everything(s)
        assert fingerprint(warehouse) == before
        reported = s.report()
        applied = s.apply()
        assert everything(s) == shown
        assert s.report().files_written == 0
    assert applied.snapshots == reported.snapshots_added or "branch" in name
    after = fingerprint(warehouse)
    assert everything(connect(warehouse).get_table("db.t")) == shown
    removed = {path.removeprefix(f"{table.location}/") for path in before.keys() - after.keys()}
    assert removed == set(reported.files_deleted)
    kept = [path for path in before.keys() & after.keys() if path.rsplit("/", 1)[-1] not in ("LATEST", "EARLIEST")]
    assert all(after[path] == before[path] for path in kept if "consumer" not in path)
    connect(warehouse).get_table("db.t").write(data(200))


def test_a_sandbox_that_is_not_applied_changes_nothing(warehouse: str) -> None:
    table = make(warehouse)
    before = fingerprint(warehouse)
    with table.sandbox() as s:
        for name in ("compact and expire", "write for a column", "clean", "branch", "tag", "end a branch", "overwrite"):
            ACTIONS[name](s)
        s.rollback_to(snapshot=s.snapshot().id - 1)
        folder = Path(s.directory)
        assert folder.exists()
        branch = s.branch("b3")
    assert fingerprint(warehouse) == before
    assert not folder.exists()
    for use in (s.to_arrow, s.snapshots, lambda: s.write(data(1)), branch.to_arrow, lambda: branch.write(data(1))):
        with pytest.raises(WorkbenchError, match="closed"):
            use()
    assert fingerprint(warehouse) == before


def test_report_of_changed_columns(tmp_path: Path) -> None:
    table = make(str(tmp_path / "wh"))
    with table.sandbox() as s:
        ACTIONS["write for a column"](s)
        before, after = s.report().before, s.report().after
    assert (before.schema, after.schema) == (0, 1)
    assert (before.snapshot, after.snapshot) == (5, 6)


def test_report(tmp_path: Path) -> None:
    table = make(str(tmp_path / "wh"))
    with table.sandbox() as s:
        ACTIONS["compact and expire"](s)
        reported = s.report()
    assert (reported.before.snapshot, reported.after.snapshot) == (5, 6)
    assert reported.snapshots_added == (6,)
    assert reported.snapshots_expired == (1, 2, 3, 4)
    assert [each.level for each in reported.before.levels] == [0]
    assert [each.level for each in reported.after.levels] == [5]
    assert (reported.before.rows, reported.after.rows) == (30, 14)
    assert (reported.before.files, reported.after.files) == (10, 2)
    assert reported.before.bytes == sum(each.bytes for each in reported.before.levels)
    assert {"snapshot/snapshot-1", "snapshot/snapshot-4"} < set(reported.files_deleted)
    assert "stored rows: 30 -> 14" in repr(reported)
    assert '<td class="wb-num">30</td><td class="wb-num">14</td>' in reported._repr_html_()


def test_it_keeps_the_version_at_which_it_was_opened(warehouse: str) -> None:
    table = make(warehouse)
    with table.sandbox() as s:
        shown = everything(s)
        table.write(data(300))
        table.create_tag("during")
        table.delete_tag("two")
        connect(warehouse).alter_table("db.t", wb.AddColumn("w", "INT"))
        assert everything(s) == shown
        s.write(data(40))
        assert s.version is not None
        assert s.version.id == 6
        with pytest.raises(CommitConflict) as caught:
            s.apply()
    assert "schema-1 was added, snapshot-6 was added, tag-during was added, tag-two was deleted" in str(caught.value)
    assert len(rows(connect(warehouse).get_table("db.t"))) == 20


def test_readers_matter_only_to_deletions(warehouse: str) -> None:
    table = make(warehouse)
    with table.sandbox() as s, table.sandbox() as deleting:
        s.write(data(40))
        ACTIONS["compact and expire"](deleting)
        table.set_consumer("other", 2)
        with pytest.raises(CommitConflict, match="consumer-other was added"):
            deleting.apply()
        s.apply()
    assert table.snapshot().id == 6


@pytest.mark.parametrize("take_back", [0, 1])
def test_rolled_back_changes_are_not_applied(warehouse: str, take_back: int) -> None:
    table = make(warehouse)
    before = fingerprint(warehouse)
    with table.sandbox() as s:
        s.rollback_to(snapshot=4)
        if take_back:
            s.write(data(40))
        with pytest.raises(Unsupported, match=r"snapshot-5 of db\.t was rolled back"):
            s.apply()
    assert fingerprint(warehouse) == before


def test_a_folder_is_opened_again(warehouse: str, tmp_path: Path) -> None:
    table = make(warehouse)
    folder = tmp_path / "sandbox"
    with table.sandbox(folder) as s:
        s.write(data(40))
        shown = everything(s)
    with table.sandbox(folder) as s:
        assert everything(s) == shown
        s.compact(full=True)
    with table.sandbox(folder) as s:
        assert s.apply().snapshots == (6, 7)
        assert s.report().snapshots_added == ()


def test_where_a_folder_may_be(tmp_path: Path) -> None:
    table = make(str(tmp_path / "wh"))
    other = connect(tmp_path / "wh").create_table("db.other", COLUMNS)
    with pytest.raises(WorkbenchError, match="is inside"):
        table.sandbox(tmp_path / "wh" / "sandbox")
    with pytest.raises(WorkbenchError, match="not part of a sandbox"):
        table.sandbox(tmp_path)
    with table.sandbox(tmp_path / "s"), pytest.raises(WorkbenchError, match="another table"):
        other.sandbox(tmp_path / "s")
    with table.sandbox() as s, pytest.raises(WorkbenchError, match="already"):
        s.branch("dev").sandbox()
    with pytest.raises(WorkbenchError, match="read-only"):
        table.at(snapshot=2).sandbox()


def test_other_processes_write_to_the_sandbox_too(tmp_path: Path) -> None:
    """A store pickled as for Spark tasks opens the sandbox and not the table."""
    table = make(str(tmp_path / "wh"))
    before = fingerprint(str(tmp_path / "wh"))
    with table.sandbox() as s:
        sent = pickle.loads(pickle.dumps(s))
        sent.write(data(500, 2))
        writer = pickle.loads(pickle.dumps(s.new_write_plan())).writer()
        writer.write(data(600, 2))
        s.commit(writer.prepare())
        assert {500, 501, 600, 601} < set(s.to_arrow()["id"].to_pylist())
        plan = pickle.dumps(s)
    assert fingerprint(str(tmp_path / "wh")) == before
    with pytest.raises(WorkbenchError, match="no sandbox"):
        pickle.loads(plan)


def much(s: Sandbox) -> None:
    """Make changes of several types, in an order that writes and deletes files of every type."""
    for name in ("reader", "write for a column", "compact and expire", "branch", "tag"):
        ACTIONS[name](s)


def dying_at(table: Table, file_io: FileIO) -> Table:
    """Open the same table through another store."""
    return FileSystemCatalog(str(Path(table.location).parents[1]), file_io).get_table("db.t")


def crash_while_applying(
    tmp_path: Path, mode_at: Callable[[int], FaultMode], chosen: Callable[[list[int]], list[int]]
) -> None:
    make(str(tmp_path / "start"))
    real = tmp_path / "real"

    def anew() -> Table:
        """Restore the table at the same path, by which a sandbox identifies its table."""
        rmtree(real, ignore_errors=True)
        copytree(tmp_path / "start", real)
        return connect(real).get_table("db.t")

    with anew().sandbox(tmp_path / "sandbox") as s:
        much(s)
        shown = everything(s)
    copytree(tmp_path / "sandbox", tmp_path / "kept")
    healthy = FaultyFileIO(file_io_for(real), None)
    with dying_at(anew(), healthy).sandbox(tmp_path / "sandbox") as s:
        opening = len(healthy.log)
        s.apply()
    whole = set(fingerprint(str(real)))
    for point in chosen(list(range(opening + 1, len(healthy.log) + 1))):
        rmtree(tmp_path / "sandbox")
        copytree(tmp_path / "kept", tmp_path / "sandbox")
        table = anew()
        before = everything(table)
        faulty = FaultyFileIO(file_io_for(real), point, mode_at(point))
        with pytest.raises((FaultInjected, WorkbenchError)):
            dying_at(table, faulty).sandbox(tmp_path / "sandbox").apply()
        where = f"{faulty.mode} operation {point}: {faulty.log[-1].name} of {faulty.log[-1].path}"
        left = everything(connect(real).get_table("db.t"))
        for key, value in left.items():
            if isinstance(key, tuple):
                assert value in (before.get(key), shown.get(key)), where
        with connect(real).get_table("db.t").sandbox(tmp_path / "sandbox") as s:
            s.apply()
        assert everything(connect(real).get_table("db.t")) == shown, where
        # A dying store may leave a file that it has not yet moved to its final path.
        assert {each for each in fingerprint(str(real)) if not each.endswith(".torn.tmp")} == whole, where


def test_a_crash_while_applying(tmp_path: Path) -> None:
    chance = random.Random(3)
    crash_while_applying(tmp_path, lambda _: chance.choice(MODES), lambda points: chance.sample(points, 4))


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_a_crash_at_every_point_of_applying(tmp_path: Path, mode: FaultMode) -> None:
    crash_while_applying(tmp_path, lambda _: mode, lambda points: points)


def test_an_applied_schema_reaches_the_database_of_a_catalog(tmp_path: Path) -> None:
    database = tmp_path / "catalog.db"
    catalog = wb.connect(metastore="jdbc", uri=f"jdbc:sqlite:{database}", warehouse=str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, ["p", "id"], ["p"], {"bucket": "1"})
    with table.sandbox() as sandbox:
        sandbox.alter_table(wb.SetOption("snapshot.num-retained.max", "77"))
        sandbox.write(data(1))
        sandbox.apply()
    assert catalog.get_table("db.t").options["snapshot.num-retained.max"] == "77"
    with closing(sqlite3.connect(database)) as connection:
        found = dict(connection.execute("SELECT property_key, property_value FROM paimon_table_properties"))
    assert found["snapshot.num-retained.max"] == "77"
