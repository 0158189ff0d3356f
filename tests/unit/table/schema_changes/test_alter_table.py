"""Altering tables of a catalog: what is committed, by which writer, and what existing readers and writers see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import Literal

import pytest

import workbench as wb
from tests.support.file_ios import FaultInjected, FaultyFileIO
from workbench.base.errors import CatalogError, InvalidSchema, SchemaMismatch, TableNotFound, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

Mode = Literal["before", "after", "torn"]


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("db.t", {"k": "INT NOT NULL", "v": "INT"}, primary_key="k", options={"bucket": 1})
    created.write([{"k": 1, "v": 1}])
    return created


def test_the_next_schema_is_written_and_returned(catalog: FileSystemCatalog, table: Table) -> None:
    created = catalog.alter_table("db.t", wb.AddColumn("w", "STRING"), wb.UpdateComment("two"))
    assert repr(created) == "<Alteration of db.t: schema 1, 2 changes>"
    now = catalog.get_table("db.t")
    assert now.schema == created.schema
    assert [each.id for each in now.schemas()] == [0, 1]
    assert now.to_arrow().to_pylist() == [{"k": 1, "v": 1, "w": None}]
    assert table.schema.id == 0


def test_a_refused_change_leaves_nothing_of_the_others(catalog: FileSystemCatalog, table: Table) -> None:
    with pytest.raises(SchemaMismatch, match="Did you mean 'v'"):
        catalog.alter_table("db.t", wb.AddColumn("w", "STRING"), wb.DropColumn("vv"))
    with pytest.raises(InvalidSchema, match=r"No changes are given for db\.t"):
        catalog.alter_table("db.t")
    assert [each.id for each in table.schemas()] == [0]


def test_unsupported_settings_are_refused_as_for_a_new_table(catalog: FileSystemCatalog, table: Table) -> None:
    with pytest.raises(Unsupported, match=r"'file\.format' = 'csv'"):
        catalog.alter_table("db.t", wb.SetOption("file.format", "csv"))
    assert table.schemas()[-1].id == 0


def test_columns_that_cannot_be_merged_are_refused_for_old_and_new_tables(catalog: FileSystemCatalog) -> None:
    columns, options = {"k": "INT NOT NULL", "v": "STRING"}, {"bucket": "1", "merge-engine": "aggregation"}
    catalog.create_table("db.sums", columns, primary_key="k", options=options)
    wrong = "fields.v.aggregate-function", "sum"
    with pytest.raises(InvalidSchema, match="'v' of type STRING"):
        catalog.alter_table("db.sums", wb.SetOption(*wrong))
    with pytest.raises(InvalidSchema, match="'v' of type STRING"):
        catalog.create_table("db.wrong", columns, primary_key="k", options={**options, wrong[0]: wrong[1]})
    assert "wrong" not in catalog.list_tables("db")


def test_tables_that_were_opened_before(catalog: FileSystemCatalog, table: Table) -> None:
    catalog.alter_table(
        "db.t", wb.RenameColumn("v", "old"), wb.UpdateColumnType("old", "BIGINT"), wb.AddColumn("v", "INT")
    )
    catalog.get_table("db.t").write([{"k": 2, "old": 2, "v": 20}])
    assert table.to_arrow().sort_by("k").to_pylist() == [{"k": 1, "v": 1}, {"k": 2, "v": 2}]
    commit = table.write([{"k": 3, "v": 3}])
    assert commit.snapshots[0].schema_id == 1
    rows = catalog.get_table("db.t").to_arrow().sort_by("k").to_pylist()
    assert rows == [{"k": 1, "old": 1, "v": None}, {"k": 2, "old": 2, "v": 20}, {"k": 3, "old": 3, "v": None}]
    with pytest.raises(SchemaMismatch, match="no column 'old'"):
        table.write([{"k": 4, "old": 4}])


def test_tables_that_were_opened_before_lookups_read_levels_as_they_are(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "merge-engine": "aggregation", "fields.n.aggregate-function": "sum"}
    columns = {"k": "INT", "n": "INT"}
    opened = catalog.create_table("db.sums", columns, primary_key=["k"], options=options)
    opened.write([{"k": key, "n": 10} for key in range(100)])
    opened.compact(full=True)
    catalog.alter_table("db.sums", wb.SetOption("changelog-producer", "lookup"))
    current = catalog.get_table("db.sums")
    current.write([{"k": 1, "n": 1}])
    # Compaction looked up the older sum, so the newer file has the whole sum.
    assert len({file.level for file in current.scan().plan()[0].files}) == 2
    assert current.to_arrow(where="k = 1")["n"].to_pylist() == [11]
    assert opened.to_arrow(where="k = 1")["n"].to_pylist() == [11]


def test_other_buckets_are_refused_to_old_and_new_writers(catalog: FileSystemCatalog, table: Table) -> None:
    catalog.alter_table("db.t", wb.SetOption("bucket", 2))
    with pytest.raises(wb.CommitConflict, match="1 bucket, but the table is now configured for 2"):
        catalog.get_table("db.t").write([{"k": 2, "v": 2}])
    table.write([{"k": 3, "v": 3}])
    assert catalog.get_table("db.t").to_arrow().num_rows == 2


def test_null_is_refused_once_it_is_no_longer_allowed(catalog: FileSystemCatalog, table: Table) -> None:
    table.write([{"k": 2, "v": None}])
    with table.writer("job") as writer:
        writer.write([{"k": 3, "v": None}])
        messages = writer.prepare()
    catalog.alter_table("db.t", wb.SetOption("alter-column-null-to-not-null.disabled", False))
    catalog.alter_table("db.t", wb.UpdateColumnNullability("v", False))
    now = catalog.get_table("db.t")
    files = sorted(Path(table.location, "bucket-0").iterdir())
    with pytest.raises(wb.CommitConflict, match=r"Column 'v' of db\.t became NOT NULL while rows were written"):
        table.write([{"k": 4, "v": None}])
    assert sorted(Path(table.location, "bucket-0").iterdir()) == files
    with pytest.raises(wb.CommitConflict, match="became NOT NULL"):
        now.commit(messages, 1, "job")
    with pytest.raises(SchemaMismatch, match=r"Column 'v' of db\.t is INT NOT NULL, but old rows have NULL"):
        now.compact(full=True)
    now.write([{"k": 2, "v": 2}])
    assert now.compact(full=True).snapshots
    assert now.to_arrow().sort_by("k").to_pylist() == [{"k": 1, "v": 1}, {"k": 2, "v": 2}]


@pytest.mark.usefixtures("table")
def test_defaults_replace_missing_values_and_null(catalog: FileSystemCatalog) -> None:
    catalog.alter_table("db.t", wb.UpdateColumnDefault("v", "'7'"))
    catalog.get_table("db.t").write([{"k": 2}, {"k": 3, "v": None}, {"k": 4, "v": 4}])
    assert catalog.get_table("db.t").to_arrow().sort_by("k")["v"].to_pylist() == [1, 7, 7, 4]


@pytest.mark.usefixtures("table")
def test_many_processes_alter_at_once(catalog: FileSystemCatalog) -> None:
    with ThreadPoolExecutor(8) as pool:
        created = list(
            pool.map(lambda number: catalog.alter_table("db.t", wb.AddColumn(f"c{number}", "INT")), range(8))
        )
    assert sorted(each.schema.id for each in created) == list(range(1, 9))
    now = catalog.get_table("db.t").schema
    assert sorted(now.field_names) == sorted(["k", "v", *(f"c{number}" for number in range(8))])
    assert sorted(each.id for each in now.fields) == list(range(10))


def test_branches_have_separate_schemas(catalog: FileSystemCatalog, table: Table) -> None:
    copytree(Path(table.location, "schema"), Path(table.location, "branch", "branch-dev", "schema"))
    created = catalog.alter_table(
        "db.t$branch_dev", wb.SetOption("merge-engine", "deduplicate"), wb.AddColumn("w", "INT")
    )
    assert created.table == "db.t$branch_dev"
    assert catalog.get_table("db.t$branch_dev").schema.field_names == ("k", "v", "w")
    assert catalog.get_table("db.t").schema.id == 0
    catalog.alter_table("db.t", wb.SetOption("scan.fallback-branch", "dev"))
    with pytest.raises(InvalidSchema, match=r"'scan\.fallback-branch' names branch 'dav', which does not exist.*'dev'"):
        catalog.alter_table("db.t", wb.SetOption("scan.fallback-branch", "dav"))
    with pytest.raises(TableNotFound, match="no branch 'prod'"):
        catalog.alter_table("db.t$branch_prod", wb.UpdateComment("x"))


@pytest.mark.usefixtures("table")
def test_only_tables_can_be_altered(catalog: FileSystemCatalog) -> None:
    with pytest.raises(CatalogError, match="system table"):
        catalog.alter_table("db.t$files", wb.UpdateComment("x"))
    with pytest.raises(TableNotFound, match="Did you mean 't'"):
        catalog.alter_table("db.tt", wb.UpdateComment("x"))


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("mode", ["before", "after", "torn"])
def test_a_crash_leaves_the_old_or_the_new_schema(mode: Mode, catalog: FileSystemCatalog, tmp_path: Path) -> None:
    change = wb.AddColumn("w", "INT")
    point = 0
    outcomes = set()
    while True:
        point += 1
        position = tmp_path / f"{mode}-{point}"
        copytree(catalog.warehouse, position)
        faulty = FaultyFileIO(LocalFileIO(), point, mode)
        with suppress(FaultInjected):
            FileSystemCatalog(str(position), faulty).alter_table("db.t", change)
        if not faulty.dead:
            break
        now = FileSystemCatalog(str(position), LocalFileIO())
        result = now.get_table("db.t")
        outcomes.add(result.schema.id)
        assert result.to_arrow().num_rows == 1
        if result.schema.id == 0:
            now.alter_table("db.t", change)
        now.get_table("db.t").write([{"k": 2, "w": 2}])
        assert now.get_table("db.t").to_arrow()["w"].to_pylist() == [None, 2]
    assert point > 3
    assert outcomes == ({0, 1} if mode == "after" else {0})


def test_a_lost_response_is_not_mistaken_for_another_writer(
    catalog: FileSystemCatalog, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = LocalFileIO.put_if_absent
    monkeypatch.setattr(LocalFileIO, "put_if_absent", lambda self, path, data: put(self, path, data) and False)
    assert catalog.alter_table("db.t", wb.AddColumn("w", "INT")).schema.id == 1
    assert [each.id for each in table.schemas()] == [0, 1]
