from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.counted_compactions import files_of, stored_snapshots
from tests.unit.lens.compaction.conftest import tables_of
from workbench.base.errors import InvalidRequest
from workbench.catalog.connect import connect
from workbench.lens.compaction.replay import collect_replay
from workbench.lens.compaction.value import ReplayValue
from workbench.lens.levels import collect_levels
from workbench.table.table import Table


def states_of(replay: ReplayValue) -> dict[int, set[tuple[str, int]]]:
    """The files of the bucket after each step."""
    now, states = set(replay.begin), {}
    for step in replay.steps:
        assert set(step.removed) <= now
        assert not set(step.added) & now
        now = (now - set(step.removed)) | set(step.added)
        states[step.snapshot] = {(replay.files[each].name, replay.files[each].level) for each in now}
    return states


def check_states(table: Table) -> int:
    """Compare each step of each bucket with the files of that version."""
    checked = 0
    for bucket in collect_levels(table).buckets:
        replay = collect_replay(table, bucket.id, limit=10_000)
        assert replay is not None
        states = states_of(replay)
        for number, snapshot in stored_snapshots(table.location).items():
            if number not in states:
                continue
            counted = {
                f"{partition if table.partition_keys else ''}:{each}": set(files)
                for (partition, each), files in files_of(table.location, snapshot).items()
            }
            assert states[number] == counted.get(bucket.id, set())
            checked += 1
    return checked


def test_each_step_has_the_files_of_its_version(busy: Table) -> None:
    assert check_states(busy) > 50


def test_each_step_of_tables_of_java_has_the_files_of_its_version(golden: list[Path]) -> None:
    assert sum(check_states(table) for table in tables_of(golden)) > 20


def test_a_limit_keeps_the_newest_steps(busy: Table) -> None:
    bucket = collect_levels(busy).buckets[0].id
    whole, part = collect_replay(busy, bucket), collect_replay(busy, bucket, limit=5)
    assert whole is not None
    assert part is not None
    assert [step.snapshot for step in part.steps] == [step.snapshot for step in whole.steps[-5:]]
    assert (whole.older, part.older) == (False, True)
    assert states_of(part)[part.steps[-1].snapshot] == states_of(whole)[whole.steps[-1].snapshot]


def test_damage_ends_the_replay(busy: Table) -> None:
    bucket = collect_levels(busy).buckets[0].id
    whole = collect_replay(busy, bucket)
    assert whole is not None
    damaged = whole.steps[3].snapshot
    Path(busy.location, "manifest", busy.snapshot(damaged).delta_manifest_list).write_bytes(b"garbage")
    shown = collect_replay(connect(Path(busy.location).parent.parent).get_table("d.busy"), bucket)
    assert shown is not None
    assert [step.snapshot for step in shown.steps] == [step.snapshot for step in whole.steps if step.snapshot > damaged]


def test_a_table_without_files_has_no_replay(tmp_path: Path) -> None:
    catalog = connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT"}, primary_key="k", options={"bucket": "1"})
    assert collect_replay(table) is None
    table.write([{"k": 1}])
    table.truncate()
    assert collect_replay(table) is None


def test_an_unknown_bucket_is_refused(busy: Table) -> None:
    with pytest.raises(InvalidRequest):
        collect_replay(busy, "nonsense")
