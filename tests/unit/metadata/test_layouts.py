"""Options that decide how stored rows are merged can be changed only if no row would be read differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import CommitConflict, InvalidRequest, InvalidSchema, WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.table.read_options import open_for_read
from workbench.table.table import Table

COLUMNS = {"k": "INT NOT NULL", "n": "INT", "s": "STRING"}
SUM = {"merge-engine": "aggregation", "fields.n.aggregate-function": "sum"}
PARTIAL = {"merge-engine": "partial-update"}
FIRST = {"merge-engine": "first-row"}
BY_N = {"sequence.field": "n"}
LOOKUP = {"changelog-producer": "lookup"}
FULL = {"changelog-producer": "full-compaction"}
VECTORS = {"deletion-vectors.enabled": "true"}
MODIFIABLE = {"deletion-vectors.modifiable": "true"}
TALL = {"compaction.force-up-level-0": "true", "compaction.max-size-amplification-percent": "1000000"}
SET_LOOKUP = wb.SetOption("changelog-producer", "lookup")
Change = wb.SetOption | wb.RemoveOption


def create(catalog: FileSystemCatalog, options: Mapping[str, str] | None = None) -> Table:
    return catalog.create_table(
        "db.t", COLUMNS, primary_key="k", options={"bucket": "1", "write-only": "true", **(options or {})}
    )


def write(table: Table, *rows: tuple[Any, ...], kind: str = "+I") -> None:
    table.write([dict(zip(COLUMNS, row, strict=True)) | {"kind": kind} for row in rows], row_kind="kind")


def held(table: Table) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.to_arrow().to_pylist()), key=str)


def levels(table: Table) -> list[int]:
    return sorted(entry.file.level for entry in ManifestFiles(table.store).live_files(table.snapshot()))


def two_levels(catalog: FileSystemCatalog, options: Mapping[str, str] | None = None) -> Table:
    """Rows of the same keys on two levels above 0, in files of very different sizes."""
    table = create(catalog, {**TALL, **(options or {})})
    write(table, *((key, key % 7, f"{key * 7919:09}") for key in range(3000)))
    table.compact(full=True)
    write(table, (1, 3, None), (2, 1, "new"), (9999, 1, "x"))
    table.compact()
    assert levels(table) == [4, 5]
    return table


def level_0_above_another(catalog: FileSystemCatalog, options: Mapping[str, str] | None = None) -> Table:
    table = create(catalog, options)
    write(table, (1, 5, "a"), (2, 5, "b"))
    table.compact(full=True)
    write(table, (1, 3, None))
    assert levels(table) == [0, 5]
    return table


def several_of_level_0(catalog: FileSystemCatalog, options: Mapping[str, str] | None = None) -> Table:
    table = create(catalog, options)
    for number in (5, 3, 4):
        write(table, (1, number, "a"), (2, number, None))
    assert levels(table) == [0, 0, 0]
    return table


def apart(catalog: FileSystemCatalog, options: Mapping[str, str] | None = None) -> Table:
    """Create a table without two files whose key ranges overlap."""
    table = create(catalog, options)
    write(table, (1, 5, "a"), (2, 5, "b"))
    write(table, (3, 3, None))
    return table


ENGINES = (SUM, PARTIAL, BY_N, {**PARTIAL, "fields.n.sequence-group": "s"})


@pytest.mark.parametrize("options", ENGINES, ids=str)
@pytest.mark.parametrize(
    ("before", "change"),
    [
        ({}, SET_LOOKUP),
        ({"changelog-producer": "input"}, SET_LOOKUP),
        (FULL, SET_LOOKUP),
        (LOOKUP, wb.SetOption("changelog-producer", "none")),
        (LOOKUP, wb.SetOption("changelog-producer", "full-compaction")),
        (LOOKUP, wb.RemoveOption("changelog-producer")),
    ],
)
def test_lookup_waits_for_a_full_compaction(
    catalog: FileSystemCatalog, options: dict[str, str], before: dict[str, str], change: Change
) -> None:
    table = two_levels(catalog, {**options, **before})
    rows, newest = held(table), table.snapshot().id
    with pytest.raises(InvalidSchema, match="'changelog-producer' cannot change now") as raised:
        catalog.alter_table("db.t", change)
    assert "compact(full=True)" in (raised.value.hint or "")
    assert [each.id for each in table.schemas()] == [0]
    table.compact(full=True)
    catalog.alter_table("db.t", change)
    altered = catalog.get_table("db.t")
    assert held(altered) == rows
    assert held(altered.at(snapshot=newest)) == rows
    assert altered.changes(newest, altered.snapshot().id, "diff").num_rows == 0
    write(altered, (1, 9, "z"))
    expected = held(altered)
    altered.compact(full=True)
    assert held(altered) == expected


@pytest.mark.parametrize("make_layout", [level_0_above_another, several_of_level_0, apart])
@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_lookup_may_change_with_a_single_level_above_0(
    catalog: FileSystemCatalog, options: dict[str, str], make_layout: Callable[..., Table]
) -> None:
    rows = held(make_layout(catalog, options))
    for change in (SET_LOOKUP, wb.RemoveOption("changelog-producer")):
        catalog.alter_table("db.t", change)
        assert held(catalog.get_table("db.t")) == rows


@pytest.mark.parametrize(
    ("options", "change"),
    [
        ({}, SET_LOOKUP),
        (LOOKUP, wb.RemoveOption("changelog-producer")),
        (SUM, wb.SetOption("changelog-producer", "full-compaction")),
        (SUM, wb.SetOption("changelog-producer", "input")),
        ({**SUM, "force-lookup": "true"}, SET_LOOKUP),
        ({**SUM, **FULL, "force-lookup": "true"}, SET_LOOKUP),
        (SUM, wb.SetOption("fields.n.aggregate-function", "sum")),
        (SUM, wb.SetOption("fields.s.aggregate-function", "last_non_null_value")),
        ({}, wb.SetOption("fields.n.aggregate-function", "sum")),
        ({}, wb.SetOption("ignore-delete", "true")),
        ({}, wb.SetOption("sequence.field.sort-order", "descending")),
        (SUM, wb.SetOption("snapshot.num-retained.min", 3)),
    ],
)
def test_options_that_do_not_affect_merges_may_change_on_any_levels(
    catalog: FileSystemCatalog, options: dict[str, str], change: Change
) -> None:
    rows = held(two_levels(catalog, options))
    catalog.alter_table("db.t", change)
    assert held(catalog.get_table("db.t")) == rows


def test_first_rows_are_never_looked_up_by_reads(catalog: FileSystemCatalog) -> None:
    rows = held(two_levels(catalog, FIRST))
    for change in (SET_LOOKUP, wb.RemoveOption("changelog-producer")):
        catalog.alter_table("db.t", change)
        assert held(catalog.get_table("db.t")) == rows


@pytest.mark.parametrize(
    ("options", "changes", "named"),
    [
        ({}, [wb.SetOption("sequence.field", "n")], "'sequence.field'"),
        (BY_N, [wb.RemoveOption("sequence.field")], "'sequence.field'"),
        (BY_N, [wb.SetOption("sequence.field.sort-order", "descending")], "'sequence.field.sort-order'"),
        (BY_N, [wb.RemoveOption("sequence.field"), wb.DropColumn("n")], "'sequence.field'"),
        (SUM, [wb.SetOption("fields.n.aggregate-function", "max")], "'fields.n.aggregate-function'"),
        (SUM, [wb.SetOption("fields.default-aggregate-function", "min")], "'fields.default-aggregate-function'"),
        (
            {**SUM, "fields.s.aggregate-function": "listagg"},
            [wb.SetOption("fields.s.list-agg-delimiter", ";")],
            "'fields.s.list-agg-delimiter'",
        ),
        (PARTIAL, [wb.SetOption("fields.n.sequence-group", "s")], "'fields.n.sequence-group'"),
    ],
)
@pytest.mark.parametrize("make_layout", [two_levels, level_0_above_another, several_of_level_0])
def test_options_that_affect_merges_are_refused_while_keys_are_in_several_files(
    catalog: FileSystemCatalog,
    options: dict[str, str],
    changes: list[Any],
    named: str,
    make_layout: Callable[..., Table],
) -> None:
    table = make_layout(catalog, options)
    with pytest.raises(InvalidSchema, match=f"{named} cannot change now"):
        catalog.alter_table("db.t", *changes)
    table.compact(full=True)
    rows = [row[:1] for row in held(table)]
    catalog.alter_table("db.t", *changes)
    assert [row[:1] for row in held(catalog.get_table("db.t"))] == rows


def test_only_the_relevant_options_are_named(catalog: FileSystemCatalog) -> None:
    two_levels(catalog, SUM)
    with pytest.raises(InvalidSchema, match=r"^Option 'changelog-producer' cannot change now"):
        catalog.alter_table("db.t", wb.UpdateComment("c"), SET_LOOKUP, wb.SetOption("write-only", "false"))


def test_columns_and_their_options_change_as_before(catalog: FileSystemCatalog) -> None:
    rows = held(two_levels(catalog, {**SUM, "fields.s.aggregate-function": "last_value"}))
    catalog.alter_table("db.t", wb.RenameColumn("n", "m"), wb.AddColumn("w", "INT"), wb.MoveColumn("s", first=True))
    result = [(k, m, s) for s, k, m, _ in held(catalog.get_table("db.t"))]
    assert sorted(result, key=str) == rows


def test_deletes_that_would_be_ignored(catalog: FileSystemCatalog) -> None:
    table = level_0_above_another(catalog)
    write(table, (2, None, None), kind="-D")
    ignore = wb.SetOption("ignore-delete", "true")
    with pytest.raises(InvalidSchema, match="'ignore-delete' cannot change now"):
        catalog.alter_table("db.t", ignore)
    table.compact(full=True)
    catalog.alter_table("db.t", ignore)
    assert held(catalog.get_table("db.t")) == [(1, 3, None)]


@pytest.mark.parametrize("make_layout", [two_levels, level_0_above_another, several_of_level_0])
def test_deletion_vectors_may_be_enabled_on_a_compacted_table(
    catalog: FileSystemCatalog, make_layout: Callable[..., Table]
) -> None:
    table = make_layout(catalog, MODIFIABLE)
    rows, newest = held(table), table.snapshot().id
    with pytest.raises(InvalidSchema, match=r"'deletion-vectors\.enabled' cannot change now"):
        catalog.alter_table("db.t", wb.SetOption("deletion-vectors.enabled", True))
    table.compact(full=True)
    catalog.alter_table("db.t", wb.SetOption("deletion-vectors.enabled", True))
    assert held(catalog.get_table("db.t")) == held(catalog.get_table("db.t").at(snapshot=newest)) == rows


def test_deletion_vectors_may_be_disabled_on_a_compacted_table(catalog: FileSystemCatalog) -> None:
    table = create(catalog, {**VECTORS, **MODIFIABLE, "write-only": "false"})
    write(table, (1, 5, "a"), (2, 5, "b"))
    table.compact(full=True)
    write(table, (1, None, None), kind="-D")
    deleted = table.snapshot().id
    assert any(entry.vectors for entry in index_entries(table.store, table.snapshot()))
    with pytest.raises(InvalidSchema, match=r"'deletion-vectors\.enabled' cannot change now"):
        catalog.alter_table("db.t", wb.SetOption("deletion-vectors.enabled", False))
    table.compact(full=True)
    catalog.alter_table("db.t", wb.SetOption("deletion-vectors.enabled", False))
    altered = catalog.get_table("db.t")
    assert held(altered) == held(altered.at(snapshot=deleted)) == [(2, 5, "b")]
    write(altered, (3, 1, "c"))
    altered.compact(full=True)
    assert held(altered) == [(2, 5, "b"), (3, 1, "c")]


def test_deletion_vectors_remain_enabled_on_append_tables_that_have_some(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, options={**VECTORS, **MODIFIABLE, "bucket": "-1"})
    table.write([{"k": 1, "n": 1, "s": "a"}, {"k": 2, "n": 2, "s": "b"}])
    table.delete("k = 1")
    with pytest.raises(InvalidSchema, match=r"'deletion-vectors\.enabled' cannot change now"):
        catalog.alter_table("db.t", wb.SetOption("deletion-vectors.enabled", False))


@pytest.mark.parametrize("as_latest", [False, True])
def test_a_version_of_another_layout_is_not_restored(catalog: FileSystemCatalog, as_latest: bool) -> None:
    table = two_levels(catalog, SUM)
    rows, target = held(table), table.snapshot().id
    table.compact(full=True)
    catalog.alter_table("db.t", SET_LOOKUP)
    for handle in (table, catalog.get_table("db.t")):
        with pytest.raises(InvalidRequest, match="'changelog-producer' = 'none'"):
            handle.rollback_to(snapshot=target, as_latest=as_latest)
    catalog.alter_table("db.t", wb.RemoveOption("changelog-producer"))
    altered = catalog.get_table("db.t")
    altered.rollback_to(snapshot=target, as_latest=as_latest)
    assert held(catalog.get_table("db.t")) == rows


def test_a_branch_of_another_layout_keeps_its_options(catalog: FileSystemCatalog) -> None:
    table = two_levels(catalog, SUM)
    table.create_branch("b", snapshot=table.snapshot().id)
    rows = held(table)
    with pytest.raises(InvalidSchema, match="cannot change now"):
        catalog.alter_table("db.t$branch_b", SET_LOOKUP)
    table.compact(full=True)
    catalog.alter_table("db.t", SET_LOOKUP)
    catalog.get_table("db.t").fast_forward("b")
    assert catalog.get_table("db.t").schema.core.changelog_producer == "none"
    assert held(catalog.get_table("db.t")) == rows


@pytest.mark.parametrize("options", [LOOKUP, VECTORS])
def test_a_read_cannot_have_another_layout(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = two_levels(catalog, SUM)
    with pytest.raises(WorkbenchError, match=f"'{next(iter(options))}' cannot be set for a read"):
        open_for_read(table, options)
    assert held(open_for_read(table, FULL)) == held(table)


def test_a_compaction_of_the_layout_before_is_not_committed(catalog: FileSystemCatalog) -> None:
    stale = level_0_above_another(catalog, {**SUM, **TALL})
    catalog.alter_table("db.t", SET_LOOKUP)
    with pytest.raises(CommitConflict, match="changed while it was running"):
        stale.compact(full=True)
    table = catalog.get_table("db.t")
    rows = held(table)
    table.compact(full=True)
    assert held(table) == rows == [(1, 8, "a"), (2, 5, "b")]
