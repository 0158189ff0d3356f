from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.base.session import session_options
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens import levels as levels_module
from workbench.lens.buckets import bucket_id, parse_bucket_id
from workbench.lens.levels import LevelTotalsValue, collect_buckets, collect_levels, describe_buckets, describe_levels
from workbench.lens.summary import SummaryValue, collect_summary
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.metadata.snapshots import Snapshots
from workbench.table.table import Table

KEYED = new_table_schema(
    {"h": "INT", "k": "BIGINT", "v": "STRING"},
    primary_key=["h", "k"],
    partition_by="h",
    options={"bucket": "2"},
    time_millis=0,
)
PLAIN = new_table_schema({"n": "BIGINT"}, time_millis=0)


def partition(value: Any, schema: TableSchema = KEYED) -> bytes:
    return encode_row((value,), [field.type for field in schema.partition_fields])


def file(name: str, level: int = 0, keys: tuple[int, int] = (0, 9), **given: Any) -> DataFileMeta:
    low, high = (encode_row((key,), [field.type for field in KEYED.key_fields]) for key in keys)
    values = {"file_size": 10, "row_count": 5, "min_sequence_number": 0, "max_sequence_number": 4, **given}
    return DataFileMeta(
        file_name=name,
        min_key=low,
        max_key=high,
        key_stats=EMPTY_STATS,
        value_stats=EMPTY_STATS,
        schema_id=0,
        level=level,
        delete_row_count=given.pop("delete_row_count", 0),
        **{key: value for key, value in values.items() if key != "delete_row_count"},
    )


def test_a_table_never_written(table: Table) -> None:
    levels, buckets = collect_levels(table), collect_buckets(table)
    assert (levels.snapshot, levels.buckets, levels.total, levels.next, levels.bucket) == (None, (), 0, None, None)
    assert (buckets.snapshot, buckets.buckets, buckets.runs) == (None, (), 0)


def test_files_are_placed_on_the_axis_of_their_keys(table: Table, write: Any) -> None:
    write("a", [0, 50], "x")
    write("a", [50, 100], "y")
    write("b", [7], "z")
    buckets = collect_buckets(table)
    assert (buckets.snapshot, buckets.keys, buckets.runs) == (3, ("k",), 2)
    assert [bucket.label for bucket in buckets.buckets] == ["dt=a, bucket 0", "dt=b, bucket 0"]
    newest, oldest = (run.files[0] for run in buckets.buckets[0].runs)
    assert (newest.min_key, newest.max_key, newest.start, newest.end, newest.rows) == ("50", "100", 0.5, 1.0, 2)
    assert (oldest.start, oldest.end) == (0.0, 0.5)
    single = buckets.buckets[1].files[0]
    assert (single.start, single.end, single.level) == (0.0, 0.0, 0)


