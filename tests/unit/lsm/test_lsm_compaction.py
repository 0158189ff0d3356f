"""The outcome and the explanation of each rule, the steps of a plan, and invariants of any sequence of compactions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.data_files import data_file, key_of
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import DataFileMeta
from workbench.lsm.compact_plan import CompactPlan, Rewrite, Upgrade, drops_deletes, plan_compaction
from workbench.lsm.compaction import (
    CompactionChoice,
    CompactionOptions,
    CompactionReason,
    ForceUpLevel0Compaction,
    UniversalCompaction,
    estimate_last_full,
    pick_full,
)
from workbench.lsm.levels import Levels

HOUR = 3_600_000
MIB = 1024 * 1024


def tree(*runs: tuple[int, int], num_levels: int = 6) -> Levels:
    """Levels from (level, bytes) of each run, newest first; each run is one file over the same keys."""
    files = [data_file(f"f{i}", level, size, last=len(runs) - i) for i, (level, size) in enumerate(runs)]
    return Levels(files, num_levels, key_of)


def pick(levels: Levels, now: int = 0, last_full: int | None = None, **options: int) -> CompactionChoice:
    return UniversalCompaction(CompactionOptions(**options)).pick(levels, now, last_full)


def answer(choice: CompactionChoice) -> tuple[CompactionReason, int, int]:
    assert choice.unit is not None
    return choice.unit.reason, len(choice.unit.files), choice.unit.output_level


def test_no_choice_is_explained() -> None:
    choice = pick(tree((0, MIB), (0, MIB)))
    assert choice.unit is None
    assert choice.explanation == "The number of sorted runs is 2, below the trigger of 5."
    assert [outcome.rule.value for outcome in choice.considered] == ["size-amplification", "size-ratio", "run-count"]


def test_size_amplification() -> None:
    choice = pick(tree(*[(0, MIB)] * 5))
    assert answer(choice) == (CompactionReason.SIZE_AMPLIFICATION, 5, 5)
    assert choice.is_full
    assert choice.explanation == (
        "Size amplification: newer runs (4.0 MiB) exceed 200% of the oldest run (1.0 MiB). "
        "Merges 5 runs (5 files) into L5."
    )
    assert pick(tree(*[(0, 50)] * 4, (5, 100))).considered[0].fired is False


def test_size_ratio_ends_at_the_first_run_that_is_too_large() -> None:
    levels = tree((0, 100), (0, 101), (0, 203), (3, 900), (5, 9000))
    choice = pick(levels)
    assert answer(choice) == (CompactionReason.SIZE_RATIO, 3, 2)
    assert choice.considered[1].numbers["candidate_runs"] == 3
    assert choice.considered[1].numbers["candidate_bytes"] == 404
    assert pick(tree((0, 100), (0, 102), (0, 1), (0, 1), (5, 9000))).unit is None


def test_offpeak_hours_widen_the_ratio() -> None:
    levels = tree((0, 100), (1, 150), (2, 900), (3, 5000), (4, 50000))
    night = {"offpeak_start_hour": 22, "offpeak_end_hour": 4, "offpeak_ratio": 60}
    assert pick(levels, 12 * HOUR, **night).unit is None
    assert pick(levels, 21 * HOUR, **night).unit is None
    assert pick(levels, 4 * HOUR, **night).unit is None
    for hour in (22, 23, 24, 27):
        assert answer(pick(levels, hour * HOUR, **night)) == (CompactionReason.SIZE_RATIO, 2, 1)
    day = CompactionOptions(offpeak_start_hour=0, offpeak_end_hour=8, offpeak_ratio=7)
    assert [day.extra_size_ratio(hour * HOUR) for hour in (0, 7, 8, 23)] == [7, 7, 0, 0]


def test_run_count_ends_below_the_next_run() -> None:
    levels = tree((0, 10), (0, 100), (2, 1000), (3, 10000), (4, 100000), (5, 1000000))
    choice = pick(levels)
    assert answer(choice) == (CompactionReason.RUN_COUNT, 2, 1)
    assert not choice.is_full


def test_output_is_never_on_level_0() -> None:
    levels = tree((0, 10), (0, 100), (0, 1000), (1, 10000), (4, 100000), (5, 1000000))
    assert answer(pick(levels)) == (CompactionReason.RUN_COUNT, 4, 1)


def test_early_full_compactions() -> None:
    levels = tree((0, 100), (4, 500), (5, 9000))
    assert pick(levels, optimization_interval=HOUR).explanation.startswith("No earlier full compaction is known")
    due = pick(levels, 2 * HOUR + 1, HOUR, optimization_interval=HOUR)
    assert answer(due) == (CompactionReason.EARLY_FULL_INTERVAL, 3, 5)
    assert pick(levels, 2 * HOUR, HOUR, optimization_interval=HOUR).unit is None
    assert answer(pick(levels, total_size_threshold=9601)) == (CompactionReason.EARLY_FULL_TOTAL_SIZE, 3, 5)
    assert pick(levels, total_size_threshold=9600).unit is None
    incremental = pick(levels, incremental_size_threshold=599)
    assert answer(incremental) == (CompactionReason.EARLY_FULL_INCREMENTAL_SIZE, 3, 5)
    assert pick(levels, incremental_size_threshold=600).unit is None
    alone = pick(tree((0, 100)), optimization_interval=HOUR)
    assert alone.unit is None
    assert alone.explanation.startswith("A single sorted run is not compacted early.")


def test_an_empty_tree_has_no_unit() -> None:
    choice = pick(tree(), optimization_interval=HOUR)
    assert choice.unit is None
    assert choice.is_full
    assert choice.explanation.endswith("but there is nothing to move to level 5.")


def test_gentle_force_up_waits_for_its_interval() -> None:
    levels = tree((0, 100), (0, 10), (1, 5000), (2, 60000))
    gentle = ForceUpLevel0Compaction(max_interval=3)
    assert gentle.pick(levels, 0, skipped=0).unit is None
    assert gentle.pick(levels, 0, skipped=1).explanation.endswith("moved up at trigger 3, and this is trigger 2.")
    assert answer(gentle.pick(levels, 0, skipped=2)) == (CompactionReason.FORCE_UP_LEVEL0, 3, 1)
    assert ForceUpLevel0Compaction().pick(tree((2, 5)), 0).explanation.endswith("Level 0 is empty.")


def test_full_on_demand() -> None:
    assert answer(pick_full(tree((0, 1), (5, 100)))) == (CompactionReason.FULL, 2, 5)
    assert answer(pick_full(tree((0, 1)))) == (CompactionReason.FULL, 1, 5)
    assert pick_full(tree()).explanation == "There are no files."
    done = Levels([data_file("a", 5, 1, 0, 4), data_file("b", 5, 1, 5, 9)], 6, key_of)
    assert pick_full(done).explanation == "All files are on level 5 already."
    again = pick_full(done, lambda file: file.file_name == "b")
    assert again.unit is not None
    assert again.unit.rewrite_each
    plan = plan_compaction(again.unit, done, 1000)
    assert [[file.file_name for file in step.files] for step in plan.rewrites] == [["b"]]
    assert plan.drop_delete


def test_reason_and_numbers_are_json() -> None:
    levels = tree(*[(0, MIB)] * 5)
    unit = pick(levels).unit
    assert unit is not None
    properties = plan_compaction(unit, levels, MIB).to_properties(unit)
    assert json.loads(json.dumps(properties)) == properties
    assert properties["reason"] == "size-amplification"
    assert properties["bytes"] == properties["bytes_rewritten"] == 5 * MIB
    assert properties["max_percent"] == 200


def test_options_of_a_table() -> None:
    assert CompactionOptions.of(CoreOptions({})) == CompactionOptions()
    stored = {"num-sorted-run.compaction-trigger": "3", "compaction.optimization-interval": "1 h"}
    assert CompactionOptions.of(CoreOptions(stored)) == CompactionOptions(
        num_sorted_run_compaction_trigger=3, num_levels=4, optimization_interval=HOUR
    )


def test_last_full_compaction_is_estimated_from_the_last_level() -> None:
    files = [data_file("a", 5, 1, last=70), data_file("b", 5, 1, last=60), data_file("c", 0, 1, last=90)]
    limited = CompactionOptions(optimization_interval=HOUR)
    assert estimate_last_full(files, limited) == 70
    assert estimate_last_full(files[2:], limited) is None
    assert estimate_last_full(files, CompactionOptions()) is None


def full_plan(*files: DataFileMeta, min_size: int = 100) -> CompactPlan:
    levels = Levels(files, 6, key_of)
    unit = pick_full(levels).unit
    assert unit is not None
    return plan_compaction(unit, levels, min_size)


def shape(plan: CompactPlan) -> list[str | list[str]]:
    """Return the file names of each step: a string for an upgrade, a list for a rewrite."""
    return [
        step.file.file_name if isinstance(step, Upgrade) else sorted(file.file_name for file in step.files)
        for step in plan.steps
    ]


def test_big_files_that_overlap_nothing_are_upgraded() -> None:
    plan = full_plan(data_file("a", 0, 100, 0, 9), data_file("b", 3, 500, 10, 19), data_file("c", 5, 500, 20, 29))
    assert shape(plan) == ["a", "b"]
    assert [file.file_name for file in plan.kept] == ["c"]
    assert plan.numbers["bytes_upgraded"] == 600
    assert plan.numbers["files_kept"] == 1
    assert plan.upgrades[0].upgraded.level == 5


def test_small_neighbors_are_rewritten_together() -> None:
    files = [data_file(name, 0, 99, i * 10, i * 10 + 9) for i, name in enumerate("abc")]
    assert shape(full_plan(*files)) == [["a", "b", "c"]]
    between = data_file("d", 1, 100, 10, 19)
    assert shape(full_plan(files[0], between, files[2])) == ["a", "d", "c"]


def test_a_lonely_small_file_is_upgraded() -> None:
    assert shape(full_plan(data_file("a", 0, 1))) == ["a"]


@pytest.mark.parametrize("deletes", [None, 1])
def test_deletes_do_not_reach_the_last_level(deletes: int | None) -> None:
    plan = full_plan(data_file("a", 0, 500, deletes=deletes), data_file("b", 5, 500, 20, 29))
    assert shape(plan) == [["a"]]
    assert plan.drop_delete
    levels = tree((0, 10), (0, 100), (2, 1000), (3, 10000), (4, 100000), (5, 1000000))
    unit = pick(levels).unit
    assert unit is not None
    assert not plan_compaction(unit, levels, 1).drop_delete


def test_files_that_need_a_rewrite_are_not_upgraded() -> None:
    levels = Levels([data_file("a", 0, 500)], 6, key_of)
    unit = pick_full(levels).unit
    assert unit is not None
    forced = plan_compaction(unit, levels, 1, needs_rewrite=lambda _: True, keep_deletes=True)
    assert forced.rewrites == (Rewrite(forced.rewrites[0].sections, 5, False),)


def test_deletes_are_dropped_where_nothing_older_is_left() -> None:
    levels = tree((0, 1), (1, 1), (3, 1))
    assert [drops_deletes(level, levels) for level in (0, 2, 3, 5)] == [False, False, True, True]
    assert [drops_deletes(level, levels, deletion_vectors=True) for level in (0, 2)] == [False, True]


flushes = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 80), st.integers(1, 5000), st.sampled_from([None, 0, 3])),
    min_size=1,
    max_size=60,
)
some_options = st.builds(
    CompactionOptions,
    num_sorted_run_compaction_trigger=st.integers(1, 6),
    max_size_amplification_percent=st.integers(0, 300),
    size_ratio=st.integers(0, 60),
    num_levels=st.integers(2, 6),
    incremental_size_threshold=st.one_of(st.none(), st.integers(0, 20000)),
)


@settings(max_examples=80, deadline=None)
@given(flushes, some_options, st.booleans(), st.integers(0, 8000))
def test_any_sequence_of_flushes_and_compactions(
    written: list[tuple[int, int, int, int | None]], options: CompactionOptions, force: bool, min_size: int
) -> None:
    """Levels remain valid, files move as planned, and compaction terminates."""
    universal = UniversalCompaction(options)
    picker = ForceUpLevel0Compaction(universal) if force else universal
    levels = Levels([], options.num_levels, key_of)
    for number, (low, width, size, deletes) in enumerate(written):
        levels = levels.update([], [data_file(f"f{number}", 0, size, low, low + width, number, deletes)])
        for _ in range(100):
            choice = picker.pick(levels, 0, 0)
            if choice.unit is None:
                break
            assert choice.considered[-1].fired
            levels = apply(plan_compaction(choice.unit, levels, min_size), levels, choice)
        else:
            raise AssertionError("compaction does not end")
        assert levels.num_sorted_runs <= max(options.num_sorted_run_compaction_trigger, 1)
        assert not (force and levels.level_0)
    final = pick_full(levels)
    if final.unit is not None:
        levels = apply(plan_compaction(final.unit, levels, min_size), levels, final)
    assert {file.level for file in levels.files} == {options.num_levels - 1}


def apply(plan: CompactPlan, levels: Levels, choice: CompactionChoice) -> Levels:
    """Return the levels after a plan; each rewritten section becomes one file with the total size of its files."""
    unit = choice.unit
    assert unit is not None
    touched = [file for step in plan.rewrites for file in step.files] + [step.file for step in plan.upgrades]
    assert sorted(file.file_name for file in (*touched, *plan.kept)) == sorted(file.file_name for file in unit.files)
    assert all(file.level == plan.output_level for file in plan.kept)
    after = [step.upgraded for step in plan.upgrades]
    for step in plan.rewrites:
        for section in step.sections:
            files = [file for run in section for file in run.files]
            low, high = min(key_of(file.min_key) for file in files), max(key_of(file.max_key) for file in files)
            name = "+".join(file.file_name for file in files)
            size = sum(file.file_size for file in files)
            last = max(file.max_sequence_number for file in files)
            after.append(data_file(name, step.to_level, size, low[0], high[0], last))
    changed = levels.update(touched, after).check()
    assert changed.total_size == levels.total_size
    assert not any(file.level == 0 for file in after)
    return changed
