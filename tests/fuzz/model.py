"""The rows of a table in plain Python, and what operations do to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field

from tests.fuzz.kinds import Kind
from tests.support.merge_model import Row

Effect = Callable[["Model"], None]


@dataclass
class Model:
    """The content of a table: ``bag`` without a key, ``keyed`` by the identity of each row with one."""

    kind: Kind
    keyed: dict[Row, Row] = field(default_factory=dict)
    bag: Counter[Row] = field(default_factory=Counter)

    @property
    def rows(self) -> Counter[Row]:
        return Counter(self.keyed.values()) if self.kind.keyed else Counter(self.bag)

    def copy(self) -> Model:
        return Model(self.kind, copy(self.keyed), copy(self.bag))

    def put(self, rows: Iterable[Row], kinds: Iterable[str]) -> None:
        for row, kind in zip(rows, kinds, strict=True):
            if self.kind.merge is None:
                self.bag[row] += 1
                continue
            key = self.kind.identity(row)
            merged = None if kind == "-D" else self.kind.merge(self.keyed.get(key), row)
            self.keyed.pop(key, None)
            if merged is not None:
                self.keyed[key] = merged

    def change(self, holds: Callable[[Row], bool], make: Callable[[Row], Row | None]) -> None:
        """Replace the rows for which ``holds`` by the results of ``make``; None deletes them."""
        after: Counter[Row] = Counter()
        for row, count in self.rows.items():
            result = make(row) if holds(row) else row
            if result is not None:
                after[result] += count
        self._set(after)

    def upsert(self, rows: Iterable[Row]) -> None:
        """Set column n of rows whose key matches a row of the source; insert source rows that match none."""
        for source in rows:
            matched = [row for row in self.rows if self.kind.identity(row) == self.kind.identity(source)]
            if matched:
                self.change(lambda row, m=matched: row in m, lambda row, s=source: (*row[:2], s[2], row[3]))
            else:
                self.put([source], ["+I"])

    def _set(self, rows: Counter[Row]) -> None:
        self.keyed = {self.kind.identity(row): row for row in rows} if self.kind.keyed else {}
        self.bag = Counter() if self.kind.keyed else rows


def nothing(_: Model) -> None:
    """The effect of an operation that changes no row."""
