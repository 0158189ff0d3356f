"""Named catalogs: where they are searched, which one takes precedence, and how one is added."""

from __future__ import annotations

import os
import stat
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from workbench.catalog import named
from workbench.catalog.named import NamedCatalog, named_catalogs, remember_catalog


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    return tmp_path / "config" / "paimon_catalogs.toml"


@pytest.fixture
def server_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    file = tmp_path / "environment" / "etc" / "jupyter" / "paimon_catalogs.toml"
    file.parent.mkdir(parents=True)
    return file


def test_nowhere(user_file: Path, server_file: Path) -> None:
    assert not user_file.exists()
    assert not server_file.exists()
    assert named_catalogs() == {}
    with pytest.raises(wb.CatalogNotFound, match=r"no catalog 'lake' in .*config/paimon_catalogs\.toml"):
        wb.connect("lake")


def test_the_users_file_takes_precedence(user_file: Path, server_file: Path) -> None:
    server_file.write_text('[demo]\nwarehouse = "/srv/demo"\n[lake]\nwarehouse = "/srv/lake"\n')
    user_file.write_text('[mine]\nwarehouse = "/home/mine"\n[lake]\nwarehouse = "/home/lake"\n')
    assert list(named_catalogs().values()) == [
        NamedCatalog("demo", {"warehouse": "/srv/demo"}, "server"),
        NamedCatalog("lake", {"warehouse": "/home/lake"}, "user"),
        NamedCatalog("mine", {"warehouse": "/home/mine"}, "user"),
    ]


def test_a_catalog_of_the_environment_opens(user_file: Path, server_file: Path, tmp_path: Path) -> None:
    assert not user_file.exists()
    (tmp_path / "lake").mkdir()
    server_file.write_text(f'[demo]\nwarehouse = "{tmp_path / "lake"}"\n')
    assert wb.connect("demo").warehouse == str(tmp_path / "lake")
    with pytest.raises(wb.CatalogError, match="Did you mean 'demo'"):
        wb.connect("dem")


@pytest.mark.usefixtures("user_file", "server_file")
def test_a_project_folder_names_no_catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "paimon_catalogs.toml").write_text('[trap]\nwarehouse = "/tmp"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wb.CatalogNotFound):
        wb.connect("trap")


@pytest.mark.usefixtures("server_file")
def test_options_with_dots_need_no_quotes(user_file: Path) -> None:
    user_file.write_text('[far]\nwarehouse = "s3://lake"\ns3.endpoint = "http://store"\ns3.path.style.access = true\n')
    options = {"warehouse": "s3://lake", "s3.endpoint": "http://store", "s3.path.style.access": "true"}
    assert named_catalogs()["far"].options == options


@pytest.mark.parametrize("text", ["[lake", "lake = 1", "[lake]\nwarehouse = [1]", "\0"])
def test_a_broken_file_is_named(user_file: Path, server_file: Path, text: str) -> None:
    for file in (user_file, server_file):
        file.write_text(text)
        with pytest.raises(wb.WorkbenchError, match=r"paimon_catalogs\.toml|'warehouse'"):
            named_catalogs()
        file.unlink()
    user_file.write_bytes(b"\xff")
    with pytest.raises(wb.CatalogError, match="not TOML"):
        named_catalogs()


@pytest.mark.usefixtures("server_file")
def test_a_file_that_cannot_be_read(user_file: Path) -> None:
    user_file.mkdir()
    with pytest.raises(wb.CatalogError, match="cannot be read"):
        named_catalogs()


# --- adding -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("server_file")
def test_existing_content_is_kept(user_file: Path) -> None:
    before = '# mine, all mine\n[lake]   # the old one\nwarehouse = "/data"'
    user_file.write_text(before)
    user_file.chmod(0o640)
    added = remember_catalog("pond", {"warehouse": "/pond", "s3.endpoint": 'a "quoted" \\ value'})
    assert user_file.read_text().startswith(before + "\n")
    assert named_catalogs()["pond"] == added
    assert named_catalogs()["lake"].options == {"warehouse": "/data"}
    assert stat.S_IMODE(user_file.stat().st_mode) == 0o640
    assert os.listdir(user_file.parent) == [user_file.name]


@pytest.mark.usefixtures("server_file")
def test_a_new_file_is_private(user_file: Path) -> None:
    user_file.parent.rmdir()
    remember_catalog("pond", {"warehouse": "/pond"})
    assert stat.S_IMODE(user_file.stat().st_mode) == 0o600
    assert user_file.read_text() == '["pond"]\n"warehouse" = "/pond"\n'


@pytest.mark.usefixtures("server_file")
def test_a_symbolic_link_is_kept(user_file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text("")
    user_file.symlink_to(tmp_path / "elsewhere.toml")
    remember_catalog("pond", {"warehouse": "/pond"})
    assert user_file.is_symlink()
    assert "pond" in (tmp_path / "elsewhere.toml").read_text()


@pytest.mark.usefixtures("server_file")
def test_invalid_catalogs_are_not_added(user_file: Path) -> None:
    user_file.write_text('[lake]\nwarehouse = "/data"\n')
    with pytest.raises(wb.AlreadyExists, match="'lake'"):
        remember_catalog("lake", {"warehouse": "/other"})
    for name in ["", "a/b", "..", "s3://x", "a\nb", " a"]:
        with pytest.raises(wb.CatalogError, match="is not a valid name"):
            remember_catalog(name, {"warehouse": "/other"})
    user_file.write_text("[lake")
    with pytest.raises(wb.CatalogError, match="not TOML"):
        remember_catalog("pond", {"warehouse": "/other"})
    assert user_file.read_text() == "[lake"


@pytest.mark.usefixtures("server_file")
def test_a_write_that_fails_leaves_the_old_file(user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.write_text("# old\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(named.os, "replace", full)
    with pytest.raises(wb.CatalogError, match="No space left"):
        remember_catalog("pond", {"warehouse": "/pond"})
    assert user_file.read_text() == "# old\n"
    assert os.listdir(user_file.parent) == [user_file.name]


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(options=st.dictionaries(TEXT, TEXT, max_size=4), name=TEXT.filter(lambda text: text.strip()))
def test_any_text_round_trips(options: dict[str, str], name: str) -> None:
    assert tomllib.loads(named._table(name, options)) == {name: options}


def test_the_files_of_a_process_take_precedence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    directories = [tmp_path / name for name in ("config", "first", "second")]
    for directory in directories:
        directory.mkdir()
        (directory / "paimon_catalogs.toml").write_text(
            f'[{directory.name}]\nwarehouse = "a"\n[all]\nwarehouse = "{directory.name}"\n'
        )
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(directories[0]))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", os.pathsep.join(map(str, directories[1:])))
    found = named_catalogs()
    assert {"config", "first", "second"} <= set(found)
    assert found["all"].options == {"warehouse": "first"}
    assert (found["first"].origin, found["config"].origin) == ("server", "user")


@pytest.mark.usefixtures("user_file")
def test_the_catalog_of_the_demo_names_its_command() -> None:
    with pytest.raises(wb.CatalogNotFound, match=r"no catalog 'demo' in .*Run: paimon-workbench demo\."):
        wb.connect("demo")
