"""Expiring snapshots and removing orphan files: what is deleted, kept and refused."""

from __future__ import annotations

import random
from pathlib import Path
from time import sleep, time

import pyarrow as pa
import pytest

from tests.support.maintained_tables import files, unused
from tests.support.versioned import ids, make, row
from workbench.base.errors import Cancelled, CorruptFile, InvalidRequest, TableNotFound, WorkbenchError
from workbench.base.progress import Progress, Step
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table


def keyed(catalog: FileSystemCatalog, **options: str) -> Table:
    """Create a table with six commits of one key and a full compaction, after which one of its seven files is live."""
    named = {"bucket": "1", "write-only": "true", **{name.replace("_", "-"): text for name, text in options.items()}}
    table = catalog.create_table("db.k", {"id": "INT NOT NULL"}, primary_key=["id"], options=named)
    for _ in range(6):
        table.write(row(1))
    table.compact(full=True)
    return table


def fresh(catalog: FileSystemCatalog) -> Table:
    """The table of `keyed` with nothing read yet."""
    return connect(catalog.warehouse).get_table("db.k")


def now() -> int:
    """Return a time after the creation of every existing file."""
    sleep(0.01)
    return int(time() * 1000)


def test_rewritten_files_are_deleted(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog)
    planned = table.expire_snapshots(retain_max=1, retain_min=1, dry_run=True)
    assert len(files(table)) > 20
    done = table.expire_snapshots(retain_max=1, retain_min=1)
    assert (planned.dry_run, done.dry_run) == (True, False)
    assert (planned.snapshots, planned.data_files, planned.metadata_files, planned.bytes) == (
        done.snapshots,
        done.data_files,
        done.metadata_files,
        done.bytes,
    )
    assert (done.snapshots, len(done.data_files), done.unread) == ((1, 2, 3, 4, 5, 6), 6, ())
    assert done.bytes > 0
    assert not any(Path(path).exists() for path in (*done.data_files, *done.metadata_files))
    assert ": 6 snapshots, 6 data files, " in repr(done)
    assert Path(table.location, "snapshot", "EARLIEST").read_text() == "7"
    assert ids(table) == [1]
    assert not unused(table)
    assert table.expire_snapshots(retain_max=1, retain_min=1).snapshots == ()


def test_options_apply_if_no_arguments_are_passed(catalog: FileSystemCatalog) -> None:
    assert keyed(catalog).expire_snapshots().snapshots == ()
    options = {"snapshot__num_retained__min": "1", "snapshot__time_retained": "1 ms", "snapshot__expire__limit": "2"}
    table = make(catalog, **options, write_only="true")
    sleep(0.01)
    assert table.expire_snapshots().snapshots == (1, 2)
    assert table.expire_snapshots(retain_min=2).snapshots == ()
    assert table.expire_snapshots().snapshots == (3,)


