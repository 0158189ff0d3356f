"""Row-level changes that a merge engine would undo."""

from __future__ import annotations

import pytest

from tests.support.row_level import (
    ids,
    key_table,
    rows,
)
from workbench.base.errors import (
    Unsupported,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


def partial_table(catalog: FileSystemCatalog, **options: str) -> Table:
    table = key_table(catalog, {"merge-engine": "partial-update", **options})
    table.write([{"id": 1, "v": 10, "s": None}, {"id": 2, "v": None, "s": "b"}])
    return table


def test_partial_updates_keep_what_becomes_null(catalog: FileSystemCatalog) -> None:
    table = partial_table(catalog, **{"partial-update.remove-record-on-delete": "true"})
    table.update({"v": "v + 1", "s": "concat(s, '!')"})
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": 11, "s": None}, {"id": 2, "v": None, "s": "b!"}]
    with pytest.raises(Unsupported, match="column 'v' would not change"):
        table.update({"v": "NULL"}, where="id = 1")
    table.update({"v": "NULL"}, where="id = 2")
    table.delete("id = 1")
    assert ids(table) == [2]


def test_partial_updates_without_a_sequence(catalog: FileSystemCatalog) -> None:
    options = {"fields.v.sequence-group": "s", "partial-update.remove-record-on-sequence-group": "v"}
    table = partial_table(catalog, **options)
    table.update({"s": "'a'"}, where="id = 1")
    table.update({"s": "NULL"}, where="id = 1")
    assert table.to_arrow(["s"], "id = 1").column(0).to_pylist() == [None]
    with pytest.raises(
        Unsupported,
        match="only NULL in the sequence columns of its group \\(v\\)",
    ):
        table.update({"s": "'a'"})
    with pytest.raises(Unsupported, match="sequence columns v cannot be deleted"):
        table.delete("id = 2")
    assert table.delete("id = 1").deleted == 1
    assert ids(table) == [2]


def test_aggregated_columns_are_not_written_back(catalog: FileSystemCatalog) -> None:
    options = {"fields.v.sequence-group": "s", "fields.s.aggregate-function": "listagg"}
    with pytest.raises(Unsupported, match="'s' is aggregated by 'listagg'"):
        partial_table(catalog, **options).update({"v": "v + 1"})


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_rows_cannot_become_older(catalog: FileSystemCatalog, order: str) -> None:
    table = key_table(catalog, {"sequence.field": "v", "sequence.field.sort-order": order})
    table.write(rows(1, 2))
    newer, older = ("v + 5", "v - 5") if order == "ascending" else ("v - 5", "v + 5")
    table.update({"v": newer, "s": "'new'"})
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["new", "new"]
    for value in (older, "NULL"):
        with pytest.raises(Unsupported, match="cannot decrease these columns"):
            table.update({"v": value})
    table.update({"s": "'same sequence'"}, where="id = 2")
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["new", "same sequence"]
    assert table.delete("id = 1").deleted == 1
    assert ids(table) == [2]


def test_aggregations_that_remove_rows(catalog: FileSystemCatalog) -> None:
    options = {"merge-engine": "aggregation", "aggregation.remove-record-on-delete": "true"}
    table = key_table(catalog, {**options, "fields.v.aggregate-function": "sum"})
    table.write(rows(1, 2))
    table.write(rows(1))
    assert table.delete("v = 20 AND id = 1").deleted == 1
    assert ids(table) == [2]
