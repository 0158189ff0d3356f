"""A file that cannot be read makes the verdict, whichever read noticed it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.lens.health.defects import Place, rows
from workbench.base.errors import CorruptFile
from workbench.base.failed_reads import FAILED_READS
from workbench.lens import live_files
from workbench.lens.health.catalog import describe_catalog_health, table_healths
from workbench.lens.health.health import collect_health
from workbench.lens.summary import collect_summary
from workbench.table.table import Table


def files(table: Table, pattern: str) -> list[Path]:
    return sorted(Path(table.location).glob(pattern))


def first_vectors(table: Table) -> Path:
    return files(table, "index/index-*")[0]


def written(place: Place) -> Table:
    table = place.table(deletion_vectors__enabled="true", partitioned=True)
    table.write(rows(range(10), dt="a"))
    table.write(rows(range(10), dt="b"))
    table.compact(full=True)
    table.write(rows(range(5), dt="a"))
    table.analyze()
    return table


LOST: dict[str, Callable[[Table], Path]] = {
    "data": lambda table: files(table, "dt=a/bucket-0/data-*")[0],
    "newest manifest": lambda table: max(
        files(table, "manifest/manifest-[0-9a-f]*"), key=lambda each: each.stat().st_mtime
    ),
    "manifest list": lambda table: Path(table.location, "manifest", table.version.base_manifest_list),  # type: ignore[union-attr]
    "statistics": lambda table: files(table, "statistics/*")[0],
    "schema": lambda table: files(table, "schema/schema-0")[0],
}


@pytest.mark.parametrize("name", LOST)
def test_a_missing_file_is_noticed_without_a_read(name: str, place: Place) -> None:
    table = written(place)
    assert collect_health(table).condition != "poor"
    # The handle has cached what it has read; storage decides.
    LOST[name](table).unlink()
    health = collect_health(table)
    assert health.condition == "poor", [each.title for each in health.findings]
    assert health.damage is not None
    assert health.damage.code == "corrupt_file"


def test_a_truncated_file_is_noticed_without_a_read(place: Place) -> None:
    table = written(place)
    path = LOST["data"](table)
    path.write_bytes(path.read_bytes()[:-1])
    health = collect_health(table)
    (finding,) = [each for each in health.findings if each.check == "missing-files"]
    assert (finding.severity, finding.fix) == ("poor", None)
    assert "its metadata says" in finding.places[0].text


def test_a_failed_read_makes_the_verdict(place: Place) -> None:
    """The content is damaged, and the size is as recorded: only a read notices it."""
    table = written(place)
    path = LOST["data"](table)
    content, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(b"\0" * len(content))
    os.utime(path, ns=times)
    assert collect_health(table, estimate=False).condition != "poor"
    with pytest.raises(CorruptFile):
        table.to_arrow()
    again = place.catalog.get_table("db.t")
    for health in (collect_health(table), collect_health(again, estimate=False)):
        assert (health.condition, health.findings[0].check) == ("poor", "missing-files")
        assert str(path) in health.findings[0].places[0].label
    summary = collect_summary(again)
    assert summary.damage is not None
    assert summary.damage.file == str(path)
    assert summary.contents is not None
    assert summary.contents.verdict is not None
    assert summary.contents.verdict.condition == "poor"
    (listed,) = describe_catalog_health(
        place.catalog, table_healths(place.catalog, ["db.t"]), 1, is_complete=True
    ).tables
    assert listed.condition == "poor"
    assert "cannot be read" in listed.finding

    path.write_bytes(content)
    assert collect_health(again, estimate=False).condition != "poor"
    assert collect_summary(again).damage is None
    assert FAILED_READS.find(str(path)) is None


def test_a_missing_file_that_is_restored_with_its_times_is_forgotten(place: Place) -> None:
    table = written(place)
    path = LOST["data"](table)
    path.rename(path.with_name("away"))
    with pytest.raises(CorruptFile):
        table.to_arrow()
    assert collect_health(table).condition == "poor"
    path.with_name("away").rename(path)
    assert collect_health(table).condition != "poor"


def test_other_versions_are_not_blamed(place: Place) -> None:
    table = place.table()
    table.write(rows(range(5)))
    table.write(rows(range(5, 10)))
    newest = max(files(table, "bucket-0/data-*"), key=lambda each: each.stat().st_mtime_ns)
    newest.unlink()
    with pytest.raises(CorruptFile):
        table.to_arrow()
    assert collect_health(table.at(snapshot=2)).condition == "poor"
    assert collect_health(table.at(snapshot=1)).condition != "poor"


def test_it_says_what_was_not_looked_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    table = place.table(partitioned=True)
    for number in range(6):
        table.write(rows(range(3), dt=f"p{number}"))
    monkeypatch.setattr(live_files, "_MOST_LOCAL", 3)
    checks = {each.check: each for each in collect_health(table).checked}
    assert "list the directories to look for all" in checks["missing-files"].text
    gone = files(table, "dt=p5/bucket-0/data-*")[0]
    gone.unlink()
    with pytest.raises(CorruptFile):
        table.to_arrow()
    assert collect_health(table).condition == "poor"
    assert collect_health(table, storage=True).condition == "poor"
