"""Random histories of tags, branches, rollbacks and fast-forwards, against dictionaries."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.versioned import ids, row
from workbench.base.errors import SnapshotNotFound
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.snapshots import Snapshots
from workbench.table.table import Table

Version = tuple[int, list[int]]
STEPS = 40


@dataclass
class Line:
    """One history: the rows of each snapshot, and the id and rows of each tag."""

    snapshots: dict[int, list[int]] = field(default_factory=dict)
    tags: dict[str, Version] = field(default_factory=dict)

    @property
    def latest(self) -> list[int]:
        return self.snapshots[max(self.snapshots)] if self.snapshots else []

    def versions(self) -> dict[int, list[int]]:
        """Return the rows of every version that a snapshot or tag keeps, by id."""
        return {**dict(self.tags.values()), **self.snapshots}


class Life:
    """The same changes, made to a table and to its model."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table = table
        self.chance = random.Random(seed)
        self.main = Line()
        self.branches: dict[str, Line] = {}
        self.names = iter(f"n{number}" for number in range(10_000))
        self.rows = iter(range(10_000))

    def step(self) -> None:
        weights = {self.write: 5, self.write_to_branch: 4, self.tag: 3, self.change_tag: 2, self.branch: 3}
        weights |= {self.change_branch: 1, self.fast_forward: 2, self.roll_back: 2, self.expire: 1}
        weights |= {self.roll_back_as_latest: 2}
        self.chance.choices(list(weights), list(weights.values()))[0]()

    def append(self, table: Table, line: Line) -> None:
        number = next(self.rows)
        written = table.write(row(number)).snapshots[0].id
        assert written == max(line.snapshots, default=0) + 1
        line.snapshots[written] = [*line.latest, number]

    def write(self) -> None:
        self.append(self.table, self.main)

    def write_to_branch(self) -> None:
        if self.branches:
            name = self.chance.choice(sorted(self.branches))
            self.append(self.table.branch(name), self.branches[name])

    def tag(self) -> None:
        name = self.chance.choice([None, *self.branches])
        table, line = (self.table, self.main) if name is None else (self.table.branch(name), self.branches[name])
        if versions := line.versions():
            tag, number = next(self.names), self.chance.choice(sorted(versions))
            table.create_tag(tag, number, self.chance.choice([None, "1 d"]))
            line.tags[tag] = number, versions[number]

    def change_tag(self) -> None:
        if not self.main.tags:
            return
        name = self.chance.choice(sorted(self.main.tags))
        if self.chance.random() < 0.5:
            self.table.delete_tag(name)
            del self.main.tags[name]
        else:
            other = next(self.names)
            self.table.rename_tag(name, other)
            self.main.tags[other] = self.main.tags.pop(name)

    def branch(self) -> None:
        name = next(self.names)
        kind = self.chance.choice(["empty", "tag", "snapshot"])
        if kind == "tag" and self.main.tags:
            tag = self.chance.choice(sorted(self.main.tags))
            self.table.create_branch(name, tag=tag)
            number, rows = self.main.tags[tag]
            self.branches[name] = Line({number: rows}, {tag: (number, rows)})
        elif kind == "snapshot" and self.main.snapshots:
            number = self.chance.choice(sorted(self.main.snapshots))
            self.table.create_branch(name, snapshot=number)
            self.branches[name] = Line({number: self.main.snapshots[number]})
        else:
            self.table.create_branch(name)
            self.branches[name] = Line()

    def change_branch(self) -> None:
        if not self.branches:
            return
        name = self.chance.choice(sorted(self.branches))
        line = self.branches.pop(name)
        if self.chance.random() < 0.5:
            self.table.delete_branch(name)
        else:
            other = next(self.names)
            self.table.rename_branch(name, other)
            self.branches[other] = line

    def fast_forward(self) -> None:
        if not self.branches:
            return
        name = self.chance.choice(sorted(self.branches))
        line = deepcopy(self.branches[name])
        if not line.snapshots:
            with pytest.raises(SnapshotNotFound):
                self.table.fast_forward(name)
            return
        # Two versions may have the same rows, so equal rows do not prove that a snapshot is the branch's.
        mine, theirs = ({each.id: each for each in one.snapshots()} for one in (self.table, self.table.branch(name)))
        done = self.table.fast_forward(name)
        begin = min(line.snapshots)
        removed = [number for number in self.main.snapshots if number >= begin]
        assert set(done.dropped_snapshots) == {number for number in removed if theirs.get(number) != mine[number]}
        kept = {number: rows for number, rows in self.main.snapshots.items() if number < begin}
        tags = {tag: version for tag, version in self.main.tags.items() if version[0] < begin}
        self.main = Line({**kept, **line.snapshots}, {**tags, **line.tags})

    def roll_back(self) -> None:
        versions = self.main.versions()
        if not versions:
            return
        number = self.chance.choice(sorted(versions))
        tag = next((tag for tag, version in self.main.tags.items() if version[0] == number), None)
        if tag is None or self.chance.random() < 0.5:
            self.table.rollback_to(snapshot=number)
        else:
            self.table.rollback_to(tag=tag)
        kept = {each: rows for each, rows in self.main.snapshots.items() if each < number}
        tags = {tag: version for tag, version in self.main.tags.items() if version[0] <= number}
        self.main = Line({**kept, number: versions[number]}, tags)

    def roll_back_as_latest(self) -> None:
        versions = self.main.versions()
        if not versions:
            return
        number = self.chance.choice(sorted(versions))
        done = self.table.rollback_to(snapshot=number, as_latest=True)
        assert done.latest == max(self.main.snapshots) + 1
        assert done.kept_by is not None
        self.main.tags[done.kept_by] = number, versions[number]
        self.main.snapshots[done.latest] = versions[number]

    def expire(self) -> None:
        """Remove snapshots as Java's expiry does, but keep their files, as if tags needed all of them."""
        directory = Path(self.table.location, "snapshot")
        for number in sorted(self.main.snapshots)[:-2]:
            (directory / f"snapshot-{number}").unlink()
            del self.main.snapshots[number]
        if self.main.snapshots:
            (directory / "EARLIEST").write_text(str(min(self.main.snapshots)))

    def check(self) -> None:
        assert sorted(self.table.branches()) == sorted(self.branches)
        lines = [(self.table, self.main), *((self.table.branch(each), line) for each, line in self.branches.items())]
        for table, line in lines:
            assert [each.id for each in table.snapshots()] == sorted(line.snapshots)
            assert Snapshots(table.store).earliest_id() == min(line.snapshots, default=None)
            assert ids(table) == sorted(line.latest)
            assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {
                name: version[0] for name, version in line.tags.items()
            }

    def check_all_versions(self) -> None:
        self.check()
        for table, line in [
            (self.table, self.main),
            *((self.table.branch(b), self.branches[b]) for b in self.branches),
        ]:
            for number, rows in line.snapshots.items():
                assert ids(table.at(snapshot=number)) == sorted(rows)
            for name, (_, rows) in line.tags.items():
                assert ids(table.at(tag=name)) == sorted(rows)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))])
def test_random_histories(catalog: FileSystemCatalog, seed: int) -> None:
    life = Life(catalog.create_table("db.t", {"id": "INT"}), seed)
    for _ in range(STEPS):
        life.step()
        life.check()
    life.check_all_versions()
