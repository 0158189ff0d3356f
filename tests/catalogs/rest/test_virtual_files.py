"""Files of tables of a service by ``pvfs://catalog/database/table/file``."""

from __future__ import annotations

import json
import pickle
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pytest

import workbench as wb
from tests.catalogs.rest.servers import TOKEN, WAREHOUSE, moved_tables
from tests.interop.provision import PEER_SCRIPTS, peer_python
from tests.stores.proxy import Proxy
from workbench.base.errors import CatalogError, Unsupported
from workbench.catalog.virtual_files import VirtualFileSystem


@pytest.fixture(autouse=True)
def _registered() -> None:
    # As the installed package does by its entry point.
    fsspec.register_implementation("pvfs", VirtualFileSystem, clobber=True)


@pytest.fixture
def service(options: dict[str, str]) -> dict[str, str]:
    """The options without the kind of the catalog and the name of its warehouse, which is in the paths."""
    return {key: value for key, value in options.items() if key not in ("metastore", "warehouse")}


@pytest.fixture
def files(service: dict[str, str]) -> Iterator[Any]:
    yield fsspec.filesystem("pvfs", options=service)
    VirtualFileSystem.clear_instance_cache()


def test_files_of_a_paimon_table_are_read(catalog: wb.Catalog, database: str, files: Any) -> None:
    table = catalog.create_table(f"{database}.t", {"id": "INT"})
    table.write([{"id": 1}])
    home = f"pvfs://{WAREHOUSE}/{database}"
    assert f"{WAREHOUSE}/{database}" in files.ls(f"pvfs://{WAREHOUSE}", detail=False)
    assert files.ls(home) == [{"name": f"{WAREHOUSE}/{database}/t", "size": 0, "type": "directory"}]
    assert f"{WAREHOUSE}/{database}/t/schema" in files.ls(f"{home}/t", detail=False)
    with files.open(f"{home}/t/schema/schema-0", "r") as file:
        assert json.load(file)["fields"][0]["name"] == "id"
    data = files.glob(f"{home}/t/bucket-0/*.parquet")
    assert files.info(data[0])["size"] > 0
    assert abs(files.modified(data[0]).timestamp() - time.time()) < 100
    assert pa.dataset.dataset(data, filesystem=files).to_table(columns=["id"]).to_pydict() == {"id": [1]}
    assert [files.exists(f"{home}{each}") for each in ("", "/t")] == [True, True]
    assert not any(files.exists(f"{home}{each}") for each in ("/u", "x", "/t/x", "/u/x"))
    for path in (f"{home}/u", f"{home}x", f"{home}/t/x"):
        with pytest.raises(FileNotFoundError):
            files.ls(path)
    with pytest.raises(CatalogError, match=r"Remove '\.\.'"):
        files.cat(f"{home}/t/../secret")


def test_files_of_a_paimon_table_belong_to_its_commits(catalog: wb.Catalog, database: str, files: Any) -> None:
    catalog.create_table(f"{database}.t", {"id": "INT"})
    home = f"pvfs://{WAREHOUSE}/{database}/t"
    changes = (
        lambda: files.pipe_file(f"{home}/x", b"1"),
        lambda: files.rm(f"{home}/schema/schema-0"),
        lambda: files.mv(f"{home}/schema/schema-0", f"{home}/schema/schema-1"),
        lambda: files.mkdir(f"{home}/made"),
    )
    for change in changes:
        with pytest.raises(Unsupported, match="belong to its commits"):
            change()
    for path in (home, f"pvfs://{WAREHOUSE}/{database}"):
        with pytest.raises(Unsupported, match="not a file"):
            files.rm_file(path)
    assert catalog.list_tables(database) == ["t"]


