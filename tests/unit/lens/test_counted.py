"""Numbers of the lens equal numbers counted from the files without this library."""

from __future__ import annotations

import json
import random
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.levels import collect_buckets, collect_levels
from workbench.lens.row_count import collect_row_count
from workbench.lens.summary import collect_summary
from workbench.lens.timeline import SnapshotValue, collect_timeline
from workbench.table.table import Table

Record = dict[str, Any]


@pytest.fixture
def busy(catalog: FileSystemCatalog) -> Table:
    """Two partitions of three buckets, compacted now and then, with deletes and an overwrite."""
    created = catalog.create_table(
        "d.busy",
        {"region": "STRING", "k": "BIGINT", "v": "STRING"},
        primary_key=["region", "k"],
        partition_by="region",
        options={"bucket": "3", "num-sorted-run.compaction-trigger": "3"},
    )
    chance = random.Random(7)
    for number in range(14):
        keys = chance.sample(range(-500, 500), 60)
        rows = {
            "region": [chance.choice(["eu", "us"]) for _ in keys],
            "k": keys,
            "v": [str(number)] * len(keys),
            "kind": ["-D" if number > 3 and chance.random() < 0.2 else "+I" for _ in keys],
        }
        created.write(pa.table(rows), row_kind="kind")
    created.write(pa.table({"region": ["us"], "k": [1], "v": ["over"]}), mode="overwrite")
    created.write(pa.table({"region": ["us", "eu"], "k": [2, 3], "v": ["x", "y"]}))
    return created


def records(path: Path) -> list[Record]:
    with path.open("rb") as file:
        return [record for record in fastavro.reader(file) if isinstance(record, dict)]


def stored_snapshots(table: Table) -> dict[int, Record]:
    files = Path(table.location, "snapshot").glob("snapshot-*")
    actual_files = (json.loads(file.read_text()) for file in files)
    return {snapshot["id"]: snapshot for snapshot in actual_files}


def live_files(table: Table, snapshot: Record) -> dict[tuple[str, int], list[Record]]:
    """Return the live files by partition (in hex) and bucket, after applying the entries in manifest order."""
    directory = Path(table.location, "manifest")
    live: dict[tuple[Any, ...], Record] = {}
    for name in (snapshot["baseManifestList"], snapshot["deltaManifestList"]):
        for manifest in records(directory / name):
            for entry in records(directory / manifest["_FILE_NAME"]):
                file = entry["_FILE"]
                key = (entry["_PARTITION"].hex(), entry["_BUCKET"], file["_LEVEL"], file["_FILE_NAME"])
                if entry["_KIND"] == 0:
                    live[key] = file
                else:
                    del live[key]
    buckets = defaultdict(list)
    for (partition, bucket, _, _), file in live.items():
        buckets[partition, bucket].append(file)
    return dict(buckets)


def count(files: list[Record], field: str) -> int:
    return sum(file[field] for file in files)


def runs(files: list[Record]) -> int:
    return sum(file["_LEVEL"] == 0 for file in files) + len({file["_LEVEL"] for file in files} - {0})


def key(row: bytes) -> int:
    """Return the only BIGINT of a key, which follows four bytes of arity and eight bytes of null bits."""
    return int(struct.unpack_from("<q", row, 12)[0])


def test_the_table_is_worth_counting(busy: Table) -> None:
    buckets = live_files(busy, stored_snapshots(busy)[busy.snapshot().id])
    everything = [file for files in buckets.values() for file in files]
    assert len(buckets) > 3
    assert len({file["_LEVEL"] for file in everything}) > 1
    seen = [live_files(busy, snapshot) for snapshot in stored_snapshots(busy).values()]
    assert any(count(files, "_DELETE_ROW_COUNT") for values in seen for files in values.values())
    assert {"APPEND", "COMPACT", "OVERWRITE"} == {each["commitKind"] for each in stored_snapshots(busy).values()}


def test_totals_of_every_version(busy: Table) -> None:
    for number, snapshot in stored_snapshots(busy).items():
        counted = live_files(busy, snapshot)
        levels = collect_levels(busy.at(snapshot=number))
        assert (levels.snapshot, levels.total) == (number, len(counted))
        reported = {tuple(each.id.rsplit(":", 1)): each for each in levels.buckets}
        assert {(partition, int(bucket)) for partition, bucket in reported} == set(counted)
        for (partition, number_of_bucket), files in counted.items():
            each = reported[partition, str(number_of_bucket)]
            assert bytes.fromhex(partition).find(each.partition.removeprefix("region=").encode()) > 0
            assert (each.files, each.runs, each.rows, each.size, each.deletes) == (
                len(files),
                runs(files),
                count(files, "_ROW_COUNT"),
                count(files, "_FILE_SIZE"),
                count(files, "_DELETE_ROW_COUNT"),
            )
            assert [level.level for level in each.levels] == sorted({file["_LEVEL"] for file in files})
            for level in each.levels:
                on_level = [file for file in files if file["_LEVEL"] == level.level]
                assert (level.files, level.runs) == (len(on_level), runs(on_level))
                assert (level.rows, level.size) == (count(on_level, "_ROW_COUNT"), count(on_level, "_FILE_SIZE"))