def test_text_keys_are_ordered_by_rank(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.s", {"k": "STRING", "n": "INT"}, primary_key=["k", "n"], options={"bucket": "1"})
    created.write(pa.table({"k": ["a", "b"], "n": pa.array([1, 1], pa.int32())}))
    created.write(pa.table({"k": ["<b>c"], "n": pa.array([9], pa.int32())}))
    buckets = collect_buckets(created)
    assert not buckets.buckets[0].to_scale
    assert [(file.min_key, file.max_key, file.start, file.end) for file in buckets.files] == [
        ("(<b>c, 9)", "(<b>c, 9)", 0.0, 0.0),
        ("(a, 1)", "(b, 1)", 0.5, 1.0),
    ]


def test_an_append_table_is_its_files_in_order(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.a", {"n": "BIGINT"})
    created.write(pa.table({"n": [1, 2, 3]}))
    created.write(pa.table({"n": [4]}))
    levels = collect_levels(created)
    assert (levels.keys, levels.total) == ((), 1)
    assert levels.bucket is not None
    assert [(file.rows, file.min_key, file.end) for file in levels.bucket.files] == [(3, None, 0.75), (1, None, 1.0)]
    assert (levels.buckets[0].id, levels.buckets[0].runs, levels.buckets[0].files) == (":0", 1, 2)
    assert levels.buckets[0].levels[0].runs == 1
    assert collect_levels(created, bucket=":0").bucket == levels.bucket


def test_totals_follow_the_levels() -> None:
    files = [
        file("new", sequence := 0, max_sequence_number=99, file_size=1, row_count=2**40),
        file("older", sequence, max_sequence_number=50, file_size=2, delete_row_count=3),
        *(file(f"top{number}", 5, (number * 10, number * 10 + 9), file_size=2**60) for number in range(3)),
    ]
    levels = describe_levels("d.t", KEYED, 7, {(partition(1), 1): files})
    (bucket,) = levels.buckets
    assert (bucket.partition, bucket.bucket, bucket.runs, bucket.files, bucket.deletes) == ("h=1", 1, 3, 5, 3)
    assert (bucket.rows, bucket.size) == (2**40 + 20, 3 * 2**60 + 3)
    assert bucket.levels == (
        LevelTotalsValue(0, 2, 2, 2**40 + 5, 3),
        LevelTotalsValue(5, 1, 3, 15, 3 * 2**60),
    )
    shown = levels.bucket
    assert shown is not None
    assert [[file.name for file in run.files] for run in shown.runs] == [["new"], ["older"], ["top0", "top1", "top2"]]


def test_one_uncounted_file_makes_deletes_unknown() -> None:
    files = [file("a", delete_row_count=3), file("b", delete_row_count=None)]
    levels = describe_levels("d.t", KEYED, 7, {(partition(1), 0): files})
    assert levels.buckets[0].deletes is None


def buckets_of(*partitions: Any) -> dict[tuple[bytes, int], list[DataFileMeta]]:
    return {(partition(value), bucket): [file(f"{value}-{bucket}")] for value in partitions for bucket in (1, 0)}


def test_buckets_are_ordered_by_partition_values() -> None:
    levels = describe_levels("d.t", KEYED, 1, buckets_of(10, 9, -1, None, 2))
    reported = [(each.partition, each.bucket) for each in levels.buckets]
    assert reported == [(f"h={value}", bucket) for value in ("NULL", -1, 2, 9, 10) for bucket in (0, 1)]
    assert [bucket.label for bucket in describe_buckets("d.t", KEYED, 1, buckets_of(10, 9)).buckets] == [
        *("h=9, bucket 0", "h=9, bucket 1", "h=10, bucket 0", "h=10, bucket 1"),
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10, 11])
def test_pages_of_buckets_together_are_all(limit: int) -> None:
    files = buckets_of(*range(5))
    everything = describe_levels("d.t", KEYED, 1, files).buckets
    result, after = [], None
    while True:
        page = describe_levels("d.t", KEYED, 1, files, after=after, limit=limit)
        assert page.total == 10
        result.extend(page.buckets)
        if page.next is None:
            break
        assert len(page.buckets) == limit
        after = parse_bucket_id(KEYED, page.next)
    assert tuple(result) == everything


def test_a_cursor_may_be_a_removed_bucket() -> None:
    page = describe_levels("d.t", KEYED, 1, buckets_of(1, 3), after=(partition(2), 0))
    assert [each.partition for each in page.buckets] == ["h=3", "h=3"]


def test_the_bucket_shown() -> None:
    files = {
        (partition(1), 0): [file("one", file_size=1000)],
        (partition(2), 0): [file("two"), file("too")],
        (partition(3), 0): [file("three", file_size=99), file("tree")],
    }
    fullest = describe_levels("d.t", KEYED, 1, files)
    assert fullest.bucket is not None
    assert fullest.bucket.partition == "h=3"
    requested = describe_levels("d.t", KEYED, 1, files, requested=(partition(1), 0), limit=1, after=(partition(2), 0))
    assert requested.bucket is not None
    assert (requested.bucket.id, requested.bucket.partition) == (bucket_id(KEYED, (partition(1), 0)), "h=1")
    # A bucket that an older version does not have yet is not an error: another bucket is shown and named.
    absent = describe_levels("d.t", KEYED, 1, files, requested=(partition(8), 0))
    assert absent.bucket == fullest.bucket


def test_an_empty_partition_is_none_in_every_notation() -> None:
    files = {(b"", bucket): [file(str(bucket))] for bucket in range(3)}
    levels = describe_levels("d.t", PLAIN, 1, files, requested=(EMPTY_ROW, 1), after=(EMPTY_ROW, 0))
    assert levels.bucket is not None
    assert (levels.bucket.id, [each.id for each in levels.buckets]) == (":1", [":1", ":2"])


def test_only_keys_that_are_shown_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []
    original = levels_module.row_text
    monkeypatch.setattr(levels_module, "row_text", lambda row, fields: (decoded.append(row), original(row, fields))[1])
    files = {
        (partition(number), 0): [file(f"{number}-{position}", 1, (position, position + 1)) for position in range(5)]
        for number in range(20)
    }
    levels = describe_levels("d.t", KEYED, 1, files, requested=(partition(3), 0))
    assert levels.bucket is not None
    assert len(levels.bucket.files) == 5
    assert len(decoded) == 6


def test_bucket_ids() -> None:
    assert bucket_id(PLAIN, (EMPTY_ROW, -2)) == ":-2"
    assert parse_bucket_id(PLAIN, ":-2") == (EMPTY_ROW, -2)
    key = (partition(5), 1)
    assert bucket_id(KEYED, key) == f"{partition(5).hex()}:1"
    assert parse_bucket_id(KEYED, bucket_id(KEYED, key)) == key


@pytest.mark.parametrize(
    "text", ["", ":", "0", "x:1", ":1", "00:1", "ZZ:1", ":1:1", "../..:1", f"{EMPTY_ROW.hex()}:1", ":99999999999"]
)
def test_no_bucket_id(table: Table, text: str) -> None:
    for requested in ({"bucket": text}, {"cursor": text}):
        with pytest.raises(InvalidRequest, match="not a bucket id"):
            collect_levels(table, **requested)


MANY = new_table_schema(
    {"a": "STRING", "b": "DECIMAL(30, 2)", "c": "TIMESTAMP(9)", "d": "DOUBLE", "k": "INT"},
    partition_by=["a", "b", "c", "d"],
    time_millis=0,
)


@given(st.binary(max_size=8), st.binary(max_size=60), st.integers(-3, 2**31))
def test_ids_of_garbage_are_refused_in_one_way(start: bytes, rest: bytes, bucket: int) -> None:
    row = (4).to_bytes(4, "big") + start.ljust(8, b"\0") + rest
    text = f"{row.hex()}:{bucket}"
    with suppress(InvalidRequest):
        assert bucket_id(MANY, parse_bucket_id(MANY, text)) == text


@given(st.lists(st.tuples(st.none() | st.text(), st.none() | st.floats()), unique_by=repr, max_size=8))
def test_any_values_have_an_order(values: list[tuple[str | None, float | None]]) -> None:
    types = [each.type for each in MANY.partition_fields]
    rows = [encode_row((text, None, None, number), types) for text, number in values]
    files = {(row, bucket): [file("x")] for row in rows for bucket in (0, 1)}
    everything = [each.id for each in describe_levels("d.t", MANY, 1, files).buckets]
    assert len(set(everything)) == len(files)
    for position, each in enumerate(everything):
        rest = describe_levels("d.t", MANY, 1, files, after=parse_bucket_id(MANY, each))
        assert [later.id for later in rest.buckets] == everything[position + 1 :]


def test_a_page_of_nothing(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        collect_levels(table, limit=0)


def test_garbled_keys_name_the_table(table: Table, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a", [1], "x")

    def garbled(*_: Any) -> Any:
        raise ValueError("not a serialized row")

    monkeypatch.setattr("workbench.lens.levels.row_text", garbled)
    with pytest.raises(CorruptFile, match="invalid partitions or keys") as error:
        collect_levels(table)
    assert error.value.path == table.location


def test_times_are_those_of_the_writers_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    result = {(partition(1), 0): [file("a", creation_time=3_600_000), file("b"), file("c", creation_time=2**62)]}
    times = {}
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setattr(session_options, "timezone", zone)
        files = describe_buckets("d.t", KEYED, 1, result).files
        times[zone] = {file.name: file.time_millis for file in files}
    assert times["UTC"] == {"a": 3_600_000, "b": None, "c": None}
    assert times["Asia/Tokyo"]["a"] == 3_600_000 - 9 * 3_600_000


def test_levels_of_a_version(table: Table, write: Any) -> None:
    write("a", [1], "x")
    write("b", [2], "y")
    assert collect_levels(table).total == 2
    before = collect_levels(table.at(snapshot=1))
    assert (before.snapshot, before.total) == (1, 1)


@pytest.mark.parametrize("gather", [collect_levels, collect_buckets, collect_summary])
def test_a_concurrent_commit_is_visible_completely_or_not_at_all(
    table: Table, write: Any, monkeypatch: pytest.MonkeyPatch, gather: Any
) -> None:
    write("a", [1], "x")
    write("b", [2], "y")
    answers = [table.snapshot(1), table.snapshot(2), table.snapshot(2)]
    monkeypatch.setattr(Snapshots, "latest", lambda _: answers.pop(0))
    value = gather(table)
    assert (
        value.snapshot,
        value.contents.buckets if isinstance(value, SummaryValue) else len(value.buckets),
    ) == (1, 1)
