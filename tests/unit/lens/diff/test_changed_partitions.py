"""Changes in very many partitions: how much is planned and compared for the first counts, a page, and all counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.parallel import worker_count
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import end_at
from workbench.lens.diff.filters import DiffFilter
from workbench.lens.diff.pages import collect_diff_rows
from workbench.scan.incremental import state_diff
from workbench.scan.incremental.state_diff import StateDiff

PARTITIONS, UNCHANGED, TOGETHER = 160, 16, 16


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()

    def counted(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            counts[name] += 1
            return function(*args)

        return call

    for name in ("compared_by_key", "compared_by_row"):
        monkeypatch.setattr(state_diff, name, counted(getattr(state_diff, name), "compared"))
    monkeypatch.setattr(StateDiff, "_differing", counted(StateDiff._differing, "found"))
    return counts


@pytest.fixture(params=["append", "keyed"])
def changed(request: pytest.FixtureRequest, catalog: FileSystemCatalog) -> Comparison:
    """Return the comparison of two versions of a table: in most partitions, another row."""
    key = ["p", "id"] if request.param == "keyed" else []
    columns = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "INT"}
    options = {"bucket": "1", "write-only": "true"} if key else {"write-only": "true"}
    table = catalog.create_table("d.t", columns, key, ["p"], options)
    for value, partitions in enumerate((range(PARTITIONS), range(UNCHANGED, PARTITIONS))):
        rows = {"p": pa.array(partitions, pa.int32()), "id": partitions, "v": pa.repeat(value, len(partitions))}
        table.write(pa.table(rows), mode="append" if key else "overwrite", partition=None if key else {})
    return Comparison(end_at(table, 1), end_at(table, 2), "diff", DiffFilter())


def test_partitions_with_few_rows_are_compared_together(changed: Comparison, calls: Counter[str]) -> None:
    counts = collect_counts(changed.source())
    assert counts.complete
    assert {counts.inserted, counts.updated, counts.deleted} == {0, PARTITIONS - UNCHANGED}
    assert counts.partition_total == calls["found"] == PARTITIONS - UNCHANGED
    assert calls["compared"] == counts.parts == (PARTITIONS - UNCHANGED) // TOGETHER


def test_first_counts_plan_few_partitions(changed: Comparison, calls: Counter[str]) -> None:
    counts = collect_counts(changed.source(), seconds=0)
    assert not counts.complete
    assert 0 < counts.changes < PARTITIONS - UNCHANGED
    # One part, and those that the threads have begun.
    assert calls["found"] <= TOGETHER * (1 + 2 * worker_count())


def test_a_page_plans_what_it_shows(changed: Comparison, calls: Counter[str]) -> None:
    page = collect_diff_rows(changed.source(), limit=10)
    assert (len(page.rows), page.state) == (10, "more")
    assert calls["found"] <= 11


def test_rows_of_large_partitions_are_compared_alone(
    changed: Comparison, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = collect_counts(changed.source())
    monkeypatch.setattr(state_diff, "_ROWS_TOGETHER", 1)
    alone = collect_counts(changed.source())
    assert (alone.parts, alone.partitions, alone.kinds) == (calls["found"] // 2, together.partitions, together.kinds)
