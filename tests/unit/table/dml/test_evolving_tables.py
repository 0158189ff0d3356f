"""Inserts, updates, deletes and merges of tables with data evolution."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.support.evolving import EVOLVING
from workbench.base.errors import CommitConflict, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

MARKED = {**EVOLVING, "deletion-vectors.enabled": "true"}
COLUMNS = {"id": "INT", "v": "STRING", "p": "STRING"}


@pytest.fixture
def catalog(tmp_path: Any) -> FileSystemCatalog:
    opened = wb.connect(str(tmp_path / "warehouse"))
    opened.create_database("lab")
    return opened


def new_table(catalog: FileSystemCatalog, options: dict[str, str], **more: Any) -> Table:
    table = catalog.create_table("lab.t", COLUMNS, options=options, **more)
    table.write([{"id": 0, "v": "a", "p": "x"}, {"id": 1, "v": "b", "p": "y"}, {"id": 2, "v": "c", "p": "x"}])
    table.write([{"id": 3, "v": "d", "p": "y"}])
    return table


def rows(table: Table, where: str | None = None) -> list[tuple[Any, ...]]:
    read = table.to_arrow(columns=["id", "v", "p", "_ROW_ID"], where=where).to_pylist()
    return sorted((each["id"], each["v"], each["p"], each["_ROW_ID"]) for each in read)


def files(table: Table) -> set[tuple[int | None, int, tuple[str, ...] | None]]:
    live = ManifestFiles(table.store).live_files(table.snapshots()[-1])
    return {(each.file.first_row_id, each.file.row_count, each.file.write_cols) for each in live}


def test_an_update_writes_the_assigned_columns_only(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, EVOLVING)
    done = table.update({"v": "upper(v)"}, "id = 1")
    assert (done.updated, done.deleted, done.inserted) == (1, 0, 0)
    assert rows(table) == [(0, "a", "x", 0), (1, "B", "y", 1), (2, "c", "x", 2), (3, "d", "y", 3)]
    assert files(table) == {(0, 3, None), (0, 3, ("v",)), (3, 1, None)}
    assert rows(table, "v = 'B'") == [(1, "B", "y", 1)]
    assert rows(table, "v = 'b'") == []
    table.update({"id": "id + 10", "p": "v"}, "v = 'B' OR id = 3")
    assert rows(table) == [(0, "a", "x", 0), (2, "c", "x", 2), (11, "B", "B", 1), (13, "d", "d", 3)]
    table.write([{"id": 4, "v": "e", "p": "x"}])
    assert rows(table, "id = 4") == [(4, "e", "x", 4)]


def test_an_added_column_gets_values(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, EVOLVING)
    catalog.alter_table("lab.t", wb.AddColumn("n", "BIGINT"))
    table = catalog.get_table("lab.t")
    table.update({"n": "id * 2"}, "id > 1")
    found = table.to_arrow(columns=["id", "n"]).to_pylist()
    assert sorted((each["id"], each["n"]) for each in found) == [(0, None), (1, None), (2, 4), (3, 6)]


def test_deleted_rows_are_marked_and_stay_deleted(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, MARKED)
    assert table.delete("id IN (1, 3)").deleted == 2
    table.update({"v": "concat(v, '!')"})
    assert rows(table) == [(0, "a!", "x", 0), (2, "c!", "x", 2)]
    table.delete("v = 'a!'")
    assert rows(table) == [(2, "c!", "x", 2)]


def test_a_merge_updates_deletes_and_inserts(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, MARKED)
    source = [{"id": 0, "v": "zero", "p": "z"}, {"id": 1, "v": "gone", "p": "z"}, {"id": 9, "v": "nine", "p": "z"}]
    clauses = [wb.WhenMatched(delete=True, condition="s.v = 'gone'"), wb.WhenMatched({"v": "s.v"}), wb.WhenNotMatched()]
    done = table.merge(source, ["id"], clauses)
    assert (done.updated, done.deleted, done.inserted) == (1, 1, 1)
    assert rows(table) == [(0, "zero", "x", 0), (2, "c", "x", 2), (3, "d", "y", 3), (9, "nine", "z", 4)]


def test_rows_are_deleted_without_marks_only_with_their_partition(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, EVOLVING, partition_by=["p"])
    with pytest.raises(Unsupported, match="without deletion vectors"):
        table.delete("id = 1")
    with pytest.raises(Unsupported, match="partition column 'p'"):
        table.update({"p": "'z'"})
    table.update({"v": "'new'"}, "p = 'x'")
    table.delete("p = 'y'")
    assert [row[:3] for row in rows(table)] == [(0, "new", "x"), (2, "new", "x")]
    table.write([{"id": 5, "v": "only", "p": "x"}], mode="overwrite", partition={"p": "x"})
    assert [row[:3] for row in rows(table)] == [(5, "only", "x")]


def test_files_are_not_rewritten(catalog: FileSystemCatalog) -> None:
    table = new_table(catalog, EVOLVING)
    with pytest.raises(Unsupported, match="Changing rows and files"):
        table.compact(full=True)


@pytest.mark.parametrize("first", ["update", "overwrite"])
def test_a_statement_that_has_read_older_values_conflicts(
    catalog: FileSystemCatalog, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table(catalog, EVOLVING)
    from workbench.commit import publish

    commit, done = publish.commit, []

    def after_another(*arguments: Any) -> Any:
        monkeypatch.setattr(publish, "commit", commit)
        other = catalog.get_table("lab.t")
        if first == "update":
            done.append(other.update({"v": "'other'"}, "id = 0"))
        else:
            done.append(other.write([{"id": 7, "v": "other", "p": "x"}], mode="overwrite"))
        return commit(*arguments)

    monkeypatch.setattr(publish, "commit", after_another)
    with pytest.raises(CommitConflict, match=r"Another commit changed rows of lab\.t first"):
        table.update({"v": "'mine'"}, "id = 1")
    assert done
    assert {row[1] for row in rows(table)} == ({"other", "b", "c", "d"} if first == "update" else {"other"})


def test_an_insert_in_between_is_no_conflict(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table(catalog, EVOLVING)
    from workbench.commit import publish

    commit = publish.commit

    def after_another(*arguments: Any) -> Any:
        monkeypatch.setattr(publish, "commit", commit)
        catalog.get_table("lab.t").write([{"id": 7, "v": "other", "p": "x"}])
        return commit(*arguments)

    monkeypatch.setattr(publish, "commit", after_another)
    table.update({"v": "'mine'"}, "id = 1")
    assert [row[:2] for row in rows(table)] == [(0, "a"), (1, "mine"), (2, "c"), (3, "d"), (7, "other")]
