"""Tables whose metadata points elsewhere: no file outside of the warehouse is opened, listed or checked for
existence."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import WorkbenchError
from workbench.catalog.connect import connect
from workbench.format.spec import manifest
from workbench.storage.local import LocalFileIO

ROWS = 50
BAIT = 1000
TOUCHING = ("read_bytes", "read_range", "open_input", "status", "exists", "list_files")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a warehouse and a decoy: another warehouse with a table of the same name and schema."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, first in (("wh", 0), ("wh-bait", BAIT)):
        catalog = connect(folder / name)
        catalog.create_database("db")
        table = catalog.create_table(
            "db.t", {"id": "BIGINT NOT NULL", "p": "STRING"}, partition_by="p", options={"bucket": "-1"}
        )
        table.write(pa.table({"id": range(first, first + ROWS), "p": ["x"] * ROWS}))
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(original, copy)
    return copy


@pytest.fixture(autouse=True)
def touched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every local path that was opened, listed or looked at."""
    paths: list[str] = []
    for name in TOUCHING:
        inner = getattr(LocalFileIO, name)

        def noted(self: LocalFileIO, path: str, *more: Any, inner: Callable[..., Any] = inner) -> Any:
            paths.append(path)
            return inner(self, path, *more)

        monkeypatch.setattr(LocalFileIO, name, noted)
    return paths


def home(folder: Path) -> Path:
    return folder / "wh" / "db.db" / "t"


def bait(folder: Path) -> Path:
    return next((folder / "wh-bait").glob("db.db/t/p=x/bucket-0/data-*"))


READS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda table: table.to_arrow(),
    "stream": lambda table: table.to_batches().read_all(),
    "where": lambda table: table.to_arrow(where="id > 10"),
    "files": lambda table: table.scan().plan(),
    "changes": lambda table: table.changes(0, 1),
}


def check(folder: Path, touched: list[str]) -> None:
    """Check that nothing outside the warehouse is touched or read, and that every error is a `WorkbenchError`."""
    touched.clear()
    for name, read in READS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = read(connect(folder / "wh").get_table("db.t"))
        except WorkbenchError as error:
            broken_lines = "\n" in str(error)
            assert not broken_lines
            continue
        if name != "files":
            assert max(result["id"].to_pylist(), default=0) < BAIT, f"{name} brought the bait"
    inside = os.path.realpath(folder / "wh")
    for path in touched:
        plain = os.path.realpath(path.removeprefix("file:"))
        assert plain == inside or plain.startswith(f"{inside}{os.sep}"), f"{path} was touched"


def relative_bait(folder: Path) -> str:
    return os.path.relpath(bait(folder), home(folder) / "p=x" / "bucket-0")


PLACES: dict[str, Callable[[Path], str]] = {
    "absolute": lambda folder: str(bait(folder)),
    "a URL": lambda folder: f"file://{bait(folder)}",
    "one slash": lambda folder: f"file:{bait(folder)}",
    "relative": relative_bait,
    "upwards": lambda folder: f"{home(folder)}/../../../wh-bait/db.db/t/p=x/bucket-0/{bait(folder).name}",
    "upwards as a URL": lambda folder: (
        f"file://{home(folder)}/../../../wh-bait/db.db/t/p=x/bucket-0/{bait(folder).name}"
    ),
    "escaped": lambda folder: f"{home(folder)}/%2e%2e/%2e%2e/%2e%2e/wh-bait/db.db/t/p=x/bucket-0/{bait(folder).name}",
    "a chain": lambda folder: f"simplecache::file://{bait(folder)}",
    "a chain of archives": lambda folder: f"zip://x::file://{bait(folder)}",
    "another store": lambda folder: f"memory://{bait(folder)}",
    "a host": lambda folder: f"file://elsewhere{bait(folder)}",
    "a common prefix": lambda folder: str(bait(folder)),
    "control characters": lambda folder: f"{bait(folder)}\n\x00",
    "the web": lambda _: "http://127.0.0.1:9/data.parquet",
    "a process": lambda _: "/proc/self/environ",
    "nothing": lambda _: "",
}


def change_entries(folder: Path, change: Callable[[Any], Any]) -> None:
    for path in home(folder).glob("manifest/manifest-[!l]*"):
        entries = manifest.read_manifest(path.read_bytes(), str(path))
        path.write_bytes(manifest.write_manifest([replace(each, file=change(each.file)) for each in entries]))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("field", ["external_path", "file_name", "extra_files"])
def test_data_files(folder: Path, touched: list[str], field: str, place: str) -> None:
    name = PLACES[place](folder)
    change_entries(folder, lambda file: replace(file, **{field: (name,) if field == "extra_files" else name}))
    check(folder, touched)


SNAPSHOT_NAMES = ("baseManifestList", "deltaManifestList", "changelogManifestList", "indexManifest", "statistics")


