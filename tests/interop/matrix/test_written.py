"""Every feature in tables that we write: each engine reads the same rows, and Java continues to write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.interop.matrix import ours
from tests.interop.matrix.feature import ROWS, Cell, Feature, Write
from tests.interop.matrix.fitting import NEWEST, TITLES
from tests.interop.matrix.judging import judge, same_rows
from tests.interop.matrix.makers import JavaCore, Maker
from tests.interop.matrix.shortcomings import refuses
from tests.interop.matrix.table import sample, written_cells
from tests.interop.matrix.unwritten import is_unwritten
from tests.interop.referees import RefereeError

CELLS = list(written_cells())
SAMPLE = sample(CELLS, 0)


def parameters() -> Iterator[Any]:
    for cell in sorted(CELLS, key=lambda each: each.maker):
        marks = [pytest.mark.peers if cell.maker in ("pypaimon", "rust") else pytest.mark.java]
        if str(cell) not in SAMPLE:
            marks.append(pytest.mark.long)
        yield pytest.param(cell, id=str(cell), marks=marks)


@pytest.mark.parametrize("cell", list(parameters()))
def test_a_written_cell(
    cell: Cell,
    maker: Callable[[str], Maker],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    reader = maker(cell.maker)
    warehouse, table = reader.home(tmp_path / "ours")
    record_property("written cell", (cell.feature.name, cell.maker))
    try:
        ours.make(cell.made, warehouse, table)
    except (wb.Unsupported, wb.UnknownOption) as refusal:
        if not is_unwritten(f"{cell.feature.name} {cell.variant}", str(refusal)):
            raise
        record_property("outcome", f"refused: {refusal}")
        return
    try:
        judge(cell.made, reader, warehouse, table, monkeypatch)
        if isinstance(reader, JavaCore):
            twin = tmp_path / "java"
            is_as_java_makes_it(cell, reader, warehouse, table, twin)
            goes_on(cell, reader, warehouse, table, twin, monkeypatch)
    except RefereeError as error:
        if refuses(cell.maker, str(error)):
            pytest.skip(f"{TITLES[cell.maker]} says: {error}")
        raise
    record_property("outcome", "same")


def is_as_java_makes_it(cell: Cell, java: JavaCore, warehouse: Path, table: str, other: Path) -> None:
    """Check that the same steps in Java lead to the same rows."""
    if cell.feature.fails or ROWS not in cell.made.questions or cell.maker != NEWEST:
        return
    java.make(cell.made, other, table)
    same_rows(cell.made, wb.connect(str(warehouse)).get_table(table).to_arrow(), java.read(other, table, ROWS))


def goes_on(cell: Cell, java: JavaCore, warehouse: Path, table: str, twin: Path, patch: pytest.MonkeyPatch) -> None:
    """Check that we read our table after Java appends to it, compacts it and expires all but the newest version."""
    feature = cell.made
    writes = [step for step in feature.steps if isinstance(step, Write) and not step.branch]
    if not writes or feature.fails or ROWS not in feature.questions:
        return
    try:
        lives_on(java, warehouse, table, writes[-1])
    except RefereeError:
        # What Java cannot do with our table, it must not be able to do with its own table either.
        with pytest.raises(RefereeError):
            lives_again(java, feature, twin, table, writes[-1])
        return
    judge(replace(feature, questions=(ROWS,), every_version=False), java, warehouse, table, patch)


def lives_again(java: JavaCore, feature: Feature, warehouse: Path, table: str, write: Write) -> None:
    """Run the whole history in Java alone, and continue it."""
    if not warehouse.exists():
        java.make(feature, warehouse, table)
    lives_on(java, warehouse, table, write)


def lives_on(java: JavaCore, warehouse: Path, table: str, write: Write) -> None:
    """Write again in Java if the columns are still the same, then compact and expire."""
    names = wb.connect(str(warehouse)).get_table(table).arrow_schema.names
    if set(names) == set(write.data.column_names):
        java.engine.write(warehouse, table, write.data)
    java.engine.compact(warehouse, table)
    java.engine.expire(warehouse, table, 1)


def test_names_are_unique() -> None:
    assert len({str(cell) for cell in CELLS}) == len(CELLS)
