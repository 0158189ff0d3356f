"""References in options: they are replaced when a catalog is opened, and never shown with their values."""

from __future__ import annotations

import builtins
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from workbench.base.errors import CatalogError
from workbench.base.secrets import HiddenSecrets, without_secrets
from workbench.catalog.kinds import CatalogKind, CatalogOption, register_kind
from workbench.catalog.secret_values import with_values

PLANTED = "pl4nted-in-the-environment"


class Keyring(ModuleType):
    """The package keyring with one entry."""

    class errors:  # noqa: N801 - the name of the module
        """Its errors."""

        class KeyringError(Exception):
            """The keyring cannot be read."""

    def get_password(self, service: str, user: str) -> str | None:
        if service == "locked":
            raise self.errors.KeyringError("it is locked")
        return "from-the-keyring" if (service, user) == ("lake", "ann") else None


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", Keyring("keyring"))


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", PLANTED)


def toy(options: Mapping[str, str]) -> MemoryCatalog:
    return MemoryCatalog(options)


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    register_kind(CatalogKind("vault", "Toy", toy, (CatalogOption("pass", "The word", is_secret=True),)))
    return {"metastore": "vault", "warehouse": str(tmp_path), "pass": "${env:PLANTED}", "user": "u-${env:PLANTED}"}


@pytest.mark.usefixtures("planted")
def test_values_of_the_environment() -> None:
    given = {"s3.secret-key": "${env:PLANTED}", "uri": "jdbc:mysql://u:${env:PLANTED}@h", "other": "${user.home} $x"}
    known = with_values(given)
    assert known == {
        "s3.secret-key": PLANTED,
        "uri": f"jdbc:mysql://u:{PLANTED}@h",
        "other": "${user.home} $x",
    }
    assert known.references == {key: given[key] for key in ("s3.secret-key", "uri")}
    assert "${env:PLANTED}" in repr(known)
    assert PLANTED not in repr(known)


@pytest.mark.usefixtures("keyring")
def test_values_of_the_keyring() -> None:
    assert with_values({"token": "${keyring:lake/ann}"}) == {"token": "from-the-keyring"}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("${env:NOT_SET}", "The option 'token' refers to the environment variable 'NOT_SET'", "export NOT_SET="),
        ("${keyring:lake/bob}", "'lake/bob' in the keyring, which has no such entry", "keyring set lake bob"),
        ("${keyring:lake}", "refers to 'lake' in the keyring", "service/user"),
        ("${keyring:locked/ann}", "the keyring, which cannot be read: it is locked", "Unlock"),
    ],
)
@pytest.mark.usefixtures("keyring")
def test_missing_values(text: str, message: str, hint: str) -> None:
    with pytest.raises(CatalogError) as raised:
        with_values({"token": text})
    assert message in raised.value.message
    assert hint in str(raised.value.hint)


def test_the_package_keyring_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "keyring":
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(CatalogError) as raised:
        with_values({"token": "${keyring:lake/ann}"})
    assert "pip install" in str(raised.value.hint)


@pytest.mark.usefixtures("planted")
def test_a_catalog_gets_the_values_and_shows_the_references(options: dict[str, str]) -> None:
    catalog = wb.connect(options)
    assert (catalog.options["pass"], catalog.options["user"]) == (PLANTED, f"u-{PLANTED}")
    shown = [repr(catalog.options), repr(wb.connect(catalog.options).options), repr(catalog)]
    assert PLANTED not in "".join(shown)
    assert "'user': 'u-${env:PLANTED}'" in shown[0]
    # Tasks on executors have neither the environment nor the keyring.
    copy = pickle.loads(pickle.dumps(catalog.options))
    assert (copy["pass"], repr(copy)) == (PLANTED, shown[0])


@pytest.mark.usefixtures("planted")
def test_the_system_table_shows_the_references(options: dict[str, str]) -> None:
    catalog = wb.connect({**options, "pass": "typed-word", "catalog-options-table.enabled": "true"})
    shown = {row["key"]: row["value"] for row in catalog.open("sys.catalog_options").to_arrow().to_pylist()}
    assert (shown["pass"], shown["user"]) == ("***", "u-${env:PLANTED}")


@pytest.mark.usefixtures("planted")
def test_a_catalog_file_keeps_the_references(
    options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.catalog.named import named_catalog, remember_catalog

    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    remember_catalog("kept", options)
    assert PLANTED not in (tmp_path / "paimon_catalogs.toml").read_text()
    assert named_catalog("kept").options["pass"] == "${env:PLANTED}"
    assert wb.connect("kept").options["pass"] == PLANTED


def test_messages_without_the_secrets_of_open_catalogs(options: dict[str, str]) -> None:
    wb.connect({**options, "pass": "typ3d-word", "user": "ann"})
    assert without_secrets("The service refused ann with typ3d-word at jdbc://u:p@h") == (
        "The service refused ann with *** at jdbc://***@h"
    )


def test_options_keep_which_of_them_are_secret() -> None:
    hidden = HiddenSecrets({"pass": "a", "token.provider": "bear"}, secret_names=["pass"])
    assert repr(HiddenSecrets(hidden)) == "{'pass': '***', 'token.provider': 'bear'}"


def test_a_cookie_is_a_secret() -> None:
    assert "s3ss1on" not in repr(HiddenSecrets({"header.Cookie": "id=s3ss1on"}))
