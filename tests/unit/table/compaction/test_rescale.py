"""Rescaled tables: the rows of every version, waiting and prepared rows, and concurrent commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.partitioned_keys import COLUMNS, content, partitioned_table, rows
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles


def test_waiting_rows_keep_waiting_while_their_partition_is_rescaled(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "-2"})
    table.write(rows([(number, number % 2, True) for number in range(10)], 0), row_kind="kind")
    with table.writer() as writer:
        writer.write(rows([(0, 0, True), (77, 1, True)], 50), row_kind="kind")
        table.commit(writer.prepare())
    with pytest.raises(wb.WorkbenchError, match="rescale"):
        table.rescale()
    table.rescale({"p": 1}, bucket=4)
    assert {(split.total_buckets) for split in table.scan(where="p = 1").plan()} == {4}
    assert len(content(table)) == 10
    table.compact()
    assert len(content(table)) == 11
    assert content(table)["key 0", 0] == 50
    assert {(split.total_buckets) for split in table.scan(where="p = 0").plan()} == {1}


@pytest.mark.parametrize("keyed", [True, False])
def test_rescaled_partitions_can_be_written_again(catalog: FileSystemCatalog, keyed: bool) -> None:
    options = {"bucket": "2", "bucket-key": "id"}
    table = catalog.create_table("db.t", COLUMNS, ["id", "p"] if keyed else [], ["p"], options)
    data = rows([(number, number % 3, True) for number in range(60)], 0).drop_columns("kind")
    table.write(data)
    catalog.alter_table("db.t", wb.SetOption("bucket", "5"))
    changed = catalog.get_table("db.t")
    with pytest.raises(wb.CommitConflict, match=r"p=0 has 2 buckets, but the table is now configured for 5"):
        changed.write(data)
    # A table object that was opened earlier also uses the newest options.
    assert table.rescale({"p": 0}).rows == 20
    changed.write(data.filter(pa.compute.equal(data["p"], 0)))
    with pytest.raises(wb.CommitConflict):
        changed.write(data)
    assert str(changed.rescale().snapshots[0].commit_kind) == "OVERWRITE"
    changed.write(data)
    assert changed.to_arrow().num_rows == (60 if keyed else 140)
    assert {split.total_buckets for split in changed.scan().plan()} == {5}
    for number in (0, 7, 59):
        assert changed.to_arrow(where=f"id = 'key {number}'").num_rows >= 1


def test_rows_prepared_before_a_rescale_stay_newer(catalog: FileSystemCatalog) -> None:
    """Both commits number their rows from 0, so the bucket has more rows than sequence numbers in use."""
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "1"})
    batches = [rows([(number, 0, True) for number in range(first, first + 5)], first) for first in (0, 5)]
    for messages in [prepared(catalog, batch) for batch in batches]:
        table.commit(messages)
    deletion = prepared(catalog, rows([(9, 0, False)], 9))
    catalog.get_table("db.t").rescale()
    table.commit(deletion)
    assert ("key 9", 0) not in content(catalog.get_table("db.t"))
    catalog.get_table("db.t").compact(full=True)
    assert len(content(catalog.get_table("db.t"))) == 9


def test_rows_prepared_long_before_a_rescale_stay_newer(catalog: FileSystemCatalog) -> None:
    """Other rows got larger sequence numbers in the meantime, which the rewritten rows must not get."""
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "1"})
    table.write(rows([(0, 0, True)], 0), row_kind="kind")
    deletion = prepared(catalog, rows([(0, 0, False)], 1))
    table.write(rows([(number, 0, True) for number in range(-5, 0)], 1), row_kind="kind")
    catalog.get_table("db.t").rescale()
    table.commit(deletion)
    assert ("key 0", 0) not in content(catalog.get_table("db.t"))
    assert len(content(catalog.get_table("db.t"))) == 5


def prepared(catalog: FileSystemCatalog, data: pa.Table) -> list[bytes]:
    with catalog.get_table("db.t").writer() as writer:
        writer.write(data, "kind")
        return writer.prepare()


def test_a_rescale_keeps_concurrent_writes(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "2"})
    table.write(rows([(1, 0, True), (2, 1, True)], 0), row_kind="kind")
    from workbench.table.compaction import rescale

    first = rescale.publish.replace_files

    def late(*arguments: Any, **named: Any) -> Any:
        catalog.get_table("db.t").write(rows([(9, 0, True)], 9), row_kind="kind")
        return first(*arguments, **named)

    monkeypatch.setattr(rescale.publish, "replace_files", late)
    with pytest.raises(wb.CommitConflict, match="changed the partitions"):
        table.rescale(bucket=3)
    assert len(content(table)) == 3
    stored = {path.name for path in Path(table.location).rglob("data-*")}
    assert stored == {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.version)}


@pytest.mark.parametrize("options", [{"merge-engine": "first-row"}, {"deletion-vectors.enabled": "true"}], ids=str)
def test_no_row_is_hidden_after_a_rescale(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "1", "write-buffer-size": "1 kb", **options})
    numbers = [(number, number % 2, True) for number in range(200)]
    table.write(rows(numbers, 0).drop_columns("kind"))
    expected = content(table)
    table.rescale(bucket=3)
    assert content(table) == expected
    assert len(expected) == 200
    assert {split.total_buckets for split in table.scan().plan()} == {3}


def test_invalid_rescales(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id", "p"), {})
    with pytest.raises(wb.Unsupported, match="'bucket' = '-1'"):
        table.rescale(bucket=3)


@pytest.mark.parametrize("bucket", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"deletion-vectors.enabled": "true"},
        {"merge-engine": "first-row"},
        {"deletion-vectors.enabled": "true", "merge-engine": "partial-update"},
        {"changelog-producer": "lookup"},
        {"deletion-vectors.enabled": "true", "write-only": "true"},
        {"deletion-vectors.enabled": "true", "target-file-size": "2 kb", "write-buffer-size": "1 kb"},
        {},
    ],
    ids=str,
)
def test_every_version_of_a_rescale_has_all_rows(
    catalog: FileSystemCatalog, options: dict[str, str], bucket: int
) -> None:
    """Every version has all rows, even if reads skip level 0, to which rows are written first."""
    columns = {"id": "INT NOT NULL", "v": "INT"}
    table = catalog.create_table("db.whole", columns, "id", options={"bucket": "2", **options})
    for first in (0, 300):
        table.write([{"id": first + number, "v": number} for number in range(400)])
    table.compact(full=True)
    expected = table.to_arrow().sort_by("id").to_pylist()
    assert len(expected) == 700
    before = table.version.id
    made = table.rescale(bucket=bucket)
    assert made.rows == len(expected)
    for snapshot in table.snapshots():
        if snapshot.id >= before:
            assert table.at(snapshot=snapshot.id).to_arrow().sort_by("id").to_pylist() == expected
    live = {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}
    table.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")
    assert {path.name for path in Path(table.location).rglob("data-*")} == live
