"""Numbers of findings equal numbers counted from the files without this library, for our tables and Java's."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from tests.golden.stored import MAKERS, archive
from tests.unit.lens.health.defects import DEFECTS, Place, deletes, rows
from workbench.catalog.connect import connect
from workbench.lens.contents import collect_contents
from workbench.lens.health.check import SEVERITIES
from workbench.lens.health.collect import collect_facts
from workbench.lens.health.health import collect_health
from workbench.lens.health.registry import CHECKS
from workbench.table.table import Table

Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    with path.open("rb") as file:
        return [each for each in fastavro.reader(file) if isinstance(each, dict)]


class Counted:
    """A table as read from its files alone: the buckets of the newest snapshot with their files."""

    def __init__(self, table: Table) -> None:
        self.root = Path(table.location)
        snapshots = [json.loads(each.read_text()) for each in self.root.glob("snapshot/snapshot-*")]
        self.snapshots = sorted(snapshots, key=lambda each: each["id"])
        self.newest = self.snapshots[-1]
        live, self.manifests = self.live(self.newest)
        self.buckets: dict[tuple[bytes, int], list[Record]] = defaultdict(list)
        for (partition, bucket, *_), file in live.items():
            self.buckets[partition, bucket].append(file)

    def live(self, snapshot: Record) -> tuple[dict[tuple[Any, ...], Record], list[Record]]:
        live: dict[tuple[Any, ...], Record] = {}
        manifests = [
            each
            for name in (snapshot["baseManifestList"], snapshot["deltaManifestList"])
            for each in records(self.root / "manifest" / name)
        ]
        for manifest in manifests:
            for entry in records(self.root / "manifest" / manifest["_FILE_NAME"]):
                file = entry["_FILE"]
                key = (entry["_PARTITION"], entry["_BUCKET"], file["_LEVEL"], file["_FILE_NAME"])
                if entry["_KIND"] == 0:
                    live[key] = file
                else:
                    live.pop(key, None)
        return live, manifests

    def runs(self, bucket: tuple[bytes, int]) -> dict[Any, int]:
        """Return the bytes of each sorted run, by file name on level 0 and by level above it."""
        runs: dict[Any, int] = defaultdict(int)
        for file in self.buckets[bucket]:
            runs[file["_FILE_NAME"] if file["_LEVEL"] == 0 else file["_LEVEL"]] += file["_FILE_SIZE"]
        return runs


def check_numbers(table: Table) -> None:
    """Compare every number of the facts and of the findings of a table with the counted ones."""
    counted, facts, health = Counted(table), collect_facts(table, storage=True), collect_health(table, storage=True)
    keyed = bool(table.primary_key)
    assert {(each.partition, each.bucket) for each in facts.buckets} == set(counted.buckets)
    limit = (128 << 20 if keyed else 256 << 20) * 0.7
    for each in facts.buckets:
        files, runs = counted.buckets[each.partition, each.bucket], counted.runs((each.partition, each.bucket))
        assert each.files == len(files)
        assert each.size == sum(file["_FILE_SIZE"] for file in files)
        assert each.rows == sum(file["_ROW_COUNT"] for file in files)
        assert each.runs == (len(runs) if keyed else 1)
        assert each.largest_run == (max(runs.values()) if keyed else each.size)
        assert each.deletes == (sum(file["_DELETE_ROW_COUNT"] or 0 for file in files) if keyed else 0)
        if "target-file-size" not in table.options:
            assert each.small == sum(file["_FILE_SIZE"] < int(limit) for file in files)
    assert (health.files, health.buckets) == (sum(map(len, counted.buckets.values())), len(counted.buckets))
    assert health.size == sum(file["_FILE_SIZE"] for files in counted.buckets.values() for file in files)
    assert facts.history.count == len(counted.snapshots)
    assert len(facts.manifests) == len(counted.manifests)
    for snapshot, expected in zip(facts.history.recent, reversed(counted.snapshots), strict=False):
        assert (snapshot.id, snapshot.time_millis) == (expected["id"], expected["timeMillis"])
    check_findings(table, counted)
    check_agreement(table)


def check_findings(table: Table, counted: Counted) -> None:
    """Compare the numbers of findings about files."""
    found = {each.check: each for each in collect_health(table).findings}
    runs = {key: counted.runs(key) for key in counted.buckets if key[1] >= 0}
    if (finding := found.get("sorted-runs")) is not None:
        assert finding.amount == max(map(len, runs.values()))
        assert finding.places_total == sum(len(each) > (finding.limit or 0) for each in runs.values())
    if (finding := found.get("read-amplification")) is not None:
        ratios = [sum(each.values()) / max(each.values()) for each in runs.values() if len(each) > 1]
        assert finding.amount == round(max(ratios), 3)
        assert finding.places_total == sum(each > (finding.limit or 0) for each in ratios)
    if (finding := found.get("tiny-commits")) is not None:
        newest = [each for each in counted.snapshots[-100:] if each["commitKind"] == "APPEND"]
        assert finding.amount == median(each["deltaRecordCount"] for each in newest)


def check_agreement(table: Table) -> None:
    """Check that the overview and the health judge the data files of a table equally."""
    contents, health = collect_contents(table.store, table.version), collect_health(table)
    judged = {name for name, check in CHECKS.items() if check.of_files}
    severities = [each.severity for each in health.findings if each.check in judged]
    worst = max(severities, key=SEVERITIES.index, default="good")
    assert contents.verdict is None or contents.verdict.condition == {"attention": "fair", "poor": "poor"}.get(
        worst, "good"
    )


@pytest.fixture(scope="module", params=MAKERS)
def java(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Table]:
    """The tables in the archive of a version of Java Paimon."""
    root = tmp_path_factory.mktemp("java")
    with tarfile.open(archive(request.param)) as packed:
        packed.extractall(root, filter="data")
    directories = sorted({each.parent.parent for each in root.rglob("schema/schema-0") if "branch" not in each.parts})
    catalogs = {each: connect(each.parent.parent) for each in directories if each.parent.name.endswith(".db")}
    return [
        catalog.get_table(f"{each.parent.name.removesuffix('.db')}.{each.name}") for each, catalog in catalogs.items()
    ]


@pytest.mark.parametrize(
    "defect",
    [each for each in DEFECTS if each.finding not in ("damage", "missing-files")],
    ids=lambda each: each.finding,
)
def test_our_tables(defect: Any, place: Place) -> None:
    check_numbers(defect.make(place))


def test_held_files_are_counted(place: Place) -> None:
    table = next(each for each in DEFECTS if "tag:" in each.finding).make(place)
    counted = Counted(table)
    tag = json.loads(Path(table.location, "tag", "tag-it's-old").read_text())
    held = {key[3]: file["_FILE_SIZE"] for key, file in counted.live(tag)[0].items()}
    for snapshot in counted.snapshots:
        for key in counted.live(snapshot)[0]:
            held.pop(key[3], None)
    (finding,) = [each for each in collect_health(table).findings if each.check == "held-files"]
    assert finding.amount == sum(held.values()) > 0


def test_files_that_a_consumer_holds_are_counted(place: Place) -> None:
    table = next(each for each in DEFECTS if "consumer:slow" in each.finding).make(place)
    counted = Counted(table)
    kept = {key[3] for snapshot in counted.snapshots[-2:] for key in counted.live(snapshot)[0]}
    held = {
        key[3]: file["_FILE_SIZE"]
        for snapshot in counted.snapshots[:-2]
        for key, file in counted.live(snapshot)[0].items()
    }
    (finding,) = [each for each in collect_health(table).findings if each.check == "held-files"]
    assert finding.amount == sum(size for name, size in held.items() if name not in kept)


def test_a_compacted_table_has_nothing_to_do(place: Place) -> None:
    for keyed in (True, False):
        name = "keyed" if keyed else "append"
        table = place.catalog.create_table(
            f"db.{name}",
            {"dt": "STRING", "k": "BIGINT", "v": "STRING"},
            primary_key=["dt", "k"] if keyed else (),
            partition_by=["dt"],
            options={"bucket": "2" if keyed else "-1"},
        )
        for number in range(7):
            table.write(rows(range(1000 * number, 1000 * number + 2000), dt="ab"[number % 2]))
            place.clock.advance(600_000)
        if keyed:
            table.write(deletes(range(500)), row_kind="kind")
        table.compact(full=True)
        health = collect_health(table, storage=True)
        assert health.findings == (), [each.title for each in health.findings]
        assert (health.condition, health.storage) == ("good", True)
        check_numbers(table)


def test_a_table_that_was_never_written(place: Place) -> None:
    health = collect_health(place.table(), storage=True)
    assert (health.findings, health.snapshot, health.condition) == ((), None, "good")


def test_tables_of_java(java: list[Table]) -> None:
    tables = [each for each in java if each.version is not None and not each.schema.core.other_branches]
    for table in tables:
        check_numbers(table)
    assert len(tables) > 3


def test_a_fixed_version_is_judged_as_it_was(place: Place) -> None:
    table = place.table(write_only="true")
    for number in range(7):
        table.write(pa.table({"dt": ["a"], "k": [number], "v": ["x"]}))
    assert {each.id for each in collect_health(table).findings} >= {"sorted-runs"}
    assert "sorted-runs" not in {each.id for each in collect_health(table.at(snapshot=5)).findings}
