"""Levels, sections, picks and plans, compared with those of Java Paimon 2.0.0's classes for the same buckets.

The cases come from tests/interop/java/RecordCompactionPicks.java.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.support.sampling import sampled
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta
from workbench.format.types import AtomicType
from workbench.lsm.compact_plan import CompactPlan, Upgrade, plan_compaction
from workbench.lsm.compaction import (
    CompactionChoice,
    CompactionOptions,
    ForceUpLevel0Compaction,
    UniversalCompaction,
    pick_full,
)
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import Levels, comparable_keys

LINES = (Path(__file__).parent / "recorded" / "universal_compaction.jsonl").read_text().splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
KEY_TYPES = (AtomicType("INT", nullable=False),)
KEY_OF = comparable_keys(KEY_TYPES)
NOW = 1_700_000_000_000

each_case = pytest.mark.parametrize("case", sampled(CASES, 5), ids=range(len(CASES)))


def levels_of(case: dict[str, Any]) -> Levels:
    return Levels([data_file(*values) for values in case["files"]], case["options"]["num_levels"], KEY_OF).check()


def data_file(
    name: str, level: int, size: int, low: int, high: int, first: int, last: int, created: int, deletes: int | None
) -> DataFileMeta:
    keys = [encode_row([key], KEY_TYPES) for key in (low, high)]
    stats = (EMPTY_STATS, EMPTY_STATS)
    return DataFileMeta(
        name, size, 10, *keys, *stats, first, last, 0, level, creation_time=created, delete_row_count=deletes
    )


def picker(case: dict[str, Any]) -> UniversalCompaction:
    values = {name: value for name, value in case["options"].items() if name != "elapsed_millis"}
    always = {"offpeak_start_hour": 0, "offpeak_end_hour": 24} if values["offpeak_ratio"] else {}
    return UniversalCompaction(CompactionOptions(**values, **always))


def last_full(case: dict[str, Any]) -> int | None:
    elapsed = case["options"]["elapsed_millis"]
    return None if elapsed is None else NOW - elapsed


def picked(choice: CompactionChoice) -> list[Any] | None:
    return choice.unit and [choice.unit.output_level, [file.file_name for file in choice.unit.files]]


def worth_doing(recorded: list[Any] | None, levels: Levels) -> list[Any] | None:
    """Return the recorded pick, or None if it has no files or a single file on the output level: Java's manager drops
    such picks, and the picker here does so itself."""
    if recorded is None:
        return None
    output_level, names = recorded
    at_home = len(names) == 1 and next(f.level for f in levels.files if f.file_name == names[0]) == output_level
    return None if not names or at_home else recorded


@each_case
def test_levels(case: dict[str, Any]) -> None:
    levels = levels_of(case)
    assert [[run.level, [file.file_name for file in run.files]] for run in levels.runs()] == case["runs"]
    assert levels.num_sorted_runs == case["num_sorted_runs"]
    assert levels.highest_non_empty_level == case["highest_non_empty_level"]
    assert levels.total_size == case["total_size"]


@each_case
def test_picks(case: dict[str, Any]) -> None:
    levels, universal = levels_of(case), picker(case)
    assert picked(universal.pick(levels, NOW, last_full(case))) == worth_doing(case["pick"], levels)
    forced = ForceUpLevel0Compaction(universal).pick(levels, NOW, last_full(case))
    assert picked(forced) == worth_doing(case["force_up_level_0"], levels)
    assert picked(pick_full(levels)) == case["full"]


def same_sections(ours: list[list[list[str]]], recorded: list[list[list[str]]], distinct: bool) -> bool:
    """Compare runs as sets, because their order has no meaning; if keys are not ``distinct``, files may swap runs."""
    if distinct:
        return [{tuple(run) for run in s} for s in ours] == [{tuple(run) for run in s} for s in recorded]
    return [(len(s), set(chain(*s))) for s in ours] == [(len(s), set(chain(*s))) for s in recorded]


def has_distinct_keys(case: dict[str, Any]) -> bool:
    ends = [file[4] for file in case["files"]]
    return len(set(ends)) == len(ends)


@each_case
def test_sections(case: dict[str, Any]) -> None:
    files = [data_file(*values) for values in case["files"]]
    ours = [
        [[file.file_name for file in run.files] for run in section]
        for section in partition_into_sections(files, KEY_OF)
    ]
    assert same_sections(ours, case["sections"], has_distinct_keys(case))


@pytest.mark.parametrize("full", [False, True], ids=["picked", "full"])
@each_case
def test_plan_and_remaining_files(case: dict[str, Any], full: bool) -> None:
    levels = levels_of(case)
    choice = pick_full(levels) if full else picker(case).pick(levels, NOW, last_full(case))
    recorded = case["full_compaction" if full else "compaction"]
    if choice.unit is None:
        assert recorded["steps"] == []
        return
    plan = plan_compaction(choice.unit, levels, case["min_file_size"])
    assert len(plan.steps) == len(recorded["steps"])
    for step, (operation, to_level, *rest) in zip(plan.steps, recorded["steps"], strict=True):
        assert step.to_level == to_level
        if isinstance(step, Upgrade):
            assert [operation, *rest] == ["upgrade", step.file.file_name]
        else:
            names = [[[file.file_name for file in run.files] for run in section] for section in step.sections]
            assert [operation, rest[0]] == ["rewrite", step.drop_delete]
            assert same_sections(names, rest[1], has_distinct_keys(case))
    assert left_over(levels, plan) == sorted((name, level) for name, level in recorded["after"])


def left_over(levels: Levels, plan: CompactPlan) -> list[tuple[str, int]]:
    """Return files and levels after the plan; each rewritten section becomes one file, named after all its files."""
    files = {file.file_name: file.level for file in levels.files}
    for upgrade in plan.upgrades:
        files[upgrade.upgraded.file_name] = upgrade.upgraded.level
    for rewrite in plan.rewrites:
        for file in rewrite.files:
            del files[file.file_name]
        for section in rewrite.sections:
            files["+".join(sorted(file.file_name for run in section for file in run.files))] = rewrite.to_level
    return sorted(files.items())


def test_the_cases_meet_every_rule() -> None:
    reasons = set()
    for case in CASES:
        universal = picker(case)
        for choice in (
            ForceUpLevel0Compaction(universal).pick(levels_of(case), NOW, last_full(case)),
            pick_full(levels_of(case)),
        ):
            if choice.unit is not None:
                reasons.add(choice.unit.reason.name)
    assert reasons == {
        "EARLY_FULL_INTERVAL",
        "EARLY_FULL_TOTAL_SIZE",
        "EARLY_FULL_INCREMENTAL_SIZE",
        "SIZE_AMPLIFICATION",
        "SIZE_RATIO",
        "RUN_COUNT",
        "FORCE_UP_LEVEL0",
        "FULL",
    }
