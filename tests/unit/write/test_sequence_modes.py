"""How new rows are numbered: by the files of the table, by a property of its newest version, or by the version
itself."""

from __future__ import annotations

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import InvalidSchema
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.sequences import MAX_SEQUENCE_PROPERTY
from workbench.table.table import Table

NOTED = {"bucket": "1", "write.sequence-number-init-mode": "snapshot"}
STAMPED = {"bucket": "1", "sequence.snapshot-ordering": "true", "write-only": "true"}


def make(catalog: FileSystemCatalog, options: dict[str, str]) -> Table:
    return catalog.create_table("db.t", {"id": "INT", "v": "INT"}, "id", options=options)


def write(table: Table, *result: tuple[int, int], mode: str = "append") -> None:
    ids, values = zip(*result, strict=True)
    table.write(pa.table({"id": pa.array(ids, pa.int32()), "v": pa.array(values, pa.int32())}), mode=mode)


def content(table: Table) -> dict[int, int]:
    return dict(zip(*table.to_arrow().to_pydict().values(), strict=True))


def newest_file(table: Table) -> DataFileMeta:
    live = ManifestFiles(table.store).live_files(table.snapshot())
    return max((entry.file for entry in live), key=lambda file: file.max_sequence_number)


def noted(table: Table) -> str | None:
    return table.snapshot().properties.get(MAX_SEQUENCE_PROPERTY)


@pytest.mark.parametrize("write_only", ["true", "false"])
def test_a_version_notes_the_greatest_number(catalog: FileSystemCatalog, write_only: str) -> None:
    table = make(catalog, {**NOTED, "write-only": write_only})
    write(table, (1, 1), (2, 1), (3, 1))
    assert noted(table) == "2"
    write(table, (2, 2))
    assert noted(table) == "3"
    assert newest_file(table).min_sequence_number == 3
    write(table, (9, 9), (8, 8), mode="overwrite")
    assert (newest_file(table).min_sequence_number, noted(table)) == (4, "5")
    assert content(table) == {8: 8, 9: 9}
    table.compact(full=True)
    assert noted(table) == "5"


def test_a_table_that_noted_nothing_before_is_looked_through(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"bucket": "1", "write-only": "true"})
    write(table, (1, 1), (2, 1))
    assert noted(table) is None
    catalog.alter_table("db.t", wb.SetOption("write.sequence-number-init-mode", "snapshot"))
    table = catalog.get_table("db.t")
    write(table, (1, 2))
    assert newest_file(table).min_sequence_number == 2
    assert noted(table) == "2"
    write(table, (1, 3))
    assert content(table) == {1: 3, 2: 1}


def test_then_files_are_not_looked_for(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {**NOTED, "write-only": "true"})
    write(table, (1, 1))
    state = table.new_write_plan().buckets
    assert not state.buckets
    assert state.state((b"", 0)).next_sequence == 1


def test_rows_have_the_number_of_their_version(catalog: FileSystemCatalog) -> None:
    table = make(catalog, STAMPED)
    for value in range(1, 4):
        write(table, (1, value), (value, value))
        file = newest_file(table)
        assert (file.min_sequence_number, file.max_sequence_number) == (value, value)
    assert content(table) == {1: 3, 2: 2, 3: 3}
    table.compact(full=True)
    assert content(table) == {1: 3, 2: 2, 3: 3}
    write(table, (1, 9))
    assert content(table)[1] == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sequence.snapshot-ordering": "true"}, "needs 'write-only' = 'true'"),
        ({**STAMPED, "sequence.field": "v"}, "'sequence.snapshot-ordering' and 'sequence.field'"),
        ({"merge-engine": "first-row", "sequence.field": "v"}, "'first-row' cannot have option 'sequence.field'"),
        ({"merge-engine": "first-row", "changelog-producer": "input"}, "'changelog-producer' = 'input'"),
    ],
    ids=str,
)
def test_options_that_contradict_each_other(catalog: FileSystemCatalog, options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidSchema, match=message):
        make(catalog, {"bucket": "1", **options})
