"""The condition of tables by their own options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens.buckets import BucketFiles
from workbench.lens.health.thresholds import thresholds_of
from workbench.lens.levels import describe_levels
from workbench.lens.verdict import VerdictValue, describe_verdict
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.notebook.table_views.levels import static_levels

MEBIBYTE = 1 << 20


def schema(keyed: bool = True, partitioned: bool = False, **options: str) -> TableSchema:
    named = {name.replace("_", "-").replace("--", "."): value for name, value in options.items()}
    return new_table_schema(
        {"p": "INT", "k": "BIGINT"},
        primary_key=["p", "k"] if keyed else (),
        partition_by=["p"] if partitioned else (),
        options={"bucket": "1", **named} if keyed else named,
        time_millis=0,
    )


def file(level: int = 0, size: int = 10, rows: int = 5) -> DataFileMeta:
    key = encode_row([1, 1], [each.type for each in schema().key_fields])
    return DataFileMeta("f", size, rows, key, key, EMPTY_STATS, EMPTY_STATS, 0, 4, 0, level)


def buckets(table: TableSchema, *files: list[DataFileMeta]) -> BucketFiles:
    values = [1] * len(table.partition_keys)
    partition = encode_row(values, [each.type for each in table.partition_fields]) if values else EMPTY_ROW
    return {(partition, number): each for number, each in enumerate(files)}


def verdict(table: TableSchema, *files: list[DataFileMeta]) -> VerdictValue:
    result = describe_verdict(table, buckets(table, *files))
    assert result is not None
    return result


def test_nothing_is_judged_without_files() -> None:
    assert describe_verdict(schema(), {}) is None


@pytest.mark.parametrize(("runs", "condition"), [(1, "good"), (5, "good"), (6, "fair"), (8, "fair"), (9, "poor")])
def test_runs_against_the_triggers(runs: int, condition: str) -> None:
    assert verdict(schema(), [file()] * runs, [file(5)]).condition == condition


def test_the_options_move_the_triggers() -> None:
    options: dict[str, Any] = {"num_sorted_run--compaction_trigger": "2", "num_sorted_run--stop_trigger": "3"}
    table = schema(**options)
    assert (thresholds_of(table).compaction_runs, thresholds_of(table).stop_runs) == (2, 3)
    assert verdict(table, [file()] * 3).condition == "fair"
    assert verdict(table, [file()] * 4).condition == "poor"


def test_a_table_that_nobody_compacts() -> None:
    result = verdict(schema(write_only="true"), *[[file()] * 25] * 200)
    assert (result.condition, result.files_after) == ("poor", 200)
    assert result.text == (
        "200 of 200 buckets are over the compaction trigger of 5 sorted runs, 200 of them over the stop trigger of 8. "
        "Compaction is off (write-only); a full compaction would turn 5,000 files into about 200: try it in the "
        "sandbox."
    )


def test_a_healthy_table() -> None:
    assert verdict(schema(), [file(5)]).text == (
        "No bucket is over the compaction trigger of 5 sorted runs; reads merge nothing."
    )
    assert verdict(schema(), [file(), file(5)]).text.endswith("reads merge up to 2 sorted runs.")


NARROW, WIDE, APART, TOUCHING = (1, 9), (0, 50), (20, 30), (9, 20)
DELETION_VECTORS = {"deletion_vectors__enabled": "true"}


@pytest.mark.parametrize(
    ("options", "runs", "merged"),
    [
        ({}, [NARROW, APART, (40, 50)], 1),
        ({}, [NARROW, TOUCHING, (40, 50)], 2),
        ({}, [NARROW, APART, WIDE], 2),
        ({}, [NARROW, (2, 8), WIDE], 3),
        # Level 0 is hidden, and deletion vectors mark what is outdated above it.
        (DELETION_VECTORS, [NARROW, (2, 8), WIDE], 1),
        ({"merge_engine": "first-row"}, [NARROW, (2, 8), WIDE], 1),
    ],
)
def test_reads_merge_only_runs_that_overlap(options: dict[str, str], runs: list[tuple[int, int]], merged: int) -> None:
    """The condition, the picture of the levels and its notes say the same."""
    table = schema(**options)
    keys = [tuple(encode_row([1, key], [each.type for each in table.key_fields]) for key in run) for run in runs]
    files = [
        replace(file(level), file_name=f"f{level}", min_key=low, max_key=high) for level, (low, high) in enumerate(keys)
    ]
    said = "reads merge nothing" if merged == 1 else f"reads merge up to {merged} sorted runs"
    assert f"; {said}." in verdict(table, files).text
    levels = describe_levels("d.t", table, 1, buckets(table, files))
    assert levels.bucket is not None
    assert levels.bucket.merged_runs == merged
    note = static_levels(levels).grids[1].notes[-1]
    assert ("no merge needed" in note) == (merged == 1)
    assert (f"merge up to {merged} sorted runs" in note) == (merged > 1)


def test_large_buckets_stay_several_files() -> None:
    assert verdict(schema(), [file(size=128 * MEBIBYTE)] * 10).files_after == 10


def test_rows_that_reads_do_not_see_yet() -> None:
    result = verdict(schema(deletion_vectors__enabled="true"), [file(rows=1200), file(5)])
    assert result.condition == "fair"
    assert "1,200 rows on level 0 become visible with the next compaction." in result.text
    postponed = describe_verdict(schema(), {(EMPTY_ROW, -2): [file(rows=7)]})
    assert postponed is not None
    assert postponed.condition == "fair"
    assert postponed.text.startswith("7 rows wait in the postponed bucket and become visible when compacted.")
    merged = describe_verdict(schema(postpone__merge_on_read="true"), {(EMPTY_ROW, -2): [file(rows=7)]})
    assert merged is not None
    assert "are merged by every read until they are compacted." in merged.text


def test_append_tables_speak_of_files() -> None:
    table = schema(keyed=False)
    assert verdict(table, [file(size=256 * MEBIBYTE)] * 9).text == "No small files."
    assert verdict(table, [file()] * 4).text == "4 small files (below 179 MiB), too few to compact."
    result = verdict(table, [file()] * 12)
    assert (result.condition, result.files_after) == ("fair", 1)
    assert result.text == (
        "The table has 12 small files (below 179 MiB); 5 trigger a compaction. "
        "A compaction would turn 12 files into about 1: try it in the sandbox."
    )
    assert verdict(table, [file()] * 50).condition == "poor"


def test_partitions_of_append_tables() -> None:
    table = schema(keyed=False, partitioned=True, write_only="true")
    result = verdict(table, [file()] * 12, [file()], [file()] * 5)
    assert result.files_after == 3
    assert result.text.startswith("2 of 3 partitions have 5 or more small files (below 179 MiB). Compaction is off")
