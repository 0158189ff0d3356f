from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.fuzz.interleaving import History
from tests.fuzz.kinds import KINDS, Kind
from tests.support.counted_compactions import commit_of, files_of, stored_snapshots
from tests.unit.lens.compaction.conftest import forget_reasons, tables_of
from workbench.base.errors import InvalidRequest, SnapshotNotFound
from workbench.catalog.connect import connect
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY
from workbench.lens.compaction.collect import collect_compactions
from workbench.lens.compaction.story import collect_story, file_roles
from workbench.lens.wire import to_json
from workbench.table.table import Table

_STEPS = 14


def check_counted(table: Table) -> int:
    """Compare the compactions of a table with those counted from its files; return their number."""
    value = collect_compactions(table, limit=None)
    shown = {(each.snapshot, each.bucket_id): each for each in value.compactions}
    counted = 0
    for number, snapshot in stored_snapshots(table.location).items():
        if snapshot["commitKind"] != "COMPACT":
            continue
        for (partition, bucket), delta in commit_of(table.location, snapshot).items():
            if not delta.removed:
                continue
            counted += 1
            name = f"{partition if table.partition_keys else ''}:{bucket}"
            each = shown[number, name]
            assert (each.files_read, each.files_written) == (len(delta.read("_LEVEL")), len(delta.written("_LEVEL")))
            assert each.files_moved == len(delta.moved)
            assert each.bytes_read == sum(delta.read("_FILE_SIZE"))
            assert each.bytes_written == sum(delta.written("_FILE_SIZE"))
            assert (each.rows_read, each.rows_written) == (
                sum(delta.read("_ROW_COUNT")),
                sum(delta.written("_ROW_COUNT")),
            )
            assert each.rows_dropped == max(0, each.rows_read - each.rows_written)
            assert each.input_levels == tuple(sorted({level for _, level in delta.removed}))
            check_story(table, number, name, snapshot)
    assert counted == len(value.compactions)
    return counted


def check_story(table: Table, number: int, bucket: str, snapshot: dict[str, Any]) -> None:
    story = collect_story(table, number, bucket)
    after: dict[Any, Any] = {}
    for (partition, each), files in files_of(table.location, snapshot).items():
        if f"{partition if table.partition_keys else ''}:{each}" == bucket:
            after = files
    assert {(file.name, file.level): (file.rows, file.size) for file in story.after.files} == {
        key: (file["_ROW_COUNT"], file["_FILE_SIZE"]) for key, file in after.items()
    }
    was, became = file_roles(story)
    assert sorted(was.values()).count("read") == story.compaction.files_read
    assert sorted(became.values()).count("written") == story.compaction.files_written
    assert list(was.values()).count("moved") == list(became.values()).count("moved") == story.compaction.files_moved
    kept = {name for name, role in was.items() if role == "kept"}
    assert kept == {name for name, role in became.items() if role == "kept"}
    linked = {story.after.files[link.after].name for link in story.links}
    assert linked == {name for name, role in became.items() if role != "kept"}
    for link in story.links:
        assert was[story.before.files[link.before].name] != "kept"
    to_json(story)


def test_numbers_equal_those_counted_from_files(busy: Table) -> None:
    assert check_counted(busy) > 10


def test_numbers_of_tables_of_java_equal_those_counted_from_files(golden: list[Path]) -> None:
    assert sum(check_counted(table) for table in tables_of(golden)) > 5


def test_reasons_of_tables_of_java_are_computed(golden: list[Path]) -> None:
    found = [each for table in tables_of(golden) for each in collect_compactions(table, limit=None).compactions]
    assert {each.origin for each in found} <= {"recomputed", "unexplained"}
    explained = [each for each in found if each.origin == "recomputed"]
    assert len(explained) >= 0.9 * len(found)
    assert all(each.rule and each.text for each in explained)


def test_our_reasons_are_those_that_were_recorded(busy: Table) -> None:
    value = collect_compactions(busy, limit=None)
    assert {each.origin for each in value.compactions} == {"recorded"}
    for each in value.compactions:
        records = json.loads(busy.snapshot(each.snapshot).properties[COMPACTION_PROPERTY])
        assert (each.rule, each.text, each.millis) in [
            (record["reason"], record["why"], record["millis"]) for record in records
        ]