def test_a_snapshot_is_as_old_as_the_next_one(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    times = [snapshot.time_millis for snapshot in table.snapshots()]
    assert table.expire_snapshots(retain_min=1, older_than=times[1]).snapshots == ()
    expected = tuple(number for number in (1, 2, 3) if times[number] < times[2] + 1)
    assert table.expire_snapshots(retain_min=1, older_than=times[2] + 1).snapshots == expected


@pytest.mark.parametrize(("maximum", "minimum"), [(0, None), (2, 3), (None, 0)])
def test_invalid_numbers(catalog: FileSystemCatalog, maximum: int | None, minimum: int | None) -> None:
    with pytest.raises(InvalidRequest, match="must not exceed"):
        make(catalog).expire_snapshots(retain_max=maximum, retain_min=minimum)


def test_the_maximum_alone_is_enough(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    table.expire_snapshots(retain_max=1)
    assert len(table.snapshots()) == 1


def test_consumers_protect_the_snapshot_they_read_next(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    table.set_consumer("job", 3)
    assert table.expire_snapshots(retain_max=1, retain_min=1).snapshots == (1, 2)


def test_tags_and_branches_keep_their_files(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog)
    table.create_tag("two", 2)
    table.create_branch("four", snapshot=4)
    table.create_branch("empty")
    table.branch("four").write(row(5))
    done = table.expire_snapshots(retain_max=1, retain_min=1)
    assert len(done.data_files) == 2
    assert (ids(table.at(tag="two")), ids(table.branch("four")), ids(table.branch("four").at(snapshot=4))) == (
        [1],
        [1, 5],
        [1],
    )
    assert table.remove_orphan_files(now(), dry_run=False).files == ()
    assert table.branch("four").expire_snapshots(retain_max=1, retain_min=1).snapshots == (4,)
    assert (ids(table.branch("four")), ids(table.at(tag="two"))) == ([1, 5], [1])


def test_changelogs_outlive_their_snapshots(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog, **{"changelog.num-retained.min": "20", "consumer.changelog-only": "true"})
    table.set_consumer("job", 2)
    done = table.expire_snapshots(retain_max=1, retain_min=1)
    assert (done.changelogs, done.data_files, done.metadata_files) == ((1, 2, 3, 4, 5, 6), (), ())
    kept = sorted(path.name for path in Path(table.location, "changelog").iterdir())
    assert kept == ["LATEST", *(f"changelog-{number}" for number in range(1, 7))]
    assert table.remove_orphan_files(now()).files == ()


def test_nothing_is_deleted_if_retained_metadata_is_unreadable(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog)
    table.create_tag("two", 2)
    manifest = Path(table.location, "manifest", table.tags()["two"].snapshot.delta_manifest_list)
    content = manifest.read_bytes()
    manifest.write_bytes(content[:40])
    table = fresh(catalog)
    before = files(table)
    with pytest.raises(CorruptFile, match="manifest-list"):
        table.expire_snapshots(retain_max=1, retain_min=1)
    with pytest.raises(CorruptFile, match="manifest-list"):
        table.remove_orphan_files(now(), dry_run=False)
    manifest.write_bytes(content)
    Path(table.location, "branch", "branch-half", "snapshot").mkdir(parents=True)
    with pytest.raises(TableNotFound, match="half"):
        table.expire_snapshots(retain_max=1, retain_min=1)
    with pytest.raises(TableNotFound, match="half"):
        table.remove_orphan_files(now(), dry_run=False)
    assert files(table) == before


def test_missing_files_of_expired_snapshots_are_reported(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog)
    lost = Path(table.location, "manifest", table.snapshots()[2].delta_manifest_list)
    lost.unlink()
    done = fresh(catalog).expire_snapshots(retain_max=1, retain_min=1)
    assert done.unread == (str(lost),)
    assert (len(done.snapshots), len(done.data_files)) == (6, 6)


def test_two_concurrent_expirations(catalog: FileSystemCatalog) -> None:
    """An expiry deletes nothing if another process expires the same snapshots while it determines the required
    files."""
    keyed(catalog)

    class Overtaken(DelegatingFileIO):
        overtaken = False

        def read_bytes(self, path: str) -> bytes:
            if "/manifest-list" in path and not self.overtaken:
                self.overtaken = True
                assert fresh(catalog).expire_snapshots(retain_max=1, retain_min=1).snapshots == (1, 2, 3, 4, 5, 6)
            return super().read_bytes(path)

    table = FileSystemCatalog(catalog.warehouse, Overtaken(LocalFileIO())).get_table("db.k")
    assert table.expire_snapshots(retain_max=3, retain_min=3).snapshots == ()
    assert (ids(table), unused(table)) == ([1], set())
    assert Path(table.location, "snapshot", "EARLIEST").read_text() == "7"


def test_cancelled_before_anything_is_deleted(catalog: FileSystemCatalog) -> None:
    table = keyed(catalog)
    before = files(table)
    steps: list[Step] = []

    def stop(step: Step) -> None:
        steps.append(step)
        progress.cancel()

    progress = Progress(stop)
    with pytest.raises(Cancelled):
        table.expire_snapshots(retain_max=1, retain_min=1, progress=progress)
    with pytest.raises(Cancelled):
        table.remove_orphan_files(now(), dry_run=False, progress=progress)
    assert (files(table), steps[0].unit) == (before, "versions")


def test_only_the_table_itself_is_maintained(catalog: FileSystemCatalog) -> None:
    pinned = keyed(catalog).at(snapshot=2)
    for call in (pinned.expire_snapshots, pinned.remove_orphan_files):
        with pytest.raises(WorkbenchError, match="read-only"):
            call()


def partitioned(catalog: FileSystemCatalog, clean: str = "false") -> Table:
    options = {"snapshot.clean-empty-directories": clean}
    table = catalog.create_table("db.p", {"id": "INT", "p": "INT"}, partition_by=["p"], options=options)
    for number in (1, 2):
        table.write([{"id": number, "p": number}])
    return table


def test_orphans_of_every_kind(catalog: FileSystemCatalog) -> None:
    table = partitioned(catalog)
    table.create_branch("dev", snapshot=1)
    table.write([{"id": 3, "p": 2}])
    whole = files(table)
    orphans = {
        "manifest/manifest-x-0": 3,
        "index/index-x-0": 3,
        "statistics/stat-x-0": 3,
        "p=1/bucket-0/data-x-0.parquet": 5,
        "p=9/bucket-0/data-y-0.parquet": 5,
        "snapshot/.snapshot-9.0f.tmp": 7,
        "tag/.tag-a.0f.tmp": 7,
        "branch/branch-dev/snapshot/.snapshot-3.0f.tmp": 7,
        "branch/.branch-new.0f.tmp/schema/schema-0": 2,
    }
    others = ("p=1/_SUCCESS", "p=1/notes.txt", "readme.md", "p=1/bucket-0/pack.managed.blob", "service/service-1")
    for name, size in {**orphans, **dict.fromkeys(others, 1)}.items():
        Path(table.location, name).parent.mkdir(parents=True, exist_ok=True)
        Path(table.location, name).write_bytes(b"x" * size)
    Path(table.location, "p=8", "bucket-0").mkdir(parents=True)
    assert table.remove_orphan_files().files == (), "they are young"
    result = table.remove_orphan_files(now())
    assert {str(Path(path).relative_to(table.location)) for path in result.files} == orphans.keys()
    assert result.bytes == sum(orphans.values())
    emptied = {str(Path(path).relative_to(table.location)) for path in result.directories}
    temporary = "branch/.branch-new.0f.tmp"
    assert emptied == {"p=9/bucket-0", "p=9", "p=8/bucket-0", "p=8", temporary, f"{temporary}/schema"}
    assert files(table) == whole | orphans.keys() | set(others)
    done = table.remove_orphan_files(now(), dry_run=False)
    assert (done.files, done.directories) == (result.files, result.directories)
    assert ": 9 files, 6 directories, 42 bytes>" in repr(done)
    assert files(table) == whole | set(others)
    assert not any(Path(path).exists() for path in done.directories)
    assert ids(table) == [1, 2, 3]
    assert ids(table.branch("dev")) == [1]


def test_a_future_time_is_refused(catalog: FileSystemCatalog) -> None:
    with pytest.raises(InvalidRequest, match="must not be in the future"):
        make(catalog).remove_orphan_files(int(time() * 1000) + 60_000)


@pytest.mark.parametrize("clean", ["false", "true"])
def test_emptied_directories(catalog: FileSystemCatalog, clean: str) -> None:
    table = partitioned(catalog, clean)
    table.write(
        pa.table({"id": pa.array([], pa.int32()), "p": pa.array([], pa.int32())}), mode="overwrite", partition={"p": 1}
    )
    table.expire_snapshots(retain_max=1, retain_min=1)
    assert Path(table.location, "p=1").exists() == (clean == "false")


def test_a_history_put_before_another(catalog: FileSystemCatalog) -> None:
    """After a fast-forward, a snapshot may follow one of another history and share no files with it."""
    table = catalog.create_table("db.f", {"id": "INT"})
    table.write(row(0))
    table.create_branch("dev")
    branch = table.branch("dev")
    for number in range(1, 4):
        branch.write(row(number))
    branch.expire_snapshots(retain_max=2, retain_min=2)
    table.fast_forward("dev")
    table.delete_branch("dev")
    assert [snapshot.id for snapshot in table.snapshots()] == [1, 2, 3]
    assert table.remove_orphan_files(now(), dry_run=False).files == ()
    assert (ids(table.at(snapshot=1)), ids(table.at(snapshot=2)), ids(table)) == ([0], [1, 2], [1, 2, 3])


def test_a_tag_of_a_rolled_back_snapshot(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    table.create_tag("old", 2)
    tag = Path(table.location, "tag", "tag-old")
    content = tag.read_bytes()
    table.rollback_to(snapshot=1)
    table.write(row(7))
    tag.write_bytes(content)
    table.remove_orphan_files(now(), dry_run=False)
    table = connect(catalog.warehouse).get_table("db.t")
    assert (ids(table.at(tag="old")), ids(table)) == ([1, 2], [1, 7])


class Life:
    """Random changes of a table with a key, and what each version must read."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.chance = table, random.Random(seed)
        self.names = (f"n{number}" for number in range(1000))

    def versions(self) -> dict[tuple[str, object], list[int]]:
        result: dict[tuple[str, object], list[int]] = {}
        for history in (self.table, *map(self.table.branch, self.table.branches())):
            for snapshot in history.snapshots():
                result[history.store.branch, snapshot.id] = ids(history.at(snapshot=snapshot.id))
            for tag in history.tags():
                result[history.store.branch, tag] = ids(history.at(tag=tag))
        return result

    def change(self) -> None:
        branches = self.table.branches()
        table = (
            self.table.branch(self.chance.choice(branches)) if branches and self.chance.random() < 0.3 else self.table
        )
        kind = self.chance.choice(["write"] * 5 + ["compact", "compact", "tag", "untag", "branch", "drop", "back"])
        snapshots = [snapshot.id for snapshot in table.snapshots()]
        if kind == "write":
            table.write(row(self.chance.randrange(8)))
        elif kind == "compact" and snapshots:
            table.compact(full=True)
        elif kind == "tag" and snapshots:
            table.create_tag(next(self.names), self.chance.choice(snapshots), self.chance.choice([None, "0 ms"]))
        elif kind == "untag" and table.tags():
            table.delete_tag(self.chance.choice(sorted(table.tags())))
        elif kind == "branch" and table is self.table and snapshots:
            table.create_branch(next(self.names), snapshot=self.chance.choice(snapshots))
        elif kind == "drop" and branches:
            self.table.delete_branch(self.chance.choice(branches))
        elif kind == "back" and snapshots:
            table.rollback_to(snapshot=self.chance.choice(snapshots[-3:]))

    def maintain(self) -> None:
        branches = self.table.branches()
        table = (
            self.table.branch(self.chance.choice(branches)) if branches and self.chance.random() < 0.3 else self.table
        )
        before = self.versions()
        minimum = self.chance.randrange(1, 4)
        removed = {(table.store.branch, number) for number in table.expire_snapshots(minimum, minimum).snapshots}
        now()
        removed |= {(table.store.branch, name) for name in table.expire_tags().tags}
        table.expire_changelogs(minimum + 2, minimum + 2)
        expected = {key: rows for key, rows in before.items() if key not in removed}
        assert self.versions() == expected
        self.table.remove_orphan_files(now(), dry_run=False)
        assert self.versions() == expected
        assert not unused(self.table)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 60))])
def test_random_histories(catalog: FileSystemCatalog, seed: int) -> None:
    options = {"bucket": "1", "write-only": "true", "manifest.merge-min-count": "3"}
    if seed % 2:
        options["changelog.num-retained.min"] = "99"
    table = catalog.create_table("db.t", {"id": "INT NOT NULL"}, primary_key=["id"], options=options)
    life = Life(table, seed)
    for _ in range(5):
        for _ in range(8):
            life.change()
        life.maintain()
