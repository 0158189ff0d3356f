"""Row-level statements concurrent with other writers, and on versions and empty tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.support.row_level import (
    COLUMNS,
    IN_BUCKETS,
    VECTORS,
    append_table,
    data_files,
    ids,
    key_table,
    live_files,
    rows,
)
from workbench.base.errors import (
    Cancelled,
    CommitConflict,
    InvalidExpression,
    SchemaMismatch,
    WorkbenchError,
)
from workbench.base.progress import Progress, Step
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


class Meanwhile(Progress):
    """Runs an action once, after the files have been read and written and before the commit."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act: Callable[[], object] | None = act
        super().__init__(self.told)

    def told(self, step: Step) -> None:
        if step.finished and step.label.startswith("Changing") and self.act is not None:
            act, self.act = self.act, None
            act()


@pytest.mark.parametrize("options", [{}, VECTORS, {**IN_BUCKETS, **VECTORS}, IN_BUCKETS], ids=str)
@pytest.mark.parametrize(
    "other",
    [
        lambda t: t.delete("id = 12"),
        lambda t: t.delete("id BETWEEN 10 AND 19"),
        lambda t: t.compact(full=True),
        lambda t: t.truncate(),
    ],
    ids=["other row", "whole file", "compaction", "truncate"],
)
@pytest.mark.parametrize("marked", [False, pytest.param(True, marks=pytest.mark.long)], ids=["fresh", "marked before"])
def test_a_change_of_the_same_files_is_a_conflict(
    catalog: FileSystemCatalog, options: dict[str, str], other: Callable[[Table], object], marked: bool
) -> None:
    table = append_table(catalog, options)
    if marked:
        table.delete("id IN (11, 17)")
    for statement in (
        lambda progress: table.delete("id IN (11, 13)", progress=progress),
        lambda progress: table.update({"v": "0"}, where="id = 15", progress=progress),
    ):
        fresh: list[Any] = []

        def act(found: list[Any] = fresh) -> None:
            other(table)
            found.extend((ids(table), data_files(table)))

        before = table.snapshot().id
        with pytest.raises(CommitConflict):
            statement(Meanwhile(act))
        assert ids(table) == fresh[0]
        assert table.snapshot().id == before + 1
        assert live_files(table) <= data_files(table)
        table.rollback_to(snapshot=before)


def test_a_compaction_during_a_delete_from_files_is_a_conflict(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, {"merge-engine": "aggregation", "write-only": "true"})
    table.write(rows(1, 2))
    table.write(rows(2, 3))
    with pytest.raises(CommitConflict):
        table.delete("id = 2", progress=Meanwhile(lambda: table.compact(full=True)))
    assert ids(table) == [1, 2, 3]
    assert live_files(table) <= data_files(table)
    table.delete("id = 2", progress=Meanwhile(lambda: table.write(rows(2, 4))))
    assert ids(table) == [1, 2, 3, 4]


@pytest.mark.parametrize("options", [{}, VECTORS], ids=str)
def test_changes_of_other_files_are_none(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = append_table(catalog, options)
    table.delete("id = 11", progress=Meanwhile(lambda: table.write(rows(77))))
    table.delete("id = 12", progress=Meanwhile(lambda: table.delete("id = 25")))
    assert ids(table) == sorted([*(each for each in range(30) if each not in (11, 12, 25)), 77])


def test_files_of_a_failed_statement_are_removed(catalog: FileSystemCatalog) -> None:
    for options in ({}, VECTORS):
        table = catalog.create_table(f"db.f{len(options)}", COLUMNS, options=options)
        table.write(rows(*range(10)))
        before = {path for path in Path(table.location).rglob("*") if path.is_file()}
        with pytest.raises(InvalidExpression, match="Division by zero"):
            table.update({"v": "v / (id - 5)"}, where="id > 1")
        with pytest.raises(SchemaMismatch, match="'id' is BIGINT NOT NULL"):
            table.update({"id": "nullif(id, 4)"}, where="id < 7")
        progress = Meanwhile(lambda: None)
        progress.act = progress.cancel
        with pytest.raises(Cancelled):
            table.merge(rows(3, 99), ["id"], [wb.WhenMatched(update="*"), wb.WhenNotMatched()], progress=progress)
        assert {path for path in Path(table.location).rglob("*") if path.is_file()} == before
        assert table.snapshot().id == 1


def test_versions_and_system_tables_are_read_only(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    for fixed in (table.at(snapshot=1), catalog.open("db.t$files")):
        for act in (
            lambda t: t.delete("TRUE"),
            lambda t: t.update({"v": "1"}),
            lambda t: t.merge(rows(1), ["id"], [wb.WhenMatched(delete=True)]),
            lambda t: t.truncate(),
            lambda t: t.drop_partitions({"p": 1}),
        ):
            with pytest.raises(WorkbenchError, match=r"read-only"):
                act(fixed)


def test_conditions_that_no_row_satisfies(catalog: FileSystemCatalog) -> None:
    for table in (append_table(catalog), key_table(catalog)):
        table.write(rows(1, 2))
        for where in ("FALSE", "NULL", "id = NULL", "id > 1000", "v = 11"):
            assert table.delete(where).snapshots == ()
            assert table.update({"v": "1"}, where=where).snapshots == ()
        assert table.merge(rows(5000), ["id"], [wb.WhenMatched(delete=True)]).snapshots == ()


def test_progress_is_told_in_one_unit(catalog: FileSystemCatalog) -> None:
    told: list[Step] = []
    append_table(catalog).update({"v": "1"}, where="id % 2 = 0", progress=Progress(told.append))
    last = next(step for step in reversed(told) if step.label.startswith("Changing"))
    assert (last.done, last.total, last.unit) == (3, 3, "files")
    table = key_table(catalog)
    table.write(rows(*range(10)))
    table.delete("id < 4", progress=Progress(told.append))
    last = next(step for step in reversed(told) if step.label.startswith("Changing"))
    assert (last.done, last.unit) == (4, "rows")


def test_tables_never_written(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=0)
    assert table.delete("id = 3").snapshots == ()
    assert table.update({"v": "1"}).snapshots == ()
    done = table.merge(rows(3), ["id"], [wb.WhenMatched(delete=True), wb.WhenNotMatched()])
    assert (done.inserted, str(done.snapshots[0].commit_kind)) == (1, "APPEND")
