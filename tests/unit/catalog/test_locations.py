"""Directories that a path names, beside the catalog of a session."""

from __future__ import annotations

import pytest

from workbench.catalog.locations import options_at

OTHER = {"metastore": "filesystem", "warehouse": "/data/wh", "s3.endpoint": "http://host"}


@pytest.mark.parametrize(
    ("metastore", "warehouse"),
    [("rest", "sales"), ("jdbc", "/data/other"), ("hive", ""), ("filesystem", "s3://lake/wh")],
)
def test_another_warehouse_is_a_directory(metastore: str, warehouse: str) -> None:
    given = {"metastore": metastore, "warehouse": warehouse, "s3.endpoint": "http://host"}
    assert options_at(given, "/data/wh") == OTHER
    assert options_at({"metastore": "hive", "s3.endpoint": "http://host"}, "/data/wh") == OTHER


@pytest.mark.parametrize("warehouse", ["/data/wh", "/data/wh/", "file:/data/wh"])
def test_its_own_warehouse_is_that_of_the_catalog(warehouse: str) -> None:
    given = {"metastore": "jdbc", "uri": "jdbc:sqlite:/data/cat.db", "warehouse": warehouse}
    assert options_at(given, "/data/wh") == given
