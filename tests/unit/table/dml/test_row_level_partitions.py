"""Row-level statements on whole partitions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

import workbench as wb
from tests.support.row_level import (
    data_files,
    ids,
    key_table,
    rows,
)
from workbench.base.errors import (
    SchemaMismatch,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table


@pytest.fixture
def parted(catalog: FileSystemCatalog) -> Table:
    columns = {"id": "BIGINT", "day": "DATE", "p": "STRING"}
    table = catalog.create_table("db.parted", columns, partition_by=["day", "p"])
    for day in range(3):
        table.write([{"id": day * 10 + k, "day": date(2026, 11, day + 1), "p": "ab"[k % 2]} for k in range(4)])
    return table


@pytest.mark.parametrize(
    ("act", "left"),
    [
        (lambda t: t.truncate(), []),
        (lambda t: t.truncate({"p": "a"}), [1, 3, 11, 13, 21, 23]),
        (lambda t: t.drop_partitions({"day": date(2026, 11, 2)}), [0, 1, 2, 3, 20, 21, 22, 23]),
        (lambda t: t.drop_partitions([{"day": date(2026, 11, 1), "p": "a"}, {"p": "b"}]), [10, 12, 20, 22]),
        (lambda t: t.delete("p = 'b'"), [0, 2, 10, 12, 20, 22]),
        (lambda t: t.delete("day > DATE '2026-11-01' AND p <> 'a'"), [0, 1, 2, 3, 10, 12, 20, 22]),
        (lambda t: t.delete("TRUE"), []),
    ],
)
def test_partitions_go_by_metadata(parted: Table, act: Callable[[Table], wb.RowChanges], left: list[int]) -> None:
    before = data_files(parted)
    for path in Path(parted.location).rglob("data-*"):
        path.rename(path.with_suffix(".away"))
    done = act(parted)
    for path in Path(parted.location).rglob("*.away"):
        path.rename(path.with_suffix(".parquet"))
    assert ids(parted) == left
    assert done.deleted == 12 - len(left)
    assert done.files == 0
    assert data_files(parted) == before
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"


def test_null_partitions(parted: Table) -> None:
    parted.write([{"id": 99, "day": None, "p": "a"}])
    parted.delete("day = DATE '2026-11-01' OR day <> DATE '2026-11-01'")
    assert ids(parted) == [99]
    assert parted.delete("day IS NOT NULL").snapshots == ()
    assert parted.drop_partitions({"day": None}).deleted == 1


def test_partitions_that_are_not_there(parted: Table) -> None:
    """Deleting from a missing partition makes no commit; dropping it makes one, as in Java."""
    assert parted.delete("p = 'z'").snapshots == ()
    assert len(parted.drop_partitions({"p": "z"}).snapshots) == 1
    with pytest.raises(SchemaMismatch, match="'q' is not a partition column"):
        parted.drop_partitions({"q": 1})
    for nothing in ([], {}, [{}]):
        with pytest.raises(SchemaMismatch, match="No partition is given"):
            parted.drop_partitions(nothing)
    with pytest.raises(SchemaMismatch, match="'p=a' is not a partition"):
        parted.drop_partitions("p=a")  # type: ignore[arg-type]


def test_partitions_of_key_tables(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, partition="p")
    table.write([{**each, "p": "ab"[each["id"] % 2]} for each in rows(*range(8))])
    done = table.delete("p = 'a'")
    assert done.deleted is None
    assert "all rows of some partitions deleted" in str(done)
    assert ids(table) == [1, 3, 5, 7]


def test_a_key_of_all_partitions_moves(catalog: FileSystemCatalog) -> None:
    columns = {"id": "BIGINT", "v": "INT", "p": "STRING"}
    table = catalog.create_table("db.moving", columns, ["id"], ["p"])
    table.write([{"id": number, "v": number, "p": "ab"[number % 2]} for number in range(4)])
    assert table.update({"p": "'c'", "v": "v + 10"}, "id < 2").updated == 2
    table.merge([{"id": 3}], ["id"], [wb.WhenMatched(update={"p": "'a'"})])
    found = sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())
    assert found == [(0, 10, "c"), (1, 11, "c"), (2, 2, "a"), (3, 3, "a")]
    options = {"merge-engine": "partial-update"}
    staying = catalog.create_table("db.staying", columns, ["id"], ["p"], options)
    with pytest.raises(SchemaMismatch, match="Cannot update partition column 'p'"):
        staying.update({"p": "'c'"})


def test_changelogs_of_deletes_are_forced_by_an_option(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, {"changelog-producer": "input", "delete.force-produce-changelog": "true"}, "p")
    table.write([{**each, "p": "ab"[each["id"] % 2]} for each in rows(*range(4))])
    done = table.delete("p = 'a'")
    assert (done.deleted, str(done.snapshots[0].commit_kind)) == (2, "APPEND")
    kinds = table.changes(1, None, mode="changelog").column("rowkind").to_pylist()
    assert kinds == ["-D", "-D"]


def test_overwritten_files_go_to_the_last_level(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog)
    table.write(rows(1, 2))
    table.write(rows(2, 3), mode="overwrite")
    (entry,) = ManifestFiles(table.store).live_files(table.snapshot())
    assert entry.file.level == table.schema.core.num_levels - 1
    table.write(rows(3, 4))
    assert ids(table) == [2, 3, 4]
