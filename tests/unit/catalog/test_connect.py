"""Opening catalogs by what users type."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

import workbench as wb
from workbench.base.errors import CatalogError
from workbench.catalog.connect import connect
from workbench.catalog.identifier import Identifier

ROWS = [{"id": 1, "v": "a"}, {"id": 2, "v": None}]


def fill(catalog: object) -> list[dict[str, object]]:
    catalog.create_database("d")  # type: ignore[attr-defined]
    table = catalog.create_table("d.t", {"id": "BIGINT", "v": "STRING"})  # type: ignore[attr-defined]
    table.write(ROWS)
    return catalog.get_table("d.t").to_arrow().to_pylist()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("how", ["text", "path", "file url", "option", "mapping"])
def test_a_directory(tmp_path: Path, how: str) -> None:
    ways = {
        "text": lambda: wb.connect(str(tmp_path)),
        "path": lambda: wb.connect(tmp_path),
        "file url": lambda: wb.connect(f"file://{tmp_path}"),
        "option": lambda: wb.connect(warehouse=str(tmp_path)),
        "mapping": lambda: wb.connect({"warehouse": str(tmp_path), "metastore": "filesystem"}),
    }
    assert fill(ways[how]()) == ROWS
    assert (tmp_path / "d.db" / "t" / "schema" / "schema-0").is_file()


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert wb.connect("./lake").warehouse == str(tmp_path / "lake")
    assert wb.connect(Path("lake")).warehouse == str(tmp_path / "lake")


def test_another_store() -> None:
    assert fill(wb.connect("memory://connect-test")) == ROWS


def test_a_new_directory_is_made_with_its_first_database(tmp_path: Path) -> None:
    assert fill(wb.connect(tmp_path / "new")) == ROWS


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalog file with a catalog called prod."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    lake = tmp_path / "lake"
    lake.mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "paimon_catalogs.toml").write_text(f'[prod]\nwarehouse = "{lake}"\n')
    return lake


def test_a_name_from_the_catalog_file(named: Path) -> None:
    assert wb.connect("prod").warehouse == str(named)


@pytest.mark.usefixtures("named")
def test_a_bare_word_is_never_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wb.CatalogError, match="no catalog 'lake'"):
        wb.connect("lake")
    with pytest.raises(wb.CatalogError, match="Did you mean 'prod'"):
        wb.connect("prd")


@pytest.mark.parametrize("text", ["[prod", "prod = 1"])
def test_a_broken_catalog_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    (tmp_path / "paimon_catalogs.toml").write_text(text)
    with pytest.raises(wb.CatalogError, match=r"paimon_catalogs\.toml"):
        wb.connect("prod")


def test_invalid_targets(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(wb.CatalogError, match="is a file"):
        wb.connect(tmp_path / "file")
    with pytest.raises(wb.CatalogError, match="no warehouse"):
        wb.connect(tmp_path / "no" / "such")
    with pytest.raises(wb.CatalogError, match="Did you mean 'filesystem'"):
        wb.connect(warehouse=str(tmp_path), metastore="filesytem")
    with pytest.raises(wb.CatalogError, match="No warehouse"):
        wb.connect()


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        ({"wharehouse": "/data"}, "warehouse"),
        ({"warehouse": "/data", "lock-enabled": "true"}, "lock.enabled"),
        ({"warehouse": "/data", "readonly": "true"}, "read-only"),
        ({"metastore": "hive", "url": "thrift://host:9083"}, "uri"),
        (
            {"metastore": "hive", "uri": "thrift://host:9083", "location_in_properties": "true"},
            "location-in-properties",
        ),
        ({"metastore": "jdbc", "uri": "jdbc:sqlite:/c.db", "warehouse": "/data", "catalog.key": "a"}, "catalog-key"),
        ({"metastore": "rest", "uri": "http://host", "tokens": "t", "token.provider": "bear"}, "token"),
        ({"metastore": "rest", "uri": "http://host", "token.providr": "bear"}, "token.provider"),
        ({"metastore": "rest", "uri": "http://host", "data-tokens.enabled": "true"}, "data-token.enabled"),
    ],
)
def test_misspelled_options_are_refused(options: dict[str, str], meant: str) -> None:
    with pytest.raises(wb.UnknownOption, match=rf"no option '.*'\. Did you mean '{re.escape(meant)}'\?"):
        wb.connect(options)


def test_other_options_are_passed_on(tmp_path: Path) -> None:
    given = {
        "table-default.bucket": "2",
        "s3.endpoint": "http://host",
        "fs.s3a.path.style.access": "true",
        "jdbc.usr": "ada",
        "header.tokn": "t",
        "owner.team": "sales",
        "read-only": "true",
    }
    assert wb.connect(tmp_path, **given).options["owner.team"] == "sales"


def test_a_directory_of_other_files_is_not_a_warehouse(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(wb.CatalogError, match="not a Paimon warehouse"):
        wb.connect(tmp_path).list_databases()


@pytest.mark.parametrize("directory", ["a b", "100%", "a%20b", "a#b?c", "größe", "%2525"])
def test_file_urls_are_decoded_once(directory: str, tmp_path: Path) -> None:
    path = tmp_path / directory
    catalog = wb.connect(path)
    catalog.create_database("db")
    options = {"data-file.external-paths": f"file:{path}/out side", "data-file.external-paths.strategy": "round-robin"}
    table = catalog.create_table("db.t", {"id": "INT", "p": "STRING"}, partition_by=["p"], options=options)
    table.write([{"id": 1, "p": "x y%"}])
    url = path.as_uri()
    for each in (url, url.replace("file://", "file:"), str(path)):
        opened = wb.connect(each)
        assert opened.warehouse == str(path)
        assert opened.get_table("db.t").to_arrow().to_pylist() == [{"id": 1, "p": "x y%"}]


@pytest.mark.parametrize(
    ("address", "metastore"),
    [
        ("jdbc:postgresql://ada:geheim@host/lake", "jdbc"),
        ("jdbc:sqlite:/data/catalog.db", "jdbc"),
        ("thrift://host:9083", "hive"),
        ("http://host:8080", "rest"),
        ("https://host", "rest"),
    ],
)
def test_the_address_of_a_service_is_not_a_directory(tmp_path: Path, address: str, metastore: str) -> None:
    with pytest.raises(CatalogError, match=rf"is the address of a .*metastore='{metastore}', uri=") as refused:
        connect(address)
    assert "geheim" not in str(refused.value)
    with pytest.raises(CatalogError, match=f"Pass metastore='{metastore}', or leave out 'uri'") as refused:
        connect(uri=address, warehouse=str(tmp_path))
    assert "geheim" not in str(refused.value)


def test_a_catalog_is_not_pickled(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    for make in (pickle.dumps, copy.copy):
        with pytest.raises(wb.Unsupported, match=r"cannot be pickled.*wb\.connect\(catalog\.options\)"):
            make(catalog)
    catalog.create_database("shop")
    table = catalog.create_table("shop.t", {"id": "INT"})
    assert wb.connect(catalog.options).list_tables("shop") == ["t"]
    assert pickle.loads(pickle.dumps(table)).name == "shop.t"


def test_databases_with_a_dot(tmp_path: Path) -> None:
    (tmp_path / "a.b.db").mkdir()
    catalog = wb.connect(tmp_path)
    assert catalog.list_databases() == ["a.b"]
    catalog.create_table("`a.b`.t", {"id": "INT"}).write([{"id": 1}])
    assert catalog.list_tables("a.b") == ["t"]
    assert catalog.open("`a.b`.t$snapshots").to_arrow().num_rows == 1
    with pytest.raises(wb.CatalogError, match="contains a dot"):
        catalog.create_database("c.d")
    assert str(Identifier.parse(" `a` . `b$files`")) == "a.b$files"
    for name in ("a", "`a.b`", ""):
        with pytest.raises(wb.CatalogError, match="does not name a database"):
            Identifier.parse(name)
