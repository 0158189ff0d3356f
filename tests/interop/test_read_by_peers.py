"""Tables that our library wrote, read by every other implementation, and written on by Java."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.cases import CASES, KEYS, PARTITIONS, WIDE, Case, composite_case, keep
from tests.interop.known_failures import cannot_filter, cannot_read
from tests.interop.lives import TABLE, condition_of, create_ours, our_compact, our_table, our_write
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.interop.tiers import ENGINES, JAVA, tiered

# The matrix checks a sample of the features in every run.
pytestmark = pytest.mark.long


@pytest.mark.parametrize("case", tiered(CASES))
def test_we_read_the_expected_rows(case: Case, our_life: Callable[[Case], Any]) -> None:
    life = our_life(case)
    table = our_table(life.warehouse)
    for snapshot, expected in life.versions:
        assert_same_rows(from_arrow(table.at(snapshot=snapshot).to_arrow()), expected)
    assert_same_rows(from_arrow(table.to_arrow()), life.latest)


@pytest.mark.parametrize("case", tiered(CASES))
def test_we_filter_our_own_tables(case: Case, our_life: Callable[[Case], Any]) -> None:
    life = our_life(case)
    table = our_table(life.warehouse)
    for condition, test in case.filters():
        rows = from_arrow(table.to_arrow(where=condition_of(condition)))
        assert_same_rows(rows, keep(life.latest, condition.column, test))


@pytest.mark.parametrize("case", tiered(CASES))
@pytest.mark.parametrize("engine", ENGINES)
def test_every_version_is_read_identically(
    engine: str, case: Case, our_life: Callable[[Case], Any], referee: Callable[[str], Any]
) -> None:
    if reason := cannot_read(engine, case):
        pytest.skip(reason)
    life = our_life(case)
    for snapshot, expected in life.versions:
        version = {"scan.snapshot-id": str(snapshot)}
        assert_same_rows(referee(engine).read(life.warehouse, TABLE, options=version), expected)
    assert_same_rows(referee(engine).read(life.warehouse, TABLE), life.latest)


@pytest.mark.parametrize("case", tiered(CASES))
@pytest.mark.parametrize("engine", ENGINES)
def test_our_statistics_lose_no_row(
    engine: str, case: Case, our_life: Callable[[Case], Any], referee: Callable[[str], Any]
) -> None:
    if reason := cannot_read(engine, case):
        pytest.skip(reason)
    life = our_life(case)
    wrong = []
    for condition, test in case.filters():
        if cannot_filter(engine, case, condition):
            continue
        result = referee(engine).read(life.warehouse, TABLE, filters=[condition])
        if not engine.startswith("java"):  # a peer may return more rows than match, never fewer
            result = keep(result, condition.column, test)
        try:
            assert_same_rows(result, keep(life.latest, condition.column, test))
        except AssertionError as difference:
            wrong.append(f"{condition}: {difference}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.java
@pytest.mark.parametrize("case", tiered(WIDE))
@pytest.mark.parametrize("engine", JAVA)
def test_a_projection_is_read_identically(
    engine: str, case: Case, our_life: Callable[[Case], Any], referee: Callable[[str], Any]
) -> None:
    life = our_life(case)
    columns = list(case.columns)[::-3]
    result = referee(engine).read(life.warehouse, TABLE, columns)
    positions = [life.latest.columns.index(name) for name in columns]
    expected = Rows(tuple(columns), tuple(tuple(row[position] for position in positions) for row in life.latest.rows))
    assert_same_rows(result, expected)


@pytest.mark.java
@pytest.mark.parametrize("first", [0, 1], ids=["we-begin", "java-begins"])
@pytest.mark.parametrize("case", tiered([*WIDE, composite_case(), *KEYS, *PARTITIONS[::3]]))
@pytest.mark.parametrize("engine", JAVA)
def test_taking_turns_on_one_table(
    engine: str, case: Case, first: int, tmp_path: Path, referee: Callable[[str], Any]
) -> None:
    """Java and our library perform the steps in turn; after each step, both read the same rows."""
    java = referee(engine)
    create_ours(case, tmp_path)
    for number, (step, expected) in enumerate(zip(case.steps, case.model(), strict=True)):
        ours = (number + first) % 2 == 0
        if step.data is None:
            _ = our_compact(our_table(tmp_path)) if ours else java.compact(tmp_path, TABLE)
        elif ours:
            our_write(our_table(tmp_path), step.data, step.kinds)
        else:
            java.write(tmp_path, TABLE, step.data, step.kinds)
        assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), expected)
        assert_same_rows(java.read(tmp_path, TABLE), expected)


@pytest.mark.java
@pytest.mark.parametrize("engine", JAVA)
def test_java_expires_our_snapshots(engine: str, tmp_path: Path, referee: Callable[[str], Any]) -> None:
    case = WIDE[3]
    table = create_ours(case, tmp_path)
    for step in case.steps:
        _ = our_compact(table) if step.data is None else our_write(table, step.data, step.kinds)
    assert referee(engine).expire(tmp_path, TABLE, 1) > 0
    *_, expected = case.model()
    assert_same_rows(referee(engine).read(tmp_path, TABLE), expected)
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), expected)


@pytest.mark.java
@pytest.mark.parametrize("engine", JAVA)
def test_java_sees_our_columns_after_its_own_change(engine: str, tmp_path: Path, referee: Callable[[str], Any]) -> None:
    """Java evolves a table of ours; both read the old files under the new schema."""
    java = referee(engine)
    case = Case("evolved", {"id": "INT NOT NULL", "a": "INT", "b": "STRING"}, (), ("id",), (), {"bucket": "1"})
    our_write(
        create_ours(case, tmp_path),
        pa.table({"id": pa.array([1, 2], pa.int32()), "a": pa.array([10, None], pa.int32()), "b": ["x", "y"]}),
    )
    java.alter(tmp_path, TABLE, ("add", "c", "DOUBLE"), ("rename", "a", "z"), ("type", "z", "BIGINT"), ("drop", "b"))
    expected = Rows(("id", "z", "c"), (("1", "10", None), ("2", None, None)))
    assert_same_rows(java.read(tmp_path, TABLE), expected)
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), expected)
