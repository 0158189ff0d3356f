"""Statements on a list of rows, in plain Python: the meaning of DELETE, UPDATE and MERGE, with three-valued logic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.table.dml.clauses import Clause, WhenMatched, WhenNotMatched, WhenNotMatchedBySource

Row = dict[str, Any]
COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "INT", "s": "STRING"}
NAMES = tuple(COLUMNS)


@dataclass(frozen=True)
class Test:
    """A condition as SQL over one row, and its value: True, False or None."""

    __test__ = False
    sql: str
    truth: Callable[[Row], bool | None]


@dataclass(frozen=True)
class Set:
    """Assignments as SQL over one row, and their result."""

    sql: dict[str, str]
    make: Callable[[Row], Row]


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


TESTS = (
    Test("TRUE", lambda _: True),
    Test("p = 'a'", lambda row: row["p"] == "a"),
    Test("v > 5", lambda row: None if row["v"] is None else row["v"] > 5),
    Test("NOT (v > 5)", lambda row: None if row["v"] is None else row["v"] <= 5),
    Test("v IS NULL", lambda row: row["v"] is None),
    Test("s = 'x'", lambda row: None if row["s"] is None else row["s"] == "x"),
    Test("s IN ('x', NULL)", lambda row: True if row["s"] == "x" else None),
    Test("id BETWEEN 3 AND 9", lambda row: 3 <= row["id"] <= 9),
    Test("id % 3 = 1", lambda row: row["id"] % 3 == 1),
    Test("v <> 0 AND 20 / v >= 4", lambda row: None if row["v"] is None else row["v"] != 0 and 20 / row["v"] >= 4),
    Test("p = 'b' AND s IS NOT NULL", lambda row: row["p"] == "b" and row["s"] is not None),
    Test("v = 99", lambda row: None if row["v"] is None else row["v"] == 99),
    Test("p IN ('a', 'c')", lambda row: row["p"] in "ac"),
)
SETS = (
    Set({"v": "v + 1"}, lambda row: {"v": None if row["v"] is None else row["v"] + 1}),
    Set({"s": "'x'", "v": "NULL"}, lambda _: {"s": "x", "v": None}),
    Set(
        {"V": "coalesce(v, 0) * 2", "s": "upper(s)"},
        lambda row: {
            "v": (row["v"] or 0) * 2,
            "s": None if row["s"] is None else row["s"].upper(),
        },
    ),
    Set({"s": "CASE WHEN v > 5 THEN 'big' ELSE s END"}, lambda row: {"s": "big" if (row["v"] or 0) > 5 else row["s"]}),
)
MOVES = Set({"p": "CASE WHEN p = 'a' THEN 'b' ELSE 'a' END"}, lambda row: {"p": "b" if row["p"] == "a" else "a"})


@dataclass(frozen=True)
class Pair:
    """A clause of a merge, and its meaning for a row ``t`` of the table and a row ``s`` of the source: whether it
    applies, and the resulting row, None if it is deleted."""

    clause: Clause
    takes: Callable[[Row, Row], bool | None]
    makes: Callable[[Row, Row], Row | None]


def _add(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else one + two


MATCHED = (
    Pair(
        WhenMatched(update={"v": "t.v + s.w"}, condition="s.w > 2"),
        lambda _, s: None if s["w"] is None else s["w"] > 2,
        lambda t, s: {**t, "v": _add(t["v"], s["w"])},
    ),
    Pair(
        WhenMatched(update={"s": "s.note", "id": "s.id"}, condition="t.s IS NULL"),
        lambda t, _: t["s"] is None,
        lambda t, s: {**t, "s": s["note"]},
    ),
    Pair(
        WhenMatched(delete=True, condition="t.v = s.w"),
        lambda t, s: None if None in (t["v"], s["w"]) else t["v"] == s["w"],
        lambda *_: None,
    ),
    Pair(WhenMatched(delete=True), lambda *_: True, lambda *_: None),
    Pair(WhenMatched(update={"v": "w"}), lambda *_: True, lambda t, s: {**t, "v": s["w"]}),
)
BY_SOURCE = (
    Pair(
        WhenNotMatchedBySource(update={"v": "v - 1"}, condition="v > 3"),
        lambda t, _: None if t["v"] is None else t["v"] > 3,
        lambda t, _: {**t, "v": t["v"] - 1},
    ),
    Pair(WhenNotMatchedBySource(delete=True, condition="s = 'x'"), lambda t, _: t["s"] == "x", lambda *_: None),
)
NOT_MATCHED = (
    Pair(
        WhenNotMatched({"id": "id", "p": "p", "v": "w"}, condition="w IS NOT NULL"),
        lambda _, s: s["w"] is not None,
        lambda _, s: {"id": s["id"], "p": s["p"], "v": s["w"], "s": None},
    ),
    Pair(
        WhenNotMatched({"id": "s.id", "p": "s.p", "s": "note"}),
        lambda *_: True,
        lambda _, s: {"id": s["id"], "p": s["p"], "v": None, "s": s["note"]},
    ),
)


@dataclass
class Model:
    """The rows of a table; if ``keyed``, only the newest row of each id and p."""

    keyed: bool
    rows: list[Row] = field(default_factory=list)

    def write(self, rows: Sequence[Row]) -> None:
        self.rows.extend(rows)
        if self.keyed:
            self.rows = list({(row["id"], row["p"]): row for row in self.rows}.values())

    def delete(self, test: Test) -> int:
        return self._replace(lambda row: None if test.truth(row) is True else row)[0]

    def update(self, change: Set, test: Test | None) -> int:
        hit = [row for row in self.rows if test is None or test.truth(row) is True]
        self._replace(lambda row: {**row, **change.make(row)} if any(row is each for each in hit) else row)
        return len(hit)

    def merge(self, source: Sequence[Row], clauses: Sequence[Pair]) -> tuple[int, int, int] | None:
        """Return the numbers of rows deleted, updated and inserted; None if the merge must be refused."""
        matched = [each for each in clauses if isinstance(each.clause, WhenMatched)]
        by_source = [each for each in clauses if isinstance(each.clause, WhenNotMatchedBySource)]
        new = [each for each in clauses if isinstance(each.clause, WhenNotMatched)]
        partners = [[s for s in source if (s["id"], s["p"]) == (t["id"], t["p"])] for t in self.rows]
        lone = len(matched) == 1 and matched[0].clause == WhenMatched(delete=True)
        if matched and not lone and any(len(each) > 1 for each in partners):
            return None
        keys = {(t["id"], t["p"]) for t in self.rows}
        left, counts = [], [0, 0]
        for t, result in zip(self.rows, partners, strict=True):
            s = result[0] if result else {}
            pair = next((each for each in (matched if result else by_source) if each.takes(t, s) is True), None)
            created = t if pair is None else pair.makes(t, s)
            if created is not None:
                left.append(created)
            if pair is not None:
                counts[created is not None] += 1
        inserted = []
        for s in source:
            if (s["id"], s["p"]) not in keys:
                pair = next((each for each in new if each.takes({}, s) is True), None)
                if pair is not None and (created := pair.makes({}, s)) is not None:
                    inserted.append((new.index(pair), created))
        self.rows = left
        self.write([row for _, row in sorted(inserted, key=lambda each: each[0])])
        return counts[0], counts[1], len(inserted)

    def _replace(self, becomes: Callable[[Row], Row | None]) -> tuple[int, int]:
        left = [result for row in self.rows if (result := becomes(row)) is not None]
        removed = len(self.rows) - len(left)
        self.rows = left
        return removed, 0
