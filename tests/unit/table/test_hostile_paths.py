"""Paths in the metadata of a table are not trusted: nothing outside of its warehouse is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.manifest import read_manifest, write_manifest
from workbench.metadata.store import TableStore
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Two files of one row, and a foreign file outside of the warehouse."""
    catalog = wb.connect(tmp_path / "wh")
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "INT"})
    table.write([{"id": 1}])
    secret = catalog.create_table("db.secret", {"id": "INT"})
    secret.write([{"id": 42}])
    (file,) = secret.scan().plan()[0].paths
    (tmp_path / "secret.parquet").write_bytes(Path(file).read_bytes())
    return table


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that is opened from now on."""
    paths: list[str] = []
    for name in ("open_input", "read_bytes", "read_range", "status", "exists"):
        original = getattr(LocalFileIO, name)

        def watched(self: LocalFileIO, path: str, *more: Any, _original: Any = original) -> Any:
            paths.append(path)
            return _original(self, path, *more)

        monkeypatch.setattr(LocalFileIO, name, watched)
    return paths


def with_file(table: Table, change: Callable[[DataFileMeta], DataFileMeta]) -> Table:
    """Change the metadata of the data file in the table's manifest, and return the table opened again."""
    (path,) = Path(table.location, "manifest").glob("manifest-[!l]*")
    entries = read_manifest(path.read_bytes(), str(path))
    path.write_bytes(write_manifest([replace(each, file=change(each.file)) for each in entries]))
    return wb.connect(Path(table.location).parents[1]).get_table("db.t")


HOSTILE = [
    "{outside}/secret.parquet",
    "file:{outside}/secret.parquet",
    "file://{outside}/secret.parquet",
    "{table}/../../../secret.parquet",
    "{table}/bucket-0/../../../../secret.parquet",
    "{warehouse}-2/secret.parquet",
    "{warehouse}/../secret.parquet",
    "simplecache::file://{outside}/secret.parquet",
    "file:{table}::file:{outside}/secret.parquet",
    "s3://bucket/secret.parquet",
    "http://example.org/secret.parquet",
    "secret.parquet",
    "../secret.parquet",
    "~/secret.parquet",
    "{warehouse}",
    "",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_no_external_path_leads_out(table: Table, tmp_path: Path, opened: list[str], path: str) -> None:
    given = path.format(outside=tmp_path, table=table.location, warehouse=tmp_path / "wh")
    hostile = with_file(table, lambda file: replace(file, external_path=given))
    opened.clear()
    for read in (hostile.to_arrow, lambda: hostile.to_batches().read_all(), lambda: hostile.changes(0, 1, mode="diff")):
        with pytest.raises(Unsupported, match="outside of its warehouse"):
            read()
    with pytest.raises(Unsupported):
        hostile.to_arrow(where="id = 1")
    assert all(each.startswith(table.location + "/") and "/../" not in each for each in opened)


def test_external_paths_in_the_warehouse_are_read_and_others_when_allowed(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = wb.connect(tmp_path / "wh").get_table("db.secret").scan().plan()[0].paths[0]
    inside = with_file(table, lambda file: replace(file, external_path=f"file:{secret}"))
    assert inside.to_arrow()["id"].to_pylist() == [42]
    outside = with_file(table, lambda file: replace(file, external_path=str(tmp_path / "secret.parquet")))
    monkeypatch.setattr(wb.options, "allowed_roots", [tmp_path.as_uri()])
    assert outside.to_arrow()["id"].to_pylist() == [42]
    monkeypatch.setattr(wb.options, "allowed_roots", [str(tmp_path / "sec")])
    with pytest.raises(Unsupported):
        outside.to_arrow()


def test_tasks_in_other_processes_may_open_what_the_user_allowed(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wb.options, "allowed_roots", [str(tmp_path)])
    make, arguments = table.store.__reduce__()
    monkeypatch.setattr(wb.options, "allowed_roots", [])
    there = make(*arguments)  # type: ignore[operator]
    assert isinstance(there, TableStore)
    assert there.check_path(f"{tmp_path}/secret.parquet") == f"{tmp_path}/secret.parquet"
    with pytest.raises(Unsupported):
        table.store.check_path(f"{tmp_path}/secret.parquet")


@pytest.mark.parametrize("name", ["../../../../secret.parquet", "/etc/passwd", "..", ".", "", "a/b", "x\0y"])
@pytest.mark.parametrize("beside", [False, True])
def test_names_of_data_files_are_names(table: Table, opened: list[str], name: str, beside: bool) -> None:
    change: dict[str, Any] = {"extra_files": (name,)} if beside else {"file_name": name}
    hostile = with_file(table, lambda file: replace(file, **change))
    opened.clear()
    with pytest.raises(CorruptFile, match="is not the name of a file"):
        hostile.to_arrow()
    assert all(each.startswith(table.location + "/") and "/../" not in each for each in opened)


@pytest.mark.parametrize(
    "member", ["baseManifestList", "deltaManifestList", "changelogManifestList", "indexManifest", "statistics"]
)
def test_names_in_snapshots_are_names(table: Table, opened: list[str], member: str) -> None:
    path = Path(table.location, "snapshot", "snapshot-1")
    path.write_text(json.dumps({**json.loads(path.read_text()), member: "../../../secret.parquet"}))
    opened.clear()
    with pytest.raises(CorruptFile, match=f"'{member}' of the snapshot.*is not the name of a file"):
        table.to_arrow()
    assert not any("secret" in each for each in opened)


@pytest.mark.parametrize("directory", ["../../..", "a/../../../../x"])
def test_the_directory_of_data_files_is_inside_the_warehouse(tmp_path: Path, directory: str) -> None:
    catalog = wb.connect(tmp_path / "wh")
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "INT"}, options={"data-file.path-directory": directory})
    with pytest.raises(Unsupported, match="outside of its warehouse"):
        table.write(pa.table({"id": pa.array([1], pa.int32())}))
    assert not (tmp_path / "bucket-0").exists()