@pytest.mark.parametrize("kind", KINDS[::8], ids=str)
def test_computed_reasons_equal_the_recorded_choices(kind: Kind, tmp_path: Path) -> None:
    check_recomputed(kind, 1, tmp_path)


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        # A commit writes rows of postponed files to a file and compacts it, so that no version lists this file.
        ("vectors-waiting", 3),
        # The version before the compaction has expired, so that its deletion vectors are unknown.
        ("append-vectors", 2),
    ],
)
def test_reasons_of_compactions_of_unknown_files(name: str, seed: int, tmp_path: Path) -> None:
    check_recomputed(next(kind for kind in KINDS if str(kind) == name), seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_many_computed_reasons_equal_the_recorded_choices(kind: Kind, tmp_path: Path) -> None:
    for seed in range(2, 8):
        check_recomputed(kind, seed, tmp_path / str(seed))


def check_recomputed(kind: Kind, seed: int, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    history = History(kind, directory, seed)
    for number in range(_STEPS):
        history.step(number)
    history.finish()
    table = connect(directory).get_table("db.t")
    recorded = {each.id: each for each in collect_compactions(table, limit=None).compactions}
    computed = {each.id: each for each in collect_compactions(forget_reasons(table), limit=None).compactions}
    assert recorded.keys() == computed.keys()
    for name, each in recorded.items():
        mine = computed[name]
        assert mine.origin != "recorded"
        if each.origin != "recorded":
            continue
        # A request for a full compaction leaves no trace if a rule picks the same files.
        full = each.rule == "full" and "full" in mine.alternatives
        # Which of several files had deletion vectors is not known if the version before has expired.
        marked = mine.rule == "deletion-vectors" in each.alternatives and each.snapshot == table.snapshots()[0].id
        assert mine.rule == each.rule or full or marked, (
            name,
            each.text,
            mine.text,
        )


def test_pages_are_consecutive(busy: Table) -> None:
    whole = collect_compactions(busy, limit=None)
    cursor, found, pages = None, [], 0
    while True:
        page = collect_compactions(busy, cursor, limit=3)
        found += page.compactions
        pages += 1
        cursor = page.next
        if cursor is None:
            break
    assert found == list(whole.compactions)
    assert pages > 3


def test_a_page_ends_after_some_time(busy: Table) -> None:
    page = collect_compactions(busy, limit=None, seconds=0)
    assert page.compactions


def test_an_older_version_shows_its_compactions(busy: Table) -> None:
    newest = collect_compactions(busy, limit=None)
    middle = newest.compactions[5].snapshot
    shown = collect_compactions(busy.at(snapshot=middle), limit=None)
    assert shown.last == middle
    assert shown.compactions == tuple(each for each in newest.compactions if each.snapshot <= middle)


def test_a_table_never_written_has_none(tmp_path: Path) -> None:
    catalog = connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT"}, primary_key="k", options={"bucket": "1"})
    value = collect_compactions(table)
    assert (value.compactions, value.first, value.last, value.next) == ((), None, None, None)


def test_damaged_manifests_are_named_and_left_out(busy: Table) -> None:
    value = collect_compactions(busy, limit=None)
    damaged = value.compactions[4].snapshot
    Path(busy.location, "manifest", busy.snapshot(damaged).delta_manifest_list).write_bytes(b"garbage")
    opened = forget_reasons(busy)
    shown = collect_compactions(opened, limit=None)
    assert damaged in shown.unread
    kept = [each.id for each in value.compactions if each.snapshot not in shown.unread]
    assert [each.id for each in shown.compactions] == kept
    assert kept


@pytest.mark.parametrize("cursor", ["x", "-1", "1" * 30, "²"])
def test_invalid_cursors_are_refused(busy: Table, cursor: str) -> None:
    with pytest.raises(InvalidRequest):
        collect_compactions(busy, cursor)


def test_a_story_of_no_compaction_is_refused(busy: Table) -> None:
    with pytest.raises(InvalidRequest, match="has no compaction"):
        collect_story(busy, 1)
    compaction = collect_compactions(busy).compactions[0]
    with pytest.raises(InvalidRequest, match="no compaction of bucket"):
        collect_story(busy, compaction.snapshot, "ff:0")
    with pytest.raises(SnapshotNotFound):
        collect_story(busy, 10_000)


def test_hostile_names_and_long_numbers_stay_text(tmp_path: Path) -> None:
    catalog = connect(tmp_path)
    catalog.create_database("d")
    name = "<b onclick=alert(1)>"
    table = catalog.create_table(
        "d.t",
        {"p": "STRING", "k": "BIGINT"},
        ["p", "k"],
        ["p"],
        {"bucket": "1", "num-sorted-run.compaction-trigger": "2"},
    )
    for number in range(4):
        table.write(pa.table({"p": [name], "k": [2**62 + number]}))
    value = collect_compactions(table)
    assert value.compactions[0].partition == f"p={name}"
    story = to_json(collect_story(table, value.compactions[0].snapshot))
    assert story["after"]["runs"][0]["files"][0]["max_key"] == str(2**62 + 3)  # type: ignore[index, call-overload]
