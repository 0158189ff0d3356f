from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.counted_compactions import commit_of, files_of, runs_of, size_of, stored_snapshots
from tests.unit.lens.compaction.conftest import tables_of
from workbench.catalog.connect import connect
from workbench.lens.compaction.costs import collect_costs
from workbench.lens.wire import to_json
from workbench.table.table import Table


def check_costs(table: Table) -> None:
    """Compare each point with what is counted from the files."""
    costs = collect_costs(table, points=10_000)
    snapshots = stored_snapshots(table.location)
    assert costs.complete
    assert costs.ids == tuple(snapshots)
    by_writes = total = 0
    for row, (number, snapshot) in enumerate(snapshots.items()):
        compacts = snapshot["commitKind"] == "COMPACT"
        deltas = commit_of(table.location, snapshot).values()
        written = sum(sum(delta.written("_FILE_SIZE")) for delta in deltas)
        by_writes += 0 if compacts else written
        total += written
        assert costs.written[row] == (0 if compacts else written)
        assert costs.compacted[row] == (written if compacts else 0)
        assert costs.read[row] == (sum(sum(delta.read("_FILE_SIZE")) for delta in deltas) if compacts else 0)
        assert costs.compactions[row] == (sum(bool(delta.removed) for delta in deltas) if compacts else 0)
        assert costs.write_amplification[row] == (pytest.approx(total / by_writes) if by_writes else None)
        buckets = [runs_of(files) for files in files_of(table.location, snapshot).values()]
        if not table.primary_key:
            buckets = [[[file for run in runs for file in run]] for runs in buckets]
        sizes = [sum(map(size_of, runs)) for runs in buckets]
        weighted = sum(len(runs) * size for runs, size in zip(buckets, sizes, strict=True))
        oldest = sum(size_of(runs[-1]) for runs in buckets)
        assert costs.read_amplification[row] == (pytest.approx(weighted / sum(sizes)) if buckets else None), number
        assert costs.space_amplification[row] == (pytest.approx(sum(sizes) / oldest) if buckets else None), number


def test_costs_equal_those_counted_from_files(busy: Table) -> None:
    check_costs(busy)


def test_costs_of_tables_of_java_equal_those_counted_from_files(golden: list[Path]) -> None:
    for table in tables_of(golden):
        check_costs(table)


def test_few_points_have_the_same_sums(busy: Table) -> None:
    whole, few = collect_costs(busy), collect_costs(busy, points=4)
    assert len(few.ids) == 4
    assert sum(few.compacted) == sum(whole.compacted)
    assert few.write_amplification[-1] == whole.write_amplification[-1]
    assert few.ids[-1] == whole.ids[-1]
    to_json(few)


def test_costs_are_measured_for_some_time(busy: Table) -> None:
    assert collect_costs(busy, seconds=0).ids


def test_a_table_never_written_costs_nothing(tmp_path: Path) -> None:
    catalog = connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT"}, primary_key="k", options={"bucket": "1"})
    costs = collect_costs(table)
    assert (costs.ids, costs.first, costs.complete) == ((), None, True)
