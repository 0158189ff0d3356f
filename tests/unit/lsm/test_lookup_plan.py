"""The steps of a plan when older rows are looked up, or compared with the last level."""

from __future__ import annotations

import pytest

from tests.support.data_files import data_file, key_of
from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.compact_plan import Before, CompactPlan, LookupRules, Rewrite, Upgrade, plan_compaction
from workbench.lsm.compaction import ForceUpLevel0Compaction, pick_full
from workbench.lsm.levels import Levels


def rules(*, keeps_newest: bool = True, vectors: bool = False, level_0: str = "parquet") -> LookupRules:
    return LookupRules(keeps_newest, vectors, lambda level: "parquet" if level else level_0)


def up(lookup: LookupRules, *files: DataFileMeta, min_size: int = 10) -> CompactPlan:
    """The plan of a forced compaction of level 0."""
    levels = Levels(files, 6, key_of)
    unit = ForceUpLevel0Compaction().pick(levels, 0).unit
    assert unit is not None
    return plan_compaction(unit, levels, min_size, lookup=lookup, deletion_vectors=lookup.deletion_vectors)


def only_step(plan: CompactPlan) -> Upgrade | Rewrite:
    (step,) = plan.steps
    return step


BELOW = data_file("top", 5, 5000)
NEW = data_file("new", 0, 100, last=9)


def test_the_newest_row_is_upgraded_and_looked_up() -> None:
    step = only_step(up(rules(), NEW, BELOW))
    assert step == Upgrade(NEW, 4, Before.LOOKED_UP)


@pytest.mark.parametrize(
    ("lookup", "file", "drops"),
    [
        (rules(keeps_newest=False), NEW, False),
        (rules(level_0="avro"), NEW, False),
        (rules(vectors=True), data_file("new", 0, 100, deletes=1), True),
        (rules(vectors=True), data_file("new", 0, 100, deletes=None), True),
        (rules(keeps_newest=False, vectors=True), NEW, True),
    ],
)
def test_files_that_cannot_be_upgraded_are_rewritten(lookup: LookupRules, file: DataFileMeta, drops: bool) -> None:
    step = only_step(up(lookup, file, BELOW))
    assert isinstance(step, Rewrite)
    assert (step.to_level, step.before, step.drop_delete) == (4, Before.LOOKED_UP, drops)


def test_the_last_level_is_not_looked_up() -> None:
    step = only_step(up(rules(keeps_newest=False), NEW))
    assert step == Upgrade(NEW, 5, Before.LOOKED_UP)


def test_only_files_of_level_0_are_looked_up() -> None:
    first, second = data_file("a", 0, 1, 0, 9, last=9), data_file("b", 0, 1, 5, 14, last=8)
    below = data_file("c", 4, 100, 20, 29)
    levels = Levels([first, second, below], 6, key_of)
    unit = pick_full(levels).unit
    assert unit is not None
    plan = plan_compaction(unit, levels, 10, lookup=rules())
    assert [(type(step), step.before) for step in plan.steps] == [
        (Rewrite, Before.LOOKED_UP),
        (Upgrade, Before.NOT_NEEDED),
    ]


def test_files_moved_to_the_last_level_are_compared() -> None:
    old, new = data_file("old", 5, 1000, 0, 9), data_file("new", 0, 1000, 5, 14)
    alone = data_file("alone", 3, 1000, 20, 29)
    levels = Levels([old, new, alone], 6, key_of)
    unit = pick_full(levels).unit
    assert unit is not None
    plan = plan_compaction(unit, levels, 10, compares_last_level=True)
    assert [(type(step), step.before) for step in plan.steps] == [
        (Rewrite, Before.LAST_LEVEL),
        (Upgrade, Before.LAST_LEVEL),
    ]
    lower = Levels([data_file(f"f{i}", 0, 1000, last=i) for i in range(4)] + [data_file("x", 5, 9 << 20)], 6, key_of)
    forced = ForceUpLevel0Compaction().pick(lower, 0).unit
    assert forced is not None
    plan = plan_compaction(forced, lower, 10, compares_last_level=True)
    assert [(step.to_level, step.before) for step in plan.steps] == [(4, Before.NOT_NEEDED)]


def test_level_0_is_looked_up_on_the_way_to_a_middle_level_also_where_the_last_level_is_compared() -> None:
    files = [data_file("new", 0, 100, last=9), data_file("top", 5, 5000)]
    levels = Levels(files, 6, key_of)
    forced, full = ForceUpLevel0Compaction().pick(levels, 0).unit, pick_full(levels).unit
    assert forced is not None
    assert full is not None
    plans = [
        plan_compaction(unit, levels, 10, lookup=rules(keeps_newest=False), compares_last_level=True)
        for unit in (forced, full)
    ]
    assert [(step.to_level, step.before) for plan in plans for step in plan.steps] == [
        (4, Before.LOOKED_UP),
        (5, Before.LAST_LEVEL),
    ]