@pytest.mark.parametrize("place", ["absolute", "a URL", "relative", "a chain", "control characters", "nothing"])
@pytest.mark.parametrize("name", SNAPSHOT_NAMES)
def test_names_in_snapshots(folder: Path, touched: list[str], name: str, place: str) -> None:
    path = home(folder) / "snapshot" / "snapshot-1"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: PLACES[place](folder)}))
    check(folder, touched)


OPTIONS = {
    "path": "{bait}",
    "branch": "../../../../wh-bait/db.db/t",
    "data-file.path-directory": "../../../wh-bait/db.db/t",
    "data-file.external-paths": "{bait}",
    "data-file.prefix": "../../../",
    "partition.default-name": "../../../../wh-bait",
    "scan.fallback-branch": "../../../../wh-bait/db.db/t",
    "scan.tag-name": "../../../../wh-bait/db.db/t/tag",
    "consumer-id": "../../../wh-bait/x",
    "global-index.external-path": "{bait}",
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options(folder: Path, touched: list[str], option: str) -> None:
    path = home(folder) / "schema" / "schema-0"
    schema = json.loads(path.read_text())
    schema["options"][option] = OPTIONS[option].format(bait=folder / "wh-bait" / "db.db" / "t")
    path.write_text(json.dumps(schema))
    check(folder, touched)


NAMES = ["../../../wh-bait/db.db/t", "..", "/etc", "x/../../y", "a\0b", "a\nb", "%2e%2e"]


@pytest.mark.parametrize("name", NAMES)
def test_names_from_users(folder: Path, touched: list[str], name: str) -> None:
    """Hostile names, which a page or a notebook cell may send, are refused without touching other files."""
    catalog = connect(folder / "wh")
    table = catalog.get_table("db.t")
    touched.clear()
    for act in (
        lambda: catalog.get_table(name),
        lambda: catalog.get_table(f"db.{name}"),
        lambda: catalog.get_table(f"{name}.t"),
        lambda: catalog.open(f"db.t${name}"),
        lambda: catalog.get_table(f"db.t$branch_{name}").to_arrow(),
        lambda: catalog.open(f"db.t$branch_{name}$files").to_arrow(),
        lambda: table.branch(name).to_arrow(),
        lambda: table.at(tag=name),
        lambda: catalog.list_tables(name),
    ):
        with pytest.raises(WorkbenchError):
            act()
    inside = os.path.realpath(folder / "wh")
    assert all(os.path.realpath(path.replace("\0", "")).startswith(inside) for path in touched), touched


@pytest.mark.parametrize("value", ["..", "../../../../wh-bait", "/etc", "a/b", "%2F..", "x\0", "."])
def test_partition_values_are_names(folder: Path, touched: list[str], value: str) -> None:
    """Rows with a partition value that looks like a path are stored inside the table, and can be read."""
    table = connect(folder / "wh").get_table("db.t")
    outside = sorted(path for path in folder.rglob("*") if not path.is_relative_to(home(folder)))
    table.write([{"id": 7, "p": value}])
    assert sorted(path for path in folder.rglob("*") if not path.is_relative_to(home(folder))) == outside
    assert table.to_arrow(where="id = 7 AND p <> 'x'")["p"].to_pylist() == [value]
    check(folder, touched)


HUGE: dict[str, dict[str, Any]] = {
    "rows": {"row_count": 1 << 62},
    "negative rows": {"row_count": -1},
    "size": {"file_size": 1 << 62},
    "negative size": {"file_size": -(1 << 62)},
    "a small size": {"file_size": 1},
    "schema": {"schema_id": 1 << 60},
    "negative schema": {"schema_id": -1},
    "level": {"level": 1 << 30},
    "sequence": {"min_sequence_number": 1 << 62, "max_sequence_number": -(1 << 62)},
    "deletes": {"delete_row_count": 1 << 62},
    "first row": {"first_row_id": 1 << 62},
    "keys": {"min_key": b"\x7f\xff\xff\xff" + bytes(40), "max_key": b"\xff" * 40},
    "stats of columns": {"value_stats_cols": ("id",) * 50},
}


@pytest.mark.parametrize("name", HUGE)
def test_impossible_numbers(folder: Path, touched: list[str], name: str) -> None:
    change_entries(folder, lambda file: replace(file, **HUGE[name]))
    check(folder, touched)


DEEP = 100_000


@pytest.mark.parametrize(
    "schema",
    [
        "[" * DEEP,
        '{"fields":' + "[" * DEEP,
        json.dumps({"id": 0, "fields": [{"id": 0, "name": "a", "type": "ARRAY<" * DEEP + "INT" + ">" * DEEP}]}),
    ],
)
def test_deep_schemas(folder: Path, touched: list[str], schema: str) -> None:
    (home(folder) / "schema" / "schema-0").write_text(schema)
    check(folder, touched)
