"""A random history applied both to a table and to a dict; the two are compared after each step."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tests.support.table_values import DOMAINS, canonical, rows_of, table
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.manifests import ManifestFiles
from workbench.table.commits.commit import Commit
from workbench.table.table import Table
from workbench.write.compact_bucket import levels_of

Row = tuple[Any, ...]
VALUES = {"n": "INT", "s": "STRING", "x": "DOUBLE"}
PARTITIONS = ["a", "b", "c/d = 1", "", None]


@dataclass(frozen=True)
class Shape:
    """A kind of table. ``keys``: types of the key columns k0, k1 …; none for an append table."""

    keys: tuple[str, ...] = ("INT",)
    partitioned: bool = False
    options: tuple[tuple[str, str], ...] = (("bucket", "1"),)

    @property
    def columns(self) -> dict[str, str]:
        names = {f"k{position}": kind for position, kind in enumerate(self.keys)} if self.keys else {"k0": "INT"}
        return {**({"p": "STRING"} if self.partitioned else {}), **names, **VALUES}

    def create(self, catalog: FileSystemCatalog, name: str = "db.t") -> Table:
        keys = [f"k{position}" for position in range(len(self.keys))]
        partition = ["p"] if self.partitioned else []
        return catalog.create_table(
            name,
            self.columns,
            primary_key=[*partition, *keys] if keys else (),
            partition_by=partition,
            options=dict(self.options),
        )


@dataclass
class Life:
    """One history. ``states`` holds the rows of every snapshot id."""

    catalog: FileSystemCatalog
    shape: Shape
    chance: random.Random
    max_rows: int = 25
    states: dict[int, Counter[Row]] = field(default_factory=lambda: {0: Counter()})
    keyed: dict[Row, Row] = field(default_factory=dict)
    bag: Counter[Row] = field(default_factory=Counter)
    identifier: int = 0

    def __post_init__(self) -> None:
        self.table = self.shape.create(self.catalog)

    @property
    def rows(self) -> Counter[Row]:
        return Counter(self.keyed.values()) if self.shape.keys else self.bag

    @property
    def partitions(self) -> list[str | None]:
        return [each for each in PARTITIONS if each is not None or not self.shape.keys]

    # --- steps ----------------------------------------------------------------------------------------------------

    def step(self) -> str:
        steps = [self.write, self.write, self.write_kinds, self.overwrite, self.stream]
        if self.shape.keys:
            steps += [self.compact, self.compact_fully]
        step = self.chance.choice(steps)
        step()
        return step.__name__

    def write(self) -> None:
        rows = self._random_rows()
        self._apply(rows, ["+I"] * len(rows))
        self._note(self.table.write(table(rows, self.shape.columns)))

    def write_kinds(self) -> None:
        if not self.shape.keys:
            return self.write()
        rows = self._random_rows()
        kinds = self.chance.choices(["+I", "-U", "+U", "-D"], k=len(rows))
        self._apply(rows, kinds)
        data = table(rows, self.shape.columns).append_column("kind", pa.array(kinds, pa.string()))
        return self._note(self.table.write(data, row_kind="kind"))

    def overwrite(self) -> None:
        rows = self._random_rows()
        by_name = self.shape.partitioned and self.chance.random() < 0.5
        static = {"p": self.chance.choice(self.partitions)} if by_name else None
        if static is not None:
            rows = [(static["p"], *row[1:]) for row in rows]
        removed = None if not self.shape.partitioned else {static["p"]} if static else {row[0] for row in rows}
        self._remove(removed)
        self._apply(rows, ["+I"] * len(rows))
        self._note(self.table.write(table(rows, self.shape.columns), mode="overwrite", partition=static))

    def stream(self) -> None:
        """Prepare two batches with one writer before the first commit, and commit each batch twice."""
        with self.table.writer("stream") as writer:
            prepared = []
            for _ in range(2):
                for _ in range(self.chance.randint(1, 3)):
                    rows = self._random_rows()
                    kinds = self.chance.choices(["+I", "+I", "-D"], k=len(rows)) if self.shape.keys else None
                    self._apply(rows, kinds or ["+I"] * len(rows))
                    data = table(rows, self.shape.columns)
                    writer.write(data.append_column("kind", pa.array(kinds)) if kinds else data, kinds and "kind")
                prepared.append((writer.prepare(), self.rows.copy()))
        for messages, rows in prepared:
            self.identifier += 1
            for commit in (self.table.commit(messages, self.identifier, "stream") for _ in range(2)):
                self._note(commit, rows)

    def compact(self) -> None:
        self._note(self.table.compact())

    def compact_fully(self) -> None:
        where = "p = 'a'" if self.shape.partitioned and self.chance.random() < 0.3 else None
        self._note(self.table.compact(full=True, where=where))

    # --- inside ---------------------------------------------------------------------------------------------------

    def _random_rows(self) -> list[Row]:
        pick = self.chance.choice
        rows = []
        for _ in range(self.chance.randint(1, self.max_rows)):
            partition = (pick(self.partitions),) if self.shape.partitioned else ()
            key = tuple(pick(DOMAINS[kind]) for kind in self.shape.keys or ("INT",))
            value = (
                pick([None, -1, 7, self.chance.randint(0, 99)]),
                pick([None, "", "x", "yy" * 20]),
                pick([None, 0.5]),
            )
            rows.append((*partition, *key, *value))
        return rows

    def _apply(self, rows: list[Row], kinds: list[str]) -> None:
        width = len(self.shape.keys) + self.shape.partitioned
        for row, kind in zip(rows, kinds, strict=True):
            plain = tuple(map(canonical, row))
            if not self.shape.keys:
                self.bag = self.bag + Counter([plain])
            elif kind in ("+I", "+U"):
                self.keyed[plain[:width]] = plain
            else:
                self.keyed.pop(plain[:width], None)

    def _remove(self, partitions: set[Any] | None) -> None:
        def stays(row: Row) -> bool:
            return partitions is not None and row[0] not in partitions

        self.keyed = {key: row for key, row in self.keyed.items() if stays(row)}
        self.bag = Counter({row: count for row, count in self.bag.items() if stays(row)})

    def _note(self, commit: Commit, rows: Counter[Row] | None = None) -> None:
        for snapshot in commit.snapshots:
            assert snapshot.id == max(self.states) + 1
            self.states[snapshot.id] = (self.rows if rows is None else rows).copy()

    # --- what must hold -------------------------------------------------------------------------------------------

    def check_files(self) -> None:
        """Levels are sorted runs, every file exists, and no file is listed twice."""
        if not self.table.snapshots():
            return
        live = ManifestFiles(self.table.store).live_files(self.table.snapshot())
        names = [entry.file.file_name for entry in live]
        assert len(set(names)) == len(names)
        for entry in live:
            assert self.table.store.file_io.exists(
                self.table.store.data_file_path(entry.partition, entry.bucket, entry.file)
            )
        if self.shape.keys:
            for state in known_buckets(live).buckets.values():
                levels_of(self.table.schema, state.files).check()

    def check_changes(self, start: int, end: int) -> None:
        result = rows_of(self.table.changes(start, end, mode="diff"))
        before, after = self.states[start], self.states[end]
        expected: Counter[Row] = Counter()
        if not self.shape.keys:
            expected.update({("-D", *row): count for row, count in (before - after).items()})
            expected.update({("+I", *row): count for row, count in (after - before).items()})
        else:
            width = len(self.shape.keys) + self.shape.partitioned
            removed = {row[:width]: row for row in before - after}
            new = {row[:width]: row for row in after - before}
            expected.update(("-U" if key in new else "-D", *row) for key, row in removed.items())
            expected.update(("+U" if key in removed else "+I", *row) for key, row in new.items())
            for row, following in pairwise([*result, ("end",)]):
                assert (row[0] == "-U") == (following[: width + 1] == ("+U", *row[1 : width + 1]))
        assert Counter(result) == expected


def read(result: pa.Table) -> Counter[Row]:
    """Rows as a multiset."""
    return Counter(rows_of(result))
