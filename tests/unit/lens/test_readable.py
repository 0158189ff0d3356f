"""The newest version of a damaged table that can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import CorruptFile
from workbench.catalog.connect import connect
from workbench.lens.damage import DamagedFileValue, data_files
from workbench.lens.error import describe_error
from workbench.lens.readable import ReadableVersionValue, collect_readable_version
from workbench.table.table import Table


def manifest_list(table: Table, snapshot: int) -> Path:
    return Path(table.location, "manifest", table.snapshot(snapshot).delta_manifest_list)


def damage(table: Table, snapshot: int) -> None:
    manifest_list(table, snapshot).write_bytes(b"garbage")


def data_file(table: Table, snapshot: int) -> Path:
    """The data file that a commit added."""
    before, after = (
        {file.path for file in data_files(table.store, table.snapshot(each))} for each in (snapshot - 1, snapshot)
    )
    (added,) = after - before
    return Path(added)


def again(table: Table) -> Table:
    """The table without what is cached."""
    return connect(Path(table.location).parents[1]).get_table("d.t")


def readable(table: Table, **given: Any) -> int | None:
    return collect_readable_version(again(table), **given).snapshot


def test_the_newest_that_reads(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    assert readable(table) == 4
    damage(table, 4)
    assert readable(table) == 3
    Path(table.location, "snapshot", "snapshot-4").write_text("{ no snapshot")
    assert readable(table) == 3
    assert readable(table, snapshot=3) == 2


def test_none_reads(table: Table, write: Any) -> None:
    assert collect_readable_version(table) == ReadableVersionValue(None, None)
    write("a", [1], "x")
    write("a", [1], "x")
    damage(table, 1)
    damage(table, 2)
    assert readable(table) is None


def test_a_data_file_that_is_known_to_be_damaged(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    path = data_file(table, 3)
    size = path.stat().st_size
    path.write_bytes(bytes(size))
    assert readable(table) == 3
    with pytest.raises(CorruptFile) as error:
        again(table).to_arrow()
    damaged = describe_error(error.value).file
    assert damaged is not None
    expected = ReadableVersionValue(2, DamagedFileValue(damaged, size, size))
    assert collect_readable_version(again(table), damaged=damaged) == expected


@pytest.mark.parametrize("kept", [None, 3])
def test_a_data_file_that_is_missing_or_cut(table: Table, write: Any, kept: int | None) -> None:
    for key in range(3):
        write("a", [key], "x")
    path = data_file(table, 2)
    content = path.read_bytes()
    if kept is None:
        path.unlink()
    else:
        path.write_bytes(content[:kept])
    assert readable(table) == 1
    found = collect_readable_version(again(table), damaged=f"{path}").damaged
    assert found == DamagedFileValue(f"{path}", len(content), kept)


def test_the_sizes_of_damaged_metadata(table: Table, write: Any) -> None:
    write("a", [1], "x")
    write("a", [2], "x")
    listed, size = manifest_list(table, 2), manifest_list(table, 2).stat().st_size
    damage(table, 2)
    given = f"{listed}"
    assert collect_readable_version(again(table), damaged=given).damaged == DamagedFileValue(given, size, 7)
    snapshot = Path(table.location, "snapshot", "snapshot-2")
    snapshot.write_text("{ no snapshot")
    given = f"{snapshot}"
    assert collect_readable_version(again(table), damaged=given).damaged == DamagedFileValue(given, None, 13)
    table.create_tag("kept", snapshot=1)
    given = f"{manifest_list(table, 1)}"
    found = collect_readable_version(again(table), tag="kept", damaged=given).damaged
    assert found is not None
    assert found.expected_bytes == found.found_bytes == manifest_list(table, 1).stat().st_size


@pytest.mark.parametrize("path", ["/etc/passwd", "{table}/../../other", "{table}/snapshot", "{table}", ""])
def test_a_path_that_is_no_file_of_the_table(table: Table, write: Any, path: str) -> None:
    write("a", [1], "x")
    assert collect_readable_version(table, damaged=path.format(table=table.location)).damaged is None
