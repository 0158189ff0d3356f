"""Settings that Java refuses are refused for new and for existing tables, and those that Java accepts are accepted."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "interop"))

import workbench as wb
from tests.interop.setting_cases import ACCEPTED, CHANGES, REFUSED, Change, Setting
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.definition.schema_rules import OPTION_RULES, SCHEMA_RULES


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = wb.connect(tmp_path)
    opened.create_database("db")
    return opened


def create(catalog: FileSystemCatalog, setting: Setting) -> None:
    options = {**setting.table.get("options", {}), **setting.options}
    catalog.create_table("db.t", setting.columns, **{**setting.table, "options": options})


@pytest.mark.parametrize("setting", REFUSED, ids=str)
def test_a_new_table_is_refused(setting: Setting, catalog: FileSystemCatalog) -> None:
    with pytest.raises(wb.WorkbenchError) as caught:
        create(catalog, setting)
    assert any(f"'{name}'" in str(caught.value) for name in (*setting.options, *setting.columns))
    assert catalog.list_tables("db") == []


def fits_later(setting: Setting) -> bool:
    """Return whether existing tables refuse a setting too; they have the branch main and another rule for buckets."""
    return "bucket" not in setting.options and "main" not in setting.options.values()


@pytest.mark.parametrize("setting", list(filter(fits_later, REFUSED)), ids=str)
def test_a_table_keeps_its_setting(setting: Setting, catalog: FileSystemCatalog) -> None:
    catalog.create_table("db.t", setting.columns, **setting.table)
    with pytest.raises(wb.WorkbenchError):
        catalog.alter_table("db.t", *(wb.SetOption(*each) for each in setting.options.items()))
    assert len(catalog.get_table("db.t").schemas()) == 1


@pytest.mark.parametrize("setting", ACCEPTED, ids=str)
def test_settings_that_java_accepts_are_accepted(setting: Setting, catalog: FileSystemCatalog) -> None:
    # A table whose options say which version to read cannot be opened while it has no snapshots.
    with warnings.catch_warnings(), suppress(wb.SnapshotNotFound):
        warnings.simplefilter("error")
        create(catalog, setting)
    assert catalog.list_tables("db") == ["t"]


@pytest.mark.parametrize("case", CHANGES, ids=str)
def test_a_change_that_breaks_a_setting_is_refused(case: Change, catalog: FileSystemCatalog) -> None:
    create(catalog, case.before)
    if case.taken:
        catalog.alter_table("db.t", case.change)
    else:
        with pytest.raises(wb.WorkbenchError):
            catalog.alter_table("db.t", case.change)
    assert len(catalog.get_table("db.t").schemas()) == 1 + case.taken


def test_rule_names_are_unique() -> None:
    names = [rule.name for rule in (*OPTION_RULES, *SCHEMA_RULES)]
    assert len(set(names)) == len(names)


def test_a_stored_table_that_breaks_a_rule_is_read_and_can_be_repaired(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("db.t", {"a": "INT"})
    created.write([{"a": 1}])
    schema = Path(created.location, "schema", "schema-0")
    schema.write_text(schema.read_text().replace('"options": {}', '"options": {"target-file-row-num": "0"}'))
    assert wb.connect(catalog.warehouse).get_table("db.t").to_arrow().num_rows == 1
    with pytest.raises(wb.InvalidSchema, match="'target-file-row-num' cannot be 0"):
        catalog.alter_table("db.t", wb.AddColumn("b", "INT"))
    catalog.alter_table("db.t", wb.AddColumn("b", "INT"), wb.RemoveOption("target-file-row-num"))


def test_user_properties_are_kept(catalog: FileSystemCatalog) -> None:
    own = {"my.own": "x", "team": "größe", "created.by": "me", "comment2": ""}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        catalog.create_table("db.t", {"a": "INT"}, options=own).write([{"a": 1}])
        catalog.alter_table(
            "db.t", wb.SetOption("my.own", "y"), wb.RemoveOption("team"), wb.SetOption("cost-center", 7)
        )
        table = wb.connect(catalog.warehouse).get_table("db.t")
    assert table.options == {"my.own": "y", "created.by": "me", "comment2": "", "cost-center": "7"}
    assert table.to_arrow().num_rows == 1
    for name, near in {"buckets": "'bucket'", "file.formt": "'file.format'"}.items():
        with pytest.raises(wb.UnknownOption, match=near):
            catalog.alter_table("db.t", wb.SetOption(name, "1"))


PLACES = {
    "partition.legacy-name": "false",
    "partition.default-name": "nothing",
    "orc.timestamp-ltz.legacy.type": "false",
}


@pytest.mark.parametrize(("option", "value"), PLACES.items())
@pytest.mark.parametrize("removed", [False, True])
def test_row_locations_cannot_change(option: str, value: str, removed: bool, catalog: FileSystemCatalog) -> None:
    options = {option: value} if removed else {}
    table = catalog.create_table("db.t", {"p": "DATE", "a": "INT"}, partition_by="p", options=options)
    change = wb.RemoveOption(option) if removed else wb.SetOption(option, value)
    table.write([{"p": None, "a": 1}])
    with pytest.raises(wb.InvalidSchema, match=f"'{option}' cannot change .* once the table has rows"):
        catalog.alter_table("db.t", change)
    assert catalog.get_table("db.t").to_arrow().num_rows == 1
    # The rows of the old version can still be read, so the change is still refused.
    catalog.get_table("db.t").delete("a = 1")
    with pytest.raises(wb.InvalidSchema, match="once the table has rows"):
        catalog.alter_table("db.t", change)


@pytest.mark.parametrize(("option", "value"), PLACES.items())
def test_row_locations_may_change_without_rows(option: str, value: str, catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"p": "DATE", "a": "INT"}, partition_by="p")
    table.write([{"p": None, "a": 1}])
    table.delete("a = 1")
    table.expire_snapshots(retain_max=1, retain_min=1)
    catalog.alter_table("db.t", wb.SetOption(option, value))
    table = catalog.get_table("db.t")
    table.write([{"p": None, "a": 1}])
    # Setting the same value again is not a change.
    catalog.alter_table("db.t", wb.SetOption(option, value), wb.AddColumn("b", "INT"))
    assert catalog.get_table("db.t").to_arrow().num_rows == 1


def test_a_tag_keeps_the_location_of_its_rows(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"p": "DATE", "a": "INT"}, partition_by="p")
    table.write([{"p": None, "a": 1}])
    table.create_tag("kept")
    table.delete("a = 1")
    table.expire_snapshots(retain_max=1, retain_min=1)
    assert [each.total_record_count for each in table.snapshots()] == [0]
    with pytest.raises(wb.InvalidSchema, match="once the table has rows"):
        catalog.alter_table("db.t", wb.SetOption("partition.legacy-name", False))
    table.delete_tag("kept")
    catalog.alter_table("db.t", wb.SetOption("partition.legacy-name", False))