def test_files_of_every_bucket(busy: Table) -> None:
    counted = live_files(busy, stored_snapshots(busy)[busy.snapshot().id])
    everything = {bucket.id: bucket for bucket in collect_buckets(busy).buckets}
    for (partition, bucket), files in counted.items():
        shown = collect_levels(busy, bucket=f"{partition}:{bucket}").bucket
        assert shown is not None
        assert shown == everything[f"{partition}:{bucket}"]
        ends = [key(file[end]) for file in files for end in ("_MIN_KEY", "_MAX_KEY")]
        span = max(ends) - min(ends)
        reported = {file.name: file for file in shown.files}
        assert set(reported) == {file["_FILE_NAME"] for file in files}
        for file in files:
            value = reported[file["_FILE_NAME"]]
            low, high = key(file["_MIN_KEY"]), key(file["_MAX_KEY"])
            assert (value.min_key, value.max_key) == (str(low), str(high))
            assert value.start == pytest.approx((low - min(ends)) / span if span else 0)
            assert value.end == pytest.approx((high - min(ends)) / span if span else 0)
            assert (value.level, value.rows, value.size, value.deletes) == (
                *(file["_LEVEL"], file["_ROW_COUNT"], file["_FILE_SIZE"], file["_DELETE_ROW_COUNT"]),
            )
            sequences = (value.min_sequence, value.max_sequence)
            assert sequences == (file["_MIN_SEQUENCE_NUMBER"], file["_MAX_SEQUENCE_NUMBER"])
            assert value.size == next(Path(busy.location).rglob(value.name)).stat().st_size
        assert len(shown.runs) == runs(files)


def test_the_fullest_bucket_is_shown(busy: Table) -> None:
    counted = live_files(busy, stored_snapshots(busy)[busy.snapshot().id])
    fullest = max((runs(files), count(files, "_FILE_SIZE")) for files in counted.values())
    shown = collect_levels(busy).bucket
    assert shown is not None
    assert (len(shown.runs), sum(file.size for file in shown.files)) == fullest


def test_summary_of_every_version(busy: Table) -> None:
    stored = stored_snapshots(busy)
    for number, snapshot in stored.items():
        counted = live_files(busy, snapshot)
        everything = [file for files in counted.values() for file in files]
        summary = collect_summary(busy.at(snapshot=number))
        contents = summary.contents
        assert contents is not None
        assert (contents.files, contents.stored_rows, contents.size) == (
            *(len(everything), count(everything, "_ROW_COUNT"), count(everything, "_FILE_SIZE")),
        )
        assert contents.stored_rows == snapshot["totalRecordCount"]
        assert contents.runs == max(map(runs, counted.values()))
        assert (contents.partitions, contents.buckets) == (len({part for part, _ in counted}), len(counted))
        estimated = collect_row_count(busy.at(snapshot=number), exact=False)
        assert collect_row_count(busy.at(snapshot=number), exact=True).rows == busy.at(snapshot=number).scan().count()
        assert estimated.stored == contents.stored_rows
        assert (summary.snapshot, summary.commit_kind) == (number, snapshot["commitKind"])
        assert (summary.earliest_snapshot, summary.latest_snapshot) == (min(stored), max(stored))


def test_timeline(busy: Table) -> None:
    stored = stored_snapshots(busy)
    timeline = collect_timeline(busy)
    assert [each.id for each in timeline.snapshots] == sorted(stored, reverse=True)
    assert timeline.total == len(stored)
    for value in timeline.snapshots:
        snapshot = stored[value.id]
        assert (value.kind, value.time_millis, value.user) == (
            *(snapshot["commitKind"], snapshot["timeMillis"], snapshot["commitUser"]),
        )
        assert (value.rows_added, value.rows_total) == (snapshot["deltaRecordCount"], snapshot["totalRecordCount"])
        assert (value.changelog_rows, value.schema_id) == (snapshot.get("changelogRecordCount"), snapshot["schemaId"])
        check_figures(value, delta(busy, snapshot))


def delta(table: Table, snapshot: Record) -> list[Record]:
    directory = Path(table.location, "manifest")
    manifests = records(directory / snapshot["deltaManifestList"])
    return [entry for manifest in manifests for entry in records(directory / manifest["_FILE_NAME"])]


def check_figures(value: SnapshotValue, entries: list[Record]) -> None:
    """Check the figures of a commit; files that only moved to another level count as neither added nor removed."""
    names = [{entry["_FILE"]["_FILE_NAME"] for entry in entries if entry["_KIND"] == kind} for kind in (0, 1)]
    moved = names[0] & names[1]
    files = [[entry["_FILE"] for entry in entries if entry["_KIND"] == kind] for kind in (0, 1)]
    added, removed = ([file for file in side if file["_FILE_NAME"] not in moved] for side in files)
    deletes = count(added, "_DELETE_ROW_COUNT")
    figures = value.figures
    assert figures is not None
    assert (figures.files_added, figures.files_removed, figures.files_moved) == (len(added), len(removed), len(moved))
    assert (figures.bytes_added, figures.bytes_removed) == (count(added, "_FILE_SIZE"), count(removed, "_FILE_SIZE"))
    dropped = count(removed, "_ROW_COUNT") - count(added, "_ROW_COUNT")
    if value.kind == "COMPACT":
        assert (figures.upserts, figures.deletes, figures.superseded) == (0, 0, dropped)
    else:
        written = count(added, "_ROW_COUNT") - deletes
        assert (figures.upserts, figures.deletes, figures.superseded) == (written, deletes, 0)
    assert figures.partitions == len({entry["_PARTITION"] for entry in entries})
