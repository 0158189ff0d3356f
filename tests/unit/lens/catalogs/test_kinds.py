"""Catalogs and their kinds as the panel shows them."""

from __future__ import annotations

from pathlib import Path

from tests.support.memory_catalog import MemoryCatalog
from workbench.catalog.kinds import WAREHOUSE, CatalogKind, CatalogOption, register_kind
from workbench.lens.catalogs.kinds import CatalogOptionValue, describe_catalog, describe_kinds
from workbench.lens.credentials import OptionValue

TOY = CatalogKind(
    "toy-service",
    "Toy service",
    MemoryCatalog,
    (
        CatalogOption("uri", "Where it is", "toy://host", is_required=True),
        CatalogOption("warehouse", "Its name for the tables"),
        CatalogOption("pin", "The number", is_secret=True),
        CatalogOption("token.provider", "The kind of tokens", choices=("bear", "dlf")),
    ),
)


def test_a_kind_has_the_options_of_its_form() -> None:
    register_kind(TOY)
    kinds = {each.metastore: each for each in describe_kinds().items}
    assert kinds["filesystem"].title == "Directory or bucket"
    expected = CatalogOptionValue("uri", "Where it is", "toy://host", True, False, (), None)
    assert kinds["toy-service"].options[0] == expected
    assert kinds["toy-service"].options[3].choices == ("bear", "dlf")
    assert describe_kinds().file.endswith("paimon_catalogs.toml")


def test_a_catalog_shows_its_kind_and_address_and_no_secrets() -> None:
    register_kind(TOY)
    options = {
        "metastore": "toy-service",
        "uri": "toy://u:hush@host",
        "warehouse": "sales",
        "pin": "hush",
        "token.provider": "bear",
        "s3.secret-key": "hush",
        "s3.access-key": "${env:KEY}",
    }
    shown = describe_catalog("prod", options, "user")
    assert (shown.kind, shown.address, shown.warehouse) == ("Toy service", "toy://***@host", "sales")
    assert {each.key: each.value for each in shown.options} == {
        **options,
        "uri": "toy://***@host",
        "pin": "***",
        "s3.secret-key": "***",
    }
    assert "hush" not in repr(shown)


def test_a_directory_is_an_absolute_path_and_a_reference_is_kept(tmp_path: Path) -> None:
    shown = describe_catalog("c", {"warehouse": f"{tmp_path}/a/../b"}, "session")
    assert (shown.warehouse, shown.kind, shown.metastore) == (f"{tmp_path}/b", "Directory or bucket", "filesystem")
    assert shown.options == (OptionValue("warehouse", f"{tmp_path}/b"),)
    assert describe_catalog("c", {"warehouse": "${env:LAKE}"}, "user").warehouse == "${env:LAKE}"
    assert WAREHOUSE.is_location


def test_an_invalid_catalog_is_shown_as_written() -> None:
    shown = describe_catalog("c", {"metastore": "glue", "warehouse": "s3://u:p@b/w", "secret": "x"}, "user")
    assert (shown.kind, shown.warehouse) == ("glue", "s3://***@b/w")
    assert {each.value for each in shown.options} == {"glue", "s3://***@b/w", "***"}


def test_a_read_only_catalog_is_marked() -> None:
    for option in ("read_only", "read-only"):
        assert describe_catalog("c", {"warehouse": "/data", option: "true"}, "user").read_only
    assert not describe_catalog("c", {"warehouse": "/data"}, "user").read_only