def test_files_of_an_object_table_are_written(catalog: wb.Catalog, database: str, files: Any) -> None:
    home = f"pvfs://{WAREHOUSE}/{database}_files/pictures"
    files.makedirs(f"{home}/a", exist_ok=True)
    assert catalog.list_tables(f"{database}_files") == ["pictures"]
    with pytest.raises(FileExistsError):
        files.mkdir(home)
    files.pipe_file(f"{home}/a/1.csv", b"id\n1\n")
    with files.open(f"{home}/a/2.csv", "w") as file:
        file.write("id\n2\n")
    with pytest.raises(FileExistsError):
        files.open(f"{home}/a/2.csv", "xb")
    assert [each["size"] for each in files.ls(f"{home}/a")] == [5, 5]
    files.cp_file(f"{home}/a/1.csv", f"{home}/a/3.csv")
    files.mv(f"{home}/a/3.csv", f"{home}/b.csv")
    assert sorted(files.find(home)) == [f"{home[7:]}/{each}" for each in ("a/1.csv", "a/2.csv", "b.csv")]
    assert files.cat_file(f"{home}/b.csv", 0, 2) == b"id"
    with pytest.raises(OSError, match="not empty"):
        files.rmdir(f"{home}/a")
    files.rm(f"{home}/a", recursive=True)
    assert files.ls(home, detail=False) == [f"{home[7:]}/b.csv"]
    with pytest.raises(Unsupported, match="mode 'ab'"):
        files.open(f"{home}/b.csv", "ab")
    # A table of files cannot be read as rows.
    with pytest.raises(Unsupported, match=r"object-table.*pvfs://"):
        catalog.get_table(f"{database}_files.pictures")


def test_other_programs_use_it(catalog: wb.Catalog, database: str, files: Any, service: dict[str, str]) -> None:
    pandas = pytest.importorskip("pandas")
    path = f"pvfs://{WAREHOUSE}/{database}/lists/a.csv"
    files.mkdir(f"pvfs://{WAREHOUSE}/{database}/lists")
    pandas.DataFrame({"id": [1, 2]}).to_csv(path, index=False, storage_options={"options": service})
    assert pandas.read_csv(path, storage_options={"options": service})["id"].tolist() == [1, 2]
    elsewhere = pickle.loads(pickle.dumps(files))
    assert pa.csv.read_csv(elsewhere.open(path)).to_pydict() == {"id": [1, 2]}
    assert TOKEN not in repr(files)
    assert catalog.list_tables(database) == ["lists"]


def test_a_table_is_requested_once_for_many_files(catalog: wb.Catalog, database: str, files: Any, proxy: Proxy) -> None:
    home = f"pvfs://{WAREHOUSE}/{database}/lists"
    files.mkdir(home)
    for number in range(5):
        files.pipe_file(f"{home}/{number}", b"1")
    proxy.seen.clear()
    assert files.cat([f"{home}/{number}" for number in range(5)]).popitem()[1] == b"1"
    assert proxy.count() == 0
    assert catalog.list_tables(database) == ["lists"]


def test_a_catalog_of_the_catalog_file(
    catalog: wb.Catalog, database: str, options: dict[str, str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    lines = [f'"{key}" = "{value}"' for key, value in {**options, "read_only": "true"}.items()]
    (tmp_path / "paimon_catalogs.toml").write_text("\n".join(["[prod]", *lines]))
    catalog.create_table(f"{database}.t", {"id": "INT"})
    files = VirtualFileSystem(skip_instance_cache=True)
    assert files.ls("pvfs://", detail=False) == ["prod"]
    assert b'"id"' in files.cat(f"pvfs://prod/{database}/t/schema/schema-0")
    with pytest.raises(wb.WorkbenchError, match="read-only"):
        files.mkdir(f"pvfs://prod/{database}/lists")
    with pytest.raises(FileNotFoundError, match="There is no catalog 'dev'"):
        files.ls("pvfs://dev")


@pytest.mark.long
def test_pypaimon_uses_the_same_files(
    catalog: wb.Catalog, database: str, files: Any, service: dict[str, str], proxy: Proxy
) -> None:
    # pypaimon knows URLs only.
    proxy.refuses = moved_tables(proxy.origin, lambda table: f"file://{table['path']}")
    home = f"pvfs://{WAREHOUSE}/{database}"
    catalog.create_table(f"{database}.t", {"id": "INT"}).write([{"id": 1}])
    files.mkdir(f"{home}/lists")
    files.pipe_file(f"{home}/lists/ours", b"of ours")
    # It lists full URLs.
    places = [home, f"{home}/t", f"{home}/t/schema", f"{home}/lists"]
    listed = {path: sorted(f"pvfs://{each}" for each in files.ls(path, detail=False)) for path in places}
    request = {"options": service, "home": home, "places": places}
    command = [str(peer_python("pypaimon")), str(PEER_SCRIPTS / "virtual_files.py"), json.dumps(request)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert {path: sorted(names) for path, names in answer["listed"].items()} == listed
    assert answer["exists"] == {path: files.exists(path) for path in answer["exists"]}
    assert answer["read"] == "of ours"
    assert files.cat(f"{home}/lists/theirs") == b"of pypaimon"
    assert files.cat(f"{home}/more/in/file") == b"of pypaimon"
