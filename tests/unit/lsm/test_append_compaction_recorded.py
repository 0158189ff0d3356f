"""The picks of files of an append table, compared with those of Java Paimon 2.0.0's classes.

The cases come from tests/interop/java/RecordAppendPicks.java.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.sampling import sampled
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta
from workbench.format.spec.table_kind import AppendOnlyKind
from workbench.lsm.append_compaction import (
    AppendCompactionChoice,
    AppendCompactionOptions,
    AppendCompactionReason,
    FileVector,
    pick_bucketed,
    pick_unaware,
)

LINES = (Path(__file__).parent / "recorded" / "append_compaction.jsonl").read_text().splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
each_case = pytest.mark.parametrize("case", sampled(CASES, 5), ids=range(len(CASES)))


def files_of(case: dict[str, Any]) -> list[DataFileMeta]:
    return [data_file(*values) for values in case["files"]]


def data_file(name: str, size: int, sequence: int) -> DataFileMeta:
    return DataFileMeta(
        name, size, 100, EMPTY_ROW, EMPTY_ROW, EMPTY_STATS, EMPTY_STATS, sequence, sequence + 9, schema_id=0, level=0
    )


def vectors_of(case: dict[str, Any]) -> dict[str, FileVector]:
    return {file: FileVector(index, deleted) for group in case["vectors"] for index, file, deleted in group}


def options_of(case: dict[str, Any]) -> AppendCompactionOptions:
    return AppendCompactionOptions.of(AppendOnlyKind(CoreOptions(case["options"])))


def names(choice: AppendCompactionChoice) -> list[list[str]]:
    return [[file.file_name for file in unit.files] for unit in choice.units]


def test_there_are_cases_of_every_kind() -> None:
    assert len(CASES) >= 300
    for answer in ("unaware", "bucketed", "bucketed_full"):
        assert 50 < sum(bool(case[answer]) for case in CASES) < 290
    assert sum(len(case["unaware"]) > 1 for case in CASES) > 30


@each_case
def test_picks(case: dict[str, Any]) -> None:
    """The picks are those of Java, except for the order in a unit that is grouped by deletion vectors: there, Java's
    order is that of a hash set."""
    files, vectors, options = files_of(case), vectors_of(case), options_of(case)
    choice = pick_unaware(files, vectors, options)
    assert sorted(map(sorted, names(choice))) == sorted(map(sorted, case["unaware"]))
    plain = [
        names(choice)[position] for position, unit in enumerate(choice.units) if "deleted_rows" not in unit.numbers
    ]
    assert all(unit in case["unaware"] for unit in plain)
    for answer, full in (("bucketed", False), ("bucketed_full", True)):
        picked = names(pick_bucketed(files, vectors, options, full=full))
        assert [name for unit in picked for name in unit] == case[answer]


def test_the_rest_waits_for_a_full_compaction() -> None:
    """Files too few for a unit wait for a full compaction; Java compacts them once they have waited for five scans."""
    files = [data_file(f"f{number}", 1000 + number, number) for number in range(3)]
    options = AppendCompactionOptions()
    none = pick_unaware(files, {}, options)
    assert none.units == ()
    assert "3 files" in none.explanation
    (unit,) = pick_unaware(files, {}, options, full=True).units
    assert unit.reason == AppendCompactionReason.FULL
    assert unit.to_properties()["files"] == 3
    assert pick_unaware(files[:1], {}, options, full=True).units == ()


def test_a_full_compaction_clears_every_vector() -> None:
    files = [data_file("large", 1 << 30, 0)]
    vectors = {"large": FileVector("index", 1)}
    options = AppendCompactionOptions(has_vectors=True)
    assert pick_unaware(files, vectors, options).units == ()
    (unit,) = pick_unaware(files, vectors, options, full=True).units
    assert unit.reason == AppendCompactionReason.DELETION_VECTORS
